package twostage

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
)

// Solution is what Solve returns.
type Solution struct {
	*benders.Result           // its objective and its bound are in the sense of the model
	X               []float64 // one value a column of the model: the design with its cheapest recourse; nil without one
}

// Solve solves a model in two stages by any method: first holds the columns of the first stage, nil takes the integer
// ones. To solve a model more than once, with a proxy or states of its own, split it by New and hand the Program of the
// problem to decompose.Solve.
func Solve(ctx context.Context, m *lp.Model, first []lp.Var, o decompose.Options) (*Solution, error) {
	p, err := New(m, first, Options{})
	if err != nil {
		return nil, err
	}
	r, err := decompose.Solve(ctx, p.Program(), o)
	if err != nil || r.Design == nil {
		return &Solution{Result: r}, err
	}

	// The recourse of the design is solved even after a limit or a cancellation: it is one linear program a component.
	e, err := NewExact(p, DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	x, err := e.point(context.WithoutCancel(ctx), r.Design)
	return &Solution{Result: r, X: x}, err
}

// point returns a design with its cheapest recourse, by the columns of the given model; nil if the recourse is
// infeasible. Where it misses feasibility by a tolerance only, the rows are moved by that, as for the price of the
// design.
func (e *Exact) point(ctx context.Context, y []float64) ([]float64, error) {
	// Columns maps the order of Compact to that of the given model.
	x := make([]float64, len(e.p.Columns))
	for k, v := range y {
		x[e.p.Columns[k]] = v
	}
	for _, q := range e.pieces {
		status, err := e.solve(ctx, q, y)
		if err != nil || status != lp.Optimal {
			return nil, err
		}
		for k, v := range q.recourse.solver.x() {
			x[e.p.Columns[q.c.cols[k]]] = v
		}
	}
	return x, nil
}
