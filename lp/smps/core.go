package smps

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// core is the model with what a model does not keep: indices by name, the types of rows, and the names of the sets.
type core struct {
	model  *lp.Model
	matrix *lp.Matrix
	// rows and cols give the index of a name. The objective is not among the rows.
	rows, cols map[string]int32
	// kind is the type of each row by its name: N, L, G or E.
	kind map[string]byte
	// ranges has the ranges of the rows that have one, by name, with the sign of the file.
	ranges map[string]float64
	// rhs is the name of the right-hand side set that counts, "" for none.
	rhs string
	// warnings are those of reading the core file.
	warnings []string
}

// readCore reads the core file.
func readCore(path string) (*core, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	m, warnings, err := mps.Read(bytes.NewReader(f.rest), path)
	if err != nil {
		return nil, err
	}

	// The time and stoch files name rows and columns, which are found by their names.
	c := &core{
		model:    m,
		rows:     make(map[string]int32, len(m.Rows)),
		cols:     make(map[string]int32, len(m.Cols)),
		kind:     map[string]byte{},
		ranges:   map[string]float64{},
		warnings: warnings,
	}
	if c.matrix, err = m.Matrix(); err != nil {
		return nil, prefixed(err)
	}
	for i := range m.Rows {
		c.rows[m.Rows[i].Name] = int32(i)
	}
	for j := range m.Cols {
		c.cols[m.Cols[j].Name] = int32(j)
	}
	return c, c.scan(f)
}

// scan takes from the text what the model does not keep. Sets, semi-continuous columns and indicators would become more
// rows and columns, which the time and stoch files cannot name, and are refused.
func (c *core) scan(f *file) error {
	// mps.Read has accepted the text, so lines have the fields that their sections need.
	section := ""
	for fields, header := range f.lines {
		switch {
		case header:
			if section = strings.ToUpper(fields[0]); section == "ENDATA" {
				return nil
			}

		// What a program with scenarios cannot have.
		case section == "SOS" || section == "INDICATORS":
			return f.fail("section", section, "special ordered sets and indicators are not supported in programs with scenarios")
		case section == "BOUNDS" && (fields[0] == "SC" || fields[0] == "SI"):
			return f.fail("bound type", fields[0], "semi-continuous columns are not supported in programs with scenarios")

		// The first set of a section counts, as in mps.Read.
		case section == "ROWS" && len(fields) == 2:
			c.kind[fields[1]] = fields[0][0] &^ 0x20
		case section == "RHS" && c.rhs == "" && len(fields)%2 == 1:
			c.rhs = fields[0]
		case section == "RANGES":
			c.scanRanges(fields)
		}
	}
	return nil
}

// scanRanges reads the pairs of a line of RANGES. The first range of a row counts; mps.Read has refused other ones.
func (c *core) scanRanges(fields []string) {
	for at := len(fields) % 2; at+1 < len(fields); at += 2 {
		// An odd number of fields begins with the name of the set.
		v, err := (&file{}).number("", fields[at+1])
		if _, known := c.ranges[fields[at]]; err == nil && !known {
			c.ranges[fields[at]] = v
		}
	}
}

// sides returns the sides of a row with the right-hand side v, by the rules for ranges of package mps.
func (c *core) sides(i int32, v float64) (lower, upper float64) {
	// A row without a range is open on its other side, except an equation.
	name := c.model.Rows[i].Name
	r, ranged := c.ranges[name]
	width := lp.Inf
	if ranged {
		width = math.Abs(r)
	}

	// The other side of an L or G row is as far away as its range; of an equation the sign says where.
	switch c.kind[name] {
	case 'L':
		return v - width, v
	case 'G':
		return v, v + width
	}
	return v + min(0, r), v + max(0, r)
}

// right returns the right-hand side of a row.
func (c *core) right(i int32) float64 {
	// The range of an equation lies above its right-hand side where it is positive, below where it is negative.
	row := &c.model.Rows[i]
	kind := c.kind[row.Name]
	if kind == 'L' || kind != 'G' && c.ranges[row.Name] < 0 {
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
		return c.model.Cols[t.col].Cost
	case theEntry:
		return c.entry(t.row, t.col)
	case theRight:
		return c.right(t.row)
	}

	// Of a fixed column both bounds are the same.
	if t.bound == "LO" {
		return c.model.Cols[t.col].Lower
	}
	return c.model.Cols[t.col].Upper
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
		lower, upper := c.sides(t.row, v)
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
