package stoch

import "slices"

// Lazy is a program whose scenarios have their changes one at a time, when they are read: a list of all changes may
// take much more memory than what they are made of.
type Lazy struct {
	frame   *Program
	changes func(scenario int, list []Change) []Change // nil where frame has them
}

// NewLazy returns a program whose frame has the names and probabilities of the scenarios. changes appends those of a
// scenario to a list; it is called several times for each, and always has to append the same ones.
func NewLazy(frame *Program, changes func(scenario int, list []Change) []Change) *Lazy {
	return &Lazy{frame, changes}
}

// Lazy returns the program as one whose scenarios are read one at a time.
func (p *Program) Lazy() *Lazy { return &Lazy{frame: p} }

// Frame returns the program whose scenarios may be without their changes. It must not be changed.
func (l *Lazy) Frame() *Program { return l.frame }

// Each calls visit for the scenarios in their order, with their changes, which are valid until it returns.
func (l *Lazy) Each(visit func(scenario int, changes []Change)) {
	var list []Change
	for s := range l.frame.Scenarios {
		if l.changes == nil {
			visit(s, l.frame.Scenarios[s].Changes)
			continue
		}
		list = l.changes(s, list[:0])
		visit(s, list)
	}
}

// Program returns the program with all changes in memory.
func (l *Lazy) Program() *Program {
	if l.changes == nil {
		return l.frame
	}
	p := *l.frame
	p.Scenarios = slices.Clone(p.Scenarios)
	l.Each(func(s int, changes []Change) { p.Scenarios[s].Changes = slices.Clone(changes) })
	return &p
}
