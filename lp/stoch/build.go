package stoch

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Builder makes a Program whose columns are added in any order. Columns and rows are those of the embedded model, added
// by its functions (Nonnegative, AtLeast and the others); First marks the columns of the first stage, and Program puts
// these in front. All handles that the builder gets and returns are those of the embedded model. The zero value is an
// empty program.
type Builder struct {
	lp.Model
	// first marks the columns of the first stage.
	first map[lp.Var]bool
	// scenarios have changes by the handles of the embedded model.
	scenarios []Scenario
}

// First marks a column as one of the first stage, and returns it. All others belong to the recourse.
func (b *Builder) First(v lp.Var) lp.Var {
	// The zero builder has no map.
	if b.first == nil {
		b.first = map[lp.Var]bool{}
	}
	b.first[v] = true
	return v
}

// Scenario adds a scenario with the given differences from the model. Program checks it.
func (b *Builder) Scenario(name string, probability float64, changes ...Change) {
	b.scenarios = append(b.scenarios, Scenario{Name: name, Probability: probability, Changes: changes})
}

// Columns returns for every column of the embedded model its column in the core of the program: those of the first
// stage and then the others, both in the order in which they were added. Rows keep their indices.
func (b *Builder) Columns() []lp.Var {
	at := make([]lp.Var, len(b.Cols))
	next := lp.Var(0)
	for _, first := range []bool{true, false} {
		// Two passes: first the columns of the first stage get their places.
		for j := range at {
			if b.first[lp.Var(j)] == first {
				at[j] = next
				next++
			}
		}
	}
	return at
}

// Program returns the program, or the first thing that makes it unusable. The builder may be used further, for another
// one.
func (b *Builder) Program() (*Program, error) {
	list, err := b.Triplets()
	if err != nil {
		return nil, prefixed(err)
	}
	for v := range b.first {
		if v < 0 || int(v) >= len(b.Cols) {
			return nil, fmt.Errorf("stoch: %w: a first-stage column that the model does not have", ErrProgram)
		}
	}

	// The core has the columns of the first stage in front, which Program requires.
	at := b.Columns()
	core := &lp.Model{
		Name:      b.Name,
		Objective: b.Objective,
		Maximize:  b.Maximize,
		Offset:    b.Offset,
		Cols:      make([]lp.Col, len(at)),
		Rows:      slices.Clone(b.Rows),
	}
	for j, c := range b.Cols {
		core.Cols[at[j]] = c
	}
	for _, t := range list {
		core.AddEntry(t.Row, at[t.Col], t.Value)
	}

	// A change of a column that does not exist stays as it is, for Validate to report.
	p := &Program{Name: b.Name, Core: core, First: len(b.first)}
	for _, s := range b.scenarios {
		changes := slices.Clone(s.Changes)
		for k := range changes {
			if c := &changes[k]; c.Kind.byCol() && c.Col >= 0 && int(c.Col) < len(at) {
				c.Col = at[c.Col]
			}
		}
		p.Add(s.Name, s.Probability, changes...)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}
