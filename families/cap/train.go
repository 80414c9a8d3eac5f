package cap

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// lesson implements proxy.Lesson: what is maximised is the bound W(mu) of prices on the certified value, in units of
// the instance, by the supergradient load less capacity.
type lesson struct {
	in        *Instance
	features  *features
	certifier *certifier
	states    []example
	lambda    []float64 // scratch
	norm      float64
}

// example is a state with the inputs at it.
type example struct {
	y, x, estimate []float64
	unit           float64
}

// feasible refuses states without a recourse.
func feasible(in *Instance, states []benders.State) error {
	for _, state := range states {
		if len(state.Y) != in.Facilities || !in.feasible(state.Y) {
			return fmt.Errorf("cap: %w: a state of %s without a feasible recourse", proxy.ErrOptions, in.Name)
		}
	}
	return nil
}

func newLesson(in *Instance, states []benders.State) (*lesson, error) {
	f := newFeatures(in)
	l := &lesson{in: in, features: f, certifier: newCertifier(in), lambda: make([]float64, in.Clients)}
	if err := feasible(in, states); err != nil {
		return nil, err
	}
	for _, state := range states {
		f.begin(state.Y, l.lambda)
		value := f.serve(l.lambda)
		f.inputs(value)
		l.states = append(l.states, example{state.Y, slices.Clone(f.x), slices.Clone(f.estimate), f.unit})
		l.norm += max(f.cheapest, value) / float64(len(states))
	}
	l.norm = positive(l.norm)
	return l, nil
}

// States implements proxy.Lesson.
func (l *lesson) States() int { return len(l.states) }

// Rows implements proxy.Lesson.
func (l *lesson) Rows(state int) int { return len(l.states[state].estimate) }

// Fill implements proxy.Lesson.
func (l *lesson) Fill(x, _ []float64, state int, _ []int) { copy(x, l.states[state].x) }

// relax fills lambda with the multipliers that the outputs say and returns W.
func (l *lesson) relax(out []float64, state int) (float64, error) {
	e := &l.states[state]
	l.features.at(e.y)
	l.features.unit = e.unit
	if !l.features.step(e.estimate, out) {
		return 0, fmt.Errorf("cap: %w: prices that are not finite", nn.ErrDiverged)
	}
	return l.features.serve(l.lambda), nil
}

// Certify implements proxy.Lesson. At a price of zero the slope is that of a price that may only rise: no output is
// lost for good.
func (l *lesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	w, err := l.relax(out, state)
	f := l.features
	value[0] = w / l.norm
	unit := l.states[state].unit / l.norm
	for k, load := range f.load[:len(out)] {
		if slope[k] = (load - f.room[k]) * unit; f.mu[k] == 0 {
			slope[k] = max(0, slope[k])
		}
	}
	return err
}

// Value implements proxy.Lesson.
func (l *lesson) Value(out, _ []float64, state int) (float64, error) {
	if _, err := l.relax(out, state); err != nil {
		return 0, err
	}
	l.certifier.Project(l.lambda)
	return l.certifier.Value(l.lambda, l.states[state].y) / l.norm, nil
}
