package lp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
)

// ErrPoint is wrapped by the errors of Check and Rounded.
var ErrPoint = errors.New("not a point of the model")

// Tolerances of Check and Rounded.
const (
	// pointIntegrality is the largest distance of an integer column from an integer at which Rounded rounds it.
	pointIntegrality = 1e-5
	// pointSlack is the largest violation of a bound or a row, absolute, in the units of the model. It is the feasibility
	// tolerance of package bnb, so that every point which bnb accepts passes.
	pointSlack = 1e-6
	// pointPrecision is the relative precision to which continuous columns must be given: they are often read from
	// solution files that have eight digits. Integer columns have no such error.
	pointPrecision = 1e-8
)

// Check reports whether x satisfies the bounds, the integrality, the rows and the implications of the model: integer
// columns exactly hold integers, bounds hold to 1e-6, and a row holds to 1e-6 plus 1e-8 of the sum of the absolute
// terms of its continuous columns. The terms of a row are summed in doubled precision with a bound on the error, so
// that a row with coefficients of 1e9 is judged as strictly as one with coefficients of 1. The error of a point that
// is none wraps ErrPoint and names what it violates.
func (m *Model) Check(x []float64) error {
	if n := len(m.Cols); len(x) != n {
		return fmt.Errorf("%w: %d columns for %d", ErrPoint, len(x), n)
	}
	a, err := m.Matrix()
	if err != nil {
		return err
	}

	// The activities of the rows, and what the precision of continuous columns may change of them.
	activity := make([]outward.Dot, len(m.Rows))
	slack := make([]float64, len(m.Rows))
	for j, v := range x {
		if err := m.checkColumn(Var(j), v); err != nil {
			return err
		}

		// A column at zero changes no activity.
		if v == 0 {
			continue
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i].Add(value[k], v)
			if !m.Cols[j].Integer {
				slack[i] += pointPrecision * math.Abs(value[k]*v)
			}
		}
	}

	for i, r := range m.Rows {
		low, high := activity[i].Interval()

		// The exact activity is in [low, high]; a comparison with NaN is false, so that no NaN passes.
		s := pointSlack + slack[i]
		if !(low >= r.Lower-s && high <= r.Upper+s) {
			v, _ := activity[i].Value()
			return fmt.Errorf("%w: the row %s is %g, its sides are [%g, %g]", ErrPoint, m.RowName(Con(i)), v,
				r.Lower, r.Upper)
		}
	}
	return m.checkImplications(x)
}

// checkImplications reports an implication that x violates.
func (m *Model) checkImplications(x []float64) error {
	for k := range m.branched.Implications {
		c := &m.branched.Implications[k]

		// A continuous column may be given to eight digits only.
		v := x[c.Var]
		if !(c.Violation(x) <= pointSlack+pointPrecision*math.Abs(v)) {
			return fmt.Errorf("%w: the column %s is %g, and must be within [%g, %g] where the column %s is %d", ErrPoint,
				m.ColName(c.Var), v, c.Lower, c.Upper, m.ColName(c.If[0].Var), c.If[0].Is)
		}
	}
	return nil
}

// checkColumn reports whether column j may have the value v.
func (m *Model) checkColumn(j Var, v float64) error {
	c := &m.Cols[j]
	if c.Integer && v != math.Round(v) {
		return fmt.Errorf("%w: the integer column %s is %g", ErrPoint, m.ColName(j), v)
	}

	// No point has an infinite value, also where the bound is infinite.
	if math.IsInf(v, 0) || !(v >= c.Lower-pointSlack && v <= c.Upper+pointSlack) {
		return fmt.Errorf("%w: the column %s is %g, its bounds are [%g, %g]", ErrPoint, m.ColName(j), v, c.Lower, c.Upper)
	}
	return nil
}

// Rounded returns a point with its integer columns rounded. A point with an integer column that is farther than 1e-5
// from an integer is refused, and so is one that does not pass Check once it is rounded; the errors wrap ErrPoint.
func (m *Model) Rounded(x []float64) ([]float64, error) {
	y := slices.Clone(x)
	for j := range min(len(y), len(m.Cols)) {
		// A column that is farther away stays as it is, and Check refuses it.
		v := math.Round(y[j])
		if m.Cols[j].Integer && math.Abs(v-y[j]) <= pointIntegrality {
			y[j] = v
		}
	}
	if err := m.Check(y); err != nil {
		return nil, err
	}
	return y, nil
}
