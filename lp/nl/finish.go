package nl

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/lp"
)

// finish puts the rows, the objective and the sets into the model.
func (r *reader) finish() (*Problem, *Error) {
	m := r.model
	for i, a := range r.row {
		// The constant of a row moves to its sides.
		row := &m.Rows[i]
		row.Lower -= a.constant
		row.Upper -= a.constant
		for _, t := range a.merged().terms {
			m.AddEntry(lp.Con(i), lp.Var(t.col), t.coef)
		}
	}
	cost := r.cost.merged()
	m.Offset = cost.constant
	for _, t := range cost.terms {
		m.Cols[t.col].Cost = t.coef
	}

	// Some tools write a large number for a bound that is infinite.
	for j := range m.Cols {
		unbounded(&m.Cols[j].Lower, &m.Cols[j].Upper)
	}
	for i := range m.Rows {
		unbounded(&m.Rows[i].Lower, &m.Rows[i].Upper)
	}

	if err := m.Validate(); err != nil {
		return nil, &Error{Kind: ErrFormat, Msg: errname.Without(err, "lp").Error()}
	}
	if sets := r.logic(); len(sets.Sets) > 0 {
		if err := m.Impose(sets); err != nil {
			return nil, &Error{Kind: ErrFormat, Msg: errname.Without(err, "lp").Error()}
		}
	}
	return &Problem{
		Model:      m,
		Options:    r.h.options,
		Tolerance:  r.h.tolerance,
		Objectives: r.h.objectives,
		Objective:  r.objective,
		Start:      r.start,
		Warnings:   r.warnings,
	}, nil
}

// huge is the size from which a bound counts as infinite, as in package mps.
const huge = 1e30

// unbounded makes huge bounds infinite.
func unbounded(lower, upper *float64) {
	if *lower <= -huge {
		*lower = math.Inf(-1)
	}
	if *upper >= huge {
		*upper = lp.Inf
	}
}

// logic returns the special ordered sets, in the order of their numbers; the weights order the columns of each.
func (r *reader) logic() lp.Logic {
	members := map[int][]lp.Var{}
	for _, j := range slices.Sorted(maps.Keys(r.sets)) {
		if k := r.sets[j]; k != 0 {
			members[k] = append(members[k], lp.Var(j))
		}
	}
	var out lp.Logic
	for _, k := range slices.Sorted(maps.Keys(members)) {
		list := members[k]
		slices.SortStableFunc(list, func(a, b lp.Var) int { return cmp.Compare(r.weight[int(a)], r.weight[int(b)]) })
		set := lp.Set{Name: fmt.Sprintf("sosno%d", k), Kind: lp.SOS1, Vars: list}
		if k < 0 {
			set.Kind = lp.SOS2
		}
		out.Sets = append(out.Sets, set)
	}
	return out
}
