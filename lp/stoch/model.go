package stoch

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Model returns the full model of one scenario: the skeleton with its changes.
func (p *Program) Model(s int) (*lp.Model, error) {
	m := &lp.Model{
		Name:      p.Core.Name,
		Objective: p.Core.Objective,
		Maximize:  p.Core.Maximize,
		Offset:    p.Core.Offset,
		Cols:      slices.Clone(p.Core.Cols),
		Rows:      slices.Clone(p.Core.Rows),
	}
	a, err := p.Core.Matrix()
	if err != nil {
		return nil, prefixed(err)
	}

	d := p.dataOf(s)
	d.apply(m.Cols, m.Rows)

	// Coefficients that the scenario adds are few.
	m.Grow(p.Core.NumEntries())
	d.entries(a, func(i, j int, v float64) { m.AddEntry(lp.Con(i), lp.Var(j), v) })
	return m, nil
}

// place is where a coefficient stands in the skeleton.
type place struct{ row, col int32 }

// data is what a scenario has instead of the skeleton's numbers.
type data struct {
	// changes are those of the scenario, of all kinds.
	changes []Change
	// coef are the changes of coefficients by their places, nil where there are none.
	coef map[place]float64
}

// dataOf returns the changes of scenario s, with its coefficients by their places.
func (p *Program) dataOf(s int) data {
	d := data{changes: p.Scenarios[s].Changes}
	for _, c := range d.changes {
		if c.Kind == Entry {
			// Most scenarios change no coefficient, and need no map.
			if d.coef == nil {
				d.coef = make(map[place]float64)
			}
			d.coef[place{int32(c.Row), int32(c.Col)}] = c.Value
		}
	}
	return d
}

// apply changes costs, bounds and sides.
func (d *data) apply(cols []lp.Col, rows []lp.Row) {
	for _, c := range d.changes {
		// Coefficients are not among these numbers: entries takes them.
		if at := c.number(cols, rows); at != nil {
			*at = c.Value
		}
	}
}

// number is the number that a change replaces among columns and rows; nil for a coefficient, which they do not have.
func (c Change) number(cols []lp.Col, rows []lp.Row) *float64 {
	switch c.Kind {
	case Cost:
		return &cols[c.Col].Cost
	case RowLower:
		return &rows[c.Row].Lower
	case RowUpper:
		return &rows[c.Row].Upper
	case ColLower:
		return &cols[c.Col].Lower
	case ColUpper:
		return &cols[c.Col].Upper
	}
	return nil
}

// entries calls add for every coefficient that is not zero, those of the skeleton in its order and then the new ones in
// the order of the changes.
func (d *data) entries(a *lp.Matrix, add func(i, j int, v float64)) {
	// used are the changed coefficients that have been given: those that the skeleton has too, in its order.
	used := make(map[place]bool, len(d.coef))
	for j := range a.Major {
		index, value := a.Vec(j)
		for k, i := range index {
			v := value[k]
			if d.coef != nil { // for speed: most scenarios change no coefficient
				at := place{i, int32(j)}
				if w, ok := d.coef[at]; ok {
					v = w
					used[at] = true
				}
			}
			if v != 0 {
				add(int(i), j, v)
			}
		}
	}

	// Coefficients that the skeleton does not have.
	for _, c := range d.changes {
		at := place{int32(c.Row), int32(c.Col)}
		if c.Kind == Entry && !used[at] && c.Value != 0 {
			used[at] = true
			add(int(c.Row), int(c.Col), c.Value)
		}
	}
}

// Extensive returns the deterministic equivalent: the first-stage columns and rows once, the recourse once a scenario
// with its costs times the probability. Names of the recourse end in the number of the scenario, from 1, among those
// that Possible returns.
func (p *Program) Extensive() (*lp.Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}

	// Scenarios that do not occur have no part in the equivalent.
	p = p.Possible()

	// A program that is valid has a matrix, on which FirstRows rests too.
	first, _ := p.FirstRows()
	a, _ := p.Core.Matrix()

	// The first stage: its columns and rows.
	core := p.Core
	m := &lp.Model{
		Name:      p.Name,
		Objective: core.Objective,
		Maximize:  core.Maximize,
		Offset:    core.Offset,
		Cols:      slices.Clone(core.Cols[:p.First]),
	}
	m.Grow(core.NumEntries() * len(p.Scenarios))
	rowAt := make([]lp.Con, len(core.Rows))
	for i, r := range core.Rows {
		if first[i] {
			rowAt[i] = m.AddRow(r, nil, nil)
		}
	}
	for j := range p.First {
		m.Cols[j].Name = core.ColName(lp.Var(j))
		index, value := a.Vec(j)
		for k, i := range index {
			if first[i] {
				m.AddEntry(rowAt[i], lp.Var(j), value[k])
			}
		}
	}

	// The recourse of each scenario, one after the other.
	for s := range p.Scenarios {
		p.extend(m, s, a, first, rowAt)
	}
	return m, nil
}

// extend adds the recourse of a scenario to the deterministic equivalent. rowAt is overwritten for the rows of the
// recourse.
func (p *Program) extend(m *lp.Model, s int, a *lp.Matrix, first []bool, rowAt []lp.Con) {
	core := p.Core
	d := p.dataOf(s)
	cols := slices.Clone(core.Cols)
	rows := slices.Clone(core.Rows)
	d.apply(cols, rows)

	// The rows and columns of the scenario, numbered in their names.
	for i := range rows {
		if !first[i] {
			rows[i].Name = fmt.Sprintf("%s_%d", core.RowName(lp.Con(i)), s+1)
			rowAt[i] = m.AddRow(rows[i], nil, nil)
		}
	}

	// Costs are weighted by the probability.
	base := len(m.Cols) - p.First // what a column of the core moves by
	for j := p.First; j < len(cols); j++ {
		cols[j].Name = fmt.Sprintf("%s_%d", core.ColName(lp.Var(j)), s+1)
		cols[j].Cost *= p.Scenarios[s].Probability
		m.AddCol(cols[j])
	}

	// Entries in rows of the first stage are in the model already.
	d.entries(a, func(i, j int, v float64) {
		if !first[i] {
			if j >= p.First {
				j += base
			}
			m.AddEntry(rowAt[i], lp.Var(j), v)
		}
	})
}
