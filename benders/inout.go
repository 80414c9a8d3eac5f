package benders

import "math"

// inOut is the state of a stabilised separation: the stability centre and what the bound did.
type inOut struct {
	Stabilisation
	upper  []float64 // of the first-stage columns
	centre []float64
	point  []float64 // scratch: where to separate
	bound  float64   // the best bound so far
	stalls int       // rounds in a row in which the bound did not rise
	off    bool      // the master's point itself is separated from now on
}

// newInOut starts from the upper bounds of the design (every facility open), the point farthest
// inside for problems whose recourse improves with y.
func newInOut(s Stabilisation, m *master) *inOut {
	in := &inOut{
		Stabilisation: s,
		upper:         make([]float64, m.n),
		centre:        make([]float64, m.n),
		point:         make([]float64, m.n),
		bound:         math.Inf(-1),
		off:           s.Weight == 1,
	}
	for j := range m.n {
		// Without an upper bound the lower one, or zero, is the centre.
		in.upper[j] = m.model.Cols[j].Upper
		in.centre[j] = in.upper[j]
		if math.IsInf(in.centre[j], 1) {
			in.centre[j] = max(m.model.Cols[j].Lower, 0)
		}
	}
	return in
}

// next returns where to separate for the master point y whose relaxation has the given objective,
// and whether that is y itself. The slice is valid until the next call.
func (s *inOut) next(y []float64, objective float64) (point []float64, itself bool) {
	if objective > s.bound+1e-7*max(1, math.Abs(objective)) {
		s.bound, s.stalls = objective, 0
	} else if s.stalls++; s.stalls >= s.Stalls {
		s.off = true
	}
	if s.off {
		return y, true
	}

	// The centre moves first, and the shift never passes an upper bound.
	for j, v := range y {
		s.centre[j] += s.Pull * (v - s.centre[j])
		s.point[j] = min(s.Weight*v+(1-s.Weight)*s.centre[j]+s.Shift, s.upper[j])
	}
	return s.point, false
}
