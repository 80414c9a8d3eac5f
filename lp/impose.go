package lp

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/proxybd/proxybd/internal/sparse"
)

// largestM is the largest coefficient of an auxiliary column. A larger one times the integrality tolerance of the
// solvers exceeds their tolerance for rows by far.
const largestM = 1e9

// Impose adds what l says to the model, by auxiliary 0-1 columns and rows that are marked Hidden:
//
//   - A semi-continuous column x that is 0 or in [l, u] without 0 between has l z <= x <= u z. With l <= 0 <= u that is
//     an ordinary column.
//   - The columns of an SOS1 have l_k z_k <= x_k <= u_k z_k and sum z <= 1; 0-1 columns are their own z.
//   - The n columns of an SOS2 have l_k (y_k-1 + y_k) <= x_k <= u_k (y_k-1 + y_k), with y_1 + ... + y_n-1 = 1.
//   - The row a'x <= u of an indicator z = 1 becomes a'x + M z <= u + M with M = max a'x - u, that of z = 0 becomes
//     a'x - M z <= u; rows with two sides become two. The row itself stays, without sides.
//
// Bounds l, u and max a'x are the tightest that the bounds of the columns and a few passes of propagation over the rows
// give, rounded outward, so that every point that l allows is a point of the model and the other way round. They are
// those of the model as it is now: it must be complete, and its bounds and sides must not be widened later.
//
// What needs a bound that is missing, or one beyond 1e9, is left to branching: hidden columns and implications state it
// (see Branched), which only package bnb imposes. With Form AsRows it is an error, a *LogicError that names the column;
// the model is then unchanged, as after every error. Unless the form is AsRows, branching also takes an SOS2, a
// semi-continuous column in long rows only, and an indicator whose column is in nothing else: a search is faster so.
func (m *Model) Impose(l Logic) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}

	// All changes are made to copies, which the model takes once none has failed.
	r := &reformer{
		m:     m,
		byCol: a,
		byRow: a.Transpose(),
		cols:  slices.Clone(m.Cols),
		rows:  slices.Clone(m.Rows),
		logic: m.logic.clone(),
		on:    map[Var]Var{},
		form:  l.Form,
	}
	r.branched = m.branched.clone()
	if err := r.check(&l); err != nil {
		return err
	}
	if err := r.run(&l); err != nil {
		return err
	}
	m.Cols = r.cols
	m.Rows = r.rows
	m.logic = r.logic
	m.branched = r.branched
	m.matrix = nil
	m.entries = append(m.entries, r.entries...)
	return nil
}

// reformer collects what Impose adds, until all of it has been found possible.
type reformer struct {
	// m is the model as it was given, byCol and byRow its coefficients by columns and rows; none is changed.
	m            *Model
	byCol, byRow *sparse.Matrix
	// cols and rows are those of the model with the changes and additions, and entries the additional coefficients.
	cols    []Col
	rows    []Row
	entries []sparse.Triplet
	logic   logic
	// form says what is left to branching, and branched holds that.
	form     Form
	branched Branched
	// bounds are satisfied by every point that the model and l allow.
	bounds ranges
	// on is the 0-1 column that is 1 where another column is not zero.
	on map[Var]Var
	// names are the names that columns (0) and rows (1) have already; nil until one is needed.
	names [2]map[string]bool
}

