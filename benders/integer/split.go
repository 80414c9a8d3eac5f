package integer

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// maxGrowth is how many times the coefficients of a program its disaggregated rows may have.
const maxGrowth = 20

// term is a coefficient of a row.
type term struct {
	col   int32
	value float64
}

// A row that links recourse columns with integer first-stage columns is read in the form
//
//	sum_k a_k x_k + r(x) <= b + sum_j u_j y_j,   a_k >= 0, 0 <= x_k <= U_k,   u_j > 0, y_j >= 0 integer,
//
// where r holds the recourse columns with negative coefficients and lower bounds of at least 0. With M = a_k U_k - b
// positive, every point with an integer y satisfies
//
//	a_k x_k + r(x) <= b + sum_j min(u_j, M) y_j:
//
// where all y_j with u_j >= M are 0 this follows from the row, whose other terms a_i x_i are not negative; where one
// of them is at least 1 the right side is at least a_k U_k, and r(x) <= 0. It says more than the row at a fractional y
// where u_j > M.

// source is the row that a disaggregated row comes from: as a <= row with the sign 1, as a >= row with -1.
type source struct {
	row  int
	sign float64
}

// disaggregated returns a program with the disaggregated rows after its own, and their sources. The rows differ between
// scenarios where those that they come from do.
func disaggregated(p *stoch.Program) (out *stoch.Program, sources []source, err error) {
	a, err := p.Core.Matrix()
	if err != nil {
		return nil, nil, err
	}

	// The rows of the skeleton, each with its columns in ascending order.
	rows := make([][]term, len(p.Core.Rows))
	for j := range p.Core.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			rows[i] = append(rows[i], term{int32(j), value[k]})
		}
	}

	// A row that gets other coefficients, or bounds, in some scenario is read once a scenario.
	varies := make([]bool, len(rows))
	moving := make([]bool, len(p.Core.Cols))
	for s := range p.Scenarios {
		for _, c := range p.Scenarios[s].Changes {
			switch c.Kind {
			case stoch.Entry, stoch.RowLower, stoch.RowUpper:
				varies[c.Row] = true
			case stoch.ColLower, stoch.ColUpper:
				moving[c.Col] = true
			}
		}
	}

	// Rows and changes are added to a copy, since the program that was given must not change.
	out = &stoch.Program{
		Name:      p.Name,
		Core:      p.Core.Clone(),
		First:     p.First,
		Scenarios: make([]stoch.Scenario, len(p.Scenarios)),
	}
	for s, from := range p.Scenarios {
		out.Scenarios[s] = from
		out.Scenarios[s].Changes = append([]stoch.Change(nil), from.Changes...)
	}

	// Every scenario solves a linear program with all rows, so that their number is limited.
	room := maxGrowth * p.Core.NumEntries()
	for i, row := range rows {
		for _, t := range row {
			varies[i] = varies[i] || moving[t.col]
		}
		// Only rows with a first-stage column can be disaggregated.
		links := slices.ContainsFunc(row, func(t term) bool { return int(t.col) < p.First })
		for _, sign := range []float64{1, -1} {
			if !links || room <= 0 {
				break
			}
			before := len(out.Core.Rows)
			room -= split(p, out, i, row, sign, varies[i], room)
			for range len(out.Core.Rows) - before {
				sources = append(sources, source{i, sign})
			}
		}
	}
	return out, sources, nil
}

// split adds the disaggregated rows of row i, taken as in source, and returns how many coefficients they have.
func split(p, out *stoch.Program, i int, row []term, sign float64, varies bool, room int) (entries int) {
	read := func(s int) (linking, bool) { return read(p, i, row, sign, s) }
	core, ok := read(-1)
	if !ok && !varies {
		return 0 // the skeleton has the row of all scenarios
	}

	// Every scenario has to have the row in this form, with the same columns.
	all := []linking{core}
	for s := range p.Scenarios {
		if !varies {
			break
		}
		l, fits := read(s)
		if !fits || s > 0 && !l.like(&all[1]) {
			return 0
		}
		all = append(all, l)
	}

	// The skeleton itself is no scenario: where its own row has another form, as one with an infinite side, it takes the
	// numbers of the first scenario.
	if varies && (!ok || !core.like(&all[1])) {
		all[0] = all[1]
	}

	// One row for each column that may take all of the capacity.
	size := 1 + len(all[0].rest) + len(all[0].first)
	for k := range all[0].up {
		if entries+size > room {
			break
		}
		if add(out, all, k) {
			entries += size
		}
	}
	return entries
}

// linking is a row in the form above.
type linking struct {
	up    []term    // a_k
	bound []float64 // U_k
	rest  []term    // r
	first []term    // u_j, positive
	side  float64   // b
}

