package mcndp

import (
	"math"

	"github.com/proxybd/proxybd/internal/outward"
)

// potentials turn a length for every arc into multipliers: u_iv = d_i min(dist(v, t_i), dist(o_i, t_i)) with shortest
// path lengths. With the lengths c_j + rho_j, rho the optimal capacity prices at a design and closed arcs long, they
// are optimal; any lengths give a certificate, and so few numbers, one an arc, say all that a design's dual needs. For
// feasibility the lengths are those of the metric inequality sum_i d_i dist(o_i, t_i) <= sum_j length_j s_j y_j (Onaga
// and Kakusho 1971). It is for one goroutine.
type potentials struct {
	in      *Instance
	paths   *distances
	ceiling float64 // stands for the length of a path that does not exist
}

// newPotentials returns potentials with the ceiling of the penalty.
func newPotentials(in *Instance) *potentials {
	return &potentials{in: in, paths: newDistances(in), ceiling: penaltyOf(in)}
}

// set fills u with the multipliers of the lengths, which must not be negative.
func (p *potentials) set(u, length []float64) {
	p.paths.compute(length)
	p.fill(u)
}

// fill is set with the paths as they are.
func (p *potentials) fill(u []float64) {
	m := p.in.commodities()
	for i, d := range p.in.Demand {
		// Distances beyond that of the origin would be lowered by the projection.
		t := p.in.Destination[i]
		whole := min(p.paths.between(p.in.Origin[i], t), p.ceiling)
		for v := range p.in.Nodes {
			u[v*m+i] = d * min(p.paths.between(int32(v), t), whole)
		}
	}
}

// congestion estimates the duals of both heads at a point without a linear program, from the loads of cheapest paths:
// the prices of the capacities s_j y_j by steps of decreasing length along the overload, the best of them by their
// Lagrangian bound; and the metric of the feasibility cut by multiplicative weights (Garg and Koenemann 2007). It is
// for one goroutine.
type congestion struct {
	in     *Instance
	paths  *distances
	unit   float64   // the mean cost, in which prices move
	mean   float64   // the mean demand
	room   []float64 // s_j y_j of each arc
	length []float64 // of each arc, under which the demand was routed last

	first, load []float64 // flow on each arc, in units, without prices and at the prices
	price       []float64 // of a unit of capacity of each arc
	metric      []float64 // length of each arc for the feasibility cut
	reduced     []float64 // how much longer each arc is than the shortest path between its ends, at the prices
	weight      []float64 // the price or metric of the present step
}

const (
	priceSteps  = 64   // steps of the prices
	metricSteps = 30   // steps of the metric
	closedShare = 1e-9 // up to this y an arc is closed
)

// newCongestion returns the estimates of a valid instance, at no point yet.
func newCongestion(in *Instance) *congestion {
	vector := func() []float64 { return make([]float64, in.arcs()) }
	c := &congestion{
		in:      in,
		paths:   newDistances(in),
		unit:    outward.Total(in.Cost) / float64(in.arcs()),
		mean:    in.totalDemand() / float64(in.commodities()),
		room:    vector(),
		length:  vector(),
		first:   vector(),
		load:    vector(),
		price:   vector(),
		metric:  vector(),
		reduced: vector(),
		weight:  vector(),
	}
	if !(c.unit > 0) {
		c.unit = 1
	}
	return c
}

// estimate computes prices, metric and loads at y.
func (c *congestion) estimate(y []float64) {
	// The prices need the rooms, and come last: the loads that remain are theirs.
	c.at(y)
	c.weigh(y)
	c.ascend(y)
}

// at sets the rooms of a point.
func (c *congestion) at(y []float64) {
	for j, v := range y {
		c.room[j] = v * c.in.Capacity[j]
	}
}

// ascend computes the prices. A closed arc has the price of a detour over all nodes.
func (c *congestion) ascend(y []float64) {
	for j, v := range y {
		// Open arcs start without a price.
		if c.weight[j] = 0; v <= closedShare {
			c.weight[j] = c.unit * float64(c.in.Nodes)
		}
	}

	// Steps of decreasing length along the overload; the prices of the best bound are kept.
	best := math.Inf(-1)
	for step := range priceSteps {
		for j, w := range c.weight {
			c.length[j] = c.in.Cost[j] + w
		}
		value := c.route()
		for j, w := range c.weight {
			value -= w * c.room[j]
		}

		if step == 0 {
			copy(c.first, c.load)
		}
		if value > best {
			best = value
			copy(c.price, c.weight)
		}

		// The overload is relative to the room and the mean demand, and limited, so that no step is long.
		size := c.unit / (1 + 0.2*float64(step))
		for j, v := range y {
			if v > closedShare {
				over := (c.load[j] - c.room[j]) / (c.room[j] + c.mean)
				c.weight[j] = max(0, c.weight[j]+size*max(-1, min(over, 2)))
			}
		}
	}

	// Loads and reduced lengths are those at the best prices.
	for j, p := range c.price {
		c.length[j] = c.in.Cost[j] + p
	}
	c.route()
	for j := range c.reduced {
		// Zero for an arc that is on a shortest path.
		c.reduced[j] = c.length[j] - c.paths.between(c.in.Tail[j], c.in.Head[j])
	}
}

// weigh computes the metric: open arcs grow with their overload, a closed one is longer than any open path.
func (c *congestion) weigh(y []float64) {
	for j := range y {
		c.weight[j] = 1
	}
	for range metricSteps {
		// The largest weight of an open arc, 1 where none is open.
		top := 0.0
		for j, v := range y {
			if v > closedShare {
				top = max(top, c.weight[j])
			}
		}
		if top == 0 {
			top = 1
		}

		// Weights are relative to the largest of an open arc, which a closed arc exceeds.
		for j, v := range y {
			if c.weight[j] /= top; v <= closedShare {
				c.weight[j] = float64(c.in.Nodes)
			}
			c.length[j] = c.weight[j]
		}
		copy(c.metric, c.weight)
		c.route()

		// Weights of open arcs grow or shrink by a factor that depends on the overload.
		for j, v := range y {
			if v > closedShare {
				over := (c.load[j] - c.room[j]) / (c.room[j] + c.mean)
				c.weight[j] = max(1e-6, c.weight[j]*math.Exp(0.5*max(-1, min(over, 2))))
			}
		}
	}
}

// route loads the cheapest paths under the lengths, and returns what they cost.
func (c *congestion) route() float64 {
	c.paths.compute(c.length)
	clear(c.load)
	total := 0.0
	for i, d := range c.in.Demand {
		// A commodity that has no path loads no arc.
		for v, t := c.in.Origin[i], c.in.Destination[i]; v != t; {
			j := c.paths.next(v, t)
			if j < 0 {
				break
			}
			c.load[j] += d
			total += d * c.length[j]
			v = c.in.Head[j]
		}
	}
	return total
}

// slice divides multipliers of the feasibility head by the largest sum over a commodity: they are in the slice then.
func slice(in *Instance, u []float64) {
	// The largest sum over the nodes of a commodity.
	m := in.commodities()
	sum := 0.0
	for i := range m {
		total := 0.0
		for at := i; at < len(u); at += m {
			total += u[at]
		}
		sum = max(sum, total)
	}

	// The factor below 1 makes up for the rounding of the sum and of the products.
	if sum > 0 && !math.IsInf(sum, 1) {
		scale := (1 - 8*float64(in.Nodes)*outward.UnitRoundoff) / sum
		for k := range u {
			u[k] *= scale
		}
	}
}