// check reports indices and types that the model and the format do not have.
func (r *reformer) check(l *Logic) error {
	bad := func(j Var) bool { return j < 0 || int(j) >= len(r.cols) }
	for k, j := range l.Semi {
		if bad(j) {
			return &LogicError{Part: SemiPart, Index: k, Msg: fmt.Sprintf("column %d: there is none of this index", j)}
		}
	}

	for k := range l.Sets {
		s := &l.Sets[k]
		e := &LogicError{Part: SetPart, Index: k, Name: s.name(k)}

		// A column may be in several sets, but only once in each.
		seen := make(map[Var]bool, len(s.Vars))
		for _, j := range s.Vars {
			switch {
			case bad(j):
				return e.with("there is no column %d", j)
			case seen[j]:
				e.Col = r.m.ColName(j)
				return e.with("it is in the set twice")
			}
			seen[j] = true
		}
		if s.Kind != SOS1 && s.Kind != SOS2 {
			return e.with("its type is %d, neither 1 nor 2", s.Kind)
		}
	}

	// A row has one indicator, in all calls together: two would need a column that is their product.
	seen := map[Con]bool{}
	for _, c := range r.logic.indicators {
		seen[c.Row] = true
	}
	for k, c := range l.Indicators {
		e := &LogicError{Part: IndicatorPart, Index: k}
		if c.Row < 0 || int(c.Row) >= len(r.rows) || bad(c.If) {
			return e.with("there is no row %d, or no column %d", c.Row, c.If)
		}
		e.Name = r.m.RowName(c.Row)
		if seen[c.Row] {
			return e.with("it has an indicator already")
		}
		seen[c.Row] = true

		e.Col = r.m.ColName(c.If)
		z := &r.cols[c.If]
		switch {
		case !z.Integer || z.Lower < 0 || z.Upper > 1:
			return e.with("an indicator must be a 0-1 column")
		case c.Is != 0 && c.Is != 1:
			return e.with("the value %d of an indicator is neither 0 nor 1", c.Is)
		}
	}
	return nil
}

// run computes the bounds and makes the columns and rows.
func (r *reformer) run(l *Logic) error {
	// Integer columns have integer bounds.
	n := len(r.cols)
	r.bounds = ranges{make([]float64, n), make([]float64, n), make([]bool, n)}
	for j := range r.cols {
		c := &r.cols[j]
		r.bounds.integer[j] = c.Integer
		r.bounds.lower[j] = c.Lower
		r.bounds.upper[j] = c.Upper
		if c.Integer {
			r.bounds.lower[j] = math.Ceil(c.Lower - nearZero)
			r.bounds.upper[j] = math.Floor(c.Upper + nearZero)
		}
	}

	// A semi-continuous column may be zero too. Its stated bounds are used once more below.
	given := ranges{slices.Clone(r.bounds.lower), slices.Clone(r.bounds.upper), nil}

	// The order matters: a switch of a semi-continuous column serves the sets that the column is in.
	for k, j := range l.Semi {
		c := &r.cols[j]
		if !(c.Lower <= c.Upper) {
			return &LogicError{
				Part:  SemiPart,
				Index: k,
				Col:   r.m.ColName(j),
				Msg:   fmt.Sprintf("its lower bound %g lies above its upper bound %g", c.Lower, c.Upper),
			}
		}

		// Zero is all that is left to an integer column with no integer between its bounds.
		if given.lower[j] > given.upper[j] {
			given.lower[j] = 0
			given.upper[j] = 0
		}
		r.bounds.lower[j] = math.Min(0, given.lower[j])
		r.bounds.upper[j] = math.Max(0, given.upper[j])
	}

	// A row with an indicator need not hold, so it implies nothing.
	conditional := make([]bool, len(r.rows))
	for _, c := range l.Indicators {
		conditional[c.Row] = true
	}
	r.bounds.imply(r.m, r.byRow, conditional)

	// Columns and rows are made with the bounds that the rows imply.
	for k, j := range l.Semi {
		if err := r.semi(k, j, given.lower[j], given.upper[j]); err != nil {
			return err
		}
	}
	for k := range l.Sets {
		if err := r.set(k, &l.Sets[k]); err != nil {
			return err
		}
	}
	for k, c := range l.Indicators {
		if err := r.indicator(k, c); err != nil {
			return err
		}
	}
	return nil
}

