package lp

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/proxybd/proxybd/internal/sparse"
)

// byBranching reports whether a part of the logic is left to branching. missing is what an exact reformulation by rows
// lacks, nil for nothing; pays says that a search is faster by branching.
func (r *reformer) byBranching(missing error, pays bool) bool {
	switch r.form {
	case AsRows:
		return false
	case ByBranching:
		return true
	}
	return missing != nil || pays
}

// A search needs less time with rows where cutting planes close much of the gap that the linear relaxation leaves,
// and less by branching where rows only make it larger. tools/logicbench compares the two (processor time, one
// thread, gap 1e-4; docs/performance.md): branching takes from a half to a seventh of the time on an SOS2, a third to
// a tenth on a portfolio of semi-continuous shares, and 0.5 to 0.9 of it on jobs that indicators put in order. On
// flows in an SOS1 and on large lot sizes it takes several times as long.

// shortRow is the most columns of a row in which a semi-continuous column is stated by rows. Lot sizes have balances of
// five columns, shares in a portfolio rows of all shares; chosen by hand between the two.
const shortRow = 10

// inShortRow reports whether column j is in a row of few columns, from which cutting planes are derived.
func (r *reformer) inShortRow(j Var) bool {
	index, _ := r.byCol.Vec(int(j))
	return slices.ContainsFunc(index, func(i int32) bool {
		others, _ := r.byRow.Vec(int(i))
		return len(others) <= shortRow
	})
}

// onlyDecides reports whether a 0-1 column has no cost and is in no row: all that it does is to decide which rows hold.
func (r *reformer) onlyDecides(z Var) bool {
	index, _ := r.byCol.Vec(int(z))
	return r.cols[z].Cost == 0 && len(index) == 0
}

// imply adds an implication.
func (r *reformer) imply(j Var, lower, upper float64, literals ...Literal) {
	r.branched.Implications = append(r.branched.Implications, Implication{literals, j, lower, upper})
}

// semiBranched makes a semi-continuous column by implications: at z = 0 it is 0, at z = 1 it is within its bounds.
func (r *reformer) semiBranched(j Var, lower, upper float64) {
	z := r.binary(r.m.ColName(j) + "@on")
	r.imply(j, 0, 0, Literal{z, 0})
	r.imply(j, lower, upper, Literal{z, 1})
	r.branched.Switches = append(r.branched.Switches, Switch{j, z, lower, upper})
	r.logic.nonzero = append(r.logic.nonzero, switched{j, z, r.bounds.lower[j] > 0 || r.bounds.upper[j] < 0})
}

// setBranched makes a special ordered set by implications. It returns the columns of its places: one of these is 1, and
// a column of the set whose places are all 0 is 0.
func (r *reformer) setBranched(name string, s *Set) []Var {
	// The columns of place k are k to k + width - 1.
	width := int(s.Kind)
	var at []Var
	var sum []Term
	for k := range len(s.Vars) - width + 1 {
		y := r.binary(name + "@" + strconv.Itoa(k+1))
		at = append(at, y)
		sum = append(sum, Term{1, y})
	}
	r.row(name+"@one", 1, 1, nil, nil, sum...)

	for k, j := range s.Vars {
		var none []Literal
		for _, y := range at[max(0, k-width+1):min(k+1, len(at))] {
			none = append(none, Literal{y, 0})
		}
		r.imply(j, 0, 0, none...)
	}
	r.branched.Sets = append(r.branched.Sets, Places{s.Kind, slices.Clone(s.Vars), at})
	return at
}

// isBinary reports whether a column is a 0-1 column.
func (r *reformer) isBinary(j Var) bool {
	c := &r.cols[j]
	return c.Integer && c.Lower >= 0 && c.Upper <= 1
}

