package twostage

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// nearest is the linear program that repairs a prediction of one component (design: joint repair),
//
//	min ||lambda - target||_1  s.t.  (lambda, mu) is dual feasible
//
// over the predicted rows lambda and the others mu, with sum |lambda_i| <= 1 for feasibility certificates. With joint
// false mu is zero: for feasibility, the projection onto V1(B) (section 3.2). Only the target changes between solves.
type nearest struct {
	c       *component
	program *warm
	plus    []lp.Var // column of the positive and the negative part of each multiplier, -1 if it has none
	minus   []lp.Var
	target  []lp.Con // row of the program that each predicted row's distance is measured in
}

func newNearest(s *certifying, kind benders.Kind, predicted []int, joint bool) (*nearest, error) {
	n := &nearest{c: s.c}
	m := s.dualModel(kind)
	signs := append([]lp.Col(nil), m.Cols...)
	m = &lp.Model{Rows: m.Rows}

	// Free multipliers are the difference of two columns, as far as their signs allow both parts.
	free := make([]bool, len(s.c.rows))
	for i := range free {
		free[i] = joint
	}
	for _, i := range predicted {
		free[i] = true
	}
	for i, col := range signs {
		plus, minus := lp.Var(-1), lp.Var(-1)
		if free[i] && col.Upper > 0 {
			plus = m.AddCol(lp.Col{Upper: lp.Inf})
		}
		if free[i] && col.Lower < 0 {
			minus = m.AddCol(lp.Col{Upper: lp.Inf})
		}
		n.plus, n.minus = append(n.plus, plus), append(n.minus, minus)
	}

	// The rows of the dual: what columns that lack a bound ask of the multipliers.
	for r, k := range s.constrained() {
		for t, i := range s.c.columns[k].index {
			n.add(m, lp.Con(r), int(i), s.c.columns[k].value[t])
		}
	}

	// In a feasibility certificate the absolute values add up to at most one.
	sum := lp.Con(-1)
	if kind == benders.Feasibility {
		sum = m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 1}, nil, nil)
	}

	// The distance of each predicted multiplier from its target, which is the side of a row, is minimised.
	for _, i := range predicted {
		more, less := m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf}), m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
		row := m.AddRow(lp.Row{}, []int32{int32(more), int32(less)}, []float64{-1, 1})
		n.add(m, row, i, 1)
		n.target = append(n.target, row)
		for _, j := range []lp.Var{n.plus[i], n.minus[i]} {
			if sum >= 0 && j >= 0 {
				m.AddEntry(sum, j, 1)
			}
		}
	}

	var err error
	n.program, err = newWarm(m)
	return n, err
}

// add puts a multiplier into a row of the program.
func (n *nearest) add(m *lp.Model, row lp.Con, i int, v float64) {
	if n.plus[i] >= 0 {
		m.AddEntry(row, n.plus[i], v)
	}
	if n.minus[i] >= 0 {
		m.AddEntry(row, n.minus[i], -v)
	}
}

// solve overwrites lambda, one entry a row of the component, by the dual feasible multipliers nearest to it in the
// predicted rows, and returns their distance. An empty dual is an error that wraps ErrUnbounded.
func (n *nearest) solve(ctx context.Context, predicted []int, lambda []float64) (float64, error) {
	for t, i := range predicted {
		n.program.setRow(n.target[t], lambda[i], lambda[i])
	}
	r, err := n.program.solve(ctx)
	if err != nil {
		return 0, err
	}
	if r.Status != lp.Optimal {
		return 0, errEmptyDual
	}
	x := n.program.x()
	for i := range lambda {
		lambda[i] = 0
		if j := n.plus[i]; j >= 0 {
			lambda[i] += x[j]
		}
		if j := n.minus[i]; j >= 0 {
			lambda[i] -= x[j]
		}
	}
	return r.Objective, nil
}
