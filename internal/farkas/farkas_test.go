package farkas

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Two rows that differ by 1e-5 at 1e10 exclude each other: a plain sum with weights that are no powers of two rounds
// the difference away.
func TestProof(t *testing.T) {
	unit := func(int) (float64, float64) { return 0, 1e9 }
	for _, gap := range []float64{1e-5, 0, -1e-5} {
		f := New(2)
		index, value := []int32{0, 1}, []float64{0.3, 0.7}
		f.Add(1.0/3, 1e10+gap, math.Inf(1), index, value)
		f.Add(-1.0/3, math.Inf(-1), 1e10, index, value)
		if f.Proves(unit) != (gap > 0) {
			t.Errorf("gap %g: proven %v", gap, gap <= 0)
		}
	}
	f := New(1)
	f.Add(-1, 1, math.Inf(1), []int32{0}, []float64{1})
	if f.Proves(unit) {
		t.Error("an infinite side proves nothing")
	}
}

// TestCancellation adds rows whose weighted sum is zero exactly, so that it proves nothing: multiples of one
// equation, with weights that cancel in a pair and in a triple of very different size. What rounding leaves of the sum is
// no proof.
func TestCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	whole := func() float64 { return float64(rng.Int64N(1 << 48)) }
	for k := range 1000 {
		// 3*7a + 5*7b - 7(3a + 5b) = 0, and both rows of weight h are the same; all numbers here are exact.
		a, b, h := whole(), whole(), whole()*0x1p60
		f, g := whole(), whole()
		sum := New(2)
		for _, r := range []struct{ weight, multiple float64 }{{h, 11}, {7 * a, 3}, {-h, 11}, {7 * b, 5}, {-(3*a + 5*b), 7}} {
			sum.Add(r.weight, 0, 0, []int32{0, 1}, []float64{r.multiple * f, -r.multiple * g})
		}
		if sum.Proves(func(int) (float64, float64) { return 1, 2 }) {
			t.Fatalf("sum %d, of zero, is a proof", k)
		}
	}
}
