package ufl

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
)

// massTolerance is the absolute amount below one up to which a mass of y counts as one; master points satisfy
// sum y >= 1 and the bounds only to the simplex tolerance of 1e-9. It can weaken cuts, never make them invalid.
const massTolerance = 1e-9

// exactSeparator separates exactly, in closed form and without an LP: at any y with sum y >= 1 it computes Q_i(y) and
// an optimal dual of every client by a walk along the client's sorted row that stops as soon as the mass of y
// reaches one (Fischetti, Ljubic, Sinnl 2017, section 3). It is a benders.Separator for one goroutine.
//
// Duals are seldom unique: V(pi, y) is concave and piecewise linear in pi, and its slope is zero between the cost where
// the mass of y reaches one and the next cost with mass on it, at a design the costs of the nearest and of the second
// nearest open facility. The separator takes the dual whose cut is highest at a core point (Magnanti and Wong 1981),
// which makes the cut Pareto-optimal. The core point is the running average of the points separated so far (Papadakos
// 2008), and before the first point two facilities spread evenly. The paper's oracle takes the critical cost, as
// Fischetti, Ljubic and Sinnl do.
type exactSeparator struct {
	in         *Instance
	certifier  *certifier
	aggregated bool
	plain      bool // as the paper's oracle: the critical cost, without a core point
	core       []float64
	pi, value  []float64 // of each client at the last point
	clients    []int32   // memory of cuts
}

// newExact returns the exact separator of a valid instance. A disaggregated one returns one cut a client: at a
// design those that are violated, at a fractional point all that are stronger than the epigraph's lower bound (see
// certifier.Complete). An aggregated one returns a single cut on the sum of the epigraphs, violated or not.
func newExact(in *Instance, aggregated bool) *exactSeparator {
	m := in.Clients
	e := &exactSeparator{
		in:         in,
		certifier:  newCertifier(in, aggregated),
		aggregated: aggregated,
		core:       make([]float64, in.Facilities),
		pi:         make([]float64, m),
		value:      make([]float64, m),
		clients:    make([]int32, 0, m),
	}

	// Two facilities, spread evenly over all.
	for j := range e.core {
		e.core[j] = min(1, 2/float64(in.Facilities))
	}
	return e
}

// newPlainExact returns the paper's oracle (Table 3 and Appendix B).
func newPlainExact(in *Instance, aggregated bool) *exactSeparator {
	e := newExact(in, aggregated)
	e.plain = true
	return e
}

// Source implements benders.Separator.
func (e *exactSeparator) Source() benders.Source {
	if e.aggregated {
		return benders.FromAggregated
	}
	return benders.FromExact
}

// Separate returns the cuts at p. Its Value is Q(y) rounded down; where the mass of y is below one, so that no
// recourse exists and the master's own row is violated, it is the bound that the most expensive duals give, and not
// exact.
func (e *exactSeparator) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	if err := e.certifier.checkPoint(p); err != nil {
		return benders.Separation{}, err
	}
	if err := ctx.Err(); err != nil {
		return benders.Separation{}, err
	}

	var s benders.Separation
	s.Value, s.Exact = e.critical(p.Y)

	// The core point moves halfway to the point, so that the weight of the past halves.
	for j, v := range p.Y {
		e.core[j] += 0.5 * (v - e.core[j])
	}
	s.Cuts = e.certifier.cuts(e.pi, e.value, p, e.clients[:0])
	return s, nil
}

// choose returns the dual of the optimal interval [low, high] whose cut is highest at the core point: its own critical
// cost, clamped to the interval, as V is concave in pi.
func (e *exactSeparator) choose(order []int32, cost []float64, low, high float64) float64 {
	if low == high {
		return low
	}

	// The slope of V at the core point becomes zero where its mass reaches one.
	mass := 0.0
	for t, c := range cost {
		if c >= high {
			break
		}
		if mass += e.core[order[t]]; mass >= 1-massTolerance {
			return max(c, low)
		}
	}
	return high
}

// critical fills the values and duals at a point, and returns Q rounded down and whether the mass
// of y reaches one.
func (e *exactSeparator) critical(y []float64) (float64, bool) {
	n := e.in.Facilities
	var total, magnitude float64
	reached := true
	for i := range e.pi {
		// The client takes from the cheapest facilities as much as they have, until it has one unit.
		order, cost := e.certifier.rows.Row(i)
		at := 0
		var mass, spent float64 // of the facilities before position at
		var after float64       // the mass with the facility at position at
		for at < n {
			w := y[order[at]]
			if after = mass + w; after >= 1-massTolerance {
				break
			}
			mass = after
			spent += cost[at] * w
			at++
		}

		// The cost of the last facility is the critical cost, an optimal dual. If the mass reaches one exactly there, so are
		// all values up to the next cost with mass.
		low := cost[min(at, n-1)]
		e.pi[i] = low
		if at == n {
			reached = false
		} else if !e.plain && after <= 1+massTolerance {
			e.pi[i] = e.choose(order, cost, low, e.nextMass(y, order, cost, at))
		}

		e.value[i] = spent + (1-mass)*low
		total += e.value[i]
		magnitude += spent + low
	}
	return outward.ProductsDown(total, magnitude, n, e.in.Clients), reached
}

// nextMass returns the cost of the next facility after position at that has mass, or the highest cost.
func (e *exactSeparator) nextMass(y []float64, order []int32, cost []float64, at int) float64 {
	for t := at + 1; t < len(order); t++ {
		if y[order[t]] > massTolerance {
			return cost[t]
		}
	}
	return cost[len(cost)-1]
}
