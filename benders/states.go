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
	if len(l.States) >= l.Max || !l.seen.add(floatKey(p.Y)) {
		return
	}
	l.States = append(l.States, State{
		Y:          append([]float64(nil), p.Y...),
		Integer:    p.Integer,
		Infeasible: s.Infeasible,
	})
}
