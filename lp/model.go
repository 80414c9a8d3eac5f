// Package lp is the model that every solver here reads: a mixed-integer linear program
//
//	minimise (or maximise)  offset + c'x
//	subject to              rowLower <= A x <= rowUpper
//	                        colLower <=  x  <= colUpper
//	                        x_j integer for the columns marked so
//
// with columns, rows, bounds, integrality and names, and the status types that the solvers answer
// with. Package lp/mps reads and writes it. Infinite bounds are math.Inf; a free row (both bounds
// infinite) is allowed.
//
// A model is made in one of two ways. Code that holds sparse vectors calls AddCol, AddRow and AddEntry (model.go). A
// program that states a model calls Nonnegative, AtMost and the others of build.go, which take and return handles:
//
//	m := &lp.Model{}
//	x := m.Nonnegative("x", 3)
//	y := m.Binary("y", 20)
//	m.AtLeast(8, x, y.Times(5)) // x + 5 y >= 8
//
// Mistakes on the way (an index that does not exist, lengths that differ) are kept and reported by Validate, which
// every solver calls, so that building needs no error checks.
//
// What rows and bounds alone do not express, special ordered sets, semi-continuous columns and indicators, becomes
// hidden 0-1 columns and rows (logic.go says what, impose.go how, implied.go gives the bounds that this needs), or
// implications that a search imposes by branching (implication.go; branched.go makes them). Check
// and Rounded judge a point against the model (point.go), and Status says why a solver stopped (status.go).
package lp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// Inf is positive infinity, the bound of a column or row that has none.
var Inf = math.Inf(1)

// Matrix is a compressed sparse matrix; Model.Matrix returns one by columns.
type Matrix = sparse.Matrix

// ErrModel is wrapped by every error that Validate returns.
var ErrModel = errors.New("invalid model")

// Col is one column (variable).
type Col struct {
	// Name is for files and messages; it may be empty.
	Name string
	// Cost is the coefficient in the objective, finite.
	Cost float64
	// Lower and Upper are the bounds, -Inf and Inf where there are none.
	Lower, Upper float64
	// Integer says that the column takes integers only.
	Integer bool
	// Hidden marks an auxiliary column that Impose made: no column of the user's.
	Hidden bool
}

// Row is one row (constraint) Lower <= a'x <= Upper; its coefficients live in the model.
type Row struct {
	// Name is for files and messages; it may be empty.
	Name string
	// Lower and Upper are the sides, -Inf and Inf where there are none; an equation has two equal ones.
	Lower, Upper float64
	// Hidden marks an auxiliary row that Impose made.
	Hidden bool
}

// Model is a mixed-integer linear program; see the package comment for its form. The zero value is
// an empty minimisation problem. Cols and Rows may be edited in place; coefficients are added with
// AddCol, AddRow and AddEntry. Errors made on the way (a bad index, lengths that differ) are kept
// and returned by Validate.
type Model struct {
	Name string
	// Objective is the name of the objective row, for writers.
	Objective string
	// Maximize says that the objective is to be as large as possible, else as small.
	Maximize bool
	// Offset is the constant of the objective.
	Offset float64
	Cols   []Col
	Rows   []Row

	// entries are the coefficients in the order in which they were added; Major is the column, Minor the row.
	entries []sparse.Triplet
	// matrix is what Matrix returned last, nil when something was added since.
	matrix *Matrix
	// logic is what Impose was given, and branched the part of it that rows do not state.
	logic    logic
	branched Branched
	// err is the first error made while building.
	err error
}

// AddCol appends a column with no coefficients and returns its handle. Bounds that are left out are 0; Binary,
// Nonnegative and the others of this kind say theirs.
func (m *Model) AddCol(c Col) Var {
	m.Cols = append(m.Cols, c)
	m.matrix = nil
	return Var(len(m.Cols) - 1)
}

// AddRow appends a row with the coefficients value[k] on columns index[k] and returns its handle. It is for code that
// holds its rows as sparse vectors; AtMost and the others of this kind take handles.
func (m *Model) AddRow(r Row, index []int32, value []float64) Con {
	i := Con(len(m.Rows))
	m.Rows = append(m.Rows, r)
	m.matrix = nil

	// The row stays without coefficients, so that its handle is valid.
	if len(index) != len(value) {
		m.fail(fmt.Errorf("row %s: %d indices but %d values", m.RowName(i), len(index), len(value)))
		return i
	}
	for k, j := range index {
		m.AddEntry(i, Var(j), value[k])
	}
	return i
}

// AddEntry adds the coefficient of column j in row i. Both must exist already; a second coefficient
// in the same place is an error that Validate reports.
func (m *Model) AddEntry(i Con, j Var, value float64) {
	hasRow := i >= 0 && int(i) < len(m.Rows)
	hasCol := j >= 0 && int(j) < len(m.Cols)

	// Nothing is added, and Validate reports the place.
	if !hasRow || !hasCol {
		m.fail(fmt.Errorf("coefficient (row %d, column %d) outside a model with %d rows and %d columns", i, j, len(m.Rows),
			len(m.Cols)))
		return
	}
	m.entries = append(m.entries, sparse.Triplet{Major: int32(j), Minor: int32(i), Value: value})
	m.matrix = nil
}

// Grow makes room for that many more coefficients, so that adding them does not allocate.
func (m *Model) Grow(entries int) {
	need := len(m.entries) + entries
	if need <= cap(m.entries) {
		return
	}

	// Unlike slices.Grow, make does not write to fresh memory, so that room that is not used costs none. A quarter more at
	// least keeps the copies few where a model grows row by row.
	room := make([]sparse.Triplet, len(m.entries), max(need, cap(m.entries)*5/4))
	copy(room, m.entries)
	m.entries = room
}

