package mcndp

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// links separates the rows x_ij <= min(d_i, s_j) y_j.
func (in *Instance) links(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	var cuts []bnb.Cut
	for i, d := range in.Demand {
		for j, s := range in.Capacity {
			k := in.flow(i, j)
			u := min(d, s)

			// A row counts as violated from 1e-5 of the flow on that an arc may carry.
			if c.X[k] > u*(c.X[j]+1e-5) {
				cuts = append(cuts, bnb.Cut{
					Lower: 0,
					Upper: lp.Inf,
					Index: []int32{int32(j), int32(k)},
					Value: []float64{u, -1},
				})
			}
		}
	}
	return bnb.Separation{Cuts: cuts}, nil
}

// searchFlows is branch and cut over designs and flows together, from what is known: a master that keeps the recourse.
// It is for instances whose gap is in the integrality of cut sets with their flows, which no cut of the recourse for a
// design closes. The model is compact without the rows x_ij <= d_i y_j, which are most of all and are separated.
func (p *prepared) searchFlows(ctx context.Context, o benders.Options) (*benders.Result, error) {
	began := time.Now()
	within, cancel := o.Within(ctx, began)
	defer cancel()

	// The model without the arcs that are fixed; its links are separated.
	in := p.l.in
	model := in.Master()
	in.addFlows(model, in.Demand, false)
	for _, j := range p.Fixing.Closed {
		model.Cols[j].Upper = 0
	}
	for _, j := range p.Fixing.Opened {
		model.Cols[j].Lower = 1
	}

	// The gap of the tree is a little smaller, so that rounding does not leave the result outside of the one asked for.
	opt := bnb.DefaultOptions()
	opt.CutOrder = bnb.HookFirst
	opt.Gap = o.Gap * (1 - 1e-6)
	opt.MaxNodes = o.MaxNodes
	opt.Seed = o.Seed
	opt.LogEvery = o.LogEvery
	opt.StallNodes = o.StallNodes

	// The tree starts from the best design with its flows. What that takes counts against the time limit.
	start, err := p.complete(within, len(model.Cols))
	if err != nil {
		return nil, benders.NotCancelled(within, err)
	}
	if start != nil {
		opt.Start = [][]float64{start}
	}
	o.Spend(time.Since(began), 0)
	opt.TimeLimit = o.TimeLimit

	// Progress shows the best design that is known, whichever search found it.
	hooks := bnb.Hooks{User: in.links}
	if o.Progress != nil {
		hooks.Progress = func(b bnb.Progress) {
			cost := p.search.Best.Cost
			if b.Objective < cost { // false for NaN, before the tree has a point
				cost = b.Objective
			}
			o.Progress(benders.Progress{TrueCost: cost, Progress: b})
		}
	}
	r, err := bnb.Solve(ctx, model, opt, hooks)
	if err != nil {
		return nil, err
	}
	return p.flowResult(ctx, r, o.Gap)
}

// complete returns the best design with its flows, nil where the time is over.
func (p *prepared) complete(ctx context.Context, columns int) ([]float64, error) {
	x := make([]float64, columns)

	// The flows follow the arcs, in the order of the columns.
	n := copy(x, p.search.Best.Y)
	if feasible, err := p.pricer.recourse.Flows(ctx, x[:n], x[n:]); err != nil || !feasible {
		return nil, benders.NotCancelled(ctx, err)
	}
	return x, nil
}

// flowResult prices the design of the tree and takes over its bound.
func (p *prepared) flowResult(ctx context.Context, r bnb.Result, gap float64) (*benders.Result, error) {
	// The price of a design is the exact one, not that of the tree.
	if r.X != nil {
		if _, err := p.search.Price(context.WithoutCancel(ctx), p.l.in.rounded(r.X)); err != nil {
			return nil, err
		}
	}
	why := benders.Ended(r.Status)
	if why == benders.NoDesign { // nothing is cheaper than the design that the fixing rests on
		r.Bound = p.search.Best.Cost
		why = benders.Completed
	}
	return p.result(&benders.Result{
		Bound:        r.Bound,
		Nodes:        r.Nodes,
		LPIterations: r.LPIterations,
		Cuts:         benders.Counts{User: r.UserCuts},
		Parts: benders.Parts{
			Master:     r.Parts[bnb.PartLP].Time,
			Separation: r.Parts[bnb.PartUser].Time,
		},
	}, why, gap), nil
}

// rounded returns the design of a point whose first columns are the arcs.
func (in *Instance) rounded(x []float64) []float64 {
	y := make([]float64, in.arcs())

	// Values of binary columns are near 0 or 1.
	for j := range y {
		y[j] = math.Round(x[j])
	}
	return y
}
