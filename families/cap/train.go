package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// points is what the lessons of both networks have: the states of an instance, with the inputs that depend on them.
type points struct {
	features   *features
	certifier  *Certifier
	y, varying [][]float64
	lambda     []float64 // scratch
}

func newPoints(in *Instance, states []benders.State) (points, error) {
	l := points{features: newFeatures(in), certifier: NewCertifier(in), lambda: make([]float64, in.Clients)}
	for _, state := range states {
		if len(state.Y) != in.Facilities || !in.Feasible(state.Y) {
			return l, fmt.Errorf("cap: %w: a state of %s without a feasible recourse", proxy.ErrOptions, in.Name)
		}
		l.y = append(l.y, state.Y)
	}
	return l, nil
}

// States implements proxy.Lesson.
func (l *points) States() int { return len(l.y) }

// Rows implements proxy.Lesson.
func (l *points) Rows() int { return 1 }

// Fill implements proxy.Lesson.
func (l *points) Fill(x, _ []float64, state int, _ []int) {
	copy(x[copy(x, l.features.constant):], l.varying[state])
}

// certified returns the value of the multipliers in lambda, once projected.
func (l *points) certified(state int) float64 {
	l.certifier.Project(l.lambda)
	return l.certifier.Value(l.lambda, l.y[state]) / l.features.norm
}

// lesson implements proxy.Lesson: what is maximised is the bound W(mu) of features on the certified value, in units
// of the instance, by the supergradient load less capacity.
type lesson struct {
	points
	in *Instance
	at *point // scratch
}

func newLesson(in *Instance, states []benders.State) (*lesson, error) {
	known, err := newPoints(in, states)
	if err != nil {
		return nil, err
	}
	l := &lesson{points: known, in: in, at: known.features.newPoint()}
	for _, y := range l.y {
		x := make([]float64, 2*in.Facilities+1)
		l.features.fill(x, l.lambda, y, l.at)
		l.varying = append(l.varying, x)
	}
	return l, nil
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
	return l.certified(state), nil
}
