package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/fold"
)

// foldShare is the largest share of rows and columns that folding may leave to be used. What it saves must pay for the
// crossover. qap12 folds to 0.28 of its size and takes 1.2 s instead of 50.7.
const foldShare = 0.6

// solveFolded solves the folded model of m, crosses over to a vertex of m, and goes on from there. It returns nil where
// m does not fold. Where the folded model is infeasible or unbounded, m is too, and is solved from the basis that
// proved it, for a certificate of its own.
func solveFolded(ctx context.Context, m *lp.Model, opt Options, at logged) (*Solution, error) {
	// A model that hardly folds is solved as it is.
	f, err := fold.Run(m, foldShare)
	if f == nil || err != nil {
		return nil, err
	}

	// The folded model is solved first, then the solver of m is made: both at a time would need more memory.
	opt.logSize("fold", f.Model)
	first := solveFold(ctx, f, opt, at)
	s, err := New(m, opt)
	if err != nil {
		return nil, err
	}
	s.logged = at
	s.start.bound = first.Bound
	s.spend(&first.Result, at.started)

	// An optimal pair is no vertex of m; a basis alone belongs to a proof that m has no optimum.
	switch {
	case first.sol != nil:
		began := time.Now()
		r := s.crossover(ctx, first.sol)
		s.spend(&r, began)
		first.include(&r)
	case first.basis != nil:
		if err := s.SetBasis(first.basis); err != nil {
			return nil, err
		}
	}
	return s.follow(ctx, &first.Result)
}

// solveFold solves the folded model and takes its answer back: an optimal pair, which is no vertex, or the basis of a
// proof that there is none.
func solveFold(ctx context.Context, f *fold.Folded, opt Options, at logged) (first coldStart) {
	// The folded model is an inner one: its log records are parts of this one's.
	at.inner = true
	sol, err := solveCold(ctx, f.Model, opt, at)
	if err != nil { // the whole model decides
		first.Bound = math.NaN()
		return first
	}
	first.Result = sol.Result
	if unfinished(sol.Status) {
		return first
	}

	first.basis = &Basis{Cols: spreadStatus(f.Col, sol.Basis.Cols), Rows: spreadStatus(f.Row, sol.Basis.Rows)}
	if sol.Status == lp.Optimal {
		first.sol = &Solution{
			Result:      sol.Result,
			X:           f.Cols(sol.X),
			RowActivity: f.Rows(sol.RowActivity),
			RowDual:     f.RowDuals(sol.RowDual),
			ReducedCost: f.ReducedCosts(sol.ReducedCost),
			Basis:       *first.basis,
		}
	}
	return first
}

// spreadStatus gives every member the status of its class.
func spreadStatus(of []int32, status []VarStatus) []VarStatus {
	out := make([]VarStatus, len(of))
	for k, id := range of {
		out[k] = status[id]
	}
	return out
}
