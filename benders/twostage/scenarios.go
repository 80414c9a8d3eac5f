package twostage

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Scenarios is a program with scenarios whose recourse is solved one scenario at a time, by Views. They share the
// skeleton: its matrix, with a place for every coefficient that some scenario has, and the bounds that rows imply in
// all scenarios. It is read-only and may be shared.
type Scenarios struct {
	program *stoch.Program  // without the changes of its scenarios where these are compact
	compact *stoch.Compact  // the scenarios, nil where program has them
	entry   []int32         // of each place of compact, its position in spots, -1 for one that is no coefficient
	base    *Problem        // the skeleton; its recourse is one component
	places  map[place]int32 // of every coefficient that differs, its position in spots
	spots   []spot
	span    span
	from    int       // number of the first scenario of program and entries: more than 0 only for a range of them
	entries [][]int32 // of each scenario of program, the positions in spots of its coefficients, in their order
	local   []int32   // of each row of the skeleton, its position in the component, -1 for one of the first stage
}

// span is what all scenarios of a program have in common.
type span struct {
	random stoch.Random
	first  []bool  // of each row of the skeleton, whether it belongs to the first stage
	places []place // of the coefficients that differ, in the order in which scenarios have them

	// The bounds and sides of the skeleton, widened to what holds in every scenario. Rows with coefficients that differ
	// have no sides.
	colLower, colUpper, rowLower, rowUpper []float64
}

// place is a coefficient of the skeleton.
type place struct{ row, col int32 }

// spot is where a component keeps a coefficient: by rows and by columns, of the recourse or of the first stage.
type spot struct {
	first      bool
	row, inRow int32 // position of the row, and of the coefficient in its segment
	col, inCol int32
	base       float64 // its value in the skeleton
}

// NewScenarios checks a program and makes it ready. Integer columns of the recourse are refused.
func NewScenarios(p *stoch.Program) (*Scenarios, error) { return NewLazyScenarios(p.Lazy()) }

// NewLazyScenarios is NewScenarios for a program whose scenarios are read one at a time.
func NewLazyScenarios(l *stoch.Lazy) (*Scenarios, error) {
	if err := l.Validate(); err != nil {
		return nil, prefixed(err)
	}
	p := l.Frame()
	for j := p.First; j < len(p.Core.Cols); j++ {
		if p.Core.Cols[j].Integer {
			return nil, fmt.Errorf("twostage: %w: column %s is integer and not of the first stage: package benders/integer "+
				"solves programs with integer recourse", ErrProblem, p.Core.ColName(lp.Var(j)))
		}
	}
	first, err := l.FirstRows()
	if err != nil {
		return nil, prefixed(err)
	}
	s, err := assemble(p, spanOf(l, first))
	if err != nil {
		return nil, err
	}
	return s, s.hold(l)
}

// hold takes the scenarios of a program, in little memory where that is possible.
func (s *Scenarios) hold(l *stoch.Lazy) error {
	s.entry = nil
	var ok bool
	if s.compact, ok = stoch.NewCompact(l); !ok {
		s.compact = nil
		s.program = l.Program()
		return s.number()
	}
	s.program = s.compact.Frame()
	for _, c := range s.compact.Places() {
		at := int32(-1)
		if c.Kind == stoch.Entry {
			var known bool
			if at, known = s.places[place{int32(c.Row), int32(c.Col)}]; !known {
				return fmt.Errorf("twostage: %w: a scenario has a coefficient that its program does not have", ErrProblem)
			}
		}
		s.entry = append(s.entry, at)
	}
	return nil
}

// assemble makes scenarios ready but for their own coefficients.
func assemble(p *stoch.Program, all span) (*Scenarios, error) {
	s := &Scenarios{
		program: p,
		span:    all,
		places:  make(map[place]int32, len(all.places)),
		spots:   make([]spot, len(all.places)),
		base: &Problem{
			Name:     p.Name,
			Maximize: p.Core.Maximize,
			First:    p.First,
		},
	}
	for k, at := range all.places {
		s.places[at] = int32(k)
	}

	// The matrix comes first, then its division into stages, then what follows from the scenarios in their entirety.
	if err := s.skeleton(); err != nil {
		return nil, err
	}
	s.split(all.first)
	s.base.implied = deriveBounds(s.hull(), s.base.rows)
	s.locate()
	return s, nil
}

