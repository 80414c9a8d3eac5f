package smps

import (
	"bytes"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// core is the core file with the indices of names.
type core struct {
	// Core has the types and ranges of rows, too, and the name of the right-hand side set.
	*mps.Core
	matrix *lp.Matrix
	// rows and cols give the index of a name. The objective is not among the rows.
	rows, cols map[string]int32
}

// readCore reads the core file.
func readCore(path string) (*core, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	read, err := mps.ReadCore(bytes.NewReader(f.rest), path)
	if err != nil {
		return nil, err
	}

	// The time and stoch files name rows and columns, which are found by their names.
	m := read.Model
	c := &core{Core: read, rows: make(map[string]int32, len(m.Rows)), cols: make(map[string]int32, len(m.Cols))}
	if c.matrix, err = m.Matrix(); err != nil {
		return nil, prefixed(err)
	}
	for i := range m.Rows {
		c.rows[m.Rows[i].Name] = int32(i)
	}
	for j := range m.Cols {
		c.cols[m.Cols[j].Name] = int32(j)
	}
	return c, nil
}

// right returns the right-hand side of a row.
func (c *core) right(i int32) float64 {
	// The range of an equation lies above its right-hand side where it is positive, below where it is negative.
	row := &c.Model.Rows[i]
	kind := c.Types[i]
	if kind == 'L' || kind == 'E' && c.Ranges[i] < 0 {
		return row.Upper
	}
	return row.Lower
}

// entry returns a coefficient.
func (c *core) entry(i, j int32) float64 {
	// Rows are in ascending order within a column.
	index, value := c.matrix.Vec(int(j))
	if k, found := slices.BinarySearch(index, i); found {
		return value[k]
	}
	return 0
}

// target is a number of the core that a stoch file names. It is a key of maps, so what its kind does not need is zero.
type target struct {
	kind targetKind
	// row is the row of a coefficient or a right-hand side, col the column of a cost, a coefficient or a bound.
	row, col int32
	// bound is the type of a bound: UP, LO or FX.
	bound string
}

// targetKind says which number of the core a target is.
type targetKind uint8

const (
	// theCost is the cost of a column.
	theCost targetKind = iota
	// theEntry is a coefficient, which may be 0 in the core.
	theEntry
	// theRight is the right-hand side of a row, from which its sides follow.
	theRight
	// theBound is one bound of a column, or both of a fixed one.
	theBound
)

// value returns the number in the core.
func (c *core) value(t target) float64 {
	switch t.kind {
	case theCost:
		return c.Model.Cols[t.col].Cost
	case theEntry:
		return c.entry(t.row, t.col)
	case theRight:
		return c.right(t.row)
	}

	// Of a fixed column both bounds are the same.
	if t.bound == "LO" {
		return c.Model.Cols[t.col].Lower
	}
	return c.Model.Cols[t.col].Upper
}

// changes returns what a value at a target changes in the model.
func (c *core) changes(t target, v float64) []stoch.Change {
	// A right-hand side changes the sides of its row that are finite.
	switch t.kind {
	case theCost:
		return []stoch.Change{stoch.SetCost(lp.Var(t.col), v)}
	case theEntry:
		return []stoch.Change{stoch.SetEntry(lp.Con(t.row), lp.Var(t.col), v)}
	case theRight:
		lower, upper := c.Sides(int(t.row), v)
		return finite(stoch.SetRowLower(lp.Con(t.row), lower), stoch.SetRowUpper(lp.Con(t.row), upper))
	}

	// FX changes both bounds of the column.
	low := stoch.SetColLower(lp.Var(t.col), v)
	up := stoch.SetColUpper(lp.Var(t.col), v)
	return map[string][]stoch.Change{"LO": {low}, "UP": {up}, "FX": {low, up}}[t.bound]
}

// finite drops changes to an infinity: a side that is infinite in one realisation is so in the core.
func finite(list ...stoch.Change) []stoch.Change {
	return slices.DeleteFunc(list, func(c stoch.Change) bool { return math.IsInf(c.Value, 0) })
}
