package mcndp

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// scenarioPricer prices designs by the flows of all scenarios, for searches: nothing that is proven rests on it. It
// implements lagrange.Pricer and is for one goroutine.
type scenarioPricer struct {
	n          *Scenarios
	sets       *cutset.Separator
	short      *shortcut
	first      int       // scenario that had no recourse last
	load, most []float64 // flow of each arc in the last scenario, and in any of the last design
	slope      []float64 // of the recourse there
	side       float64
}

// Carries implements lagrange.Pricer.
func (p *scenarioPricer) Carries(y []float64) bool { return p.sets.Carries(y) }

// Price implements lagrange.Pricer.
func (p *scenarioPricer) Price(ctx context.Context, y []float64) (float64, error) {
	clear(p.most)
	clear(p.slope)
	p.side = 0
	cost := p.n.Network.fixedCost(y)
	for k := range p.n.Draws {
		s := (p.first + k) % len(p.n.Draws)
		q, lambda, ok, err := p.short.Price(ctx, y, s)
		if err != nil || !ok {
			p.first = s
			return math.Inf(1), err
		}
		d := &p.n.Draws[s]
		cost += d.Probability * q
		p.learn(d, lambda)
		p.short.merged.loads(p.load)
		for j, v := range p.load {
			p.most[j] = max(p.most[j], v)
		}
	}
	return cost, nil
}

// learn adds the cut of a scenario's multipliers.
func (p *scenarioPricer) learn(d *Draw, lambda []float64) {
	in := p.n.Network
	arcs, node := in.Arcs(), lambda[:in.size()]
	links, supply := lambda[len(node):][:in.Commodities()*arcs], lambda[len(node)+in.Commodities()*arcs:]
	for i, v := range d.Demand {
		p.side += d.Probability * v * (node[i*in.Nodes+int(in.Origin[i])] - node[i*in.Nodes+int(in.Destination[i])])
		for j, s := range in.Capacity {
			p.slope[j] -= d.Probability * min(v, s) * links[i*arcs+j]
		}
	}
	for j, s := range in.Capacity {
		p.slope[j] -= d.Probability * s * supply[j]
	}
}

// Cut implements lagrange.Pricer.
func (p *scenarioPricer) Cut(slope []float64) float64 {
	for j, f := range p.n.Network.Fixed {
		slope[j] = f + p.slope[j]
	}
	return p.side
}

// Trim implements lagrange.Pricer: it closes the arcs that carry nothing in any scenario.
func (p *scenarioPricer) Trim(y []float64) (some bool) {
	for j, v := range y {
		if v == 1 && p.most[j] <= 1e-9 {
			y[j], some = 0, true
		}
	}
	return some
}

// scenarioSearch is the local search of a run.
type scenarioSearch struct {
	*lagrange.LocalSearch
	pricer *scenarioPricer
	point  []float64 // of the master, the last one that was separated
	budget int       // designs that are priced for one descent
}

// searchSolves is about how many scenarios a descent prices. Where there are more there is no search.
const searchSolves = 800

func (n *Scenarios) newSearch(sets *cutset.Separator) (*scenarioSearch, error) {
	short, err := n.newShortcut()
	if err != nil {
		return nil, err
	}
	arcs := n.Network.Arcs()
	p := &scenarioPricer{n: n, sets: sets, short: short.(*shortcut), load: make([]float64, arcs),
		most: make([]float64, arcs), slope: make([]float64, arcs)}
	return &scenarioSearch{LocalSearch: lagrange.NewLocalSearch(arcs, p, nil), pricer: p, point: make([]float64, arcs),
		budget: searchSolves / len(n.Draws)}, nil
}

// improves gives a program the local search: from its start, and from the points of its master.
func (s *scenarioSearch) improves(p *decompose.Program) {
	around, prepare, problem := p.Around, p.Prepare, p.Problem
	p.Around = func(sep benders.Separator) benders.Separator { return lagrange.Watch(around(sep), s.see) }
	p.Prepare = func(ctx context.Context, gap float64) (decompose.Start, error) {
		start, err := prepare(ctx, gap)
		if err != nil || start.Design == nil || start.Closed(gap) {
			return start, err
		}
		if _, err := s.Descend(ctx, slices.Clone(start.Design), s.budget); err != nil || s.Best.Y == nil {
			return start, benders.NotCancelled(ctx, err)
		}
		cost, feasible, err := p.Cost(context.WithoutCancel(ctx), s.Best.Y)
		if err == nil && feasible && cost < start.Cost {
			start.Design, start.Cost = slices.Clone(s.Best.Y), cost
		}
		return start, err
	}
	p.Problem = func(ctx context.Context, aggregated bool) (*benders.Problem, error) {
		b, err := problem(ctx, aggregated)
		if err == nil {
			b.Improve = s.ImproverFrom(s.budget, func([]float64) []float64 { return slices.Clone(s.point) })
		}
		return b, err
	}
}

// see notes a point of the master.
func (s *scenarioSearch) see(y []float64) { copy(s.point, y) }
