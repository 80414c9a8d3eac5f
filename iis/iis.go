// Package iis explains why a model has no feasible point. An irreducible infeasible subsystem (IIS) is a set of sides
// of rows and bounds of columns that no point satisfies, while every proper subset of them has one (Chinneck and
// Dravnieks, Locating minimal infeasible constraint sets in linear programs, ORSA Journal on Computing 3, 1991). A
// range or an equation counts as two sides. The integrality of columns is kept throughout and is no part of the set.
//
// A linear program begins with the rows and bounds that a Farkas ray uses, which are infeasible together. A deletion
// filter then leaves out one side after the other: where the others are still infeasible it is dropped, and everything
// that the new ray does not use with it; where they are feasible it is needed. A mixed-integer program has no ray:
// sides are left out in groups that get smaller.
package iis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Errors that the package wraps.
var (
	// ErrFeasible means that the model has a feasible point.
	ErrFeasible = errors.New("the model is feasible")
	// ErrUnsupported means a model with special ordered sets, semi-continuous columns or indicators.
	ErrUnsupported = errors.New("special ordered sets, semi-continuous columns and indicators are not supported")
	// ErrUnknown means that a limit, or rounding, kept the search from a first infeasible set.
	ErrUnknown = errors.New("no infeasible set was found")
)

// Options limit the search.
type Options struct {
	// Time ends the search, which then returns the set that it has. Zero is no limit.
	Time time.Duration
	// Nodes of the search for a point of a mixed-integer program without some of its sides. Where it ends there, the
	// side is kept, and the set is not proven to be irreducible.
	Nodes int
	// Progress, if not nil, is called with the sides that are left and how many of them are known to be needed.
	Progress func(left, needed int)
}

// DefaultOptions returns the options of the command.
func DefaultOptions() Options { return Options{Nodes: 10_000} }

// Side is one side of a row, or one bound of a column.
type Side struct {
	Row   bool // of the row Index, else of the column
	Index int
	Upper bool
}

// Set is an infeasible subsystem.
type Set struct {
	// Sides lists rows and then columns, each in the order of the model, lower sides before upper ones.
	Sides []Side
	// Irreducible says that every proper subset of the sides is known to be feasible.
	Irreducible bool
	// Solves is the number of models that were solved.
	Solves int
}

// Find returns an infeasible subsystem of a model. The error wraps ErrFeasible where there is none. The model is not
// changed.
func Find(ctx context.Context, m *lp.Model, o Options) (*Set, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("iis: %w", err)
	}
	if m.HasLogic() {
		return nil, fmt.Errorf("iis: %w", ErrUnsupported)
	}

	// Two bounds that exclude each other are a set of their own.
	if s := crossed(m); s != nil {
		return s, nil
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.Time > 0 {
		limited, cancel = context.WithTimeout(ctx, o.Time)
	}
	defer cancel()

	// Where the linear relaxation is infeasible, integrality is not needed. The other sets are those of integers.
	own := m.Clone()
	own.Offset = 0
	for j := range own.Cols {
		own.Cols[j].Cost = 0
	}
	f := &filter{o: o, given: own}
	set, err := f.linear(limited)
	if errors.Is(err, ErrFeasible) && hasIntegers(m) {
		set, err = f.integer(limited)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return set, err
}

// crossed returns the bounds of a column or the sides of a row that exclude each other, nil where there are none.
func crossed(m *lp.Model) *Set {
	pair := func(row bool, k int) *Set {
		return &Set{Sides: []Side{{row, k, false}, {row, k, true}}, Irreducible: true}
	}
	for i, r := range m.Rows {
		if r.Lower > r.Upper {
			return pair(true, i)
		}
	}
	for j, c := range m.Cols {
		if c.Lower > c.Upper {
			return pair(false, j)
		}
	}
	return nil
}

func hasIntegers(m *lp.Model) bool {
	return slices.ContainsFunc(m.Cols, func(c lp.Col) bool { return c.Integer })
}

// filter is a search for a subsystem.
type filter struct {
	o      Options
	given  *lp.Model // without costs
	solves int
	unsure bool // a side was kept because a limit ended the search for a point without it
}

// sides lists the finite sides of the model, those of rows first: what is tried first is more likely to be dropped, and
// fewer rows are easier to understand.
func (f *filter) sides() []Side {
	var out []Side
	add := func(row bool, k int, lower, upper float64) {
		if !math.IsInf(lower, 0) {
			out = append(out, Side{row, k, false})
		}
		if !math.IsInf(upper, 0) {
			out = append(out, Side{row, k, true})
		}
	}
	for i, r := range f.given.Rows {
		add(true, i, r.Lower, r.Upper)
	}
	for j, c := range f.given.Cols {
		add(false, j, c.Lower, c.Upper)
	}
	return out
}

// progress reports how far the search is.
func (f *filter) progress(left, needed int) {
	if f.o.Progress != nil {
		f.o.Progress(left, needed)
	}
}

// Only returns the model with the sides of the set alone: the rows that have a side in it, with the columns of the
// model, whose other bounds are infinite. It has no costs.
func (s *Set) Only(m *lp.Model) *lp.Model {
	out := m.Clone()
	out.Offset = 0
	for i := range out.Rows {
		out.Rows[i].Lower = math.Inf(-1)
		out.Rows[i].Upper = math.Inf(1)
	}
	for j := range out.Cols {
		out.Cols[j].Cost = 0
		out.Cols[j].Lower = math.Inf(-1)
		out.Cols[j].Upper = math.Inf(1)
	}
	for _, side := range s.Sides {
		*side.end(out) = *side.end(m)
	}
	return out
}

// end returns where a side stands in a model.
func (s Side) end(m *lp.Model) *float64 {
	switch {
	case s.Row && s.Upper:
		return &m.Rows[s.Index].Upper
	case s.Row:
		return &m.Rows[s.Index].Lower
	case s.Upper:
		return &m.Cols[s.Index].Upper
	}
	return &m.Cols[s.Index].Lower
}

// none is the value of a side that is left out.
func (s Side) none() float64 {
	if s.Upper {
		return math.Inf(1)
	}
	return math.Inf(-1)
}
