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
// enough. Numbers are the shortest decimals that give the same float64, so that
// Read returns the same model: the exceptions are a range [lower, upper] whose width no float64
// expresses (one side then moves by a unit in the last place), bounds of 1e30 and beyond, which become infinite,
// and names that hold blanks, are empty or repeated, which are changed. A row whose lower side is above its
// upper one cannot be written.
func Write(w io.Writer, m *lp.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	out := &writer{w: bufio.NewWriterSize(w, 1<<16), m: m, names: namesFor(m)}
	if err := out.classify(); err != nil {
		return err
	}
	out.head()
	if err := out.columns(); err != nil {
		return err
	}
	out.sides()
	if err := out.bounds(); err != nil {
		return err
	}
	out.line("ENDATA")
	if err := out.w.Flush(); err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	return nil
}

// side is a row as MPS states it: a type, a right-hand side and perhaps a range.
type side struct {
	kind     byte
	rhs, rng float64 // rng is 0 for none
}

type writer struct {
	w     *bufio.Writer // keeps its first error until Flush
	m     *lp.Model
	names names
	rows  []side
	buf   []byte
}

// line writes a line as it is.
func (o *writer) line(s string) {
	o.w.WriteString(s)
	o.w.WriteByte('\n')
}

// card writes the fields of a data line at the columns of fixed MPS as far as they fit, which some readers of free
// MPS lean on. A key may be empty; so may the value.
func (o *writer) card(code, name, key string, value ...float64) {
	b := append(o.buf[:0], ' ')
	b = pad(append(b, code...), 4)
	b = append(b, name...)
	if key != "" {
		b = append(pad(b, 12), "  "...)
		b = append(b, key...)
	}
	for _, v := range value {
		b = append(pad(b, 22), "  "...)
		start := len(b)
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
		if width := len(b) - start; width < 12 {
			b = append(b, "            "[:12-width]...)
			copy(b[start+12-width:], b[start:start+width])
			copy(b[start:], "            "[:12-width])
		}
	}
	o.buf = append(b, '\n')
	o.w.Write(o.buf)
}

// pad fills up with blanks to a column.
func pad(b []byte, column int) []byte {
	for len(b) < column {
		b = append(b, ' ')
	}
	return b
}

func (o *writer) classify() error {
	o.rows = make([]side, len(o.m.Rows))
	for i := range o.m.Rows {
		s, ok := sideOf(clip(o.m.Rows[i].Lower), clip(o.m.Rows[i].Upper))
		if !ok {
			return fmt.Errorf("mps: %w: row %s has the sides [%g, %g]", ErrWrite, o.m.RowName(lp.Con(i)), o.m.Rows[i].Lower,
				o.m.Rows[i].Upper)
		}
		o.rows[i] = s
	}
	return nil
}

// clip makes a bound infinite that Read would take as infinite.
func clip(v float64) float64 {
	switch {
	case v >= infinite:
		return math.Inf(1)
	case v <= -infinite:
		return math.Inf(-1)
	}
	return v
}

// sideOf chooses the type of a row; for a range, the one of G and L that gives both sides back exactly.
func sideOf(lower, upper float64) (side, bool) {
	noLower, noUpper := math.IsInf(lower, -1), math.IsInf(upper, 1)
	switch {
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
	width := upper - lower
	for _, r := range []float64{width, math.Nextafter(width, math.Inf(1)), math.Nextafter(width, 0)} {
		if r > 0 && lower+r == upper {
			return side{kind: 'G', rhs: lower, rng: r}, true
		}
		if r > 0 && upper-r == lower {
			return side{kind: 'L', rhs: upper, rng: r}, true
		}
	}
	return side{kind: 'G', rhs: lower, rng: width}, true
}

func (o *writer) head() {
	o.line(strings.TrimRight("NAME          "+writable(o.m.Name), " "))
	if o.m.Maximize {
		o.line("OBJSENSE")
		o.line("    MAX")
	}
	o.line("ROWS")
	o.card("N", o.names.objective, "")
	for i, s := range o.rows {
		o.card(string(s.kind), o.names.rows[i], "")
	}
}

func (o *writer) columns() error {
	a, err := o.m.Matrix()
	if err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	o.line("COLUMNS")
	integer := false
	mark := func(on bool) {
		if on == integer {
			return
		}
		integer = on
		word := "'INTEND'"
		if on {
			word = "'INTORG'"
		}
		o.line("    MARKER                 'MARKER'                 " + word)
	}
	for j := range o.m.Cols {
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
	return nil
}

func (o *writer) sides() {
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
	if !ranges {
		return
	}
	o.line("RANGES")
	for i, s := range o.rows {
		if s.rng != 0 {
			o.card("", "RNG", o.names.rows[i], s.rng)
		}
	}
}

func (o *writer) bounds() error {
	header := false
	put := func(code string, j int, value ...float64) {
		if !header {
			o.line("BOUNDS")
			header = true
		}
		o.card(code, "BND", o.names.cols[j], value...)
	}
	for j := range o.m.Cols {
		lower, upper := clip(o.m.Cols[j].Lower), clip(o.m.Cols[j].Upper)
		noLower, noUpper := math.IsInf(lower, -1), math.IsInf(upper, 1)
		switch {
		case math.IsInf(lower, 1) || math.IsInf(upper, -1):
			return fmt.Errorf("mps: %w: column %s has the bounds [%g, %g]", ErrWrite, o.m.ColName(lp.Var(j)), o.m.Cols[j].Lower,
				o.m.Cols[j].Upper)
		case noLower && noUpper:
			put("FR", j)
		case lower == upper:
			put("FX", j, lower)
		case o.m.Cols[j].Integer && lower == 0 && upper == 1:
			put("BV", j)
		case noLower:
			put("MI", j)
			put("UP", j, upper)
		case noUpper:
			if lower != 0 {
				put("LO", j, lower)
			}
			if o.m.Cols[j].Integer { // not binary
				put("PL", j)
			}
		default:
			if lower != 0 || upper <= 0 {
				put("LO", j, lower)
			}
			put("UP", j, upper)
		}
	}
	return nil
}
