package netdes

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// pricer prices designs by flows on their arcs. It implements lagrange.Pricer.
type pricer struct {
	d *Data
	r *router
	// first is the scenario that was not carried last. It is tried first, since similar designs often fail there too.
	first int
	// peak is the largest flow of each arc over the scenarios, for the design that was priced last.
	peak []float64
	// side and slope are the constant and the slopes of the cut at that design, on the expected cost of the recourse.
	side  float64
	slope []float64
	// pi are the node potentials of a scenario.
	pi []float64
}

// newPricer returns a pricer of the designs of an instance.
func newPricer(d *Data) *pricer {
	return &pricer{
		d:     d,
		r:     newRouter(d),
		peak:  make([]float64, d.arcs()),
		slope: make([]float64, d.arcs()),
		pi:    make([]float64, d.Nodes),
	}
}

// Carries implements lagrange.Pricer.
func (p *pricer) Carries(y []float64) bool {
	p.r.use(func(e int) bool { return y[e] == 1 })
	for k := range p.d.Scenarios {
		s := (p.first + k) % len(p.d.Scenarios)
		// Any flow shows that the design is feasible; its cost does not matter.
		if p.r.begin(s); !p.r.route(s, true) {
			p.first = s
			return false
		}
	}
	return true
}

// Refute implements lagrange.InfeasibilityProver: what has to leave the nodes that the scenario could still send from
// is more than the arcs carry that do.
func (p *pricer) Refute(slope []float64) (constant float64) {
	// The last search ended with finite labels exactly at the nodes that can still send.
	at := &p.d.Scenarios[p.first]
	demand := 0.0
	inside := func(v int32) bool { return !math.IsInf(p.r.dist[v], 1) }
	for v, b := range at.Demand {
		if inside(int32(v)) {
			demand += b
		}
	}
	for e, v := range p.d.Tail {
		if inside(v) && !inside(p.d.Head[e]) {
			slope[e] = -min(at.Capacity[e], demand)
		}
	}
	return demand - rounding*p.r.total[p.first]
}

// Price implements lagrange.Pricer.
func (p *pricer) Price(_ context.Context, y []float64) (float64, error) {
	// The cut at the design is built up scenario by scenario.
	clear(p.slope)
	p.side = 0
	cost := p.costs(y, func(s int) {
		// The potentials of the flow give the cut at the design, see the inequality at the top of the package.
		at := &p.d.Scenarios[s]
		p.r.potentials(s, p.pi)
		for v, b := range at.Demand {
			p.side += at.Probability * b * p.pi[v]
		}
		for e, v := range p.d.Tail {
			if gain := p.pi[v] - p.pi[p.d.Head[e]] - at.Cost[e]; gain > 0 {
				p.slope[e] -= at.Probability * gain * at.Limit(e, p.r.total[s])
			}
		}
	})
	return cost, nil
}

// costs returns the cost of a design and of its flows, +Inf where some demand cannot be routed. It notes the largest
// flow on each arc, and calls routed after each scenario, unless that is nil.
func (p *pricer) costs(y []float64, routed func(s int)) float64 {
	p.r.use(func(e int) bool { return y[e] == 1 })
	clear(p.peak)
	cost := 0.0
	for e, v := range y {
		cost += p.d.Fixed[e] * v
	}

	// Only arcs that may carry have a flow.
	for s := range p.d.Scenarios {
		at := &p.d.Scenarios[s]
		p.r.begin(s)
		if !p.r.route(s, false) {
			return math.Inf(1)
		}
		for k, e := range p.r.arcs {
			f := p.r.flow(k)
			cost += at.Probability * at.Cost[e] * f
			p.peak[e] = max(p.peak[e], f)
		}
		if routed != nil {
			routed(s)
		}
	}
	return cost
}

// Cut implements lagrange.Pricer.
func (p *pricer) Cut(slope []float64) float64 {
	for e, f := range p.d.Fixed {
		slope[e] = f + p.slope[e]
	}
	return p.side
}

