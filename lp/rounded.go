package lp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrPoint is wrapped by the errors of Rounded.
var ErrPoint = errors.New("not a point of the model")

// Rounded returns a point with its integer columns rounded. The error of one of another length, or that violates an
// integrality (by more than 1e-5), a bound or a row (by more than 1e-6, relative to the largest of 1 and the sum of the
// row's absolute terms) wraps ErrPoint and names what it violates.
func (m *Model) Rounded(x []float64) ([]float64, error) {
	const integrality, slack = 1e-5, 1e-6
	if n := len(m.Cols); len(x) != n {
		return nil, fmt.Errorf("%w: %d columns for %d", ErrPoint, len(x), n)
	}
	y := slices.Clone(x)
	activity, size := make([]float64, len(m.Rows)), make([]float64, len(m.Rows))
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	for j := range y {
		c := &m.Cols[j]
		if v := math.Round(y[j]); c.Integer {
			if !(math.Abs(v-y[j]) <= integrality) {
				return nil, fmt.Errorf("%w: the integer column %s is %g", ErrPoint, m.ColName(Var(j)), y[j])
			}
			y[j] = v
		}
		if s := slack * max(1, math.Abs(y[j])); !(y[j] >= c.Lower-s && y[j] <= c.Upper+s) {
			return nil, fmt.Errorf("%w: the column %s is %g, its bounds are [%g, %g]", ErrPoint, m.ColName(Var(j)), y[j],
				c.Lower, c.Upper)
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * y[j]
			size[i] += math.Abs(value[k] * y[j])
		}
	}
	for i, r := range m.Rows {
		if s := slack * max(1, size[i]); !(activity[i] >= r.Lower-s && activity[i] <= r.Upper+s) {
			return nil, fmt.Errorf("%w: the row %s is %g, its sides are [%g, %g]", ErrPoint, m.RowName(Con(i)), activity[i],
				r.Lower, r.Upper)
		}
	}
	return y, nil
}
