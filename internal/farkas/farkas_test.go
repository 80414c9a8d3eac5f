package farkas

import (
	"math"
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