// Trim implements lagrange.Pricer: it closes the arcs that carry nothing in any scenario.
func (p *pricer) Trim(y []float64) (some bool) {
	for e, v := range y {
		// The tolerance is that of the flows.
		if v == 1 && p.peak[e] <= rounding {
			y[e] = 0
			some = true
		}
	}
	return some
}

// routed makes a design of a point: scenario by scenario flows go where arcs are open already, or have a low price
// because the point opens them. It is nil where some demand cannot be routed.
func (p *pricer) routed(point []float64) []float64 {
	// The fixed cost that the point does not pay yet.
	rest := make([]float64, len(point))
	order := make([]int, len(p.d.Scenarios))
	for e, f := range p.d.Fixed {
		rest[e] = f * max(0, 1-point[e])
	}
	for s := range order {
		order[s] = s
	}

	y := make([]float64, len(point))
	if !p.open(y, rest, order) {
		return nil
	}
	return y
}

// search is the local search of a run.
type search struct {
	*lagrange.LocalSearch
	p        *pricer
	reroutes *reroutes
	// point is the point of the master that was separated last; zero before the first one.
	point []float64
}

const (
	// descent is how many designs are priced in one descent by exchanges of arcs.
	descent = 300
	// atStart is how many neighbours by new flows are tried before there is a tree.
	atStart = 100
	// atNode is how many of them are tried at a node of the tree.
	atNode = 5
	// firstIdle is how many nodes follow the first cycle before the next one.
	firstIdle = 1000
)

// newSearch returns a search without a design.
func newSearch(d *Data) *search {
	p := newPricer(d)
	return &search{
		LocalSearch: lagrange.NewLocalSearch(d.arcs(), p, nil),
		p:           p,
		reroutes:    newReroutes(p),
		point:       make([]float64, d.arcs()),
	}
}

// observe implements benders.Step. It keeps the point of the master: flows follow these better than roundings of them.
func (s *search) observe(_ context.Context, p benders.Point) (out benders.Separation, final bool, err error) {
	copy(s.point, p.Target())
	return out, false, nil
}

// start looks for a design before there is a relaxation with cut sets.
func (s *search) start(ctx context.Context) error {
	// Without a point of the master the flows pay all fixed costs.
	y := s.p.routed(s.point)
	if y == nil {
		return nil
	}
	if _, err := s.Descend(ctx, y, descent); err != nil {
		return err
	}
	_, err := s.reroutes.run(ctx, s.LocalSearch, atStart)
	return err
}

// improver returns the search as a function of a design, for benders.Problem: exchanges of arcs from the design of the
// last point of the master, and then the next neighbours of a cycle. Between two cycles there are at least as many
// calls as idle says, and four times as many after each cycle that found nothing better.
func (s *search) improver() func(context.Context, []float64) ([]float64, error) {
	exchange := s.ImproverFrom(descent, func([]float64) []float64 { return s.p.routed(s.point) })
	wait, idle := 0, firstIdle
	before := math.Inf(1)
	return func(ctx context.Context, y []float64) ([]float64, error) {
		better, err := exchange(ctx, y)
		if wait--; wait > 0 || err != nil || s.Best.Y == nil {
			return better, err
		}

		ended, err := s.reroutes.run(ctx, s.LocalSearch, atNode)
		if ended {
			if s.Best.Cost >= before {
				idle *= 4
			}
			wait = idle
			before = s.Best.Cost
		}
		return slices.Clone(s.Best.Y), err
	}
}

// take gives a start the best design, where that is cheaper by its exact cost.
func (s *search) take(ctx context.Context, start *decompose.Start,
	cost func(context.Context, []float64) (float64, bool, error)) error {
	if s.Best.Y == nil || s.Best.Cost >= start.Cost {
		return nil
	}
	// A search prices by floats, a start by the exact recourse; the design counts even if the time is up.
	c, feasible, err := cost(context.WithoutCancel(ctx), s.Best.Y)
	if err == nil && feasible && c < start.Cost {
		start.Design = slices.Clone(s.Best.Y)
		start.Cost = c
	}
	return err
}
