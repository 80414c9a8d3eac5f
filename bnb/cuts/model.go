package cuts

import (
	"math"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/internal/sparse"
)

// Model is the mixed-integer program whose points the cuts must keep: A x within [RowLower, RowUpper],
// x within [Lower, Upper], the Integer columns integral. The caller may tighten Lower and Upper between
// two calls of Separate, and every cut is valid for the bounds at its time. Those of integer columns are
// integral.
type Model struct {
	Integer            []bool
	Cost               []float64
	Lower, Upper       []float64
	ByCol, ByRow       *sparse.Matrix
	RowLower, RowUpper []float64
	Implications       []presolve.Implication // that presolve found
}

// Row is a row of the LP: Lower <= Value'x[Index] <= Upper.
type Row struct {
	Index        []int32
	Value        []float64
	Lower, Upper float64
}

// LP is the relaxation at its optimum: the rows of the model and behind them rows that hold for every
// point of it.
type LP interface {
	// Rows returns the number of rows.
	Rows() int
	// Row returns row i; the caller does not write to it.
	Row(i int) Row
	// Multipliers computes the weights of the rows that make the tableau row of column j. It returns
	// false if the column is not basic.
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

// view is the LP at the point to cut off, with what the separators ask of its rows.
type view struct {
	m        *Model
	lp       LP
	x        []float64
	rows     []Row // sides of integral rows are rounded inward
	activity []float64
	integral []bool // all columns integer with integral coefficients

	longest int // entries that a cut may have

	work   int // about one unit an entry touched, in this call
	budget int
}

// spent reports whether the work allowed to this call is done.
func (v *view) spent() bool { return v.work > v.budget }

// refresh reads the rows of the LP at x.
func (v *view) refresh(x []float64) {
	v.x = x
	n := v.lp.Rows()
	v.rows, v.activity, v.integral = v.rows[:0], v.activity[:0], v.integral[:0]
	for i := range n {
		r := v.lp.Row(i)
		whole, act := true, 0.0
		v.work += 2 * len(r.Index)
		for k, j := range r.Index {
			act += r.Value[k] * x[j]
			whole = whole && v.m.Integer[j] && r.Value[k] == math.Round(r.Value[k])
		}
		if whole {
			r.Lower, r.Upper = roundSides(r.Lower, r.Upper)
		}
		v.rows, v.activity, v.integral = append(v.rows, r), append(v.activity, act), append(v.integral, whole)
	}
}

// roundSides rounds the sides of a row whose activity is an integer.
func roundSides(lower, upper float64) (float64, float64) {
	lo, up := math.Ceil(lower-sideTol*math.Max(1, math.Abs(lower))), math.Floor(upper+sideTol*math.Max(1, math.Abs(upper)))
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
	r, act := &v.rows[i], v.activity[i]
	return math.Min(act-r.Lower, r.Upper-act) / math.Max(1, math.Abs(act))
}

// efficacy is the distance from the LP point to the hyperplane of a cut along the columns that have a way towards it:
// one that lies at the bound where its term is least has none. Large coefficients of closed arcs would hide every
// violation otherwise.
func (v *view) efficacy(c *Cut) float64 {
	act, norm := 0.0, 0.0
	for k, j := range c.Index {
		x, a := v.x[j], c.Value[k]
		act += a * x
		if a > 0 && x > v.m.Lower[j]+atBound || a < 0 && x < v.m.Upper[j]-atBound {
			norm += a * a
		}
	}
	if norm == 0 {
		return 0
	}
	return (act - c.Upper) / math.Sqrt(norm)
}
