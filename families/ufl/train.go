package ufl

import (
	"github.com/proxybd/proxybd/benders"
)

// lesson implements proxy.TrainingSet: the value of a row is that of its client,
//
//	V(pi_i, y) / scale,
//
// with the supergradient 1 - sum_j y_j [pi_i > c_ij], where scale is the instance's mean cost; the mean over random
// clients estimates the mean over all without bias (paper, Appendix B, UFL). The value is taken at a point between the
// state and the mean of the instance's states: duals are seldom unique at y itself, and the network learns which of
// them make a cut that is strong elsewhere too, as the core point of the exact separator does.
type lesson struct {
	in        *Instance
	features  *features
	certifier *certifier
	y, at     [][]float64 // the states, and the points at which their values are taken
	support   support
	pi        []float64 // the duals of all clients, for Value
}

// coreWeight is the weight of the mean state in the point at which a prediction is valued in training. Proxy runs on
// variants of MP3 took 1819 nodes with 0.1 and 550 with 0.3.
const coreWeight = 0.3

// newLesson returns the lesson of an instance and its states; core is the weight of their mean, see coreWeight.
func newLesson(in *Instance, f *features, states []benders.State, core float64) *lesson {
	l := &lesson{
		in:        in,
		features:  f,
		certifier: newCertifier(in, true),
		pi:        make([]float64, in.Clients),
	}
	l.certifier.plain = f.Kind == rawRow

	// The mean of all states of the instance.
	mean := make([]float64, in.Facilities)
	for _, s := range states {
		for j, v := range s.Y {
			mean[j] += v / float64(len(states))
		}
	}

	for _, s := range states {
		// The point between each state and the mean.
		at := make([]float64, len(s.Y))
		for j, v := range s.Y {
			at[j] = (1-core)*v + core*mean[j]
		}
		l.y = append(l.y, s.Y)
		l.at = append(l.at, at)
	}
	return l
}

// States implements proxy.TrainingSet.
func (l *lesson) States() int { return len(l.y) }

// Rows implements proxy.TrainingSet.
func (l *lesson) Rows(int) int { return l.in.Clients }

// Fill implements proxy.TrainingSet. The notes of a row are its normal.
func (l *lesson) Fill(x, notes []float64, state int, rows []int) {
	size := l.features.Size()
	y := l.y[state]
	l.support.set(y)
	for k, i := range rows {
		normal := l.features.fill(x[k*size:(k+1)*size], i, y, &l.support)
		notes[2*k] = normal.Low
		notes[2*k+1] = normal.Span
	}
}

// Certify implements proxy.TrainingSet. The value and slope of an output outside the projection's box are those of V
// there, not of its projection, so that the gradient leads back into the box. This holds for the paper's projection,
// too: with the slope 0 that (pi)+ has below 0, all outputs of a network for 60x60 were negative after 350 steps, for
// good.
func (l *lesson) Certify(value, slope, out, notes []float64, state int, rows []int) error {
	for k, i := range rows {
		// By the chain rule: the dual moves by the span of the row.
		normal := affine{notes[2*k], notes[2*k+1]}
		v, g := l.certifier.Row(i, normal.Dual(out[k]), l.at[state])
		value[k] = v / l.features.Scale
		slope[k] = g * normal.Span / l.features.Scale
	}
	return nil
}

// Value implements proxy.TrainingSet.
func (l *lesson) Value(out, notes []float64, state int) (float64, error) {
	for i, v := range out {
		l.pi[i] = affine{notes[2*i], notes[2*i+1]}.Dual(v)
	}

	// A run projects before it completes, and so does its value.
	l.certifier.Project(l.pi)
	return l.certifier.Value(l.pi, l.at[state]) / (l.features.Scale * float64(l.in.Clients)), nil
}