// like reports whether two rows have the same columns in the same parts.
func (l *linking) like(o *linking) bool {
	same := func(a, b []term) bool {
		if len(a) != len(b) {
			return false
		}
		for k := range a {
			if a[k].col != b[k].col {
				return false
			}
		}
		return true
	}
	return same(l.up, o.up) && same(l.rest, o.rest) && same(l.first, o.first)
}

// read brings sign times row i into that form, with the numbers of scenario s, -1 for those of the skeleton.
func read(p *stoch.Program, i int, row []term, sign float64, s int) (l linking, ok bool) {
	side := p.Core.Rows[i].Upper
	if sign < 0 {
		side = -p.Core.Rows[i].Lower
	}

	// What the scenario changes of the row and of the bounds of columns.
	coef := make(map[int32]float64)
	lower := make(map[int32]float64)
	upper := make(map[int32]float64)
	var changes []stoch.Change
	if s >= 0 {
		changes = p.Scenarios[s].Changes
	}
	for _, c := range changes {
		switch here := int(c.Row) == i; {
		case c.Kind == stoch.Entry && here:
			coef[int32(c.Col)] = c.Value
		case c.Kind == stoch.RowUpper && here && sign > 0:
			side = c.Value
		case c.Kind == stoch.RowLower && here && sign < 0:
			side = -c.Value
		case c.Kind == stoch.ColLower:
			lower[int32(c.Col)] = c.Value
		case c.Kind == stoch.ColUpper:
			upper[int32(c.Col)] = c.Value
		}
	}

	// Each term goes to its part of the form; one that has no part ends the reading.
	l.side = side
	known := 0
	for _, t := range row {
		c := p.Core.Cols[t.col]
		v := t.value
		if w, has := coef[t.col]; has {
			v = w
			known++
		}
		if w, has := lower[t.col]; has {
			c.Lower = w
		}
		if w, has := upper[t.col]; has {
			c.Upper = w
		}
		v *= sign

		switch {
		case !(c.Lower >= 0):
			return l, false
		case int(t.col) < p.First:
			if !c.Integer || v >= 0 {
				return l, false
			}
			l.first = append(l.first, term{t.col, -v})
		case v >= 0: // also 0, so that the parts are the same in all scenarios
			l.up = append(l.up, term{t.col, v})
			l.bound = append(l.bound, c.Upper)
		default:
			l.rest = append(l.rest, term{t.col, v})
		}
	}
	// Coefficients in places that the skeleton does not have are not read.
	return l, len(l.first) > 0 && len(l.up) > 1 && !math.IsInf(side, 0) && known == len(coef)
}

// add adds the disaggregated row of the k-th column of a row, given as it is in the skeleton and, where it varies, in
// each scenario. It reports false where the row would say no more than the one that it comes from.
func add(out *stoch.Program, all []linking, k int) bool {
	// It says more where M is below a coefficient u_j, in some scenario.
	useful := false
	for s := range all {
		l := &all[s]
		if math.IsInf(l.bound[k], 0) {
			return false
		}
		m := l.most(k)
		for _, t := range l.first {
			useful = useful || m > 0 && m < t.value
		}
	}
	if !useful {
		return false
	}

	// The row of the skeleton, and in each scenario the numbers that differ from it.
	row := disaggregate(&all[0], k)
	index := make([]int32, len(row))
	value := make([]float64, len(row))
	for n, t := range row {
		index[n] = t.col
		value[n] = t.value
	}
	at := out.Core.AddRow(lp.Row{Lower: math.Inf(-1), Upper: all[0].side}, index, value)

	for s := range all[1:] {
		changes := &out.Scenarios[s].Changes
		for n, t := range disaggregate(&all[1+s], k) {
			if t.value != value[n] {
				*changes = append(*changes, stoch.SetEntry(at, lp.Var(t.col), t.value))
			}
		}
		if b := all[1+s].side; b != all[0].side {
			*changes = append(*changes, stoch.SetRowUpper(at, b))
		}
	}
	return true
}

// disaggregate returns the terms a_k x_k + r(x) - sum_j min(u_j, M) y_j.
func disaggregate(l *linking, k int) []term {
	out := append([]term{l.up[k]}, l.rest...)
	m := l.most(k)
	for _, t := range l.first {
		out = append(out, term{t.col, -min(t.value, m)})
	}
	return out
}

// most returns M = a_k U_k - b, or 0 if that is negative. It is rounded up, so that the row holds in exact arithmetic.
func (l *linking) most(k int) float64 {
	r := outward.Rat(l.up[k].value)
	r.Mul(r, outward.Rat(l.bound[k]))
	return max(0, outward.RatUp(r.Sub(r, outward.Rat(l.side))))
}
