package cap

import (
	"math"
	"slices"
)

// features are the inputs and outputs of the network for one instance. The network is applied to every site in the same
// way, so that neither the numbers of facilities and clients nor their order matter, and its output is added to an
// estimate of the site's price: a step from the present price towards the price that clears the site. A prediction is
// begin, and then rounds of inputs and step.
//
// All prices are in the unit of the point, the average price that demand pays if all sites except one are free; loads
// and demands are divided by the room of the site.
type features struct {
	*prices
	demand float64 // D, or 1
	point

	x        []float64      // inputs, siteFeatures a site
	estimate []float64      // of the price of each site, which an output is added to
	near     []surroundings // of each site
}

// point are the quantities of a point that do not depend on the present prices.
type point struct {
	free, alone []float64 // loads at prices of zero, and the price that then clears the site
	cheapest    float64   // W at prices of zero
	overload    float64   // the part of D beyond the rooms, at prices of zero
	open        float64   // sum of the rooms
	rate        float64   // cost of a unit of demand at prices of zero, or 1
	unit        float64   // of prices
}

// clone returns a deep copy.
func (p point) clone() point {
	p.free = slices.Clone(p.free)
	p.alone = slices.Clone(p.alone)
	return p
}

// surroundings describe the sites with which a site shares clients: demand that one of them serves and that would move
// to the other next.
type surroundings struct {
	out      float64 // demand that would leave
	price    float64 // sum of the prices where it would go, each times the demand, ...
	room     float64 // ... and of the parts of the rooms that are left there
	overload float64 // sum of the overloads of the sites that would lose demand to this one, times the demand
}

const (
	ownFeatures    = 16 // of the site itself
	pooledFeatures = 8  // of the point, and means over the sites
	siteFeatures   = ownFeatures + pooledFeatures
)

// damping is the part of the way to the clearing price that the estimate goes, since the other prices change too.
const damping = 0.6

// newFeatures returns the features of a valid instance, without a point.
func newFeatures(in *Instance) *features {
	return &features{prices: newPrices(in), demand: positive(in.TotalDemand())}
}

// positive returns v, or 1 where v is 0.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

// begin takes a point and sets the prices that clear each site alone; lambda is filled as at prices of zero.
func (f *features) begin(y, lambda []float64) {
	f.at(y)

	// The loads at prices of zero, and the prices that would clear them.
	n := len(f.site)
	resize(n, &f.free, &f.alone)
	f.cheapest = f.serve(lambda)
	f.overload = f.beyond()
	f.clear()

	// The unit of prices is a mean over the demand, at least a thousandth of what a unit of demand costs.
	f.open = 0
	f.unit = 0
	for k, r := range f.room {
		f.open += r
		f.unit += min(f.load[k]/f.demand, 1) * f.clearing[k]
	}
	f.rate = positive(f.cheapest / f.demand)
	f.unit = max(f.unit, 1e-3*f.rate)

	// The first prices are those that clear each site alone.
	copy(f.free, f.load)
	copy(f.alone, f.clearing)
	copy(f.mu, f.clearing)
}

// beyond is the part of the demand for which the sites have no room.
func (f *features) beyond() (part float64) {
	for k, r := range f.room {
		part += max(0, f.load[k]-r) / f.demand
	}
	return part
}

// surround fills the surroundings.
func (f *features) surround() {
	clear(f.near)
	for i, d := range f.in.Demand {
		rank, _ := f.ranked(i)
		left := 1.0
		for r := 0; r+1 < len(rank) && left > massTolerance; r++ {
			// The part of the client at a site would move to the next cheapest one.
			here := rank[r]
			next := rank[r+1]
			moves := min(left, f.mass[here]) * d
			left -= f.mass[here]
			a := &f.near[here]
			b := &f.near[next]
			a.out += moves
			a.price += moves * f.mu[next]
			a.room += moves * max(-2, 1-ratio(f.load[next], f.room[next]))
			b.overload += moves * max(-1, min(2, ratio(f.load[here], f.room[here])-1))
		}
	}
}

// inputs fills x and the estimates at the present prices, whose value is given; it follows serve.
func (f *features) inputs(value float64) {
	resize(len(f.site)*siteFeatures, &f.x)
	resize(len(f.site), &f.estimate)
	resize(len(f.site), &f.near)
	f.clear()
	f.surround()

	// The pooled features are those of the point and means over the sites; every site gets them.
	n := float64(len(f.site))
	pooled := [pooledFeatures]float64{
		math.Log(ratio(f.demand, f.open)),
		f.overload,
		f.beyond(),
		math.Log(f.unit / f.rate),
		math.Log(n),
		(value - f.cheapest) / positive(math.Abs(f.cheapest)),
	}
	for k, room := range f.room {
		f.estimate[k] = f.mu[k] + damping*(f.clearing[k]-f.mu[k])
		x := f.x[k*siteFeatures:][:ownFeatures]

		near := &f.near[k]
		price := near.price / positive(near.out)
		largest, below, above := f.reaction(k)
		copy(x, []float64{
			// The site: its mass, its room against the mean, the loads, and the prices.
			0: f.mass[k],
			1: math.Log(max(1e-3, room*n/positive(f.open))),
			2: math.Log1p(ratio(f.free[k], room)),
			3: math.Log1p(ratio(f.load[k], room)),
			4: f.log(f.alone[k]),
			5: f.log(f.clearing[k]),
			6: f.log(f.mu[k]),
			7: f.difference(f.clearing[k], f.mu[k]),
			// What a small change of the price does.
			8:  math.Log1p(ratio(largest, room)),
			9:  math.Log1p(ratio(below, room)),
			10: math.Log1p(ratio(above, room)),
			// The sites to which its demand would go, on average.
			11: f.log(price),
			12: near.room / positive(near.out),
			13: max(-3, min(3, near.overload/positive(room))),
			14: f.difference(price, f.estimate[k]),
			15: min(2, near.out/positive(f.load[k])),
		})
		pooled[6] += x[6] / n
		pooled[7] += x[7] / n
	}

	for k := range f.site {
		copy(f.x[k*siteFeatures+ownFeatures:], pooled[:])
	}
}

// reaction returns the largest demand that leaves a site while its price goes from a little below the estimate to a
// little above it, and the load at both ends.
func (f *features) reaction(k int) (largest, below, above float64) {
	for _, l := range f.limits[k] {
		// Demand stays as long as the price is not above its limit.
		if l.price > f.estimate[k]-0.2*f.unit {
			below += l.demand
			largest = max(largest, l.demand)
		}
		if l.price > f.estimate[k]+0.2*f.unit {
			above += l.demand
		}
	}
	return largest, below, above
}

// log and difference are inputs of prices.
func (f *features) log(price float64) float64 { return min(10, math.Log1p(price/f.unit)) }

// difference is the input for the difference of two prices, in units, within [-5, 5].
func (f *features) difference(a, b float64) float64 { return max(-5, min(5, (a-b)/f.unit)) }

// ratio returns a / b, but no more than 20.
func ratio(a, b float64) float64 {
	if !(a < 20*b) {
		return 20
	}
	return a / b
}

// step sets the prices to the estimates plus the outputs, none below zero, and reports whether the outputs are numbers.
func (f *features) step(out []float64) bool {
	for k, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		f.mu[k] = min(max(0, f.estimate[k]+f.unit*v), tooLarge)
	}
	return true
}
