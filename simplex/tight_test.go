package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// tightModel returns a random model with coefficients of 1e-6 to 1e6 around a planted point, on which most sides are
// tight: rounding alone decides whether it is feasible.
func tightModel(rng *rand.Rand) *lp.Model {
	unit := func() float64 {
		v := math.Pow(10, 12*rng.Float64()-6)
		return math.Copysign(math.Round(v*1e8)/1e8, rng.Float64()-0.5)
	}
	m := &lp.Model{}
	n := 3 + rng.IntN(8)
	x := make([]float64, n)
	for j := range x {
		c := lp.Col{Cost: unit(), Upper: float64(1 + rng.IntN(30))}
		x[j] = float64(rng.IntN(int(c.Upper) + 1))
		switch rng.IntN(6) {
		case 0:
			c.Lower, c.Upper = math.Inf(-1), lp.Inf
		case 1:
			x[j] = c.Upper * rng.Float64()
		}
		m.AddCol(c)
	}
	for range 2 + rng.IntN(8) {
		var index []int32
		var value []float64
		act := 0.0
		for j := range n {
			if rng.IntN(3) == 0 {
				index, value = append(index, int32(j)), append(value, unit())
				act += value[len(value)-1] * x[j]
			}
		}
		r := lp.Row{Lower: act, Upper: act}
		switch rng.IntN(4) {
		case 0:
			r.Lower = math.Inf(-1)
		case 1:
			r.Upper = lp.Inf
		case 2:
			r.Lower = act - float64(rng.IntN(2)*rng.IntN(9))
		}
		m.AddRow(r, index, value)
	}
	return m
}

// TestTightModels solves models that rounding makes barely feasible or barely infeasible. Nearly all must have an
// answer: a contradiction that is small relative to the terms of its proof is proven in doubled precision, a free column
// that the proof leaves by rounding is bounded by what the rows imply, and the basic values of an ill-conditioned basis
// are refined. What is left is infeasible by less than a ray in floating point can show.
func TestTightModels(t *testing.T) {
	count, failed := map[lp.Status]int{}, 0
	for seed := range uint64(6000) {
		m := tightModel(rand.New(rand.NewPCG(seed, 31)))
		opt := DefaultOptions()
		opt.Presolve = seed%2 == 0
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			failed++
			continue
		}
		count[sol.Status]++
		if r := Check(m, sol); sol.Status == lp.Optimal && r.Primal > 1e-5 {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
	t.Log(count, failed)
	if failed > 12 {
		t.Errorf("%d have no answer", failed)
	}
}
