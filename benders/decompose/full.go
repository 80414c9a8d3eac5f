package decompose

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// full solves the compact model by branch and cut. The result is reported as that of a decomposition: the objective is
// the true cost of the design.
func (r *run) full(ctx context.Context) (*benders.Result, error) {
	// A start comes first where it is worth its time to branch and cut.
	b := budget{r.o.Benders, r.began}
	r.start = NoStart()
	if r.p.Preparation.ForFull && b.Heuristic {
		if err := r.prepare(ctx, &b); err != nil {
			return nil, err
		}
	}
	if err := r.beginWith(ctx, r.o.Start); err != nil {
		return nil, err
	}

	model := r.p.Model.Compact()
	presolve := b.use(0)
	opt := bnb.DefaultOptions()
	opt.Gap = b.Gap
	opt.TimeLimit = b.TimeLimit
	opt.MaxNodes = b.MaxNodes
	opt.Seed = b.Seed
	opt.LogEvery = b.LogEvery
	opt.StallNodes = b.StallNodes

	// The start is a design without its recourse, which an LP completes.
	if design := r.start.Design; design != nil {
		unknown := slices.Repeat([]float64{math.NaN()}, len(model.Cols)-len(design))
		opt.Start = [][]float64{slices.Concat(design, unknown)}
	}

	// Without a master the objective of the tree is the true cost.
	hooks := bnb.Hooks{}
	if b.Progress != nil {
		hooks.Progress = func(p bnb.Progress) { b.Progress(benders.Progress{Progress: p, TrueCost: p.Objective}) }
	}
	s, err := bnb.Solve(ctx, model, opt, hooks)
	if err != nil {
		return nil, err
	}

	// The counts and times are those of the tree.
	out := benders.Nothing(benders.Unfinished)
	out.Bound, out.Nodes, out.LPIterations = s.Bound, s.Nodes, s.LPIterations
	out.Parts = benders.Parts{Presolve: presolve, Master: s.Parts[bnb.PartLP].Time}
	// Where the program is unbounded the recourse of the point may have no least cost.
	if s.X != nil && s.Status != lp.Unbounded {
		if err := r.design(ctx, s.X, model.Evaluate(s.X), out); err != nil {
			return nil, err
		}
	}

	// A tree that was stopped early may have a worse design or bound than its start.
	if s.Status != lp.Infeasible && s.Status != lp.Unbounded {
		if r.start.Design != nil && !(out.Objective <= r.start.Cost) {
			out.Design = r.start.Design
			out.Objective = r.start.Cost
			out.Terminal = r.start.Cost
		}
		out.Bound = max(out.Bound, min(r.start.Bound, r.start.Cost))
	}
	out.Settle(benders.Ended(s.Status), b.Gap)
	out.Parts.Fill(time.Since(r.began))
	return out, nil
}

// design takes the design from a point of the compact model and prices it. The point is feasible to the tolerances of
// the search; where the exact recourse of its design is not, the point's own cost stands.
func (r *run) design(ctx context.Context, x []float64, own float64, out *benders.Result) error {
	// The columns of the first stage are in front.
	began := time.Now()
	cols := r.p.Model.Master().Cols
	out.Design, out.Visited = append([]float64(nil), x[:len(cols)]...), 1
	for j := range out.Design {
		if cols[j].Integer {
			out.Design[j] = math.Round(out.Design[j])
		}
	}
	cost, feasible, err := r.p.Price(context.WithoutCancel(ctx), out.Design)
	out.Parts.Recourse = time.Since(began)
	if err != nil {
		return err
	}

	// Price is in the sense of the model, the result of a run that of a minimisation.
	if r.p.Model.Maximize {
		cost = -cost
	}
	if !feasible {
		cost = own
	}
	out.Objective, out.Terminal = cost, cost
	return nil
}
