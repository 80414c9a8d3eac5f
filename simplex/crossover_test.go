package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestCrossoverLargeBounds crosses over from points between bounds of 1e6 to 1e15, beside which the tolerance is less than
// rounding: every push finds what blocks it.
func TestCrossoverLargeBounds(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 32))
		m, p := wideFace(rng, 20, 40, math.Pow(10, 6+9*rng.Float64()))
		opt := DefaultOptions()
		opt.Scale, opt.Fold, opt.Presolve = false, false, false
		s, err := New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		s.crossover(context.Background(), p)
		r, err := s.Solve(context.Background(), NoLimits())
		if err != nil || r.Status != lp.Optimal {
			t.Errorf("seed %d: %v, %v", seed, r.Status, err)
		}
	}
}

// TestCrossoverStaysFeasible crosses over from points inside sets whose rows have coefficients between 1e-5 and 1, with
// bounds of 1e5 on the columns: a push that overlooks small coefficients takes the rows beyond their sides.
func TestCrossoverStaysFeasible(t *testing.T) {
	pivots := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m, p := wideFace(rng, 40, 80, 1e5)
		opt := DefaultOptions()
		opt.Scale, opt.Fold, opt.Presolve = false, false, false
		s, err := New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		pivots += s.crossover(context.Background(), p).Iterations
		s.ensurePrimals()
		for r := range s.basis.head {
			if amount, _ := s.primals.violation(int32(r)); amount > 1e-5 {
				t.Fatalf("seed %d: position %d is %g outside its bounds after the crossover", seed, r, amount)
			}
		}
	}
	if pivots == 0 {
		t.Error("no push was blocked")
	}
}

// wideFace returns a model without costs, all points of which are optimal, and a point inside it; columns go up to most.
func wideFace(rng *rand.Rand, rows, cols int, most float64) (*lp.Model, *Solution) {
	m := &lp.Model{}
	p := &Solution{Result: Result{Status: lp.Optimal}}
	for range cols {
		m.AddCol(lp.Col{Lower: 0, Upper: most})
		p.X = append(p.X, most*rng.Float64())
		p.ReducedCost = append(p.ReducedCost, 0)
		p.Basis.Cols = append(p.Basis.Cols, Basic)
	}
	for range rows {
		activity := 0.0
		var index []int32
		var value []float64
		for j := range cols {
			if rng.Float64() < 0.2 {
				a := math.Pow(10, -5*rng.Float64())
				index = append(index, int32(j))
				value = append(value, a)
				activity += a * p.X[j]
			}
		}
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: activity + 10*rng.Float64()}, index, value)
		p.RowActivity = append(p.RowActivity, activity)
		p.RowDual = append(p.RowDual, 0)
		p.Basis.Rows = append(p.Basis.Rows, Basic)
	}
	return m, p
}
