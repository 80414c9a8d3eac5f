package simplex

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// pivotalRow makes a solver of n columns, some of them boxed, fixed, free or at their upper bounds, with reduced costs
// many of which are zero, and a pivotal row.
func pivotalRow(t *testing.T, rng *rand.Rand, n int, boxed float64) *Solver {
	t.Helper()
	var m lp.Model
	for range n {
		c := lp.Col{Upper: lp.Inf}
		if rng.Float64() < boxed {
			c.Upper = float64(rng.IntN(4))
		}
		m.AddCol(c)
	}
	s := newSolver(t, &m)
	s.row.index, s.row.value = s.row.index[:0], s.row.value[:0]
	for j := range int32(n) {
		d := max(0, rng.Float64()-0.3) * float64(rng.IntN(3))
		s.basis.status[j] = AtLower
		switch {
		case s.bounds.up[j] < lp.Inf && rng.IntN(2) == 0:
			s.basis.status[j], d = AtUpper, -d
		case rng.IntN(50) == 0:
			s.basis.status[j], d = AtZero, 0
		}
		s.duals.d[j] = d
		s.row.index, s.row.value = append(s.row.index, j), append(s.row.value, rng.NormFloat64())
	}
	return s
}

// TestRatioTestLeavesOut: what the ratio test chooses, and what it charges, do not depend on whether candidates with
// large ratios are left out at first.
func TestRatioTestLeavesOut(t *testing.T) {
	left, again := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := pivotalRow(t, rng, 1+rng.IntN(200), []float64{0, 0.9, 1}[seed%3])
		r, violation := &s.ratio, 80*rng.Float64()
		choose := func(far int) (q int32, flips []int32, work float64) {
			r.far = far
			before := s.factor.work
			r.collect(&s.basicSolution, 1, alphaTol)
			if len(r.idx) < r.count {
				left++
			}
			k := r.chooseColumn(&s.basicSolution, violation)
			if far == 0 && r.far == farFor {
				again++
			}
			if q = -1; k >= 0 {
				q = r.idx[k]
			}
			return q, slices.Clone(r.idx[:r.flips]), s.factor.work - before
		}
		q, flips, work := choose(farFor)
		q1, flips1, work1 := choose(0)
		if q != q1 || !slices.Equal(flips, flips1) || work != work1 {
			t.Errorf("seed %d: column %d, flips %v, work %g; without leaving out %d, %v, %g", seed, q1, flips1, work1,
				q, flips, work)
		}
	}
	if left < 100 || again < 50 {
		t.Errorf("candidates were left out %d times, and asked for %d times", left, again)
	}
}
