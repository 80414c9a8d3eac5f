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

// core is the model with what a model does not keep: names by index, the types of rows, and the names of the sets.
type core struct {
	model    *lp.Model
	matrix   *lp.Matrix
	rows     map[string]int32
	cols     map[string]int32
	kind     map[string]byte    // of rows: N, L, G or E
	ranges   map[string]float64 // of rows with a range
	rhs      string             // the sets that count, "" for none
	bounds   string
	warnings []string
}

// readCore reads the core file.
func readCore(path string) (*core, error) {
	f, data, err := open(path)
	if err != nil {
		return nil, err
	}
	m, warnings, err := mps.Read(bytes.NewReader(data), path)
	if err != nil {
		return nil, err
	}

	c := &core{model: m, rows: make(map[string]int32, len(m.Rows)), cols: make(map[string]int32, len(m.Cols)),
		kind: map[string]byte{}, ranges: map[string]float64{}, warnings: warnings}
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
	section := ""
	for {
		fields, header := f.next()
		switch {
		case fields == nil:
			return nil
		case header:
			if section = strings.ToUpper(fields[0]); section == "ENDATA" {
				return nil
			}

		case section == "SOS" || section == "INDICATORS":
			return f.fail("section", section, "special ordered sets and indicators are not supported in programs with scenarios")
		case section == "BOUNDS" && (fields[0] == "SC" || fields[0] == "SI"):
			return f.fail("bound type", fields[0], "semi-continuous columns are not supported in programs with scenarios")

		// The first set of a section counts, as in mps.Read.
		case section == "ROWS" && len(fields) == 2:
			c.kind[fields[1]] = fields[0][0] &^ 0x20
		case section == "RHS" && c.rhs == "" && len(fields)%2 == 1:
			c.rhs = fields[0]
		case section == "BOUNDS" && c.bounds == "" && len(fields) >= 3:
			c.bounds = fields[1]
		case section == "RANGES":
			c.scanRanges(fields)
		}
	}
}

// scanRanges reads the pairs of a line of RANGES. The first range of a row counts; mps.Read has refused other ones.
func (c *core) scanRanges(fields []string) {
	for at := len(fields) % 2; at+1 < len(fields); at += 2 {
		if v, err := (&file{}).number("", fields[at+1]); err == nil {
			if _, known := c.ranges[fields[at]]; !known {
				c.ranges[fields[at]] = v
			}
		}
	}
}

// sides returns the sides of a row with the right-hand side v, by the rules for ranges of package mps.
func (c *core) sides(i int32, v float64) (lower, upper float64) {
	name := c.model.Rows[i].Name
	r, ranged := c.ranges[name]
	switch kind := c.kind[name]; {
	case kind == 'L' && ranged:
		return v - math.Abs(r), v
	case kind == 'L':
		return -lp.Inf, v
	case kind == 'G' && ranged:
		return v, v + math.Abs(r)
	case kind == 'G':
		return v, lp.Inf
	}
	return v + min(0, r), v + max(0, r)
}

// right returns the right-hand side of a row.
func (c *core) right(i int32) float64 {
	row := &c.model.Rows[i]
	switch c.kind[row.Name] {
	case 'L':
		return row.Upper
	case 'G':
		return row.Lower
	}
	if c.ranges[row.Name] < 0 {
		return row.Upper
	}
	return row.Lower
}

// entry returns a coefficient.
func (c *core) entry(i, j int32) float64 {
	index, value := c.matrix.Vec(int(j))
	if k, found := slices.BinarySearch(index, i); found {
		return value[k]
	}
	return 0
}

// target is a number of the core that a stoch file names.
type target struct {
	kind  targetKind
	row   int32
	col   int32
	bound string // the type, for a bound
}

type targetKind uint8

const (
	theCost targetKind = iota
	theEntry
	theRight
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
	if t.bound == "LO" {
		return c.model.Cols[t.col].Lower
	}
	return c.model.Cols[t.col].Upper
}

// changes returns what a value at a target changes in the model.
func (c *core) changes(t target, v float64) []stoch.Change {
	switch t.kind {
	case theCost:
		return []stoch.Change{stoch.SetCost(lp.Var(t.col), v)}
	case theEntry:
		return []stoch.Change{stoch.SetEntry(lp.Con(t.row), lp.Var(t.col), v)}
	case theRight:
		lower, upper := c.sides(t.row, v)
		return finite(stoch.SetRowLower(lp.Con(t.row), lower), stoch.SetRowUpper(lp.Con(t.row), upper))
	}

	low := stoch.SetColLower(lp.Var(t.col), v)
	up := stoch.SetColUpper(lp.Var(t.col), v)
	switch t.bound {
	case "LO":
		return []stoch.Change{low}
	case "UP":
		return []stoch.Change{up}
	}
	return []stoch.Change{low, up} // FX
}

// finite drops changes to an infinity: a side that is infinite in one realisation is so in the core.
func finite(list ...stoch.Change) []stoch.Change {
	return slices.DeleteFunc(list, func(c stoch.Change) bool { return math.IsInf(c.Value, 0) })
}
