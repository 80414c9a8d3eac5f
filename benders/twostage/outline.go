package twostage

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/modelwire"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A process that works on some scenarios of a program needs its outline, which is the skeleton and what all scenarios
// have in common, and the differences of its own scenarios. Both travel as bytes between processes of the same build.
// What the views of such a process answer is what those of the whole program answer, bit for bit.

// MarshalOutline returns the program without its scenarios. Columns and rows lose their names.
func (s *Scenarios) MarshalOutline() ([]byte, error) {
	var w wire.Writer
	w.Text([]byte(s.program.Name))
	w.Int(s.program.First)
	if err := modelwire.Write(&w, s.program.Core, false); err != nil {
		return nil, prefixed(err)
	}
	s.span.write(&w)
	return w.Bytes, nil
}

// UnmarshalOutline returns the program of an outline, which has no scenarios: Range makes one that has some.
func UnmarshalOutline(text []byte) (*Scenarios, error) {
	r := &wire.Reader{Bytes: text}
	p := &stoch.Program{Name: string(r.Text()), First: r.Int()}
	var err error
	if p.Core, err = modelwire.Read(r); err != nil {
		return nil, fmt.Errorf("twostage: %w: %w", ErrProblem, err)
	}

	// Everything is checked before it is read as positions.
	var all span
	all.read(r)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("twostage: %w: %w", ErrProblem, err)
	}
	m := p.Core
	if p.First < 1 || p.First > len(m.Cols) || !all.fits(m) {
		return nil, fmt.Errorf("twostage: %w: an outline of %d columns, %d of them of the first stage", ErrProblem,
			len(m.Cols), p.First)
	}
	return assemble(p, all)
}

// flags returns what a Random has.
func flags(r *stoch.Random) []*bool {
	return []*bool{&r.Costs, &r.Matrix, &r.Links, &r.Sides, &r.Bounds, &r.Infinite}
}

// write appends the span.
func (a *span) write(w *wire.Writer) {
	for _, v := range flags(&a.random) {
		w.Bool(*v)
	}
	w.Int(len(a.first))
	for _, v := range a.first {
		w.Bool(v)
	}
	w.Int(len(a.places))
	for _, at := range a.places {
		w.Int(int(at.row))
		w.Int(int(at.col))
	}
	for _, list := range [][]float64{a.colLower, a.colUpper, a.rowLower, a.rowUpper} {
		w.Floats(list)
	}
}

// read takes what write has written.
func (a *span) read(r *wire.Reader) {
	for _, v := range flags(&a.random) {
		*v = r.Bool()
	}
	for range r.Length(1) {
		a.first = append(a.first, r.Bool())
	}
	for range r.Length(2) {
		a.places = append(a.places, place{int32(r.Int()), int32(r.Int())})
	}
	for _, list := range []*[]float64{&a.colLower, &a.colUpper, &a.rowLower, &a.rowUpper} {
		*list = r.Floats()
	}
}

// fits reports whether the span is one of scenarios of a skeleton.
func (a *span) fits(m *lp.Model) bool {
	rows := len(a.first) == len(m.Rows) && len(a.rowLower) == len(m.Rows) && len(a.rowUpper) == len(m.Rows)
	cols := len(a.colLower) == len(m.Cols) && len(a.colUpper) == len(m.Cols)
	outside := func(at place) bool {
		return at.row < 0 || int(at.row) >= len(m.Rows) || at.col < 0 || int(at.col) >= len(m.Cols) || a.first[at.row]
	}
	return rows && cols && !slices.ContainsFunc(a.places, outside)
}

// MarshalRange returns the differences of consecutive scenarios, from the first number to before the second.
func (s *Scenarios) MarshalRange(from, to int) []byte {
	// Scenarios differ in the same places, most of them: these are listed once, and a scenario has its numbers.
	var w wire.Writer
	w.Int(from)
	w.Int(to - from)
	var last []stoch.Change
	var buffers [2]changeList // of this scenario and the one before
	for k := from; k < to; k++ {
		w.Text([]byte(s.program.Scenarios[k-s.from].Name))

		changes, _ := s.changes(k, &buffers[k%2])
		again := len(changes) == len(last)
		for i := 0; again && i < len(last); i++ {
			a, b := changes[i], last[i]
			again = a.Kind == b.Kind && a.Row == b.Row && a.Col == b.Col
		}
		w.Bool(again)
		if !again {
			w.Int(len(changes))
			for _, c := range changes {
				w.Int(int(c.Kind))
				w.Int(int(c.Row))
				w.Int(int(c.Col))
			}
		}
		for _, c := range changes {
			w.Float(c.Value)
		}
		last = changes
	}
	return w.Bytes
}

// Range returns the program with the scenarios of a range alone, whose numbers stay. It shares everything else with s.
func (s *Scenarios) Range(text []byte) (*Scenarios, error) {
	r := &wire.Reader{Bytes: text}
	out := *s
	p := *s.program
	p.Scenarios = nil
	out.from = r.Int()

	var last []stoch.Change
	for range r.Length(2) {
		sc := stoch.Scenario{Name: string(r.Text())}
		count := len(last)
		again := r.Bool()
		if !again {
			count = r.Length(3)
		}

		// Each number takes eight bytes, which bounds what is allocated.
		if count > len(r.Bytes)/8 {
			return nil, fmt.Errorf("twostage: %w: %w", ErrProblem, wire.ErrShort)
		}
		sc.Changes = make([]stoch.Change, count)
		if again {
			copy(sc.Changes, last)
		} else {
			for k := range sc.Changes {
				sc.Changes[k] = stoch.Change{Kind: stoch.Kind(r.Int()), Row: lp.Con(r.Int()), Col: lp.Var(r.Int())}
			}
		}
		for k := range sc.Changes {
			c := &sc.Changes[k]
			if c.Value = r.Float(); r.Err == nil && !s.allows(*c) {
				return nil, fmt.Errorf("twostage: %w: scenario %q: a change that its program does not have", ErrProblem, sc.Name)
			}
		}
		p.Scenarios = append(p.Scenarios, sc)
		last = sc.Changes
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("twostage: %w: a range of scenarios: %w", ErrProblem, err)
	}
	return &out, out.hold(p.Lazy())
}

// Numbers returns the numbers of the scenarios: from the first to before the second.
func (s *Scenarios) Numbers() (from, to int) { return s.from, s.from + len(s.program.Scenarios) }

// allows reports whether a change is one of the recourse, in a place that the skeleton has.
func (s *Scenarios) allows(c stoch.Change) bool {
	m := s.program.Core
	isRow := c.Row >= 0 && int(c.Row) < len(m.Rows) && s.local[c.Row] >= 0
	isCol := int(c.Col) >= s.program.First && int(c.Col) < len(m.Cols)
	switch c.Kind {
	case stoch.Cost, stoch.ColLower, stoch.ColUpper:
		return isCol && !math.IsNaN(c.Value)
	case stoch.RowLower, stoch.RowUpper:
		return isRow && !math.IsNaN(c.Value)
	}
	return c.Kind == stoch.Entry && isRow && !math.IsNaN(c.Value) // number looks its place up
}
