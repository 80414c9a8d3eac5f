package mcndp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// flowModel is the strong formulation as branch and cut works on it: the columns and rows of Master, a column for the
// flow of commodity i on arc j where an optimal flow may have one, flow rows and capacity rows. The rows x_ij <= d_i
// y_j, which are most, are separated.
type flowModel struct {
	in     *Instance
	lp     *lp.Model
	at     []int32 // of i, j at i*n+j: the column, or -1
	sets   *cutSetSeparator
	covers *flowCovers
}

func newFlowModel(in *Instance) *flowModel {
	n, m := in.Arcs(), in.Commodities()
	f := &flowModel{in: in, lp: in.Master(), at: make([]int32, n*m), sets: newCutSets(in)}
	f.sets.Covers = true
	supply := len(f.lp.Rows)
	for j, s := range in.Capacity {
		f.lp.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", j), Lower: 0, Upper: lp.Inf}, []int32{int32(j)}, []float64{s})
	}
	flow := make([]lp.Con, in.Nodes)
	for i, d := range in.Demand {
		for v := range in.Nodes {
			row := lp.Row{Name: fmt.Sprintf("flow_%d_%d", i, v)}
			switch int32(v) {
			case in.Origin[i]:
				row.Lower, row.Upper = d, d
			case in.Destination[i]:
				row.Lower, row.Upper = -d, -d
			}
			flow[v] = f.lp.AddRow(row, nil, nil)
		}
		for j, tail := range in.Tail {
			head := in.Head[j]
			if f.at[i*n+j] = -1; head == in.Origin[i] || tail == in.Destination[i] || in.Capacity[j] == 0 {
				continue
			}
			most := min(d, in.Capacity[j])
			c := f.lp.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j), Cost: in.Cost[j], Upper: most})
			f.at[i*n+j] = int32(c)
			f.lp.AddEntry(flow[tail], c, 1)
			f.lp.AddEntry(flow[head], c, -1)
			f.lp.AddEntry(lp.Con(supply+j), c, -1)
		}
	}
	f.covers = newFlowCovers(f)
	return f
}

// column returns the column of the flow of commodity i on arc j, -1 where there is none.
func (f *flowModel) column(i, j int32) int32 { return f.at[int(i)*f.in.Arcs()+int(j)] }

// links returns the violated rows x_ij <= min(d_i, s_j) y_j.
func (f *flowModel) links(x []float64) []bnb.Cut {
	var cuts []bnb.Cut
	for i, d := range f.in.Demand {
		for j, s := range f.in.Capacity {
			c := f.column(int32(i), int32(j))
			if c < 0 {
				continue
			}
			if u := min(d, s); x[c] > u*(x[j]+1e-5) {
				index, value := []int32{int32(j), c}, []float64{u, -1}
				cuts = append(cuts, bnb.Cut{Lower: 0, Upper: lp.Inf, Index: index, Value: value})
			}
		}
	}
	return cuts
}

// user separates a fractional point: first what makes the relaxation strong, and where it is, what cuts it.
func (f *flowModel) user(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	const most = 40
	root := c.Depth == 0
	list := f.links(c.X)
	if len(list) > 0 && root {
		return bnb.Separation{Cuts: list}, nil
	}
	return bnb.Separation{Cuts: append(list, f.covers.separate(c.X, most, root)...)}, nil
}

// point returns a design with its flows.
func (f *flowModel) point(y, flows []float64) []float64 {
	x := make([]float64, len(f.lp.Cols))
	copy(x, y)
	for k, c := range f.at {
		if c >= 0 {
			x[c] = flows[k]
		}
	}
	return x
}

// flowTree is branch and cut over designs and flows together: a master that keeps the recourse. It is for instances
// whose gap is in the integrality of cut sets with their flows, which no cut of the recourse for a design closes.
type flowTree struct {
	p       *prepared
	f       *flowModel
	improve func(context.Context, []float64) ([]float64, error)
	known   float64 // cost of the best design that the search was given
}

// searchFlows runs that tree from what is known.
func (p *prepared) searchFlows(ctx context.Context, o benders.Options) (*benders.Result, error) {
	began := time.Now()
	within, cancel := decompose.Within(ctx, &o)
	defer cancel()
	t := &flowTree{p: p, f: newFlowModel(p.l.in), improve: p.search.Improver(masterBudget), known: p.search.Best.Cost}
	for _, j := range p.Fixing.Closed {
		t.f.lp.Cols[j].Upper = 0
	}
	for _, j := range p.Fixing.Opened {
		t.f.lp.Cols[j].Lower = 1
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
	hooks := bnb.Hooks{User: t.f.user, Heuristic: t.heuristic}
	if o.Progress != nil {
		hooks.Progress = func(b bnb.Progress) {
			o.Progress(benders.Progress{TrueCost: p.search.Best.Cost, Progress: b})
		}
	}
	r, err := bnb.Solve(ctx, t.f.lp, opt, hooks)
	if err != nil {
		return nil, err
	}
	return t.result(ctx, r, o.Gap)
}

// complete returns the best design with its flows, nil where the time is over.
func (t *flowTree) complete(ctx context.Context) ([]float64, error) {
	y, flows := t.p.search.Best.Y, make([]float64, len(t.f.at))
	if feasible, err := t.p.pricer.recourse.Flows(ctx, y, flows); err != nil || !feasible {
		return nil, benders.NotCancelled(ctx, err)
	}
	return t.f.point(y, flows), nil
}

// heuristic is the local search from a point of the relaxation.
func (t *flowTree) heuristic(ctx context.Context, c bnb.Candidate) (bnb.Separation, error) {
	if _, err := t.improve(ctx, c.X[:t.p.l.in.Arcs()]); err != nil {
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
		if _, err := p.search.Price(context.WithoutCancel(ctx), p.l.in.rounded(r.X)); err != nil {
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
