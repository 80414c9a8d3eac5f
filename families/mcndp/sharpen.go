package mcndp

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// sharpener brings predicted multipliers of the optimality head nearer to the best ones of a point, without a linear
// program: first the prices of the arcs that are open there, by supergradient steps, which each route the demand over
// shortest paths; then the lengths of the closed ones, which are as short as leaves the cost of every commodity alone;
// and at fractional points, where the best multipliers need not come from arc lengths, the multipliers themselves. It
// is for one goroutine.
type sharpener struct {
	in         *Instance
	congestion *congestion // routes, with the rooms of the last estimate
	potentials *potentials
	lifter     *lifter
	certifier  *certifier
	prices     *lagrange.Level // of the capacities
	metric     *lagrange.Level // of the feasibility head
	duals      *lagrange.Level // the multipliers of the optimality head
	free       []float64       // zero, what arcs cost in a metric
	y          []float64       // the point
}

const (
	designRounds     = 400  // steps in arc lengths at a design
	fractionalRounds = 100  // and at other points
	dualRounds       = 30   // steps in the multipliers
	priceGain        = 0.05 // what the first steps hope to add, relative
	dualGain         = 0.02 // what the steps in the multipliers hope to add, relative
)

// newSharpener returns a sharpener that shares the congestion of f and the potentials p.
func newSharpener(in *Instance, f *features, p *potentials) *sharpener {
	n := in.arcs()
	s := &sharpener{
		in:         in,
		congestion: f.congestion,
		potentials: p,
		lifter:     &lifter{in: in, potentials: p, length: make([]float64, n)},
		certifier:  newCertifier(in),
		prices:     lagrange.NewLevel(n),
		metric:     lagrange.NewLevel(n),
		duals:      lagrange.NewLevel(in.size()),
		free:       make([]float64, n),
	}

	// Multipliers are in costs of a demand, so that their steps are in proportion to it.
	m := in.commodities()
	for k := range s.duals.Scale {
		s.duals.Scale[k] = in.Demand[k%m]
	}
	return s
}

// sharpen fills u with multipliers for y, starting from arc lengths. The rooms must be those of y.
func (s *sharpener) sharpen(u, length, y []float64) {
	// The prices of the open arcs first; then the closed arcs get the lengths that follow from them.
	s.y = y
	s.ascend(length, s.rounds())
	s.lifter.fill(u, s.in.Cost, s.prices.Multipliers, s.open)
	if !s.fractional() {
		return
	}

	// At a fractional point the multipliers themselves are improved too, from those of the lengths.
	copy(s.duals.Multipliers, u)
	s.duals.Gain = dualGain
	s.duals.Improve(dualRelaxation{s}, dualRounds)
	copy(u, s.duals.Multipliers)
}

// open reports whether an arc is open at the point.
func (s *sharpener) open(j int) bool { return s.y[j] > closedShare }

// fractional reports whether the point is no design.
func (s *sharpener) fractional() bool {
	return slices.ContainsFunc(s.y, func(v float64) bool { return v > closedShare && v < 1-closedShare })
}

// rounds returns how many steps to take in arc lengths: at a design, which a run ends at if its cost is underrated,
// many.
func (s *sharpener) rounds() int {
	if s.fractional() {
		return fractionalRounds
	}
	return designRounds
}

// ascend improves the prices of the open arcs by the given number of steps. Closed ones are longer than any path
// meanwhile.
func (s *sharpener) ascend(length []float64, rounds int) {
	for j, v := range s.y {
		// Prices start at what the lengths are above the costs. Their steps are shorter where there is much room.
		s.prices.Multipliers[j] = max(0, length[j]-s.in.Cost[j])
		s.prices.Scale[j] = 1 / math.Sqrt(s.congestion.room[j]+s.congestion.mean)
		if v <= closedShare { // a scale of zero: no step moves it
			s.prices.Multipliers[j], s.prices.Scale[j] = s.blocked(s.potentials.ceiling), 0
		}
	}
	s.prices.Gain = priceGain
	s.prices.Improve(priceRelaxation{s}, rounds)
}