// spanOf collects what the scenarios of a program have in common.
func spanOf(l *stoch.Lazy, first []bool) span {
	p := l.Frame()
	out := span{random: l.Random(), first: first}
	for _, c := range p.Core.Cols {
		out.colLower = append(out.colLower, c.Lower)
		out.colUpper = append(out.colUpper, c.Upper)
	}
	for _, r := range p.Core.Rows {
		out.rowLower = append(out.rowLower, r.Lower)
		out.rowUpper = append(out.rowUpper, r.Upper)
	}

	known := map[place]bool{}
	l.Each(func(_ int, changes []stoch.Change) {
		for _, c := range changes {
			// Lower sides and bounds can only fall, upper ones only rise. Costs have no part in it.
			switch c.Kind {
			case stoch.Entry:
				out.rowLower[c.Row], out.rowUpper[c.Row] = math.Inf(-1), math.Inf(1)
				if at := (place{int32(c.Row), int32(c.Col)}); !known[at] {
					known[at] = true
					out.places = append(out.places, at)
				}
			case stoch.RowLower:
				out.rowLower[c.Row] = min(out.rowLower[c.Row], c.Value)
			case stoch.ColLower:
				out.colLower[c.Col] = min(out.colLower[c.Col], c.Value)
			case stoch.RowUpper:
				out.rowUpper[c.Row] = max(out.rowUpper[c.Row], c.Value)
			case stoch.ColUpper:
				out.colUpper[c.Col] = max(out.colUpper[c.Col], c.Value)
			}
		}
	})
	return out
}

// Frame returns the program, whose scenarios may be without their changes.
func (s *Scenarios) Frame() *stoch.Program { return s.program }

// Random returns the kinds of numbers that differ between the scenarios.
func (s *Scenarios) Random() stoch.Random { return s.span.random }

// Master returns a copy of the first-stage model, as a minimisation.
func (s *Scenarios) Master() *lp.Model { return s.base.firstStage() }

// skeleton builds Compact, minimised, with a coefficient, 0 if need be, wherever a scenario has one.
func (s *Scenarios) skeleton() error {
	core, p := s.program.Core, s.base
	a, err := core.Matrix()
	if err != nil {
		return prefixed(err)
	}

	// A scenario may have a coefficient where the core has none: the matrix keeps a zero in its place.
	m := core.Clone()
	m.Name, m.Maximize = s.program.Name, p.Maximize
	m.Minimize()
	for _, at := range s.span.places {
		if index, _ := a.Vec(int(at.col)); !slices.Contains(index, at.row) {
			m.AddEntry(lp.Con(at.row), lp.Var(at.col), 0)
		}
	}

	// Columns keep the names that they have in the core, and their places.
	for j := range m.Cols {
		m.Cols[j].Name = core.ColName(lp.Var(j))
		p.Columns = append(p.Columns, int32(j))
	}

	b, err := m.Matrix()
	if err != nil {
		return prefixed(err)
	}
	p.Compact, p.rows = m, b.Transpose()
	return nil
}

// split makes the master of the rows of the first stage, and one component of all that is left.
func (s *Scenarios) split(first []bool) {
	p := s.base
	m := p.Compact
	p.master = &lp.Model{
		Name:      m.Name,
		Objective: m.Objective,
		Offset:    m.Offset,
		Cols:      slices.Clone(m.Cols[:p.First]),
	}

	// Rows that are not of the first stage, and columns behind it, are the component, even where it falls into parts.
	var c component
	s.local = slices.Repeat([]int32{-1}, len(m.Rows))
	for i := range m.Rows {
		if first[i] {
			index, value := p.rows.Vec(i)
			p.master.AddRow(m.Rows[i], index, value)
			continue
		}
		s.local[i] = int32(len(c.rows))
		c.rows = append(c.rows, int32(i))
	}

	p.partOf = slices.Repeat([]int32{-1}, len(m.Cols))
	for j := p.First; j < len(m.Cols); j++ {
		p.partOf[j] = 0
		c.cols = append(c.cols, int32(j))
	}

	// The component has all matrices of the recourse, and the only epigraph.
	p.fill(&c)
	p.parts, p.groups = []component{c}, [][]int{{0}}
}