// fail keeps the first error made while building.
func (m *Model) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// NumEntries returns the number of coefficients.
func (m *Model) NumEntries() int { return len(m.entries) }

// NumInteger returns the number of integer columns.
func (m *Model) NumInteger() int {
	n := 0
	for j := range m.Cols {
		if m.Cols[j].Integer {
			n++
		}
	}
	return n
}

// Matrix returns the coefficients by columns: Major is the column, Minor the row. It must not be
// changed; it is valid until the next Add call.
func (m *Model) Matrix() (*Matrix, error) {
	if m.err != nil {
		return nil, fmt.Errorf("lp: %w: %w", ErrModel, m.err)
	}
	if m.matrix != nil {
		return m.matrix, nil
	}

	// The cache holds until the next row, column or coefficient is added.
	a, err := sparse.Compress(len(m.Cols), len(m.Rows), m.entries)
	if err != nil {
		// An error names row and column, not their indices alone.
		var dup *sparse.DuplicateError
		if errors.As(err, &dup) {
			err = fmt.Errorf("two coefficients for row %s, column %s", m.RowName(Con(dup.Minor)), m.ColName(Var(dup.Major)))
		}
		return nil, fmt.Errorf("lp: %w: %w", ErrModel, err)
	}
	m.matrix = a
	return a, nil
}

// Validate reports the first thing that makes the model unusable: a building error, a NaN, an
// infinite cost or coefficient, a lower bound of +Inf or an upper bound of -Inf. A lower bound above
// the upper one is no error: the model is infeasible.
func (m *Model) Validate() error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}

	// Matrix has judged how the model was built; the numbers follow.
	if !finite(m.Offset) {
		return fmt.Errorf("lp: %w: objective offset %g", ErrModel, m.Offset)
	}
	for j := range m.Cols {
		c := &m.Cols[j]
		if !finite(c.Cost) {
			return fmt.Errorf("lp: %w: column %s: cost %g", ErrModel, m.ColName(Var(j)), c.Cost)
		}
		if err := checkBounds(c.Lower, c.Upper); err != nil {
			return fmt.Errorf("lp: %w: column %s: %w", ErrModel, m.ColName(Var(j)), err)
		}
	}
	for i := range m.Rows {
		if err := checkBounds(m.Rows[i].Lower, m.Rows[i].Upper); err != nil {
			return fmt.Errorf("lp: %w: row %s: %w", ErrModel, m.RowName(Con(i)), err)
		}
	}

	// A coefficient is stored with its column.
	for j := range a.Major {
		index, value := a.Vec(j)
		for k, v := range value {
			if !finite(v) {
				return fmt.Errorf("lp: %w: coefficient %g at row %s, column %s", ErrModel, v, m.RowName(Con(index[k])),
					m.ColName(Var(j)))
			}
		}
	}
	return m.checkBranched()
}

// finite reports whether a number is neither infinite nor NaN.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkBounds reports bounds that no model has. A comparison with NaN is false.
func checkBounds(lower, upper float64) error {
	if !(lower < Inf) || !(upper > -Inf) {
		return fmt.Errorf("bounds [%g, %g]", lower, upper)
	}
	return nil
}

// ColName returns the name of a column, or a made-up one.
func (m *Model) ColName(j Var) string {
	if int(j) < len(m.Cols) && m.Cols[j].Name != "" {
		return m.Cols[j].Name
	}
	return fmt.Sprintf("C%07d", j+1)
}

// RowName returns the name of a row, or a made-up one.
func (m *Model) RowName(i Con) string {
	if int(i) < len(m.Rows) && m.Rows[i].Name != "" {
		return m.Rows[i].Name
	}
	return fmt.Sprintf("R%07d", i+1)
}

// Shrink moves both ends of every range of a column or row inward by room, relative to max(1, |end|). A range that is
// too narrow, such as an equation, stays as it is. Where the model that is left has a point, that point satisfies the
// given one whatever rounding does.
func (m *Model) Shrink(room float64) {
	shrink := func(lower, upper *float64) {
		l := *lower + room*max(1, math.Abs(*lower))
		u := *upper - room*max(1, math.Abs(*upper))
		if l < u {
			*lower = l
			*upper = u
		}
	}
	for j := range m.Cols {
		shrink(&m.Cols[j].Lower, &m.Cols[j].Upper)
	}
	for i := range m.Rows {
		shrink(&m.Rows[i].Lower, &m.Rows[i].Upper)
	}
}

// Minimize turns a maximisation into the minimisation of the negative: costs and offset change their signs.
func (m *Model) Minimize() {
	if m.Maximize {
		m.Negate()
	}
}

// Negate turns a minimisation into the maximisation of the negative and the other way round: the optimal points are the
// same. No cost becomes a negative zero.
func (m *Model) Negate() {
	m.Maximize = !m.Maximize
	m.Offset = 0 - m.Offset
	for j := range m.Cols {
		m.Cols[j].Cost = 0 - m.Cols[j].Cost
	}
}

// Clone returns a deep copy.
func (m *Model) Clone() *Model {
	c := *m
	c.Cols, c.Rows = slices.Clone(m.Cols), slices.Clone(m.Rows)
	c.entries = slices.Clone(m.entries)
	c.logic = m.logic.clone()
	c.branched = m.branched.clone()
	return &c // the cached matrix is read-only and may be shared
}

// Evaluate returns offset + c'x. The length of x must be that of Cols.
func (m *Model) Evaluate(x []float64) float64 {
	v := m.Offset
	for j := range m.Cols {
		v += m.Cols[j].Cost * x[j]
	}
	return v
}
