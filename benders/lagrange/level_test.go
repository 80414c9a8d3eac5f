package lagrange_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/lagrange"
)

// tent is min_k (a_k'x + b_k) over x >= 0, whose planes meet at the peak given.
type tent struct {
	slopes [][]float64
	peak   []float64
	height float64
	calls  int
}

func (r *tent) Project(x []float64) {
	for k, v := range x {
		x[k] = max(0, v)
	}
}

func (r *tent) Limit() float64 { return math.Inf(1) }

func (r *tent) Evaluate(x, slope []float64) (float64, []float64) {
	r.calls++
	best := math.Inf(1)
	for _, a := range r.slopes {
		v := r.height
		for k, g := range a {
			v += g * (x[k] - r.peak[k])
		}
		if v < best {
			best = v
			copy(slope, a)
		}
	}
	return best, nil
}

// newTent has planes on all sides of the peak, so that it is the only maximum.
func newTent(rng *rand.Rand, n int) *tent {
	r := &tent{height: 100, peak: make([]float64, n)}
	for k := range n {
		r.peak[k] = 10 * rng.Float64()
		for _, sign := range []float64{1, -1} {
			a := make([]float64, n)
			for j := range a {
				a[j] = 0.3 * (rng.Float64() - 0.5) / float64(n)
			}
			a[k] += sign
			r.slopes = append(r.slopes, a)
		}
	}
	return r
}

func TestLevelClimbs(t *testing.T) {
	for seed := range uint64(20) {
		r := newTent(rand.New(rand.NewPCG(seed, 1)), 8)
		l := lagrange.NewLevel(8)
		l.Gain, l.Patience = 0.05, 25
		steps := l.Improve(r, 2000)
		if !(l.Bound > 99.9) || l.Bound > 100+1e-9 || steps > 2000 {
			t.Errorf("seed %d: bound %g of 100 after %d steps", seed, l.Bound, steps)
		}
		slope := make([]float64, 8)
		if v, _ := r.Evaluate(l.Multipliers, slope); v != l.Bound {
			t.Errorf("seed %d: the multipliers have the bound %g, not %g", seed, v, l.Bound)
		}
	}
}

// TestLevelKeepsWhatMayNotMove has a multiplier without a scale, and a peak beyond the bound of another.
func TestLevelKeepsWhatMayNotMove(t *testing.T) {
	r := newTent(rand.New(rand.NewPCG(3, 3)), 4)
	r.peak[2] = -5
	l := lagrange.NewLevel(4)
	l.Multipliers[0], l.Scale[0], l.Gain = 7, 0, 0.05
	l.Improve(r, 500)
	if l.Multipliers[0] != 7 || l.Multipliers[2] < 0 {
		t.Errorf("multipliers %v", l.Multipliers)
	}
}

func TestLevelGivesUpFarBelowItsGoal(t *testing.T) {
	r := newTent(rand.New(rand.NewPCG(4, 4)), 6)
	l := lagrange.NewLevel(6)
	l.Gain, l.Goal = 0.05, 1e6
	if steps := l.Improve(r, 500); steps != 0 || r.calls != 1 {
		t.Errorf("%d steps and %d evaluations towards what is out of reach", steps, r.calls)
	}
}
