package twostage

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// singles are the rows of a recourse with one recourse column each, such as x <= u y: given y they are bounds of the
// column, and as such no rows of its linear program. Multipliers of these rows are reduced costs of their columns.
type singles struct {
	at   []int32   // of each row of the component, its row in the linear program, -1 for a single
	kept []int32   // rows of the component that the linear program has, in its order
	cols []single  // columns with single rows, in the order of their first ones
	of   []int32   // of each column of the component, its place in cols, -1 for none
	full []float64 // scratch: a multiplier for each row of the component
}

// single is a column with its rows.
type single struct {
	col   int32     // position in the component
	rows  []int32   // positions in the component
	coef  []float64 // of the column, in each row
	lower int32     // row that gives the lower bound at the last point, -1 for the column's own
	upper int32     // and the upper one
	apart bool      // the lower bound is above the upper one
}

// findSingles divides the rows of a component into those of its linear program and those that bound one column. A
// coefficient of zero bounds nothing.
func findSingles(c *component) *singles {
	s := &singles{
		at:   make([]int32, len(c.rows)),
		of:   slices.Repeat([]int32{-1}, len(c.cols)),
		full: make([]float64, len(c.rows)),
	}
	for k := range c.rows {
		r := &c.recourse[k]
		if len(r.index) != 1 || r.value[0] == 0 {
			s.at[k] = int32(len(s.kept))
			s.kept = append(s.kept, int32(k))
			continue
		}

		// The row is one of its column's, whose entry is made with the first of them.
		j := r.index[0]
		if s.of[j] < 0 {
			s.of[j] = int32(len(s.cols))
			s.cols = append(s.cols, single{col: j, lower: -1, upper: -1})
		}
		q := &s.cols[s.of[j]]
		q.rows, q.coef = append(q.rows, int32(k)), append(q.coef, r.value[0])
		s.at[k] = -1
	}
	return s
}

// crossing is how far a lower bound may be above an upper one, relative to max(1, |bound|), and be taken for equal: the
// tolerance of the linear program.
const crossing = 1e-7

// bounds returns the bounds of a column at the point, its own and those of its rows with their sides moved out by room.
// Where a row's is as tight as the column's own it is the row that counts: its cut changes with the point.
func (q *single) bounds(r *recourse, y []float64, room float64) (lower, upper float64) {
	own := &r.p.Compact.Cols[r.c.cols[q.col]]
	lower, upper = own.Lower, own.Upper
	q.lower, q.upper, q.apart = -1, -1, false

	// Each row low <= v x <= high bounds the column by its sides divided by v.
	for t, k := range q.rows {
		row := &r.p.Compact.Rows[r.c.rows[k]]
		low, high := row.Lower, row.Upper
		if at := &r.c.at[k]; len(at.index) > 0 {
			a := at.dot(y)
			low, high = low-a-room, high-a+room
		}

		// Dividing by a negative coefficient exchanges the sides.
		v := q.coef[t]
		low, high = low/v, high/v
		if v < 0 {
			low, high = high, low
		}
		if !math.IsInf(low, -1) && low >= lower {
			lower, q.lower = low, k
		}
		if !math.IsInf(high, 1) && high <= upper {
			upper, q.upper = high, k
		}
	}

	// Bounds that cross by no more than the tolerance of the linear program are equal: a row gives way to the column's
	// own bound.
	if lower > upper {
		switch {
		case lower > upper+crossing*max(1, math.Abs(upper)):
			q.apart = true
		case q.lower >= 0:
			lower = upper
		default:
			upper = lower
		}
	}
	return lower, upper
}

// assign gives the rows that are the bounds of their columns the multipliers that make the reduced cost of the column,
// z, zero.
func (q *single) assign(z float64, lambda []float64) {
	k := q.lower // a positive reduced cost prices the lower bound
	if z < 0 {
		k = q.upper
	}
	if t := slices.Index(q.rows, k); t >= 0 {
		lambda[k] = z / q.coef[t]
	}
}

// dual returns the optimal multipliers of all rows, valid until the next call.
func (r *recourse) dual() []float64 {
	s := r.singles
	if len(s.cols) == 0 {
		return r.solver.dual()
	}

	// A nonbasic column is at a bound; where that is a row's, the reduced cost becomes the row's multiplier.
	r.spread(r.solver.dual())
	reduced := r.solver.solver.ReducedCost()
	for t := range s.cols {
		q := &s.cols[t]
		if r.solver.solver.ColStatus(lp.Var(q.col)) != simplex.Basic {
			q.assign(reduced[q.col], s.full)
		}
	}
	return s.full
}

// spread puts the multipliers of the rows of the linear program where the component has them, with zero for the others.
func (r *recourse) spread(rows []float64) {
	clear(r.singles.full)
	for i, k := range r.singles.kept {
		r.singles.full[k] = rows[i]
	}
}

// ray returns a Farkas ray over all rows, valid until the next call; nil where there is none.
func (r *recourse) ray() []float64 {
	s := r.singles
	if len(s.cols) == 0 {
		return r.solver.ray()
	}

	// Two bounds that contradict each other are a proof of their own: the rows that give them, weighted such that the
	// column cancels.
	for t := range s.cols {
		if q := &s.cols[t]; q.apart {
			clear(s.full)
			q.assign(1, s.full)
			q.assign(-1, s.full)
			return s.full
		}
	}

	// Else the ray of the linear program, in which the rows of a column pay for what the others leave of its coefficient.
	rows := r.solver.ray()
	if len(rows) != len(s.kept) {
		return nil
	}
	r.spread(rows)
	for t := range s.cols {
		q := &s.cols[t]
		q.assign(-r.c.columns[q.col].dot(s.full), s.full)
	}
	return s.full
}
