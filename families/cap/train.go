package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// lesson implements proxy.Lesson: what is maximised is the bound W(mu) of features on the certified value, in units
// of the instance, by the supergradient load less capacity.
type lesson struct {
	in         *Instance
	features   *features
	certifier  *certifier
	y, varying [][]float64 // states, with the inputs that depend on them
	lambda     []float64   // scratch
	at         *point
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
	l := &lesson{in: in, features: f, certifier: newCertifier(in), lambda: make([]float64, in.Clients), at: f.newPoint()}
	if err := feasible(in, states); err != nil {
		return nil, err
	}
	for _, state := range states {
		x := make([]float64, 2*in.Facilities+1)
		f.fill(x, l.lambda, state.Y, l.at)
		l.y, l.varying = append(l.y, state.Y), append(l.varying, x)
	}
	return l, nil
}

// States implements proxy.Lesson.
func (l *lesson) States() int { return len(l.y) }

// Rows implements proxy.Lesson.
func (l *lesson) Rows() int { return 1 }

// Fill implements proxy.Lesson.
func (l *lesson) Fill(x, _ []float64, state int, _ []int) {
	copy(x[copy(x, l.features.constant):], l.varying[state])
}

// relax fills lambda with the multipliers that the outputs say and returns W.
func (l *lesson) relax(out []float64, state int) (float64, error) {
	if !l.features.price(out, l.at) {
		return 0, fmt.Errorf("cap: %w: prices that are not finite", nn.ErrDiverged)
	}
	return l.features.relax(l.lambda, l.y[state], l.at), nil
}

// Certify implements proxy.Lesson. At an output below zero, whose price is zero, the slope is that of a price that
// may only rise: no output is lost for good.
func (l *lesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	w, err := l.relax(out, state)
	f, y := l.features, l.y[state]
	value[0] = w / f.norm
	for j, v := range out {
		if slope[j] = (l.at.load[j] - l.in.Capacity[j]*y[j]) * f.unit / f.norm; v < 0 {
			slope[j] = max(0, slope[j])
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
	return l.certifier.Value(l.lambda, l.y[state]) / l.features.norm, nil
}
