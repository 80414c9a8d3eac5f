package mps

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// ErrWrite is wrapped by the error of Write on a model that MPS cannot express.
var ErrWrite = errors.New("the model cannot be written as MPS")

// Write writes the model as free MPS, with the fields at the columns of fixed MPS where names and numbers are short
// enough. Numbers are the shortest decimals that give the same float64, so that Read returns the same model: the
// exceptions are a range [lower, upper] whose width no float64 expresses (one side then moves by a unit in the last
// place), bounds of 1e30 and beyond, which become infinite, and names that hold blanks, are empty or repeated, which
// are changed. A row whose lower side is above its upper one cannot be written. Sets, semi-continuous columns and
// indicators are written as rows and 0-1 columns, or, where columns lack the bounds that these need, in sections of
// their own.
func Write(w io.Writer, m *lp.Model) error {
	if err := m.Validate(); err != nil {
		return prefixed(err)
	}
	m, logic := fileForm(m)
	out := &writer{w: bufio.NewWriterSize(w, 1<<16), m: m, logic: logic, names: namesFor(m)}
	if err := out.classify(); err != nil {
		return err
	}

	out.head()
	out.columns()
	out.sides()
	if err := out.bounds(); err != nil {
		return err
	}
	out.special()
	out.line("ENDATA")
	return flush(out.w)
}

// side is a row as MPS states it: a type, a right-hand side and perhaps a range.
type side struct {
	// kind is N, L, G or E.
	kind byte
	// rhs is the right-hand side, and rng the range, 0 for none.
	rhs, rng float64
}

// writer writes one file.
type writer struct {
	// w keeps its first error until Flush, so that nothing in between has to look for one.
	w *bufio.Writer
	m *lp.Model
	// logic goes into sections of its own.
	logic lp.Logic
	names names
	// rows are the rows of the model as MPS states them.
	rows []side
	// buf is the memory in which lines are put together.
	buf []byte
}

// line writes a line as it is.
func (o *writer) line(s string) {
	o.w.WriteString(s)
	o.w.WriteByte('\n')
}

// card writes the fields of a data line at the columns of fixed MPS as far as they fit: some readers of free MPS need
// them there. A key may be empty; so may the value.
func (o *writer) card(code, name, key string, value ...float64) {
	b := append(o.buf[:0], ' ')
	b = pad(append(b, code...), 4)
	b = append(b, name...)
	if key != "" {
		b = append(pad(b, 12), "  "...)
		b = append(b, key...)
	}

	// Numbers stand at the right of their field of 12 characters.
	for _, v := range value {
		// A field of numbers begins two columns behind the field of names.
		b = append(pad(b, 22), "  "...)
		var digits [32]byte
		text := strconv.AppendFloat(digits[:0], v, 'g', -1, 64)
		b = append(pad(b, len(b)+12-len(text)), text...)
	}

	// The memory of the line serves for the next one.
	o.buf = append(b, '\n')
	o.w.Write(o.buf)
}

// pad adds blanks up to a column.
func pad(b []byte, column int) []byte {
	for len(b) < column {
		b = append(b, ' ')
	}
	return b
}

// classify finds the type, right-hand side and range of every row.
func (o *writer) classify() error {
	o.rows = make([]side, len(o.m.Rows))
	for i, r := range o.m.Rows {
		// Sides of 1e30 and more are infinite in files.
		s, ok := sideOf(clip(r.Lower), clip(r.Upper))
		if !ok {
			return emptyRow(o.m, i)
		}
		o.rows[i] = s
	}
	return nil
}

// emptyRow is the error of a row whose sides nothing satisfies.
func emptyRow(m *lp.Model, i int) error {
	r := &m.Rows[i]
	return fmt.Errorf("mps: %w: row %s has the sides [%g, %g]", ErrWrite, m.RowName(lp.Con(i)), r.Lower, r.Upper)
}

