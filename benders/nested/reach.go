package nested

import (
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Reach is the largest distance from zero of a column at which cuts are proven to hold, where neither its bounds nor
// the rows limit the column: a reduced cost of the wrong sign, by rounding, takes at most its size times Reach from a
// cut.
const Reach = 1 << 20

// rounds is how often bounds of columns are derived from those of others.
const rounds = 4

// spans are bounds of columns and rows that hold in every node.
type spans struct {
	lower, upper []float64 // of columns
	below, above []float64 // of rows
	random       []bool    // rows with a coefficient that is not the same in every node
	index        [][]int32 // of rows
	value        [][]float64
}

// reach returns how far from zero the value of each column may be in any node, which is never infinite: twice its
// bounds or what rows imply, or Reach where there is neither.
func reach(p *stoch.Multistage) ([]float64, error) {
	s, err := newSpans(p)
	if err != nil {
		return nil, err
	}
	for range rounds {
		if !s.imply() {
			break
		}
	}
	out := make([]float64, len(p.Core.Cols))
	for j := range out {
		for _, v := range [2]float64{s.lower[j], s.upper[j]} {
			if math.IsInf(v, 0) {
				v = Reach / 2
			}
			out[j] = max(out[j], 2*math.Abs(v))
		}
	}
	return out, nil
}

func newSpans(p *stoch.Multistage) (*spans, error) {
	s := &spans{random: make([]bool, len(p.Core.Rows)), index: make([][]int32, len(p.Core.Rows)),
		value: make([][]float64, len(p.Core.Rows))}
	for _, c := range p.Core.Cols {
		s.lower = append(s.lower, c.Lower)
		s.upper = append(s.upper, c.Upper)
	}
	for _, r := range p.Core.Rows {
		s.below = append(s.below, r.Lower)
		s.above = append(s.above, r.Upper)
	}

	// A bound that holds in every node is the widest of those of the nodes.
	for k := range p.Nodes {
		for _, c := range p.Nodes[k].Changes {
			s.widen(c)
		}
	}

	a, err := p.Core.Matrix()
	if err != nil {
		return nil, err
	}
	for j := range p.Core.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			s.index[i] = append(s.index[i], int32(j))
			s.value[i] = append(s.value[i], value[k])
		}
	}
	return s, nil
}

func (s *spans) widen(c stoch.Change) {
	switch c.Kind {
	case stoch.Entry:
		s.random[c.Row] = true
	case stoch.RowLower:
		s.below[c.Row] = min(s.below[c.Row], c.Value)
	case stoch.RowUpper:
		s.above[c.Row] = max(s.above[c.Row], c.Value)
	case stoch.ColLower:
		s.lower[c.Col] = min(s.lower[c.Col], c.Value)
	case stoch.ColUpper:
		s.upper[c.Col] = max(s.upper[c.Col], c.Value)
	}
}

// imply replaces infinite bounds of columns by those that rows imply, a little outward, and reports whether there were
// any. Rows of one node hold for the columns on its path, so that any row that all nodes have may be used.
func (s *spans) imply() bool {
	found := false
	for i := range s.index {
		if s.random[i] {
			continue
		}
		if !math.IsInf(s.above[i], 1) {
			found = s.implySide(i, 1, s.above[i]) || found
		}
		if !math.IsInf(s.below[i], -1) {
			found = s.implySide(i, -1, -s.below[i]) || found
		}
	}
	return found
}

// least returns the bound of a column at which v times the column is least.
func (s *spans) least(j int32, v float64) float64 {
	if v < 0 {
		return s.upper[j]
	}
	return s.lower[j]
}

// implySide uses sign times the row <= right: the least activity of the other columns limits each column.
func (s *spans) implySide(i int, sign, right float64) bool {
	// The least activity of the row, without the one column that has no bound on the side that makes it least. With two
	// such columns the row implies nothing.
	least := 0.0
	size := math.Abs(right)
	open := -1
	for k, j := range s.index[i] {
		v := sign * s.value[i][k]
		bound := s.least(j, v)
		switch {
		case v == 0:
		case !math.IsInf(bound, 0):
			least += v * bound
			size += math.Abs(v * bound)
		case open >= 0:
			return false
		default:
			open = k
		}
	}

	// v times the column is at most right less the least activity of the others; a slack covers the rounding.
	found := false
	slack := size * 1e-9
	for k, j := range s.index[i] {
		v := sign * s.value[i][k]
		if v == 0 || open >= 0 && k != open {
			continue
		}
		rest := least
		if open < 0 {
			rest -= v * s.least(j, v)
		}
		bound := (right-rest)/v + slack/v
		if v > 0 && math.IsInf(s.upper[j], 1) {
			s.upper[j] = bound
			found = true
		} else if v < 0 && math.IsInf(s.lower[j], -1) {
			s.lower[j] = bound
			found = true
		}
	}
	return found
}

// bounds returns the bounds of a column of a node's program, at most its reach.
func bounds(c *lp.Col, reach float64) (lower, upper float64) {
	return max(c.Lower, -reach), min(c.Upper, reach)
}
