package twostage

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// implied holds finite bounds that rows imply for columns that have none on that side, and how: steps in the order in
// which each follows from the bounds of the model and the steps before it. They hold for every feasible point.
type implied struct {
	lower, upper []float64 // of every column; infinite where nothing is implied or the model has a bound
	steps        []boundStep
}

// boundStep is the bound that a row and the bounds of its other columns imply for column col.
type boundStep struct {
	row, col int32
	upper    bool // an upper bound
	value    float64
}

const (
	largestImplied = 1e13 // a larger bound would cost a cut more than the repair that it spares
	impliedSlack   = 1e-9 // outward, relative to the terms of the row; far above the rounding of the sum
)

// deriveBounds passes over the rows until no further infinite side becomes finite.
func deriveBounds(m *lp.Model, rows *lp.Matrix) implied {
	n := len(m.Cols)
	b := implied{
		lower: slices.Repeat([]float64{math.Inf(-1)}, n),
		upper: slices.Repeat([]float64{math.Inf(1)}, n),
	}

	// Every pass but the last one makes a side finite, so that there are at most 2n+1 of them.
	for before := -1; before < len(b.steps); {
		before = len(b.steps)
		for i := range m.Rows {
			b.pass(m, rows, i)
		}
	}
	return b
}

// pass derives what it can from one row: at most one of its terms may be unbounded on the side that counts.
func (b *implied) pass(m *lp.Model, rows *lp.Matrix, i int) {
	// Both sides of the row are read as row*sense <= bound*sense.
	index, value := rows.Vec(i)
	for _, side := range []struct {
		bound float64
		sense float64
	}{{m.Rows[i].Upper, 1}, {m.Rows[i].Lower, -1}} {
		if math.IsInf(side.bound, 0) {
			continue
		}

		// The side less the least values of all terms; open is the term without a least value, -2 for more than one.
		open := -1
		sum := side.sense * side.bound
		magnitude := math.Abs(side.bound) // of all terms, by which the slack is measured
		for k, j := range index {
			a := side.sense * value[k]
			least := a * b.at(m, j, a < 0)
			if math.IsInf(least, 0) {
				if open >= 0 {
					open = -2
					break
				}
				open = k
				continue
			}
			sum -= least
			magnitude += math.Abs(least)
		}

		// The sum is an upper bound on the open term or, where there is none and its own least value is added again, on
		// every term.
		switch {
		case open == -2:
		case open >= 0:
			b.set(m, i, index[open], side.sense*value[open], sum, magnitude)
		default:
			for k, j := range index {
				a := side.sense * value[k]
				if math.IsInf(b.at(m, j, a > 0), 0) {
					least := a * b.at(m, j, a < 0)
					b.set(m, i, j, a, sum+least, magnitude)
				}
			}
		}
	}
}

// at returns a bound of column j.
func (b *implied) at(m *lp.Model, j int32, upper bool) float64 {
	if upper {
		return min(m.Cols[j].Upper, b.upper[j])
	}
	return max(m.Cols[j].Lower, b.lower[j])
}

// set records a*x_j <= room, with some slack, unless that side of the column is bounded.
func (b *implied) set(m *lp.Model, i int, j int32, a, room, magnitude float64) {
	upper := a > 0
	if !math.IsInf(b.at(m, j, upper), 0) {
		return
	}

	// The slack is added twice: to the sum, and to the quotient, whose rounding is relative to itself.
	v := (room + impliedSlack*magnitude) / a
	slack := impliedSlack * math.Abs(v)
	if v += pick(upper, slack, -slack); !(math.Abs(v) <= largestImplied) {
		return
	}
	if upper {
		b.upper[j] = v
	} else {
		b.lower[j] = v
	}
	b.steps = append(b.steps, boundStep{int32(i), j, upper, v})
}
