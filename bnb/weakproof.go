package bnb

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// The simplex holds scaled rows to scaled tolerances, and those of the model where it can. A row with small
// coefficients may then contradict others by 1e-12 of its own units, which is infeasible for the simplex, and no more
// than what rounding leaves of the sides of a presolved model. Such a proof is weak: it says nothing of the model with
// its tolerances. The rows of it are eased, for the rest of the search, by a millionth of the tolerance, and the LP is
// solved again.

// weak reports whether a Farkas ray would prove nothing if the sides of its rows that are still those of the model were
// eased.
func (r *relaxation) weak(ray []float64) bool {
	if len(ray) != r.p.rows+len(r.cuts) {
		return false
	}
	sum := 0.0
	for i, v := range ray[:r.p.rows] {
		if !r.eased[i] {
			sum += math.Abs(v)
		}
	}
	if sum == 0 {
		return false
	}
	gap := r.combine(ray, nil, 1)
	for j, z := range r.dual {
		at := r.upper[j]
		if z < 0 {
			at = r.lower[j]
		}
		if z != 0 && !math.IsInf(at, 0) {
			gap -= z * at
		}
	}
	return gap <= r.slack*sum
}

// ease eases the rows of a weak ray; it returns false if it is not weak.
func (r *relaxation) ease(ray []float64) bool {
	if !r.weak(ray) {
		return false
	}
	for i, v := range ray[:r.p.rows] {
		if v != 0 && !r.eased[i] {
			r.eased[i] = true
			_, _, lower, upper := r.row(i)
			r.s.SetRowBounds(lp.Con(i), lower, upper)
		}
	}
	return true
}
