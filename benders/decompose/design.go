package decompose

import (
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// settled returns the design with its integer columns rounded. The error of one that violates a bound, an integrality
// or a row of the first stage wraps ErrState and names it.
func settled(m *lp.Model, design []float64) ([]float64, error) {
	const integrality, slack = 1e-5, 1e-6
	if n := len(m.Cols); len(design) != n {
		return nil, fmt.Errorf("decompose: %w: a design of %d columns for %d", ErrState, len(design), n)
	}
	y := append([]float64(nil), design...)
	activity, size := make([]float64, len(m.Rows)), make([]float64, len(m.Rows))
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	for j := range y {
		c := &m.Cols[j]
		if v := math.Round(y[j]); c.Integer {
			if !(math.Abs(v-y[j]) <= integrality) {
				return nil, fmt.Errorf("decompose: %w: the integer column %s is %g", ErrState, m.ColName(lp.Var(j)), y[j])
			}
			y[j] = v
		}
		if s := slack * max(1, math.Abs(y[j])); !(y[j] >= c.Lower-s && y[j] <= c.Upper+s) {
			return nil, fmt.Errorf("decompose: %w: the column %s is %g, its bounds are [%g, %g]", ErrState,
				m.ColName(lp.Var(j)), y[j],
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
			return nil, fmt.Errorf("decompose: %w: the row %s is %g, its sides are [%g, %g]", ErrState, m.RowName(lp.Con(i)),
				activity[i], r.Lower, r.Upper)
		}
	}
	return y, nil
}
