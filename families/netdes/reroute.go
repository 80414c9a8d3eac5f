package netdes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/benders/lagrange"
)

// reroutes is a large neighbourhood search (Shaw, Using constraint programming and local search methods to solve
// vehicle routing problems, 1998): a neighbour of a design closes a few arcs at random, sends the flows of all
// scenarios anew, where closed arcs cost their fixed cost with random noise, and closes the arcs that the design can
// do without. A dearer neighbour is accepted with the probability exp(-increase / temperature), which falls to zero
// over a cycle (Kirkpatrick, Gelatt and Vecchi, Optimization by simulated annealing, 1983).
//
// Exchanges of single arcs do not leave the local optima of a sparse network, where one arc is several percent of the
// cost and a detour has many: docs/performance.md has the two beside each other.
type reroutes struct {
	p   *pricer
	rng *rand.Rand
	// at is the design that neighbours are made of.
	at lagrange.Design
	// step counts the neighbours of the cycle.
	step int
	// fixed are the fixed costs with the noise of one neighbour.
	fixed []float64
}

// The constants were chosen on four instances of 50 nodes (10-L-01, 10-L-07, 10-H-03, 20-L-02).
const (
	// cycle is the number of neighbours over which the temperature falls to zero.
	cycle = 1500
	// warmest is the temperature at the beginning, as a share of the cost of the design.
	warmest = 0.02
	// maxClosed is the most arcs that a neighbour closes before it sends the flows anew.
	maxClosed = 3
	// maxNoise is the most that is added to a fixed cost, as a share of it.
	maxNoise = 1.5
)

// newReroutes returns a search without a design, which is the same on every run.
func newReroutes(p *pricer) *reroutes {
	return &reroutes{
		p:     p,
		rng:   rand.New(rand.NewPCG(1, 0x7265726f757465)),
		at:    lagrange.Design{Cost: math.Inf(1)},
		fixed: make([]float64, p.d.arcs()),
	}
}

// run tries the next neighbours of the cycle, offers each to the local search, and reports whether the cycle has
// ended. A cycle begins at the best design. The end of the context ends the run.
func (r *reroutes) run(ctx context.Context, s *lagrange.LocalSearch, neighbours int) (ended bool, err error) {
	if r.step == 0 {
		r.at = lagrange.Design{Y: slices.Clone(s.Best.Y), Cost: s.Best.Cost}
	}
	for range neighbours {
		if ctx.Err() != nil {
			return false, nil
		}
		y := r.neighbour()
		cost, err := s.Price(ctx, y)
		if err != nil {
			return false, err
		}
		if r.accepts(cost) {
			r.at = lagrange.Design{Y: y, Cost: cost}
		}
		if r.step++; r.step == cycle {
			r.step = 0
			return true, nil
		}
	}
	return false, nil
}

// accepts decides whether the search goes on from a neighbour of this cost.
func (r *reroutes) accepts(cost float64) bool {
	temperature := warmest * r.at.Cost * (1 - float64(r.step)/cycle)
	return cost < r.at.Cost || r.rng.Float64() < math.Exp((r.at.Cost-cost)/temperature)
}

// neighbour returns a neighbour of the design. It has a recourse: the arcs that were closed are there to carry again.
func (r *reroutes) neighbour() []float64 {
	y := slices.Clone(r.at.Y)
	var open []int
	for e, v := range y {
		if v == 1 {
			open = append(open, e)
		}
	}
	for range 1 + r.rng.IntN(maxClosed) {
		y[open[r.rng.IntN(len(open))]] = 0
	}

	// The noise decides which ways are cheap, and the order of the scenarios which of them opens an arc for the others.
	for e, f := range r.p.d.Fixed {
		r.fixed[e] = f * (1 + maxNoise*r.rng.Float64())
	}
	if !r.p.open(y, r.fixed, r.rng.Perm(len(r.p.d.Scenarios))) {
		return slices.Clone(r.at.Y)
	}
	r.p.reduce(y)
	return y
}

// open sends the flows of the scenarios, in the given order, and opens the arcs that carry: to open an arc costs its
// entry of fixed, spread over what the arc can carry. It reports whether all demands can be routed.
func (p *pricer) open(y, fixed []float64, order []int) bool {
	p.r.use(func(int) bool { return true })
	for _, s := range order {
		none := rounding * p.r.total[s]
		p.r.begin(s)
		for e, v := range y {
			if v == 0 {
				p.r.price[e] += fixed[e] / max(p.r.width[2*e], none)
			}
		}
		if !p.r.route(s, false) {
			return false
		}

		// What carries flow in a scenario is open in those that follow.
		for e := range y {
			if p.r.flow(e) > none {
				y[e] = 1
			}
		}
	}
	return true
}

// reduce closes the arcs of a design without which it costs less, those first whose largest flow is small for their
// fixed cost.
func (p *pricer) reduce(y []float64) {
	cost := p.costs(y, nil)
	p.Trim(y)

	// The order is that of the flows before any arc is closed.
	var open []int
	for e, v := range y {
		if v == 1 {
			open = append(open, e)
		}
	}
	peak := slices.Clone(p.peak)
	slices.SortStableFunc(open, func(a, b int) int {
		return cmp.Compare(peak[a]*p.d.Fixed[b], peak[b]*p.d.Fixed[a])
	})

	// An arc without which the design is infeasible, or dearer, is opened again.
	for _, e := range open {
		y[e] = 0
		without := math.Inf(1)
		if p.Carries(y) {
			without = p.costs(y, nil)
		}
		if without < cost {
			cost = without
		} else {
			y[e] = 1
		}
	}
}
