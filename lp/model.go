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
	Name         string
	Cost         float64
	Lower, Upper float64
	Integer      bool
	Hidden       bool // an auxiliary column that Impose made: no column of the user's
}

// Row is one row (constraint) Lower <= a'x <= Upper; its coefficients live in the model.
type Row struct {
	Name         string
	Lower, Upper float64
	Hidden       bool // an auxiliary row that Impose made
}

// Model is a mixed-integer linear program; see the package comment for its form. The zero value is
// an empty minimisation problem. Cols and Rows may be edited in place; coefficients are added with
// AddCol, AddRow and AddEntry. Errors made on the way (a bad index, lengths that differ) are kept
// and returned by Validate.
type Model struct {
	Name      string
	Objective string // name of the objective row, for writers
	Maximize  bool
	Offset    float64
	Cols      []Col
	Rows      []Row

	entries []sparse.Triplet // Major column, Minor row
	matrix  *Matrix          // cache of Matrix, nil when stale
	logic   logic            // what Impose has made rows of
	err     error            // the first error made while building
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
	if !hasRow || !hasCol {
		m.fail(fmt.Errorf("coefficient (row %d, column %d) outside a model with %d rows and %d columns", i, j, len(m.Rows),
			len(m.Cols)))
		return
	}
	m.entries = append(m.entries, sparse.Triplet{Major: int32(j), Minor: int32(i), Value: value})
	m.matrix = nil
}

// Grow makes room for that many more coefficients, so that adding them does not allocate.
func (m *Model) Grow(entries int) { m.entries = slices.Grow(m.entries, entries) }

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

	a, err := sparse.Compress(len(m.Cols), len(m.Rows), m.entries)
	if err != nil {
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

	for j := range a.Major {
		index, value := a.Vec(j)
		for k, v := range value {
			if !finite(v) {
				return fmt.Errorf("lp: %w: coefficient %g at row %s, column %s", ErrModel, v, m.RowName(Con(index[k])),
					m.ColName(Var(j)))
			}
		}
	}
	return nil
}

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
	c.Cols = slices.Clone(m.Cols)
	c.Rows = slices.Clone(m.Rows)
	c.entries = slices.Clone(m.entries)
	c.logic = m.logic.clone()
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
