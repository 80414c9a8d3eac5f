package cap

import (
	"context"
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// lesson implements proxy.TrainingSet and proxy.Repeated: training maximises the bound W(mu) of prices on the certified
// value, in units of the instance, by the supergradient, the load minus the capacity, after any of the times that a run
// applies the network.
type lesson struct {
	features *features
	states   []example
	lambda   []float64 // scratch
	norm     float64   // the mean value of a state, by which values are divided
}

// example is a state with the inputs at it.
type example struct {
	y        []float64
	x        []float64 // inputs of the first round, siteFeatures a site
	estimate []float64 // of the price of each site, which the first output is added to
	point    point
	value    float64 // of the best prices without a network
}

// notes of a site are its estimate and the value of the best prices so far.
const siteNotes = 2

// feasible returns an error if a state has no feasible recourse.
func feasible(in *Instance, states []benders.State) error {
	for _, state := range states {
		feasible := false
		if len(state.Y) == in.Facilities {
			var err error
			if feasible, err = in.hasRecourse(context.Background(), state.Y); err != nil {
				return err
			}
		}
		if !feasible {
			return fmt.Errorf("cap: %w: a state of %s without a feasible recourse", proxy.ErrOptions, in.Name)
		}
	}
	return nil
}

// newLesson returns the lesson of an instance and its states, each with the inputs of the first round.
func newLesson(in *Instance, states []benders.State) (*lesson, error) {
	f := newFeatures(in)
	l := &lesson{features: f, lambda: make([]float64, in.Clients)}
	if err := feasible(in, states); err != nil {
		return nil, err
	}

	// Of prices of zero and those that clear each site alone the better ones are where a run starts from.
	for _, state := range states {
		f.begin(state.Y, l.lambda)
		value := f.serve(l.lambda)
		f.inputs(value)
		value = max(f.cheapest, value)
		l.states = append(l.states, example{
			y:        state.Y,
			x:        slices.Clone(f.x),
			estimate: slices.Clone(f.estimate),
			point:    f.point.clone(),
			value:    value,
		})
		l.norm += value / float64(len(states))
	}
	l.norm = positive(l.norm)
	return l, nil
}

// States implements proxy.TrainingSet.
func (l *lesson) States() int { return len(l.states) }

// Rows implements proxy.TrainingSet.
func (l *lesson) Rows(state int) int { return len(l.states[state].estimate) }

// Fill implements proxy.TrainingSet.
func (l *lesson) Fill(x, notes []float64, state int, _ []int) {
	e := &l.states[state]
	copy(x, e.x)
	note(notes, e.estimate, e.value)
}

// note writes the notes of all sites.
func note(to, estimate []float64, value float64) {
	for k, v := range estimate {
		to[siteNotes*k] = v
		to[siteNotes*k+1] = value
	}
}

// step sets the prices of the outputs, and returns their value and that of the best prices before.
func (l *lesson) step(out, notes []float64, state int) (value, before float64, err error) {
	f := l.features

	// The sites, the quantities of the point and the estimates are those of the state.
	f.at(l.states[state].y)
	f.point = l.states[state].point
	resize(len(out), &f.estimate)
	for k := range out {
		f.estimate[k] = notes[siteNotes*k]
		before = notes[siteNotes*k+1]
	}
	if !f.step(out) {
		return 0, 0, fmt.Errorf("cap: %w: prices that are not finite", nn.ErrDiverged)
	}
	return f.serve(l.lambda), before, nil
}

// Times implements proxy.Repeated.
func (l *lesson) Times() int { return timesLearnt }

// Next implements proxy.Repeated.
func (l *lesson) Next(x, notes, out []float64, state int) error {
	value, before, err := l.step(out, notes, state)
	if err != nil {
		return err
	}

	// The inputs of the next round are those at the prices that the outputs gave.
	f := l.features
	f.inputs(value)
	copy(x, f.x)
	note(notes, f.estimate, max(value, before))
	return nil
}

// Certify implements proxy.TrainingSet. At a price of zero the slope is not negative, as the price may only rise: an
// output that has led to a negative price can still recover.
func (l *lesson) Certify(value, slope, out, notes []float64, state int, _ []int) error {
	w, _, err := l.step(out, notes, state)
	f := l.features
	value[0] = w / l.norm
	unit := f.unit / l.norm

	// The slope in an output: by the chain rule a price moves by the unit.
	for k, load := range f.load[:len(out)] {
		if slope[k] = (load - f.room[k]) * unit; f.mu[k] == 0 {
			slope[k] = max(0, slope[k])
		}
	}
	return err
}

// Value implements proxy.TrainingSet.
func (l *lesson) Value(out, notes []float64, state int) (float64, error) {
	value, before, err := l.step(out, notes, state)
	return max(value, before) / l.norm, err
}
