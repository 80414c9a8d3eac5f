package nested

import (
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Reach is how far from zero a column may be for cuts to hold, where neither its bounds nor the rows say: what a
// reduced cost of the wrong sign, by rounding, takes from a cut is as much at most.
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
			if v = math.Abs(v); math.IsInf(v, 1) {
				out[j] = max(out[j], Reach)
			} else {
				out[j] = max(out[j], 2*v)
			}
		}
	}
	return out, nil
}

func newSpans(p *stoch.Multistage) (*spans, error) {
	n, m := len(p.Core.Cols), len(p.Core.Rows)
	s := &spans{lower: make([]float64, n), upper: make([]float64, n), below: make([]float64, m), above: make([]float64, m),
		random: make([]bool, m), index: make([][]int32, m), value: make([][]float64, m)}
	for j, c := range p.Core.Cols {
		s.lower[j], s.upper[j] = c.Lower, c.Upper
	}
	for i, r := range p.Core.Rows {
		s.below[i], s.above[i] = r.Lower, r.Upper
	}
	for k := range p.Nodes {
		for _, c := range p.Nodes[k].Changes {
			s.widen(c)
		}
	}
	a, err := p.Core.Matrix()
	if err != nil {
		return nil, err
	}
	for j := range n {
		index, value := a.Vec(j)
		for k, i := range index {
			s.index[i], s.value[i] = append(s.index[i], int32(j)), append(s.value[i], value[k])
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
			found = s.side(i, 1, s.above[i]) || found
		}
		if !math.IsInf(s.below[i], -1) {
			found = s.side(i, -1, -s.below[i]) || found
		}
	}
	return found
}

// side uses sign times the row <= right.
func (s *spans) side(i int, sign, right float64) bool {
	least, size := 0.0, math.Abs(right)
	open := -1 // the one column without a bound on the side that makes the row small
	for k, j := range s.index[i] {
		v := sign * s.value[i][k]
		bound := s.lower[j]
		if v < 0 {
			bound = s.upper[j]
		}
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
	found := false
	slack := size * 1e-9
	for k, j := range s.index[i] {
		v := sign * s.value[i][k]
		if v == 0 || open >= 0 && k != open {
			continue
		}
		rest := least
		if open < 0 {
			bound := s.lower[j]
			if v < 0 {
				bound = s.upper[j]
			}
			rest -= v * bound
		}
		bound := (right - rest) / v
		if v > 0 && math.IsInf(s.upper[j], 1) {
			s.upper[j], found = bound+slack/v, true
		} else if v < 0 && math.IsInf(s.lower[j], -1) {
			s.lower[j], found = bound+slack/v, true
		}
	}
	return found
}

// bounds returns those of a column of the core in a node's program, with reach for none.
func bounds(c *lp.Col, reach float64) (lower, upper float64) {
	return max(c.Lower, -reach), min(c.Upper, reach)
}
