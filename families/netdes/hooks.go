package netdes

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// Program implements families.Instance: the program with inequalities on the cut sets of every scenario and a local
// search.
func (in *Instance) Program() (*decompose.Program, error) {
	p, err := in.Scenarios.Program()
	if err != nil {
		return nil, err
	}
	p.Noun = "arcs"
	local := newSearch(in.Data)
	p.Around = func(s benders.Separator) benders.Separator {
		return lagrange.Watch(cutset.Around(s, cutset.New(in.Data.network(), cutset.All)), local.see)
	}
	prepare, problem := p.Prepare, p.Problem
	p.Prepare = func(ctx context.Context, gap float64) (decompose.Start, error) {
		start, err := prepare(ctx, gap)
		if err != nil || start.Closed(gap) {
			return start, err
		}
		if err := local.start(ctx); err != nil {
			return start, err
		}
		return start, local.take(ctx, &start, p.Cost)
	}
	p.Problem = func(ctx context.Context, aggregated bool) (*benders.Problem, error) {
		b, err := problem(ctx, aggregated)
		if err == nil {
			b.Improve = local.ImproverFrom(descent, func([]float64) []float64 { return local.p.routed(local.point) })
		}
		return b, err
	}
	p.Data = func() any { return in.record() }
	p.Subject, p.StartRecord = (&recorder{in: in, p: p}).subject, true
	return p, nil
}

// network is the graph with every scenario as a case.
func (d *Data) network() cutset.Network {
	n := cutset.Network{Nodes: d.Nodes, Tail: d.Tail, Head: d.Head}
	for s := range d.Scenarios {
		n.Capacity, n.Balance = append(n.Capacity, d.Scenarios[s].Capacity), append(n.Balance, d.Scenarios[s].Demand)
	}
	n.Leaving = func(inside []bool, k int) float64 {
		total := 0.0
		for v, b := range d.Scenarios[k].Demand {
			if inside[v] {
				total += b
			}
		}
		if total < balance*d.Scenarios[k].Total() { // rounding
			return 0
		}
		return total
	}
	return n
}
