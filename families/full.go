package families

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// SolveFull solves the instance by branch and cut on its compact model. start is a design to begin with, or nil. The result is reported as that of a decomposition: the objective is the true cost of the design.
func SolveFull(ctx context.Context, in Instance, start []float64, o benders.Options) (*benders.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	opt := bnb.DefaultOptions()
	opt.Gap, opt.TimeLimit, opt.MaxNodes, opt.Seed, opt.LogEvery = o.Gap, o.TimeLimit, o.MaxNodes, o.Seed, o.LogEvery
	if o.StallNodes > 0 {
		opt.StallNodes = o.StallNodes
	}
	model := in.Compact()
	if start != nil && o.Heuristic {
		point := append([]float64(nil), start...)
		for len(point) < len(model.Cols) {
			point = append(point, math.NaN()) // an LP finds it
		}
		opt.Start = [][]float64{point}
	}
	hooks := bnb.Hooks{}
	if o.Progress != nil {
		hooks.Progress = func(p bnb.Progress) { o.Progress(benders.Progress{Progress: p, TrueCost: p.Objective}) }
	}
	s, err := bnb.Solve(ctx, model, opt, hooks)
	if err != nil {
		return nil, err
	}
	r := &benders.Result{Status: s.Status, Objective: math.NaN(), Terminal: math.NaN(), Bound: s.Bound, Nodes: s.Nodes,
		LPIterations: s.LPIterations, Parts: benders.Parts{Master: s.Parts[bnb.PartLP].Time}}
	if s.X != nil && s.Status != lp.Unbounded { // there the recourse of the point may have no least cost
		if err := fullDesign(ctx, in, model, s.X, r); err != nil {
			return nil, err
		}
	}
	r.Settle(o.Gap, true)
	r.Elapsed = time.Since(began)
	r.Parts.Other = max(0, r.Elapsed-r.Parts.Master-r.Parts.Recourse)
	return r, nil
}

// fullDesign takes the design from a point of the compact model and prices it. The point is feasible to the
// tolerances of the search; where the exact recourse of its design is not, the point's own cost stands.
func fullDesign(ctx context.Context, in Instance, model *lp.Model, x []float64, r *benders.Result) error {
	r.Design, r.Visited = append([]float64(nil), x[:len(in.Master().Cols)]...), 1
	for j := range r.Design {
		if model.Cols[j].Integer {
			r.Design[j] = math.Round(r.Design[j])
		}
	}
	began := time.Now()
	cost, feasible, err := in.Price(context.WithoutCancel(ctx), r.Design)
	r.Parts.Recourse = time.Since(began)
	if err != nil {
		return err
	}
	if !feasible {
		cost = model.Evaluate(x)
	}
	r.Objective, r.Terminal = cost, cost
	return nil
}