// semi makes a semi-continuous column of the one that was in [lower, upper].
func (r *reformer) semi(k int, j Var, lower, upper float64) error {
	c := &r.cols[j]

	// A column that is listed twice has its rows already.
	if slices.ContainsFunc(r.logic.semi, func(s semi) bool { return s.col == j }) {
		return nil
	}
	r.logic.semi = append(r.logic.semi, semi{j, lower, upper})
	c.Lower = math.Min(0, lower)
	c.Upper = math.Max(0, upper)

	// Where no value lies between zero and the bounds it is an ordinary column.
	gap := 0.0
	if c.Integer {
		gap = 1
	}
	if lower <= gap && upper >= -gap {
		return nil
	}

	e := &LogicError{Part: SemiPart, Index: k}
	if r.byBranching(r.bounded(j, e), !r.inShortRow(j)) {
		r.semiBranched(j, lower, upper)
		return nil
	}
	z, err := r.switchOf(j, e)
	if err != nil || z < 0 {
		return err
	}

	// With the switch at 0 the column is 0; with the switch at 1 it is at least lower, or at most upper where both
	// are negative.
	name := r.m.ColName(j)
	if lower > 0 {
		r.row(name+"@lo", 0, Inf, nil, nil, Term{1, j}, Term{-lower, z})
	} else {
		r.row(name+"@up", -Inf, 0, nil, nil, Term{1, j}, Term{-upper, z})
	}
	return nil
}

// switchOf returns the 0-1 column that is 1 where column j is not zero; -1 for a column that is always zero.
func (r *reformer) switchOf(j Var, e *LogicError) (Var, error) {
	lower, upper := r.bounds.lower[j], r.bounds.upper[j]
	if z, known := r.on[j]; known {
		return z, nil
	}
	if lower == 0 && upper == 0 {
		return -1, nil
	}

	// A 0-1 column is its own switch.
	if r.isBinary(j) {
		return j, nil
	}

	// The switch bounds the column on both sides, so both bounds must be finite.
	name := r.m.ColName(j)
	if err := r.bounded(j, e); err != nil {
		return -1, err
	}
	z := r.binary(name + "@on")
	r.on[j] = z
	r.logic.nonzero = append(r.logic.nonzero, switched{j, z, lower > 0 || upper < 0})
	r.within(name, j, lower, upper, z)
	return z, nil
}

// bounded fails where a bound of a column is missing.
func (r *reformer) bounded(j Var, e *LogicError) error {
	lower, upper := r.bounds.lower[j], r.bounds.upper[j]
	e.Col = r.m.ColName(j)

	// The larger the coefficient of a switch, the weaker its row.
	switch {
	case upper > largestM:
		e.Msg = missing("upper", upper)
	case lower < -largestM:
		e.Msg = missing("lower", lower)
	default:
		return nil
	}
	return e
}

// missing says why a bound does not serve.
func missing(side string, v float64) string {
	// A bound that is finite but too large has another remedy.
	if math.IsInf(v, 0) {
		return "it has no " + side + " bound, which an exact reformulation needs, and the rows give it none"
	}
	return fmt.Sprintf("its %s bound %g is beyond 1e9, too far for an exact reformulation", side, v)
}

// within keeps a column at zero unless the sum of the switches is 1. A side on which the bounds leave it no room but
// zero needs no row.
func (r *reformer) within(name string, j Var, lower, upper float64, switches ...Var) {
	// The column less the bound times the sum of the switches.
	terms := func(bound float64) []Term {
		list := []Term{{1, j}}
		for _, z := range switches {
			list = append(list, Term{-bound, z})
		}
		return list
	}
	if upper > 0 {
		r.row(name+"@up", -Inf, 0, nil, nil, terms(upper)...)
	}
	if lower < 0 {
		r.row(name+"@lo", 0, Inf, nil, nil, terms(lower)...)
	}
}

// name is that of the set with index k.
func (s *Set) name(k int) string {
	if s.Name == "" {
		return "sos" + strconv.Itoa(k+1)
	}
	return s.Name
}