// sideOf chooses the type of a row; for a range, the one of G and L that gives both sides back exactly.
func sideOf(lower, upper float64) (side, bool) {
	noLower, noUpper := math.IsInf(lower, -1), math.IsInf(upper, 1)
	switch {
	// No point satisfies such a row.
	case lower > upper || math.IsInf(lower, 1) || math.IsInf(upper, -1):
		return side{}, false
	case noLower && noUpper:
		return side{kind: 'N'}, true
	case noLower:
		return side{kind: 'L', rhs: upper}, true
	case noUpper:
		return side{kind: 'G', rhs: lower}, true
	case lower == upper:
		return side{kind: 'E', rhs: lower}, true
	}

	// The width is rounded, so lower + width may miss the upper side. The neighbours of the width may not.
	width := upper - lower
	for _, r := range []float64{width, math.Nextafter(width, math.Inf(1)), math.Nextafter(width, 0)} {
		if r > 0 && lower+r == upper {
			return side{kind: 'G', rhs: lower, rng: r}, true
		}
		if r > 0 && upper-r == lower {
			return side{kind: 'L', rhs: upper, rng: r}, true
		}
	}

	// No width gives both sides back: the upper side moves by the rounding of lower + width.
	return side{kind: 'G', rhs: lower, rng: width}, true
}

// head writes NAME, OBJSENSE and ROWS.
func (o *writer) head() {
	o.line(strings.TrimRight("NAME          "+writable(o.m.Name), " "))
	if o.m.Maximize {
		o.line("OBJSENSE")
		o.line("    MAX")
	}
	o.line("ROWS")
	o.card("N", o.names.objective, "")

	// The objective is the first row, so that readers without OBJNAME take it.
	for i, s := range o.rows {
		o.card(string(s.kind), o.names.rows[i], "")
	}
}

// columns writes COLUMNS, with markers around groups of integer columns.
func (o *writer) columns() {
	o.line("COLUMNS")
	integer := false
	mark := func(on bool) {
		if on == integer {
			return
		}
		integer = on
		word := map[bool]string{true: "'INTORG'", false: "'INTEND'"}[on]
		o.line("    MARKER                 'MARKER'                 " + word)
	}

	// A column without coefficients has a cost of 0, so that it is in the file. A model that is valid has a matrix.
	a, _ := o.m.Matrix()
	for j := range o.m.Cols {
		// A marker stands where the kind of columns changes.
		mark(o.m.Cols[j].Integer)
		index, value := a.Vec(j)
		if c := o.m.Cols[j].Cost; c != 0 || len(index) == 0 {
			o.card("", o.names.cols[j], o.names.objective, c)
		}
		for k, i := range index {
			o.card("", o.names.cols[j], o.names.rows[i], value[k])
		}
	}
	mark(false)
}

// sides writes RHS, and RANGES if a row has one.
func (o *writer) sides() {
	// The right-hand side of the objective is the negative of the offset.
	o.line("RHS")
	if o.m.Offset != 0 {
		o.card("", "RHS", o.names.objective, -o.m.Offset)
	}
	ranges := false
	for i, s := range o.rows {
		if s.rhs != 0 {
			o.card("", "RHS", o.names.rows[i], s.rhs)
		}
		ranges = ranges || s.rng != 0
	}

	// The section is left out where no row has a range.
	if ranges {
		o.line("RANGES")
	}
	for i, s := range o.rows {
		if s.rng != 0 {
			o.card("", "RNG", o.names.rows[i], s.rng)
		}
	}
}

// bounds writes BOUNDS, if a column has others than those of the default.
func (o *writer) bounds() error {
	header := false
	put := func(code string, j int, value ...float64) {
		if !header {
			o.line("BOUNDS")
			header = true
		}
		o.card(code, "BND", o.names.cols[j], value...)
	}

	// The first case that holds is the shortest way to state the bounds.
	for j := range o.m.Cols {
		c := &o.m.Cols[j]
		lower, upper := clip(c.Lower), clip(c.Upper)
		noLower, noUpper := math.IsInf(lower, -1), math.IsInf(upper, 1)
		switch {
		case math.IsInf(lower, 1) || math.IsInf(upper, -1):
			return fmt.Errorf("mps: %w: column %s has the bounds [%g, %g]", ErrWrite, o.m.ColName(lp.Var(j)), c.Lower, c.Upper)

		case isSemi(&o.logic, j):
			o.semi(put, j, lower, upper)

		// FR frees both sides.
		case noLower && noUpper:
			put("FR", j)
		case lower == upper:
			put("FX", j, lower)
		case isBinary(c):
			put("BV", j)

		// MI leaves the upper bound alone in some readers, and sets it to 0 in others.
		case noLower:
			put("MI", j)
			put("UP", j, upper)
		case noUpper:
			if lower != 0 {
				put("LO", j, lower)
			}
			if c.Integer { // without any bound it would be binary
				put("PL", j)
			}
		default:
			// An upper bound that is not positive would free a lower bound of 0 that is not stated.
			if lower != 0 || upper <= 0 {
				put("LO", j, lower)
			}
			put("UP", j, upper)
		}
	}
	return nil
}
