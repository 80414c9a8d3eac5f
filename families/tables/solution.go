package tables

import (
	"fmt"
	"math"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// RowTable lists the rows of a model with their activities and how far these are from the nearer side.
func RowTable(name string, m *lp.Model, activity []float64) families.Table {
	return families.Table{
		Name:    name,
		Columns: []string{"row", "activity", "lower", "upper", "slack"},
		Rows: func(emit func(...any)) {
			for i, a := range activity {
				if r := &m.Rows[i]; !r.Hidden {
					emit(m.RowName(lp.Con(i)), a, r.Lower, r.Upper, Slack(a, r.Lower, r.Upper))
				}
			}
		},
	}
}

// Slack returns how far a value is from the nearer side, nil where there is none.
func Slack(value, lower, upper float64) any {
	if math.IsInf(lower, -1) && math.IsInf(upper, 1) {
		return nil
	}
	return min(value-lower, upper-value)
}

// Activities returns those of the rows at a point, and the largest violation of a row, a bound or an integrality, as
// Excess measures it.
func Activities(m *lp.Model, x []float64) (activity []float64, worst float64, err error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, 0, err
	}
	activity = make([]float64, len(m.Rows))
	size := make([]float64, len(m.Rows)) // the largest term of each row
	for j, v := range x {
		// Bounds and integrality are judged column by column.
		c := &m.Cols[j]
		worst = max(worst, Excess(v, c.Lower, c.Upper, 0))
		if c.Integer {
			worst = max(worst, math.Abs(v-math.Round(v)))
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
			size[i] = max(size[i], math.Abs(value[k]*v))
		}
	}

	// A row is judged by the largest of its terms: rounding grows with them.
	for i, r := range m.Rows {
		worst = max(worst, Excess(activity[i], r.Lower, r.Upper, size[i]))
	}
	return activity, worst, nil
}

// Negligible is what an amount or a slack may be, as a part of what it is one of, and still be nothing but rounding:
// tables leave such amounts out, and show 0 for such a slack.
const Negligible = 1e-9

// Room returns what a load leaves of a capacity, 0 where that is Negligible.
func Room(capacity, load float64) float64 {
	if left := capacity - load; math.Abs(left) > Negligible*max(1, capacity) {
		return left
	}
	return 0
}

// Excess returns by how much a value with the given largest term leaves [lower, upper], as a part of the largest of 1,
// the side and the term; 0 within.
func Excess(value, lower, upper, term float64) float64 {
	over := 0.0
	if value < lower {
		over = (lower - value) / max(1, math.Abs(lower), term)
	}

	// Where lower is above upper both may be violated.
	if value > upper {
		over = max(over, (value-upper)/max(1, math.Abs(upper), term))
	}
	return over
}

// AssignmentValues lists the values of a design and of shares, client by client, by the names y0, x_0_0 and so on.
func AssignmentValues(y, x []float64) func(yield func(string, float64) bool) {
	return func(yield func(string, float64) bool) {
		for j, v := range y {
			if !yield(fmt.Sprintf("y%d", j), v) {
				return
			}
		}

		// The shares are client by client.
		for k, v := range x {
			if !yield(fmt.Sprintf("x_%d_%d", k/len(y), k%len(y)), v) {
				return
			}
		}
	}
}