// set makes the rows of a special ordered set, or leaves it to branching.
func (r *reformer) set(k int, s *Set) error {
	made := set{name: s.Name, kind: s.Kind, vars: slices.Clone(s.Vars)}
	name := s.name(k)
	e := &LogicError{Part: SetPart, Index: k, Name: name}
	var err error

	// A set that is no longer than what may be other than zero restricts nothing.
	switch {
	case len(s.Vars) <= int(s.Kind):
	case r.byBranching(r.allBounded(s.Vars, e), s.Kind == SOS2):
		made.choices = r.setBranched(name, s)
	case s.Kind == SOS1:
		err = r.sos1(name, s.Vars, e)
	default:
		made.choices, err = r.sos2(name, s.Vars, e)
	}
	r.logic.sets = append(r.logic.sets, made)
	return err
}

// allBounded fails where a bound of one of the columns is missing.
func (r *reformer) allBounded(vars []Var, e *LogicError) error {
	for _, j := range vars {
		if err := r.bounded(j, e); err != nil {
			return err
		}
	}
	return nil
}

// sos1 adds the row that at most one of the switches is 1.
func (r *reformer) sos1(name string, vars []Var, e *LogicError) error {
	var sum []Term
	for _, j := range vars {
		z, err := r.switchOf(j, e)
		if err != nil {
			return err
		}

		// A column that is always zero takes no place in the set.
		if z >= 0 {
			sum = append(sum, Term{1, z})
		}
	}
	if len(sum) > 1 {
		r.row(name+"@one", -Inf, 1, nil, nil, sum...)
	}
	return nil
}

// sos2 adds a 0-1 column for every pair of neighbours, exactly one of them 1.
func (r *reformer) sos2(name string, vars []Var, e *LogicError) (choices []Var, err error) {
	if err := r.allBounded(vars, e); err != nil {
		return nil, err
	}

	// One of the pairs of neighbours may be other than zero.
	var sum []Term
	for k := range len(vars) - 1 {
		y := r.binary(name + "@" + strconv.Itoa(k+1))
		choices = append(choices, y)
		sum = append(sum, Term{1, y})
	}

	// A column belongs to the pairs before and behind it; the first and the last column have one pair.
	for k, j := range vars {
		r.within(name+"@"+r.m.ColName(j), j, r.bounds.lower[j], r.bounds.upper[j],
			choices[max(0, k-1):min(k+1, len(choices))]...)
	}
	r.row(name+"@one", 1, 1, nil, nil, sum...)
	return choices, nil
}

// binary adds a hidden 0-1 column.
func (r *reformer) binary(name string) Var {
	r.cols = append(r.cols, Col{Name: r.unique(0, name), Upper: 1, Integer: true, Hidden: true})
	return Var(len(r.cols) - 1)
}

// row adds a hidden row: a sparse vector, in which the columns of the terms do not count, and terms.
func (r *reformer) row(name string, lower, upper float64, index []int32, value []float64, terms ...Term) {
	i := int32(len(r.rows))
	r.rows = append(r.rows, Row{Name: r.unique(1, name), Lower: lower, Upper: upper, Hidden: true})
	for k, j := range index {
		if Var(j) != terms[0].Var {
			r.entries = append(r.entries, sparse.Triplet{Major: j, Minor: i, Value: value[k]})
		}
	}

	// A coefficient of zero is no entry.
	for _, t := range terms {
		if t.Coef != 0 {
			r.entries = append(r.entries, sparse.Triplet{Major: int32(t.Var), Minor: i, Value: t.Coef})
		}
	}
}

// unique returns the name, or the name with a number, such that no other column (kind 0) or row (1) has it.
func (r *reformer) unique(kind int, name string) string {
	if r.names[0] == nil {
		r.names = [2]map[string]bool{{}, {}}
		for j := range r.m.Cols {
			r.names[0][r.m.ColName(Var(j))] = true
		}
		for i := range r.m.Rows {
			r.names[1][r.m.RowName(Con(i))] = true
		}
	}

	// The names of the user stay; an auxiliary one gives way.
	s := name
	for n := 2; r.names[kind][s]; n++ {
		s = name + "_" + strconv.Itoa(n)
	}
	r.names[kind][s] = true
	return s
}
