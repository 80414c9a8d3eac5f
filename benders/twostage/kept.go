package twostage

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Kept is multipliers that were made dual feasible at a point once for all scenarios of a program, which share their
// dual-feasible set (stoch.Random.FixedDual). What they certify of a scenario takes its sides and bounds alone, and
// its cut what differs from the skeleton's.
type Kept struct {
	lambda   []float64 // of all recourse rows, zero for those with one recourse column
	z        []float64 // reduced costs of the recourse columns
	feasible bool      // false where not even the middle was dual feasible
	dual     *Dual     // the certificate of a scenario's cut; nil until Share
	closing  []single  // columns with rows of their own, and the rows that bound them in the scenario of dual
}

// Keep makes predicted multipliers dual feasible as Inside does, for all scenarios. It returns nil where these do not
// share their dual-feasible set.
func (v *View) Keep(predicted, middle, y []float64) *Kept {
	if !v.s.span.random.FixedDual() {
		return nil
	}

	// The reduced costs are the same in all scenarios: costs and recourse coefficients are not random.
	c := &v.p.parts[0]
	s := v.inside(predicted, middle, y)
	q := &Kept{lambda: slices.Clone(v.full), z: make([]float64, len(c.cols)), feasible: s.length <= 1}
	for k, j := range c.cols {
		q.z[k] = v.p.cost(benders.Optimality, j) - c.columns[k].dot(v.full)
	}
	return q
}

// Certified returns the lower bound, to rounding, that kept multipliers certify for the scenario's recourse at the
// point that they were kept at. It is the value of Supergradient, bit for bit: columns and rows are summed in the same
// order. It is NaN where the middle is not dual feasible.
func (v *View) Certified(q *Kept, y []float64) float64 {
	if !q.feasible {
		return math.NaN()
	}

	// The columns, at the bounds of the scenario that their reduced costs price.
	v.bounds(y)
	value := 0.0
	for k, z := range q.z {
		if x := v.priced(k, z); x != 0 {
			value += z * x
		}
	}

	// The rows, at the sides that their multipliers price, less the activity of the first stage.
	for t, i := range v.predicted {
		if l := q.lambda[i]; l != 0 {
			r := &v.p.Compact.Rows[v.p.parts[0].rows[i]]
			value += l * (pick(l > 0, r.Lower, r.Upper) - v.taken[t])
		}
	}
	return value
}

// Share keeps the certificate of the scenario's cut of kept multipliers, for the others. The last call of
// Certified was for this scenario.
func (v *View) Share(q *Kept, cut *benders.Cut) {
	if q.dual = v.s.Dual(cut); q.dual == nil {
		return
	}

	// The certificate has multipliers on the rows that bounded columns in this scenario.
	q.closing = append(q.closing[:0], v.closing...)
}

// Shared returns the certificate that was kept with the multipliers, where it is the scenario's too: the bounds of
// columns come from the same rows. Else it returns nil. The last call of Certified was for this scenario.
func (v *View) Shared(q *Kept) *Dual {
	// Where another row bounds a column, the reduced cost of the column belongs to that row.
	same := func(a, b single) bool { return a.lower == b.lower && a.upper == b.upper }
	if q.dual == nil || !slices.EqualFunc(v.closing, q.closing, same) {
		return nil
	}
	return q.dual
}