// blocked is the length of a closed arc: it is longer than any path of arcs up to the longest one.
func (s *sharpener) blocked(longest float64) float64 { return float64(s.in.Nodes) * longest }

// sharpenMetric fills u with multipliers of a feasibility cut for y, starting from arc lengths.
func (s *sharpener) sharpenMetric(u, length, y []float64) {
	s.y = y

	// What the rooms of the open arcs are paid under the lengths; in the metric that is 1.
	paid := 0.0
	for j, v := range y {
		if v > closedShare {
			paid += length[j] * s.congestion.room[j]
		}
	}

	// No arc is open, or no open one has a length: nothing can be scaled.
	if !(paid > 0) {
		s.potentials.set(u, length)
		return
	}

	for j, v := range y {
		s.metric.Multipliers[j], s.metric.Scale[j] = length[j]/paid, 1/(s.congestion.room[j]+s.congestion.mean)
		if v <= closedShare {
			s.metric.Multipliers[j], s.metric.Scale[j] = s.blocked(1/s.congestion.mean), 0
		}
	}
	s.metric.Gain = priceGain
	s.metric.Goal = 1 // the length of the demand over what the rooms are paid: up to it the metric proves nothing
	s.metric.Improve(metricRelaxation{s}, s.rounds())
	s.lifter.fill(u, s.free, s.metric.Multipliers, s.open)
}

// Limit implements lagrange.Relaxation for the three relaxations below: no value ends the steps early.
func (s *sharpener) Limit() float64 { return math.Inf(1) }

// priceRelaxation relaxes the capacities: the cost of shortest paths under the prices, less what the rooms are paid.
type priceRelaxation struct{ *sharpener }

// Project implements lagrange.Relaxation.
func (r priceRelaxation) Project(price []float64) {
	for j, p := range price {
		price[j] = max(0, p)
	}
}

// Evaluate implements lagrange.Relaxation.
func (r priceRelaxation) Evaluate(price, slope []float64) (float64, []float64) {
	// The cost of all demand over shortest paths.
	congestion := r.congestion
	for j, p := range price {
		congestion.length[j] = r.in.Cost[j] + p
	}
	value := congestion.route()

	// The slope in a price is the overload of its arc.
	for j, room := range congestion.room {
		if room > 0 {
			value -= price[j] * room
		}
		slope[j] = congestion.load[j] - room
	}
	return value, nil
}

// metricRelaxation is the length of all demand under a metric that pays a unit for the rooms: above one it proves that
// they do not suffice.
type metricRelaxation struct{ *sharpener }

// Project implements lagrange.Relaxation.
func (r metricRelaxation) Project(metric []float64) {
	paid := 0.0
	for j, w := range metric {
		if r.y[j] > closedShare {
			metric[j] = max(0, w)
			paid += metric[j] * r.congestion.room[j]
		}
	}
	if !(paid > 0) {
		return
	}
	for j := range metric {
		if r.y[j] > closedShare {
			metric[j] /= paid
		}
	}
}

// Evaluate implements lagrange.Relaxation.
func (r metricRelaxation) Evaluate(metric, slope []float64) (float64, []float64) {
	congestion := r.congestion
	copy(congestion.length, metric)
	value := congestion.route()
	for j, room := range congestion.room {
		slope[j] = congestion.load[j] - value*room
	}
	return value, nil
}

// dualRelaxation is the certified value itself.
type dualRelaxation struct{ *sharpener }

// Project implements lagrange.Relaxation.
func (r dualRelaxation) Project(u []float64) { r.certifier.Project(u) }

// Evaluate implements lagrange.Relaxation.
func (r dualRelaxation) Evaluate(u, slope []float64) (float64, []float64) {
	return r.certifier.Supergradient(benders.Optimality, slope, u, r.y), nil
}
