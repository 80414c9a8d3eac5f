// Package farkas checks proofs of infeasibility by Farkas' lemma: weights of rows whose sum contradicts the bounds.
package farkas

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/f64"
)

// proof is a sum of weighted rows that proves that no point within the bounds satisfies all rows, in twice the
// precision of float64: where large numbers cancel, a plain sum would not distinguish a small contradiction from
// rounding errors.
type proof struct {
	z     []f64.Double // the sum of the rows
	terms []terms      // of each column in that sum
	side  f64.Double   // of their sides
	size  float64      // of the absolute terms
}

// terms are what the sum of a column was added up from: the rounding error of the sum is relative to them, however
// small the sum itself is.
type terms struct {
	count float64
	size  float64 // sum of their absolute values
}

// New returns an empty sum of rows with n columns.
func New(n int) *proof { return &proof{z: make([]f64.Double, n), terms: make([]terms, n)} }

// Add adds y times a row, with its lower side if y is positive and its upper side if y is negative. An infinite side
// makes the proof void.
func (f *proof) Add(y, lower, upper float64, index []int32, value []float64) {
	if y == 0 {
		return
	}

	// The sign of the weight decides which side the row contributes.
	side := activity.Least(y, lower, upper)
	f.side.AddProduct(y, side)
	f.size += math.Abs(y * side)
	for k, j := range index {
		f.z[j].AddProduct(y, value[k])
		f.terms[j].count++
		f.terms[j].size += math.Abs(y * value[k])
	}
}

// Proves reports whether the weighted sides exceed the largest value of the weighted rows with x_j in [lower, upper] =
// bounds(j), by more than the rounding error of the sums. A column at an infinite bound makes the proof void.
func (f *proof) Proves(bounds func(j int) (lower, upper float64)) bool {
	gap, noise := f.Gap(bounds)
	return gap > noise // false for NaN
}

// Gap returns that excess, minus infinity for a void proof, and the rounding error.
func (f *proof) Gap(bounds func(j int) (lower, upper float64)) (gap, noise float64) {
	sum := f.side
	size := f.size
	for j := range f.z {
		// The value of a column is zero, or has a sign that decides at which bound the sum is largest.
		z := f.z[j].Value()
		if z == 0 {
			continue
		}
		lower, upper := bounds(j)
		at := activity.Least(-z, lower, upper)
		if math.IsInf(at, 0) {
			return math.Inf(-1), 0
		}
		sum.AddTimes(-at, &f.z[j])
		size += math.Abs(z * at)

		// Where the terms of the column cancel, the error of its sum may be large next to the sum.
		t := &f.terms[j]
		noise += t.count * t.count * doubleRounding * t.size * math.Abs(at)
	}
	return sum.Value(), noise + doubleNoise*size
}

// doubleRounding times n squared bounds the error of a sum of n terms in doubled precision, relative to the sum of
// their absolute values (see f64.Double).
const doubleRounding = 0x1p-104

// doubleNoise is far above the error of a sum in doubled precision, relative to its terms.
const doubleNoise = 1e-24
