package twostage

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// polytope is the set of multipliers (lambda, mu) of one component that are dual feasible, for feasibility certificates
// with lambda normalised; lambda are those of the predicted rows, mu those of the others.
type polytope struct {
	model *lp.Model
	plus  []lp.Var // column of the positive part of each multiplier, -1 if it has none
	minus []lp.Var // and of the negative part
}

// newPolytope returns the set. With joint false mu is zero: for feasibility certificates the set is V1(B) (section
// 3.2).
func newPolytope(s *certifying, kind benders.Kind, predicted []int, joint bool, norm Normalisation) *polytope {
	dual := s.dualModel(kind)
	m := &lp.Model{Rows: dual.Rows}
	n := &polytope{model: m}

	// Multipliers that are not fixed to zero are the difference of two columns, as far as their signs allow both parts.
	// That makes their absolute value, the sum of the parts, linear.
	free := slices.Repeat([]bool{joint}, len(s.c.rows))
	for _, i := range predicted {
		free[i] = true
	}
	for i, col := range dual.Cols {
		plus, minus := lp.Var(-1), lp.Var(-1)
		if free[i] && col.Upper > 0 {
			plus = m.AddCol(lp.Col{Upper: lp.Inf})
		}
		if free[i] && col.Lower < 0 {
			minus = m.AddCol(lp.Col{Upper: lp.Inf})
		}
		n.plus, n.minus = append(n.plus, plus), append(n.minus, minus)
	}

	// The rows of the dual: the sign that the reduced cost of a column without a bound must have.
	for r, k := range s.constrained() {
		for t, i := range s.c.columns[k].index {
			n.add(lp.Con(r), int(i), s.c.columns[k].value[t])
		}
	}

	// Rays of the dual may have any length; the normalisation bounds that of the predicted rows.
	if kind == benders.Feasibility {
		var parts []lp.Var
		for _, i := range predicted {
			parts = append(parts, n.plus[i], n.minus[i])
		}
		norm.bound(m, parts)
	}
	return n
}

// add puts a multiplier into a row of the model.
func (n *polytope) add(row lp.Con, i int, v float64) {
	if n.plus[i] >= 0 {
		n.model.AddEntry(row, n.plus[i], v)
	}
	if n.minus[i] >= 0 {
		n.model.AddEntry(row, n.minus[i], -v)
	}
}

// value returns the multiplier of a row at a point x of the model.
func (n *polytope) value(x []float64, i int) (v float64) {
	if j := n.plus[i]; j >= 0 {
		v += x[j]
	}
	if j := n.minus[i]; j >= 0 {
		v -= x[j]
	}
	return v
}

// nearest is the linear program that repairs a prediction of one component,
//
//	min ||lambda - target||_1  over the polytope of (lambda, mu)
//
// Only the target changes between solves.
type nearest struct {
	*polytope
	program *warm
	target  []lp.Con // row of the program that each predicted row's distance is measured in
}

// newNearest returns the linear program for predictions of the given rows of a component.
func newNearest(s *certifying, kind benders.Kind, predicted []int, norm Normalisation) (*nearest, error) {
	n := &nearest{polytope: newPolytope(s, kind, predicted, true, norm)}

	// Each predicted multiplier has a row lambda - more + less = target; more + less is its distance from the target.
	m := n.model
	distance := lp.Col{Cost: 1, Upper: lp.Inf}
	for _, i := range predicted {
		more := m.AddCol(distance)
		less := m.AddCol(distance)
		row := m.AddRow(lp.Row{}, []int32{int32(more), int32(less)}, []float64{-1, 1})
		n.add(row, i, 1)
		n.target = append(n.target, row)
	}

	var err error
	n.program, err = newWarm(m)
	return n, err
}

// solve overwrites lambda, one entry a row of the component, by the dual feasible multipliers nearest to it in the
// predicted rows. An empty dual is an error that wraps ErrUnbounded.
func (n *nearest) solve(ctx context.Context, predicted []int, lambda []float64) error {
	for t, i := range predicted {
		n.program.setRow(n.target[t], lambda[i], lambda[i])
	}
	r, err := n.program.solve(ctx)
	if err != nil {
		return err
	}
	if r.Status != lp.Optimal {
		return errEmptyDual
	}

	// The multipliers of the other rows come from the same solution, so that all of them are dual feasible together.
	x := n.program.x()
	for i := range lambda {
		lambda[i] = n.value(x, i)
	}
	return nil
}
