package netdes

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
)

// program is the program of the scenarios, and what a network adds to it.
type program struct {
	*decompose.Program
	// general is the program of the scenarios, before anything was added.
	general decompose.Program
	in      *Instance
	// sets separates inequalities on cut sets.
	sets *cutset.Separator
	// local is the local search, which begins at points of the master.
	local *search
}

// Program implements families.Instance: the program with inequalities on the cut sets of every scenario and a local
// search.
func (in *Instance) Program() (*decompose.Program, error) {
	general, err := in.Scenarios.Program()
	if err != nil {
		return nil, err
	}

	// What stays as in general are the model, the relaxation and the exact recourse.
	p := &program{
		Program: general,
		general: *general,
		in:      in,
		sets:    cutset.New(in.Data.network(), cutset.All),
		local:   newSearch(in.Data),
	}
	p.Model.ColumnNoun = "arcs"
	p.Recourse.Problem = p.problem
	p.Recourse.Strengthen = p.strengthen
	p.Preparation.Start = p.start
	p.Record = decompose.Recording{Data: p.data, Subject: (&recorder{in: in, p: general}).subject, Prepare: true}
	return general, nil
}

// data is the program as a record holds it.
func (p *program) data() any { return p.in.record() }

// strengthen adds the inequalities on cut sets to a separator, whose points the local search begins at.
func (p *program) strengthen(s benders.Separator) benders.Separator {
	return benders.Chain(p.sets.Before(s), p.local.observe)
}

// start solves the relaxation of the scenarios, and then searches for a better design.
func (p *program) start(ctx context.Context, o decompose.StartOptions) (decompose.Start, error) {
	start, err := p.general.Preparation.Start(ctx, o)
	if err != nil || start.Closed(o.Gap) {
		return start, err
	}
	// A good design in advance bounds the tree of the master.
	if err := p.local.start(ctx); err != nil {
		return start, err
	}
	return start, p.local.take(ctx, &start, p.Recourse.Cost)
}

// problem is the Benders problem of the scenarios with the local search.
func (p *program) problem(ctx context.Context, aggregated bool) (*benders.Problem, error) {
	b, err := p.general.Recourse.Problem(ctx, aggregated)
	if err == nil {
		b.Improve = p.local.improver()
	}
	return b, err
}

// network is the graph with every scenario as a case.
func (d *Data) network() cutset.Network {
	n := cutset.Network{Nodes: d.Nodes, Tail: d.Tail, Head: d.Head}
	for s := range d.Scenarios {
		n.Capacity = append(n.Capacity, d.Scenarios[s].Capacity)
		n.Balance = append(n.Balance, d.Scenarios[s].Demand)
	}
	// What has to leave a set of nodes is the sum of their balances.
	n.Leaving = func(inside []bool, k int) float64 {
		total := 0.0
		for v, b := range d.Scenarios[k].Demand {
			if inside[v] {
				total += b
			}
		}
		if total < balance*d.Scenarios[k].total() { // rounding
			return 0
		}
		return total
	}
	return n
}
