package lp

import (
	"fmt"
	"math"
)

// Var is the handle of a column: its index in Cols, as a type of its own. It indexes the vectors of results too, such
// as X and ReducedCost. The functions below add columns whose bounds are said by their names, so that nothing is fixed
// at zero by a field that was left out.
type Var int32

// Con is the handle of a row: its index in Rows, and in vectors such as RowDual.
type Con int32

// Binary adds a column that is 0 or 1.
func (m *Model) Binary(name string, cost float64) Var {
	return m.AddCol(Col{Name: name, Cost: cost, Upper: 1, Integer: true})
}

// Integer adds an integer column within bounds, which may be infinite.
func (m *Model) Integer(name string, cost, lower, upper float64) Var {
	return m.AddCol(Col{Name: name, Cost: cost, Lower: lower, Upper: upper, Integer: true})
}

// Nonnegative adds a continuous column with no upper bound.
func (m *Model) Nonnegative(name string, cost float64) Var {
	return m.AddCol(Col{Name: name, Cost: cost, Upper: Inf})
}

// Between adds a continuous column within bounds, which may be infinite.
func (m *Model) Between(name string, cost, lower, upper float64) Var {
	return m.AddCol(Col{Name: name, Cost: cost, Lower: lower, Upper: upper})
}

// Free adds a continuous column without bounds.
func (m *Model) Free(name string, cost float64) Var {
	return m.AddCol(Col{Name: name, Cost: cost, Lower: -Inf, Upper: Inf})
}

// Term is a coefficient times a column.
type Term struct {
	// Coef is the coefficient, and Var the column that it belongs to.
	Coef float64
	Var  Var
}

// Sum is a linear expression. A column may be in it several times: the coefficients add up.
type Sum []Term

// Expr is what a row is made of: a Var, a Term or a Sum.
type Expr interface{ appendTo(Sum) Sum }

// appendTo implements Expr.
func (v Var) appendTo(s Sum) Sum { return append(s, Term{1, v}) }

// appendTo implements Expr.
func (t Term) appendTo(s Sum) Sum { return append(s, t) }

// appendTo implements Expr.
func (e Sum) appendTo(s Sum) Sum { return append(s, e...) }

// Times returns the term with that coefficient.
func (v Var) Times(coef float64) Term { return Term{coef, v} }

// Dot returns the sum of coef[k] times vars[k]. The lengths must be equal; a model that gets a sum of unequal ones
// reports it in Validate.
func Dot(coef []float64, vars []Var) Sum {
	s := make(Sum, max(len(coef), len(vars)))
	for k := range s {
		s[k] = Term{math.NaN(), -1} // no column, which Validate reports
		if k < len(coef) && k < len(vars) {
			s[k] = Term{coef[k], vars[k]}
		}
	}
	return s
}

// Total returns the sum of columns.
func Total(vars ...Var) Sum {
	s := make(Sum, len(vars))
	for k, v := range vars {
		s[k] = Term{1, v}
	}
	return s
}

// AtMost adds the row sum <= upper. Its name can be set in Rows.
func (m *Model) AtMost(upper float64, sum ...Expr) Con { return m.Range(-Inf, upper, sum...) }

// AtLeast adds the row sum >= lower.
func (m *Model) AtLeast(lower float64, sum ...Expr) Con { return m.Range(lower, Inf, sum...) }

// Equal adds the row sum = value.
func (m *Model) Equal(value float64, sum ...Expr) Con { return m.Range(value, value, sum...) }

// Range adds the row lower <= sum <= upper.
func (m *Model) Range(lower, upper float64, sum ...Expr) Con {
	index, value := Sparse(sum...)
	return m.AddRow(Row{Lower: lower, Upper: upper}, index, value)
}

// Sparse returns an expression as a sparse vector, as AddRow and the cuts of a hook have it: each column once, in the
// order in which they come first, without those whose coefficients add up to 0.
func Sparse(sum ...Expr) (index []int32, value []float64) {
	var s Sum
	for _, e := range sum {
		s = e.appendTo(s)
	}

	// The first term of a column takes the coefficients of the others.
	at := make(map[Var]int, len(s))
	distinct := s[:0]
	for _, t := range s {
		if k, known := at[t.Var]; known {
			distinct[k].Coef += t.Coef
			continue
		}
		at[t.Var] = len(distinct)
		distinct = append(distinct, t)
	}

	// What added up to zero is no coefficient.
	for _, t := range distinct {
		if t.Coef != 0 {
			index = append(index, int32(t.Var))
			value = append(value, t.Coef)
		}
	}
	return index, value
}

// FindVar returns the column of a name, in time linear in the number of columns.
func (m *Model) FindVar(name string) (Var, error) {
	for j := range m.Cols {
		if m.Cols[j].Name == name {
			return Var(j), nil
		}
	}
	return -1, fmt.Errorf("lp: %w: no column is called %q", ErrModel, name)
}

// FindCon returns the row of a name, in time linear in the number of rows.
func (m *Model) FindCon(name string) (Con, error) {
	for i := range m.Rows {
		if m.Rows[i].Name == name {
			return Con(i), nil
		}
	}
	return -1, fmt.Errorf("lp: %w: no row is called %q", ErrModel, name)
}

// Triplet is a coefficient with its place.
type Triplet struct {
	Row Con
	Col Var
	// Value is the coefficient of Col in Row.
	Value float64
}

// AddTriplets adds coefficients. Rows and columns must exist already.
func (m *Model) AddTriplets(list []Triplet) {
	m.Grow(len(list))

	// A place that comes twice is an error, which Validate reports.
	for _, t := range list {
		m.AddEntry(t.Row, t.Col, t.Value)
	}
}

// Triplets returns the coefficients, column by column.
func (m *Model) Triplets() ([]Triplet, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}

	// The order is that of the columns, and within a column that of the rows.
	list := make([]Triplet, 0, len(a.Value))
	for j := range a.Major {
		index, value := a.Vec(j)
		for k, i := range index {
			list = append(list, Triplet{Con(i), Var(j), value[k]})
		}
	}
	return list, nil
}