// indicatorBranched makes an indicator by a free column that is the activity of the row, a'x - s = 0, and lies within
// the sides where the indicator holds. It returns that column.
func (r *reformer) indicatorBranched(c Indicator, name string, lower, upper float64) Var {
	r.cols = append(r.cols, Col{Name: r.unique(0, name+"@is"), Lower: -Inf, Upper: Inf, Hidden: true})
	s := Var(len(r.cols) - 1)
	index, value := r.byRow.Vec(int(c.Row))
	r.row(name+"@is", 0, 0, index, value, Term{-1, s})
	r.imply(s, lower, upper, Literal{c.If, c.Is})
	return s
}

// Stated returns the model as it was before Impose, without hidden columns and rows, and what Impose was given.
func (m *Model) Stated() (*Model, Logic) {
	out := &Model{Name: m.Name, Objective: m.Objective, Maximize: m.Maximize, Offset: m.Offset, err: m.err}

	// The columns and rows that remain keep their order.
	col := make([]Var, len(m.Cols))
	for j := range m.Cols {
		if col[j] = Var(len(out.Cols)); !m.Cols[j].Hidden {
			out.Cols = append(out.Cols, m.Cols[j])
		}
	}
	row := make([]Con, len(m.Rows))
	for i := range m.Rows {
		if row[i] = Con(len(out.Rows)); !m.Rows[i].Hidden {
			out.Rows = append(out.Rows, m.Rows[i])
		}
	}
	for _, e := range m.entries {
		if !m.Rows[e.Minor].Hidden && !m.Cols[e.Major].Hidden {
			at := sparse.Triplet{Major: int32(col[e.Major]), Minor: int32(row[e.Minor]), Value: e.Value}
			out.entries = append(out.entries, at)
		}
	}

	// Bounds and sides are those that Impose has widened.
	var l Logic
	for _, s := range m.logic.semi {
		j := col[s.col]
		l.Semi = append(l.Semi, j)
		out.Cols[j].Lower = s.lower
		out.Cols[j].Upper = s.upper
	}
	for _, s := range m.logic.sets {
		vars := make([]Var, len(s.vars))
		for k, j := range s.vars {
			vars[k] = col[j]
		}
		l.Sets = append(l.Sets, Set{Name: s.name, Kind: s.kind, Vars: vars})
	}
	for _, c := range m.logic.indicators {
		i := row[c.Row]
		l.Indicators = append(l.Indicators, Indicator{col[c.If], c.Is, i})
		out.Rows[i].Lower = c.lower
		out.Rows[i].Upper = c.upper
	}
	return out, l
}

// Explicit returns a model with the same columns of its own whose rows and bounds state all of what Impose was given,
// for programs that work on rows alone: the model itself where it does so already. An error wraps ErrModel and names
// the column without the bound that this needs.
func (m *Model) Explicit() (*Model, error) {
	if !m.branched.Any() {
		return m, nil
	}
	out, l := m.Stated()
	l.Form = AsRows
	if err := out.Impose(l); err != nil {
		return nil, err
	}
	return out, nil
}

// RowsOnly returns an error that wraps ErrModel for a model with constraints that its rows and bounds do not state: for
// programs that work on rows alone. Where Explicit can, it makes a model that passes.
func (m *Model) RowsOnly() error {
	if !m.branched.Any() {
		return nil
	}
	if _, err := m.Explicit(); err != nil {
		return err
	}
	name := m.ColName(m.branched.Implications[0].Var)
	return fmt.Errorf("lp: %w: column %s is in a set, an indicator or semi-continuous, which is left to branching: rows "+
		"are needed here, as Form AsRows and Explicit make them", ErrModel, name)
}

// deriveActivity gives the free columns of indicators the activities of their rows, where these are known.
func (m *Model) deriveActivity(x []float64) {
	a, err := m.Matrix()
	if err != nil || !m.branched.Any() {
		return
	}
	sum := make([]float64, len(m.Rows))
	for j, v := range x {
		index, value := a.Vec(j)
		for k, i := range index {
			sum[i] += value[k] * v
		}
	}

	// A column of the row without a value makes the sum NaN, and the activity stays open.
	for _, c := range m.logic.indicators {
		if c.activity >= 0 && math.IsNaN(x[c.activity]) {
			x[c.activity] = sum[c.Row]
		}
	}
}
