package nested

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// defaultReach is the largest distance from zero of a column at which cuts are proven to hold, where neither its bounds
// nor the rows limit the column: a reduced cost of the wrong sign, by rounding, lowers a cut by at most its size times
// the reach.
const defaultReach = 1 << 20

// rounds is how often bounds of columns are derived from those of others.
const rounds = 4

// spans are bounds of columns and sides of rows that hold in every node.
type spans struct {
	cols   []lp.Col
	rows   []lp.Row
	random []bool     // rows with a coefficient that is not the same in every node
	matrix *lp.Matrix // of the core, by rows
}

// reach returns how far from zero the value of each column may be in any node, which is never infinite: twice its
// bounds or those that rows imply, or defaultReach where there is neither. matrix is that of the core, by columns.
func reach(p *stoch.Multistage, matrix *lp.Matrix) []float64 {
	s := newSpans(p, matrix)
	for range rounds {
		s.imply()
	}

	// Twice the bounds leave room for a state that differs by the tolerance of the rows that led to it.
	out := make([]float64, len(p.Core.Cols))
	for j := range out {
		for _, v := range [2]float64{s.cols[j].Lower, s.cols[j].Upper} {
			if math.IsInf(v, 0) {
				v = defaultReach / 2
			}
			out[j] = max(out[j], 2*math.Abs(v))
		}
	}
	return out
}

// newSpans returns the widest bounds and sides of the nodes, which hold in every node.
func newSpans(p *stoch.Multistage, matrix *lp.Matrix) *spans {
	// The bounds and sides of the core are those of a node that does not change them.
	s := &spans{
		cols:   slices.Clone(p.Core.Cols),
		rows:   slices.Clone(p.Core.Rows),
		random: make([]bool, len(p.Core.Rows)),
		matrix: matrix.Transpose(),
	}
	for k := range p.Nodes {
		for _, c := range p.Nodes[k].Changes {
			s.widen(c)
		}
	}
	return s
}

// widen makes a bound or side hold in a node that changes it.
func (s *spans) widen(c stoch.Change) {
	// Lower bounds and sides can only fall, upper ones only rise; costs do not matter.
	switch c.Kind {
	case stoch.Entry:
		s.random[c.Row] = true
	case stoch.RowLower, stoch.ColLower:
		at := number(s.cols, s.rows, c)
		*at = min(*at, c.Value)
	case stoch.RowUpper, stoch.ColUpper:
		at := number(s.cols, s.rows, c)
		*at = max(*at, c.Value)
	}
}

// number returns where columns and rows keep the cost, bound or side that a change replaces.
func number(cols []lp.Col, rows []lp.Row, c stoch.Change) *float64 {
	switch c.Kind {
	case stoch.Cost:
		return &cols[c.Col].Cost
	case stoch.ColLower:
		return &cols[c.Col].Lower
	case stoch.ColUpper:
		return &cols[c.Col].Upper
	case stoch.RowLower:
		return &rows[c.Row].Lower
	}
	return &rows[c.Row].Upper
}

// imply replaces infinite bounds of columns by those that rows imply, a little outward. Rows of one node hold for the
// columns on its path, so that any row that all nodes have may be used.
func (s *spans) imply() {
	// A row with sides L <= a'x <= U is a'x <= U and -a'x <= -L.
	for i, r := range s.rows {
		if s.random[i] {
			continue
		}
		if !math.IsInf(r.Upper, 1) {
			s.implySide(i, 1, r.Upper)
		}
		if !math.IsInf(r.Lower, -1) {
			s.implySide(i, -1, -r.Lower)
		}
	}
}

// least returns the bound of a column at which v times the column is least.
func (s *spans) least(j int32, v float64) float64 {
	if v < 0 {
		return s.cols[j].Upper
	}
	return s.cols[j].Lower
}

// implySide uses sign times the row <= right: the least activity of the other columns limits each column.
func (s *spans) implySide(i int, sign, right float64) {
	// The least activity of the row, without the one column that has no bound on the side that makes it least. With two
	// such columns the row implies nothing.
	index, value := s.matrix.Vec(i)
	least := 0.0
	size := math.Abs(right) // of all terms, by which the rounding is measured
	open := -1              // position of the column without a bound
	for k, j := range index {
		v := sign * value[k]
		bound := s.least(j, v)
		switch {
		case v == 0:
		case !math.IsInf(bound, 0):
			least += v * bound
			size += math.Abs(v * bound)
		case open >= 0:
			return
		default:
			open = k
		}
	}

	// v times the column is at most right less the least activity of the others; a slack covers the rounding.
	slack := size * 1e-9
	for k, j := range index {
		v := sign * value[k]
		if v == 0 || open >= 0 && k != open {
			continue
		}

		// The least activity has no term of the open column, but one of every other.
		rest := least
		if open < 0 {
			rest -= v * s.least(j, v)
		}

		// Dividing by a negative coefficient makes it a lower bound, and turns the slack downwards.
		bound := (right-rest)/v + slack/v
		if v > 0 && math.IsInf(s.cols[j].Upper, 1) {
			s.cols[j].Upper = bound
		} else if v < 0 && math.IsInf(s.cols[j].Lower, -1) {
			s.cols[j].Lower = bound
		}
	}
}

// bounds returns the bounds of a column of a node's program, at most its reach.
func bounds(c *lp.Col, reach float64) (lower, upper float64) {
	return max(c.Lower, -reach), min(c.Upper, reach)
}
