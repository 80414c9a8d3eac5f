package mcndp

import (
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// lesson implements proxy.TrainingSet, of the states with a feasible recourse. The network learns the prices that the
// steps of a run come to, so that a run starts where they would end: what is maximised is the square of the distance
// to these, negated, each arc by its room. Prices are not unique, and their mean, which is what a network learns of
// many, is at least as good as they are on average, because the certified value is concave in them. What counts in
// validation is the certified value of a run.
type lesson struct {
	in        *Instance
	features  *features
	certifier *certifier
	sharpener *sharpener // finds the prices to learn
	u         []float64  // multipliers of the state at hand
	length    []float64  // of each arc there
	states    []example
}

// example is a state with what depends on it.
type example struct {
	on     *lesson
	y      []float64 // the point
	x      []float64 // the inputs of the network, arcFeatures for each arc
	start  []float64 // the price that the network corrects; one an arc
	price  []float64 // to learn, in units
	weight []float64 // of its error
	norm   float64   // what its certified cost is divided by
}

// targetRounds is how many steps find the prices to learn, and maxTarget the largest of these, in units: where the
// rooms fall short within tolerance, prices rise without end.
const (
	targetRounds = 1000
	maxTarget    = 1e3
)

// lesson returns the training set of the states that have a recourse.
func (v view) lesson(states []benders.State) (*lesson, error) {
	in := v.in
	n := in.arcs()
	f := newFeatures(in)
	l := &lesson{
		in:        in,
		features:  f,
		certifier: v.heads().certifier,
		sharpener: newSharpener(in, f, newPotentials(in)),
		u:         make([]float64, in.size()),
		length:    make([]float64, n),
	}
	for _, state := range states {
		if len(state.Y) != n {
			return nil, fmt.Errorf("mcndp: %w: a state of %s with %d columns", proxy.ErrOptions, in.Name, len(state.Y))
		}

		// The network of arcs learns nothing of feasibility cuts.
		if state.Infeasible {
			continue
		}
		e := example{on: l, y: state.Y, x: make([]float64, arcFeatures*n), start: make([]float64, n)}
		f.inputs(e.x, e.start, e.y)
		e.target()

		// The value is 1 where the network adds nothing, unless that certifies less than the cheapest paths.
		e.norm = f.norm
		e.norm *= max(1, e.certified(make([]float64, n))) // what a run certifies without a network
		l.states = append(l.states, e)
	}
	return l, nil
}

// target finds the prices to learn.
func (e *example) target() {
	l := e.on
	c := l.features.congestion
	l.features.lengths(l.length, e.start, make([]float64, len(e.y)))
	l.sharpener.y = e.y
	l.sharpener.ascend(l.length, targetRounds)

	// The price of a closed arc follows from the others: it has no weight.
	total := 0.0
	for j, v := range e.y {
		price, weight := l.sharpener.prices.Multipliers[j]/c.unit, c.room[j]+c.mean
		if v <= closedShare || !(price <= maxTarget) {
			price, weight = 0, 0
		}
		e.price = append(e.price, price)
		e.weight = append(e.weight, weight)
		total += weight
	}
	for j := range e.weight {
		// Weights sum to one over the arcs, so that all states count alike.
		e.weight[j] /= max(total, tooSmall)
	}
}

// States implements proxy.TrainingSet.
func (l *lesson) States() int { return len(l.states) }

// Rows implements proxy.TrainingSet.
func (l *lesson) Rows(int) int { return l.in.arcs() }

// Fill implements proxy.TrainingSet.
func (l *lesson) Fill(x, _ []float64, state int, _ []int) { copy(x, l.states[state].x) }

// Certify implements proxy.TrainingSet.
func (l *lesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	value[0] = l.states[state].certify(out, slope)
	return nil
}

// Value implements proxy.TrainingSet: what a run certifies.
func (l *lesson) Value(out, _ []float64, state int) (float64, error) {
	return l.states[state].certified(out), nil
}

// certified returns what a run certifies at the state with the network's outputs.
func (e *example) certified(out []float64) float64 {
	l := e.on

	// Only the rooms of the point are needed: the prices come from the network.
	l.features.congestion.at(e.y)
	l.features.lengths(l.length, e.start, out)
	l.sharpener.sharpen(l.u, l.length, e.y)
	l.certifier.Project(l.u)
	return l.certifier.Value(benders.Optimality, l.u, e.y) / e.norm
}

// certify returns what is maximised at the state, and its slope in the outputs where slope is not nil.
func (e *example) certify(out, slope []float64) float64 {
	value := 0.0
	unit := e.on.features.congestion.unit
	for j, w := range e.weight {
		// The price of a run is the corrected estimate, where that is positive.
		at := e.start[j]/unit + out[j]
		d := e.price[j] - max(0, at)
		value -= w * d * d / 2
		if slope == nil {
			continue
		}

		// A price of zero that would fall stays, and has no slope.
		if slope[j] = w * d; at <= 0 && d <= 0 {
			slope[j] = 0
		}
	}
	return value
}
