package benders

// State is a Benders state without its instance: a point at which a master asked for cuts (paper,
// section 4.2.1).
type State struct {
	Y          []float64
	Integer    bool
	Infeasible bool // there is no recourse at Y: the separator that was asked had a feasibility cut to prove it
}

// StateLog is a Recorder that keeps up to Max states in memory, the first ones, without exact
// repetitions.
type StateLog struct {
	Max    int
	States []State
	seen   keySet // of the points of these
}

// Separated implements Recorder.
func (l *StateLog) Separated(p Point, s *Separation, _ []Cut) {
	l.Add(State{Y: p.Y, Integer: p.Integer, Infeasible: s.Infeasible})
}

// Add adds a state, with a copy of its point, and reports whether it did: not where there are Max states, nor where one
// that was added before has the same point.
func (l *StateLog) Add(s State) bool {
	if len(l.States) >= l.Max || !l.seen.add(floatKey(s.Y)) {
		return false
	}
	s.Y = append([]float64(nil), s.Y...)
	l.States = append(l.States, s)
	return true
}
