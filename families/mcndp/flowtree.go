package mcndp

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// flowTree is branch and cut over designs and flows together: a master that keeps the recourse. It is for instances
// whose gap is in the integrality of cut sets with their flows, which no cut of the recourse for a design closes. The
// model is compact without the rows x_ij <= d_i y_j, which are most of all and are separated.
type flowTree struct {
	p       *prepared
	in      *Instance
	model   *lp.Model
	improve func(context.Context, []float64) ([]float64, error)
	known   float64 // cost of the best design that the search was given
}

func newFlowTree(in *Instance, p *prepared) *flowTree {
	t := &flowTree{p: p, in: in, model: in.Master()}
	in.addFlows(t.model, in.Demand, false)
	return t
}

// links separates the rows x_ij <= min(d_i, s_j) y_j.
func (t *flowTree) links(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	var cuts []bnb.Cut
	for i, d := range t.in.Demand {
		for j, s := range t.in.Capacity {
			k, u := t.in.flow(i, j), min(d, s)
			if c.X[k] > u*(c.X[j]+1e-5) {
				index, value := []int32{int32(j), int32(k)}, []float64{u, -1}
				cuts = append(cuts, bnb.Cut{Lower: 0, Upper: lp.Inf, Index: index, Value: value})
			}
		}
	}
	return bnb.Separation{Cuts: cuts}, nil
}

// searchFlows runs that tree from what is known.
func (p *prepared) searchFlows(ctx context.Context, o benders.Options) (*benders.Result, error) {
	began := time.Now()
	within, cancel := decompose.Within(ctx, &o)
	defer cancel()
	t := newFlowTree(p.l.in, p)
	t.improve, t.known = p.search.Improver(masterBudget), p.search.Best.Cost
	for _, j := range p.Fixing.Closed {
		t.model.Cols[j].Upper = 0
	}
	for _, j := range p.Fixing.Opened {
		t.model.Cols[j].Lower = 1
	}
	opt := bnb.DefaultOptions()
	opt.CutsBeside = true
	opt.Gap, opt.MaxNodes, opt.Seed, opt.LogEvery = o.Gap*(1-1e-6), o.MaxNodes, o.Seed, o.LogEvery
	opt.StallNodes = o.StallNodes
	start, err := t.complete(within)
	if err != nil {
		return nil, benders.NotCancelled(within, err)
	}
	if start != nil {
		opt.Start = [][]float64{start}
	}
	o.Spend(time.Since(began))
	opt.TimeLimit = o.TimeLimit
	hooks := bnb.Hooks{User: t.links, Heuristic: t.heuristic}
	if o.Progress != nil {
		hooks.Progress = func(b bnb.Progress) {
			o.Progress(benders.Progress{TrueCost: p.search.Best.Cost, Progress: b})
		}
	}
	r, err := bnb.Solve(ctx, t.model, opt, hooks)
	if err != nil {
		return nil, err
	}
	return t.result(ctx, r, o.Gap)
}

// complete returns the best design with its flows, nil where the time is over.
func (t *flowTree) complete(ctx context.Context) ([]float64, error) {
	x := make([]float64, len(t.model.Cols))
	n := copy(x, t.p.search.Best.Y)
	if feasible, err := t.p.pricer.recourse.Flows(ctx, x[:n], x[n:]); err != nil || !feasible {
		return nil, benders.NotCancelled(ctx, err)
	}
	return x, nil
}

// heuristic is the local search from a point of the relaxation.
func (t *flowTree) heuristic(ctx context.Context, c bnb.Candidate) (bnb.Separation, error) {
	if _, err := t.improve(ctx, c.X[:t.in.Arcs()]); err != nil {
		return bnb.Separation{}, err
	}
	best := t.p.search.Best.Cost
	if !(best < min(t.known, c.Incumbent)) {
		return bnb.Separation{}, nil
	}
	t.known = best
	x, err := t.complete(ctx)
	if err != nil || x == nil {
		return bnb.Separation{}, err
	}
	return bnb.Separation{Points: [][]float64{x}}, nil
}

// result prices the design of the tree and takes over its bound.
func (t *flowTree) result(ctx context.Context, r bnb.Result, gap float64) (*benders.Result, error) {
	p := t.p
	if r.X != nil {
		if _, err := p.search.Price(context.WithoutCancel(ctx), t.in.rounded(r.X)); err != nil {
			return nil, err
		}
	}
	status := r.Status
	if status == lp.Infeasible { // nothing is cheaper than the design that the fixing rests on
		r.Bound, status = p.search.Best.Cost, lp.Optimal
	}
	return p.result(&benders.Result{Status: status, Bound: r.Bound, Nodes: r.Nodes, LPIterations: r.LPIterations,
		Cuts: benders.Counts{User: r.UserCuts}, Parts: benders.Parts{Master: r.Parts[bnb.PartLP].Time,
			Heuristic: r.Parts[bnb.PartHeuristic].Time, Separation: r.Parts[bnb.PartUser].Time}}, gap), nil
}

// rounded returns the design of a point whose first columns are the arcs.
func (in *Instance) rounded(x []float64) []float64 {
	y := make([]float64, in.Arcs())
	for j := range y {
		y[j] = math.Round(x[j])
	}
	return y
}
