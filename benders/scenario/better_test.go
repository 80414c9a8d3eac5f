package scenario

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBetterOfInfeasible chooses among multipliers of which the first are not dual feasible, with a middle that is not
// either: the ones whose cut is worth most are chosen.
func TestBetterOfInfeasible(t *testing.T) {
	infeasible := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p, err := New(fixedCharge(rng))
		if err != nil {
			t.Fatal(err)
		}
		view, err := p.scenarios.View()
		if err != nil {
			t.Fatal(err)
		}

		y := make([]float64, len(p.master.Cols))
		for j := range y {
			y[j] = float64(rng.IntN(2))
		}

		// Demand multipliers of 1000 are more than any cost.
		n := len(view.Predicted())
		list := make([][]float64, 3)
		for k := range list {
			list[k] = make([]float64, n)
		}
		middle := make([]float64, n)
		for i := range n {
			list[0][i] = 1000
			list[2][i] = rng.Float64()
			middle[i] = 1000
		}

		// Every scenario chooses among the three.
		for s := range p.weight {
			if err := view.Set(s); err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(view.Supergradient(nil, list[0], middle, y)) {
				infeasible++
			}

			// What multipliers are worth is the value of their cut, where they have one.
			worth := func(k int) float64 {
				cut, err := ownCut(view, list[k], middle, y)
				if err != nil {
					return math.Inf(-1)
				}
				return cut.ValueDown(y)
			}
			chosen := worth(better(view, list, nil, middle, y))
			for k := range list {
				if v := worth(k); chosen < v-1e-6*max(1, math.Abs(v)) {
					t.Errorf("seed %d, scenario %d: a cut of %g is chosen, number %d is worth %g", seed, s, chosen, k, v)
				}
			}
		}
	}
	if infeasible < 100 {
		t.Errorf("the first multipliers were not feasible %d times", infeasible)
	}
}
