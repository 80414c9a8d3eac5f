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
		s := unscaled(t, m)
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
		s := unscaled(t, m)
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

// TestCrossoverSmallPivot crosses over from a point whose only push is blocked by a row with the coefficient 1e-6 on
// both ways: the column goes to its bound, since a pivot as small as that spoils a basis, and the Solve after the
// crossover repairs the row.
func TestCrossoverSmallPivot(t *testing.T) {
	m := &lp.Model{}
	x := int32(m.AddCol(lp.Col{Upper: 1e6}))
	m.AddRow(lp.Row{Lower: 0.6 - 1e-3, Upper: 0.6 + 1e-3}, []int32{x}, []float64{1e-6})
	p := &Solution{
		Result:      Result{Status: lp.Optimal},
		X:           []float64{6e5},
		ReducedCost: []float64{0},
		RowActivity: []float64{0.6},
		RowDual:     []float64{0},
		Basis:       Basis{Cols: []VarStatus{Basic}, Rows: []VarStatus{Basic}},
	}
	s := unscaled(t, m)
	s.crossover(context.Background(), p)
	if s.basis.status[x] != AtUpper {
		t.Errorf("the column is %v after the crossover", s.basis.status[x])
	}
	r, err := s.Solve(context.Background(), NoLimits())
	if err != nil || r.Status != lp.Optimal {
		t.Fatalf("%v, %v", r.Status, err)
	}
	if sol := s.Solution(r); math.Abs(sol.RowActivity[0]-0.6) > 1e-3+1e-9 {
		t.Errorf("the row has the activity %g", sol.RowActivity[0])
	}
}

// unscaled returns a solver that leaves m as it is.
func unscaled(t *testing.T, m *lp.Model) *Solver {
	opt := DefaultOptions()
	opt.Scale, opt.Fold, opt.Presolve = false, false, false
	s, err := New(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wideFace returns a model without costs, all points of which are optimal, and a point inside it. Columns go up
// to most, and coefficients are between 1e-5 and 1.
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
