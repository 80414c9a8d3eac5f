package bnb

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/farkas"
	"github.com/proxybd/proxybd/lp"
)

// The simplex holds scaled rows to scaled tolerances, and those of the model where it can. A row with small
// coefficients may then contradict others by 1e-12 of its own units, which is infeasible for the simplex, and no more
// than the rounding error in the sides of a presolved model. Such a proof is weak: it does not hold for the model with
// its tolerances. Its rows are relaxed, for the rest of the search, by a millionth of the tolerance, and the LP is
// solved again.

// weak reports whether a Farkas ray would prove nothing if the sides of its rows that are still those of the model were
// relaxed.
func (r *relaxation) weak(ray []float64) bool {
	if len(ray) != r.p.rows+len(r.cuts) {
		return false
	}

	// Relaxed sides lower what the ray proves by the slack times the sum of its weights.
	sum := 0.0
	for i, v := range ray[:r.p.rows] {
		if !r.relaxed[i] {
			sum += math.Abs(v)
		}
	}

	// Without a row that can be relaxed, or with a margin beyond the slack, the proof is not weak.
	if sum == 0 || r.strong(ray, r.slack*sum) {
		return false
	}
	proof := farkas.New(r.p.n)
	for i, v := range ray {
		index, value, lower, upper := r.row(i)
		side := activity.Least(v, lower, upper)
		// A row at an infinite side would make the sum worthless, and is left out.
		if v == 0 || !math.IsInf(side, 0) {
			proof.Add(v, lower, upper, index, value)
		}
	}
	gap, _ := proof.Gap(func(j int) (lower, upper float64) { return finite(r.lower[j]), finite(r.upper[j]) })
	return gap <= r.slack*sum
}

// proofNoise is the rounding error of a plain sum, relative to the sum of the sizes of its terms.
const proofNoise = 1e-11

// strong reports whether plain sums suffice to show that a ray proves infeasibility by more than least: doubled
// precision for every node that is cut off would take as long as its LP.
func (r *relaxation) strong(ray []float64, least float64) bool {
	clear(r.dual)
	clear(r.size)

	// The weighted sum of the rows: its sides in gap, its coefficients in r.dual.
	var gap, total float64
	for i, v := range ray {
		side, index, value, ok := r.weighted(i, v)
		if !ok {
			continue
		}
		gap += v * side
		total += math.Abs(v * side)
		for k, j := range index {
			t := v * value[k]
			r.dual[j] += t
			r.size[j] += math.Abs(t)
		}
	}

	// A column takes the largest part of the sum that its bounds allow.
	for j, z := range r.dual {
		at := finite(activity.Least(-z, r.lower[j], r.upper[j]))
		gap -= z * at
		total += r.size[j] * math.Max(math.Abs(finite(r.lower[j])), math.Abs(finite(r.upper[j])))
	}
	return gap > least+proofNoise*total
}

// finite is v, zero for an infinite bound: only a coefficient that is a rounding error is multiplied by one.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// relaxRay relaxes the rows of a weak ray; it returns false if it is not weak.
func (r *relaxation) relaxRay(ray []float64) bool {
	if !r.weak(ray) {
		return false
	}

	// Only rows of the problem are relaxed, each once.
	for i, v := range ray[:r.p.rows] {
		if v != 0 && !r.relaxed[i] {
			r.relax(i)
		}
	}
	return true
}

// relax relaxes a row.
func (r *relaxation) relax(i int) {
	r.relaxed[i] = true
	_, _, lower, upper := r.row(i)
	r.s.SetRowBounds(lp.Con(i), lower, upper)
}
