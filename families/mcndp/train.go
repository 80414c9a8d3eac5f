package mcndp

import (
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// lesson implements proxy.Lesson: the certified recourse cost of the first head at states with a feasible recourse,
// in units of the instance, and the separation value of the second at the others, in the slice (paper, section 3.3),
// by the supergradient b_iv - (sum_out y_j a_ij - sum_in y_j a_ij) and the chain rule along shortest paths.
type lesson struct {
	in         *Instance
	features   *features
	potentials *potentials
	certifier  *completer
	u, slope   []float64
	length     []float64
	states     []example
}

// example is a state with what depends on it.
type example struct {
	on        *lesson
	y         []float64
	x         []float64
	estimates estimates
	kind      benders.Kind
	norm      float64 // what its certified cost is divided by
}

func (v view) lesson(states []benders.State) (*lesson, error) {
	in, n := v.in, v.in.Arcs()
	l := &lesson{in: in, features: newFeatures(in), potentials: newPotentials(in), certifier: v.heads().certifier,
		u: make([]float64, in.size()), slope: make([]float64, in.size()), length: make([]float64, n)}
	for _, state := range states {
		if len(state.Y) != n {
			return nil, fmt.Errorf("mcndp: %w: a state of %s with %d columns", proxy.ErrOptions, in.Name, len(state.Y))
		}
		if state.Infeasible && !state.Integer { // the cut sets of the master deal with these
			continue
		}
		e := example{on: l, y: state.Y, x: make([]float64, arcFeatures*n), estimates: newEstimates(n)}
		l.features.inputs(e.x, e.estimates, e.y)
		if e.norm = l.features.norm; state.Infeasible {
			e.kind = benders.Feasibility
		} else {
			e.norm *= max(1, e.certify(make([]float64, heads*n), nil)) // what the estimates certify
		}
		l.states = append(l.states, e)
	}
	return l, nil
}

// States implements proxy.Lesson.
func (l *lesson) States() int { return len(l.states) }

// Rows implements proxy.Lesson.
func (l *lesson) Rows() int { return l.in.Arcs() }

// Fill implements proxy.Lesson.
func (l *lesson) Fill(x, _ []float64, state int, _ []int) { copy(x, l.states[state].x) }

// Certify implements proxy.Lesson.
func (l *lesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	value[0] = l.states[state].certify(out, slope)
	return nil
}

// Value implements proxy.Lesson. It is what the network alone certifies, without the steps that sharpen it in a run.
func (l *lesson) Value(out, _ []float64, state int) (float64, error) {
	return l.states[state].certify(out, nil), nil
}

// certify returns what the network's outputs certify at the state and, where slope is not nil, its slope in them.
func (e *example) certify(out, slope []float64) float64 {
	if e.kind == benders.Feasibility {
		return e.certifyInfeasible(out, slope)
	}
	l := e.on
	l.features.lengths(l.length, e.estimates, out)
	l.potentials.set(l.u, l.length)
	value := l.certifier.Supergradient(benders.Optimality, l.slope, l.u, e.y) / e.norm
	if slope == nil {
		return value
	}
	l.potentials.back(l.length, l.slope)
	for j, g := range l.length {
		if slope[heads*j] = g * l.features.congestion.unit / e.norm; g < 0 &&
			e.estimates.price[j]+l.features.congestion.unit*out[heads*j] <= 0 {
			slope[heads*j] = 0 // a price of zero that would fall
		}
		slope[heads*j+1] = 0
	}
	return value
}

// certifyInfeasible is certify of the second head: the separation value over the largest sum of a commodity's
// multipliers.
func (e *example) certifyInfeasible(out, slope []float64) float64 {
	l := e.on
	l.features.stretched(l.length, e.estimates, out)
	l.potentials.set(l.u, l.length)
	widest, width := slice(l.in, l.u)
	value := l.certifier.Supergradient(benders.Feasibility, l.slope, l.u, e.y)
	if slope == nil || !(width > 0) {
		clear(slope)
		return value
	}
	m := l.in.Commodities()
	for v := range l.in.Nodes { // the value is F / N, N the largest sum: (dF - value dN) / N
		l.slope[v*m+widest] -= value
	}
	l.potentials.back(l.length, l.slope)
	for j, g := range l.length {
		slope[heads*j] = 0
		slope[heads*j+1] = g / width * e.estimates.metric[j] * stretch(out[heads*j+1])
	}
	return value
}
