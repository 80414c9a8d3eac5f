package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
)

// record is one reduction that removed or changed columns. It works on points in the columns of the given model.
type record interface {
	undo(x []float64)    // sets the columns that the reduction removed or changed, from those of the stage after it
	forward(x []float64) // sets the columns whose meaning the reduction changed, from those of the stage before it
}

// fixedCol is a column that was removed at a value.
type fixedCol struct {
	j int32
	v float64
}

// undo sets the column to its value.
func (r *fixedCol) undo(x []float64) { x[r.j] = r.v }

// forward does nothing: the column is gone.
func (*fixedCol) forward(_ []float64) {}

// interval is the domain of a column.
type interval struct {
	lo, up  float64
	integer bool
}

// clip returns the value of the domain that is nearest to v.
func (d interval) clip(v float64) float64 {
	// An integer column is rounded before it is put inside its bounds, which are integers.
	if d.integer {
		v = math.Round(v)
	}
	return math.Min(math.Max(v, d.lo), d.up)
}

// domain returns the domain of column j.
func (p *problem) domain(j int32) interval { return interval{p.Lo[j], p.Up[j], p.integer[j]} }

// terms is the sum of vals[k] * x[cols[k]].
type terms struct {
	cols []int32
	vals []float64
}

// at is the value of the sum at x.
func (t *terms) at(x []float64) float64 {
	v := 0.0
	for k, j := range t.cols {
		v += t.vals[k] * x[j]
	}
	return v
}

// affineCol is a column that an equation determines: x_j = (b - rest) / pivot.
type affineCol struct {
	j        int32
	b, pivot float64
	rest     terms
	domain   interval
}

// undo computes the column from the equation, within its domain.
func (r *affineCol) undo(x []float64) { x[r.j] = r.domain.clip((r.b - r.rest.at(x)) / r.pivot) }

// forward does nothing: the column is gone.
func (*affineCol) forward(_ []float64) {}

// slackCol is a column without cost in one row, lo <= v x_j + rest <= up. For every value of the rest that the wider
// row allows, it has a value.
type slackCol struct {
	j         int32
	v, lo, up float64
	rest      terms
	domain    interval
}

// undo computes the value nearest to zero that satisfies the row.
func (r *slackCol) undo(x []float64) {
	// The row limits the column to [lo, up], for the values of the rest.
	rest := r.rest.at(x)
	lo, up := activity.Divide(r.lo-rest, r.up-rest, r.v)
	x[r.j] = nearZero(math.Max(lo, r.domain.lo), math.Min(up, r.domain.up))
}

// forward does nothing: the column is gone.
func (*slackCol) forward(_ []float64) {}

// nearZero returns the value of [lo, up] that is nearest to zero; lo may exceed up by rounding.
func nearZero(lo, up float64) float64 {
	switch {
	case lo > 0:
		return lo
	case up < 0:
		return up
	}
	return 0
}

// freeRay is a column without cost that satisfies all its rows far enough in one direction.
type freeRay struct {
	j      int32
	up     bool // the direction
	domain interval
	rows   []raySide
}

// raySide is a side of a row v x_j + rest, the one that limits x_j opposite to the direction.
type raySide struct {
	v, side float64
	rest    terms
}

// undo computes the value nearest to zero, or to its bounds, that satisfies all rows.
func (r *freeRay) undo(x []float64) {
	// The value starts near zero and moves in the direction as far as each row needs.
	at := nearZero(r.domain.lo, r.domain.up)
	for k := range r.rows {
		s := &r.rows[k]
		need := (s.side - s.rest.at(x)) / s.v
		if r.up {
			at = math.Max(at, need)
		} else {
			at = math.Min(at, need)
		}
	}

	// An integer column is rounded on in the same direction, which no row forbids.
	if r.domain.integer && r.up {
		at = math.Ceil(at)
	} else if r.domain.integer {
		at = math.Floor(at)
	}
	x[r.j] = at
}

// forward does nothing: the column is gone.
func (*freeRay) forward(_ []float64) {}

// mergedCols are columns j and k = s times j that were replaced by x_j + s x_k, in place of x_j.
type mergedCols struct {
	j, k   int32
	s      float64
	dj, dk interval
}

// undo divides the sum: x_k is the value nearest to zero for which x_j is within its bounds.
func (r *mergedCols) undo(x []float64) {
	// x_j = y - s x_k has to be within the bounds of x_j.
	y := x[r.j]
	lo, up := activity.Divide(y-r.dj.up, y-r.dj.lo, r.s)
	if r.dk.integer {
		// Beside a continuous column the interval holds an integer whatever the sum is. A slack would be s times as large in
		// x_j, which could not take it up.
		slack := integralSlack
		if !r.dj.integer {
			slack = 0
		}
		lo = math.Ceil(lo - slack)
		up = math.Floor(up + slack)
	}

	// The values are clipped, since the sum may be off its bounds by the tolerance.
	xk := r.dk.clip(nearZero(math.Max(lo, r.dk.lo), math.Min(up, r.dk.up)))
	x[r.j] = r.dj.clip(y - r.s*xk)
	x[r.k] = xk
}

// forward computes the sum.
func (r *mergedCols) forward(x []float64) { x[r.j] += r.s * x[r.k] }
