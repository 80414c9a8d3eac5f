package cuts

import (
	"math"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/internal/sparse"
)

// Model is the mixed-integer program whose points the cuts must keep: minimize Cost'x subject to RowLower <= A x <=
// RowUpper, Lower <= x <= Upper, x_j integer where Integer[j] holds. A has a row for each entry of RowLower and a
// column for each entry of Lower. The caller may tighten Lower and Upper between two calls of Separate; every cut is
// valid for the bounds at the time of its call. The bounds of integer columns must be integers.
type Model struct {
	Integer            []bool
	Cost               []float64
	Lower, Upper       []float64
	ByCol, ByRow       *sparse.Matrix // A by columns and by rows
	RowLower, RowUpper []float64
	Implications       []presolve.Implication // found by presolve
}

// Row is a row of the LP: Lower <= Value'x[Index] <= Upper.
type Row struct {
	Index        []int32
	Value        []float64
	Lower, Upper float64
}

// LP is the relaxation at its optimum. Its first rows are those of the model; further rows are cuts.
type LP interface {
	// Rows returns the number of rows.
	Rows() int
	// Row returns row i; the caller does not write to it.
	Row(i int) Row
	// Multipliers computes in y the weights of the rows whose sum is the tableau row of column j, a column of the model.
	// It returns false if the column is not basic.
	Multipliers(j int32, y []float64) bool
}

// Cut is a row Value'x[Index] <= Upper that every point of the model satisfies and the LP point does not.
type Cut struct {
	Index    []int32 // ascending
	Value    []float64
	Upper    float64
	Efficacy float64 // see view.efficacy
	Kind     Kind
}

// binary reports whether column j takes 0 and 1 only, and is not fixed.
func (m *Model) binary(j int32) bool {
	return m.Integer[j] && m.Lower[j] == 0 && m.Upper[j] == 1
}

// view is the LP at the point to cut off, with the activities of its rows.
type view struct {
	m        *Model
	lp       LP
	x        []float64
	rows     []Row     // sides of integral rows are rounded inward
	activity []float64 // by row
	integral []bool    // by row: all columns are integer, with integer coefficients

	longest int // largest number of entries of a cut

	work   int // of this call; a unit is about one matrix entry
	budget int // of work
}

// spent reports whether the work of this call exceeds its budget.
func (v *view) spent() bool { return v.work > v.budget }

// refresh reads the rows of the LP at x.
func (v *view) refresh(x []float64) {
	v.x = x
	v.rows = v.rows[:0]
	v.activity = v.activity[:0]
	v.integral = v.integral[:0]

	// The rows are read anew in every round, since cuts come and go.
	for i := range v.lp.Rows() {
		r := v.lp.Row(i)
		v.work += 2 * len(r.Index)
		whole := true
		act := 0.0
		for k, j := range r.Index {
			act += r.Value[k] * x[j]
			whole = whole && v.m.Integer[j] && r.Value[k] == math.Round(r.Value[k])
		}

		// The activity of an integral row is an integer, so that its sides can be rounded.
		if whole {
			r.Lower, r.Upper = roundSides(r.Lower, r.Upper)
		}
		v.rows = append(v.rows, r)
		v.activity = append(v.activity, act)
		v.integral = append(v.integral, whole)
	}
}

// roundSides rounds the sides of a row whose activity is an integer, unless they are so large that their rounding
// errors may be.
func roundSides(lower, upper float64) (float64, float64) {
	lo := math.Ceil(lower - sideTol*math.Max(1, math.Abs(lower)))
	up := math.Floor(upper + sideTol*math.Max(1, math.Abs(upper)))

	// The tolerance itself would round sides of this size.
	if math.Abs(lower) > largestSide {
		lo = lower
	}
	if math.Abs(upper) > largestSide {
		up = upper
	}
	return lo, up
}

// slack is the distance of a row's activity from its nearer side, relative to the activity.
func (v *view) slack(i int32) float64 {
	r := &v.rows[i]
	act := v.activity[i]
	return math.Min(act-r.Lower, r.Upper-act) / math.Max(1, math.Abs(act))
}

// efficacy is the distance from the LP point to the hyperplane of a cut in the space of the columns that can move
// towards it: a column at the bound where its term is least cannot. Otherwise the large coefficients of closed arcs
// would hide every violation.
func (v *view) efficacy(c *Cut) float64 {
	// The norm leaves out the columns that cannot move towards the cut.
	var act, norm float64
	for k, j := range c.Index {
		x := v.x[j]
		a := c.Value[k]
		act += a * x

		// The column can move towards the hyperplane: down or up.
		down := a > 0 && x > v.m.Lower[j]+atBound
		up := a < 0 && x < v.m.Upper[j]-atBound
		if down || up {
			norm += a * a
		}
	}

	return distance(act-c.Upper, norm)
}

// distance returns the distance by which a cut is violated in a space where its coefficients have that sum of squares;
// 0 where there are none.
func distance(violation, squares float64) float64 {
	if squares == 0 {
		return 0
	}
	return violation / math.Sqrt(squares)
}

// sideOf returns the side for which sign times a row with the sides lower and upper is at most that.
func sideOf(lower, upper, sign float64) float64 {
	if sign < 0 {
		return -lower
	}
	return upper
}
