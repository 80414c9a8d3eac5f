package cap

import (
	"math"
	"slices"
)

// features are what the network sees and says of one instance. It is applied to every site alike, so that neither the
// numbers of facilities and clients nor their order matter, and its output is added to an estimate of the site's
// price: a step from the present prices towards the one that clears it. A prediction is begin, and then rounds of
// inputs and step.
//
// All prices are in the unit of the point, what demand pays on the average where all sites but one are free; loads
// and demands are over the room of the site.
type features struct {
	*prices
	demand float64 // D, or 1
	point

	x        []float64 // inputs, siteFeatures a site
	estimate []float64
	near     []surroundings
}

// point is what features know of a point, whatever the prices.
type point struct {
	free, alone []float64 // loads at prices of zero, and the price that then clears the site
	cheapest    float64   // W at prices of zero
	overload    float64   // the part of D beyond the rooms, at prices of zero
	open        float64   // sum of the rooms
	rate        float64   // what a unit of demand costs at prices of zero, or 1
	unit        float64   // of prices
}

func (p point) clone() point {
	p.free, p.alone = slices.Clone(p.free), slices.Clone(p.alone)
	return p
}

// surroundings are what a site sees of those with whom it shares clients: demand that is served by the one and would
// move to the other next.
type surroundings struct {
	out      float64 // demand that would leave
	price    float64 // sum of the prices where it would go, each times the demand, ...
	room     float64 // ... and of the parts of the rooms that are left there
	overload float64 // sum of the overloads of the sites that would lose demand to this one, times the demand
}

const (
	ownFeatures    = 16
	pooledFeatures = 8
	siteFeatures   = ownFeatures + pooledFeatures
)

// The estimate goes a part of the way to the clearing price, since the others move too.
const damping = 0.6

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
	n := len(f.site)
	f.free, f.alone = sized(f.free, n), sized(f.alone, n)
	f.cheapest = f.serve(lambda)
	f.overload, f.open, f.unit = f.beyond(), 0, 0
	f.clear()
	for k, r := range f.room {
		f.open += r
		f.unit += min(f.load[k]/f.demand, 1) * f.clearing[k]
	}
	f.rate = positive(f.cheapest / f.demand)
	f.unit = max(f.unit, 1e-3*f.rate)
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

// look fills the surroundings.
func (f *features) look() {
	clear(f.near)
	for i, d := range f.in.Demand {
		rank, _ := f.ranked(i)
		for r, left := 0, 1.0; r+1 < len(rank) && left > massTolerance; r++ {
			here, next := rank[r], rank[r+1]
			moves := min(left, f.mass[here]) * d
			left -= f.mass[here]
			a, b := &f.near[here], &f.near[next]
			a.out += moves
			a.price += moves * f.mu[next]
			a.room += moves * max(-2, 1-ratio(f.load[next], f.room[next]))
			b.overload += moves * max(-1, min(2, ratio(f.load[here], f.room[here])-1))
		}
	}
}

// inputs fills x and the estimates at the present prices, whose value is given; it follows serve.
func (f *features) inputs(value float64) {
	f.x = sized(f.x, len(f.site)*siteFeatures)
	f.estimate, f.near = sized(f.estimate, len(f.site)), sized(f.near, len(f.site))
	f.clear()
	f.look()
	n := float64(len(f.site))
	pooled := [pooledFeatures]float64{math.Log(ratio(f.demand, f.open)), f.overload, f.beyond(),
		math.Log(f.unit / f.rate), math.Log(n), (value - f.cheapest) / positive(math.Abs(f.cheapest))}
	for k, room := range f.room {
		f.estimate[k] = f.mu[k] + damping*(f.clearing[k]-f.mu[k])
		x := f.x[k*siteFeatures:][:ownFeatures]
		x[0] = f.mass[k]
		x[1] = math.Log(max(1e-3, room*n/positive(f.open)))
		x[2] = math.Log1p(ratio(f.free[k], room))
		x[3] = math.Log1p(ratio(f.load[k], room))
		x[4] = f.log(f.alone[k])
		x[5] = f.log(f.clearing[k])
		x[6] = f.log(f.mu[k])
		x[7] = f.difference(f.clearing[k], f.mu[k])
		f.reaction(x[8:11], k)
		near := &f.near[k]
		price := near.price / positive(near.out)
		x[11] = f.log(price)
		x[12] = near.room / positive(near.out)
		x[13] = max(-3, min(3, near.overload/positive(room)))
		x[14] = f.difference(price, f.estimate[k])
		x[15] = min(2, near.out/positive(f.load[k]))
		pooled[6] += x[6] / n
		pooled[7] += x[7] / n
	}
	for k := range f.site {
		copy(f.x[k*siteFeatures+ownFeatures:], pooled[:])
	}
}

// reaction writes the largest demand that leaves a site while its price goes from a little below the estimate to a
// little above it, and the load at both ends.
func (f *features) reaction(x []float64, k int) {
	below, above, largest := 0.0, 0.0, 0.0
	for _, l := range f.limits[k] {
		if l.price > f.estimate[k]-0.2*f.unit {
			below += l.demand
			largest = max(largest, l.demand)
		}
		if l.price > f.estimate[k]+0.2*f.unit {
			above += l.demand
		}
	}
	x[0], x[1], x[2] = math.Log1p(ratio(largest, f.room[k])), math.Log1p(ratio(below, f.room[k])),
		math.Log1p(ratio(above, f.room[k]))
}

// log and difference are inputs of prices.
func (f *features) log(price float64) float64 { return min(10, math.Log1p(price/f.unit)) }

func (f *features) difference(a, b float64) float64 { return max(-5, min(5, (a-b)/f.unit)) }

// ratio returns a / b, but no more than 20.
func ratio(a, b float64) float64 {
	if !(a < 20*b) {
		return 20
	}
	return a / b
}

// step sets the prices that the outputs say, none below zero, and reports whether they are numbers.
func (f *features) step(out []float64) bool {
	for k, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		f.mu[k] = min(max(0, f.estimate[k]+f.unit*v), tooLarge)
	}
	return true
}