// hull returns the skeleton with sides and bounds that hold in every scenario, without coefficients.
func (s *Scenarios) hull() *lp.Model {
	m := &lp.Model{
		Cols: slices.Clone(s.base.Compact.Cols),
		Rows: slices.Clone(s.base.Compact.Rows),
	}
	for j := range m.Cols {
		m.Cols[j].Lower = s.span.colLower[j]
		m.Cols[j].Upper = s.span.colUpper[j]
	}
	for i := range m.Rows {
		m.Rows[i].Lower = s.span.rowLower[i]
		m.Rows[i].Upper = s.span.rowUpper[i]
	}
	return m
}

// locate finds where the component keeps the coefficients that differ.
func (s *Scenarios) locate() {
	c := &s.base.parts[0]
	touch := make(map[int32]int32, len(c.touches))
	for t, j := range c.touches {
		touch[j] = int32(t)
	}

	// Each place has a spot of its own, so that the order of the map does not matter.
	for at, k := range s.places {
		row := s.local[at.row]
		if int(at.col) < s.base.First {
			col := touch[at.col]
			s.spots[k] = find(spot{first: true, row: row, col: col}, &c.at[row], at.col, &c.first[col], row)
		} else {
			col := at.col - int32(s.base.First)
			s.spots[k] = find(spot{row: row, col: col}, &c.recourse[row], col, &c.columns[col], row)
		}
	}
}

// number finds the coefficients of each scenario.
func (s *Scenarios) number() error {
	s.entries = make([][]int32, len(s.program.Scenarios))
	var list []int32 // of one scenario
	for k := range s.program.Scenarios {
		list = list[:0]
		for _, c := range s.program.Scenarios[k].Changes {
			if c.Kind != stoch.Entry {
				continue
			}
			at, known := s.places[place{int32(c.Row), int32(c.Col)}]
			if !known {
				return fmt.Errorf("twostage: %w: scenario %s has a coefficient that its program does not have", ErrProblem,
					s.Name(s.from+k))
			}
			list = append(list, at)
		}
		s.entries[k] = slices.Clone(list) // of its exact size, since there may be very many scenarios
	}
	return nil
}

// changeList has the changes of a scenario. It is for one goroutine.
type changeList struct {
	list    []stoch.Change
	at      []int32 // positions of their places in Scenarios.compact, ascending
	entries []int32
}

// changes returns the differences of a scenario, and the positions in spots of those that are coefficients. They are
// valid until the next call with the same buffer.
func (s *Scenarios) changes(scenario int, buffer *changeList) ([]stoch.Change, []int32) {
	k := scenario - s.from
	if s.compact == nil {
		return s.program.Scenarios[k].Changes, s.entries[k]
	}
	b := buffer
	b.list, b.at = s.compact.Changes(k, b.list[:cap(b.list)], b.at[:cap(b.at)])
	b.entries = b.entries[:0]
	for _, at := range b.at {
		if e := s.entry[at]; e >= 0 {
			b.entries = append(b.entries, e)
		}
	}
	return b.list, b.entries
}

// Full returns the program with the changes of its scenarios. Where these are compact, each call makes it anew, in the
// memory that is saved.
func (s *Scenarios) Full() *stoch.Program {
	if s.compact == nil {
		return s.program
	}
	return s.compact.Program()
}

// Table returns the numbers of the scenarios by their places, nil where there would be more than the given number.
func (s *Scenarios) Table(most int) *stoch.Compact {
	if s.compact != nil {
		return s.compact
	}
	c, ok := stoch.NewTable(s.program, most)
	if !ok {
		return nil
	}
	return c
}

// Each calls visit for the scenarios in their order, with their changes, which are valid until it returns.
func (s *Scenarios) Each(visit func(scenario int, changes []stoch.Change)) {
	var buffer changeList
	for k := range s.program.Scenarios {
		changes, _ := s.changes(s.from+k, &buffer)
		visit(s.from+k, changes)
	}
}

// Name returns the name of a scenario, or a made-up one.
func (s *Scenarios) Name(scenario int) string {
	if name := s.program.Scenarios[scenario-s.from].Name; name != "" {
		return name
	}
	return fmt.Sprintf("S%05d", scenario+1)
}

// find completes a spot from the segments of its row and of its column, and the indices that it has there. Both have
// it, since the skeleton has an entry for every coefficient that differs.
func find(s spot, row *segment, inRow int32, col *segment, inCol int32) spot {
	s.inRow = int32(slices.Index(row.index, inRow))
	s.inCol = int32(slices.Index(col.index, inCol))
	s.base = row.value[s.inRow]
	return s
}
