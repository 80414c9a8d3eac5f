package mps

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// fileForm returns the model and the logic that a file states: rows alone where rows can state all of the model, which
// every reader takes, else the model before lp.Model.Impose, whose logic goes into sections of its own.
func fileForm(m *lp.Model) (*lp.Model, lp.Logic) {
	if rows, err := m.Explicit(); err == nil {
		return rows, lp.Logic{}
	}
	out, l := m.Stated()

	// A column whose bounds hold zero is an ordinary one.
	l.Semi = slices.DeleteFunc(l.Semi, func(j lp.Var) bool { return out.Cols[j].Lower <= 0 && out.Cols[j].Upper >= 0 })
	return out, l
}

// setName is the name of a set in a file, by its place.
func setName(s *lp.Set, k int, writable func(string) string) string {
	if s.Name == "" {
		return fmt.Sprintf("set%d", k+1)
	}
	return writable(s.Name)
}

// isSemi reports whether a column is semi-continuous.
func isSemi(l *lp.Logic, j int) bool { return slices.Contains(l.Semi, lp.Var(j)) }

// indicatorsOf are the indicators of a model by row; a row without sides has none.
func indicatorsOf(m *lp.Model, l *lp.Logic) map[int]lp.Indicator {
	by := map[int]lp.Indicator{}
	for _, c := range l.Indicators {
		if r := &m.Rows[c.Row]; !unbounded(r.Lower, r.Upper) {
			by[int(c.Row)] = c
		}
	}
	return by
}

// special writes the sections SOS and INDICATORS of an MPS file.
func (o *writer) special() {
	if len(o.logic.Sets) > 0 {
		o.line("SOS")
	}
	for k := range o.logic.Sets {
		s := &o.logic.Sets[k]
		o.line(fmt.Sprintf(" S%d %s", s.Kind, setName(s, k, writable)))
		for place, j := range s.Vars {
			o.card("", o.names.cols[j], "", float64(place+1))
		}
	}

	// Indicators come in the order of their rows.
	by := indicatorsOf(o.m, &o.logic)
	if len(by) > 0 {
		o.line("INDICATORS")
	}
	for i := range o.m.Rows {
		if c, has := by[i]; has {
			o.card("IF", o.names.rows[i], o.names.cols[c.If], float64(c.Is))
		}
	}
}

// semi writes the bounds of a semi-continuous column, a lower one first. The upper one may be infinite.
func (o *writer) semi(put func(code string, j int, value ...float64), j int, lower, upper float64) {
	switch {
	case math.IsInf(lower, -1):
		put("MI", j)
	case lower != 0:
		put("LO", j, lower)
	}
	if math.IsInf(upper, 1) {
		upper = infinite
	}
	put("SC", j, upper)
}

// special writes the sections Semi-continuous and SOS of an LP file.
func (o *lpWriter) special() {
	if len(o.logic.Semi) > 0 {
		o.text("Semi-continuous\n")
	}
	for _, j := range o.logic.Semi {
		o.text(" " + o.names.cols[j] + "\n")
	}

	// The weights are the places.
	if len(o.logic.Sets) > 0 {
		o.text("SOS\n")
	}
	for k := range o.logic.Sets {
		s := &o.logic.Sets[k]
		o.text(fmt.Sprintf(" %s: S%d::", setName(s, k, lpWritable), s.Kind))
		for place, j := range s.Vars {
			if o.width > longestLine {
				o.text("\n ")
			}
			o.text(fmt.Sprintf(" %s:%d", o.names.cols[j], place+1))
		}
		o.text("\n")
	}
}
