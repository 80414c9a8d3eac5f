package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
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

// TestCrossoverKeepsMultipliers crosses over from points whose columns between bounds have reduced costs of up to 1e-4:
// after all pushes the reduced costs, those of basic variables too, belong to the same multipliers.
func TestCrossoverKeepsMultipliers(t *testing.T) {
	pivots := 0
	for seed := range uint64(50) {
		m, p := almostComplementary(rand.New(rand.NewPCG(seed, 33)), 80, 160, 1e-4)
		s := unscaled(t, m)
		s.begin(context.Background(), NoLimits())
		c := s.loadPair(p)
		if c.pushPrimals() {
			c.pushDuals()
		}
		pivots += s.ctl.iterations

		// The reduced costs with the basic ones taken off the costs, computed anew, are those that the pushes have left.
		updated := slices.Clone(s.duals.d)
		for _, v := range s.basis.head {
			s.duals.cost[v] -= c.reduced[v]
		}
		s.computeDuals()
		for v, r := range s.basis.where {
			if diff := math.Abs(updated[v] - s.duals.d[v]); r < 0 && !(diff <= 1e-9) {
				t.Fatalf("seed %d: variable %d has the reduced cost %g, and %g by its updates", seed, v, s.duals.d[v], updated[v])
			}
		}
	}
	if pivots < 50*minUpdates {
		t.Errorf("%d pivots: the factors were never made anew", pivots)
	}
}

// almostComplementary returns a model and a point with multipliers that are optimal but for reduced costs of up to noise
// of the columns between bounds.
func almostComplementary(rng *rand.Rand, rows, cols int, noise float64) (*lp.Model, *Solution) {
	m := &lp.Model{}
	p := &Solution{Result: Result{Status: lp.Optimal}}
	for range cols {
		// Most columns are between their bounds, more than there are rows.
		x, d, st := 0.0, rng.Float64(), AtLower
		if rng.IntN(4) > 0 {
			x, d, st = 1+rng.Float64(), noise*(2*rng.Float64()-1), Basic
		}
		m.AddCol(lp.Col{Cost: d, Upper: 3})
		p.X = append(p.X, x)
		p.ReducedCost = append(p.ReducedCost, d)
		p.Basis.Cols = append(p.Basis.Cols, st)
	}

	for range rows {
		// Half of the rows are tight and have a multiplier, which the costs of their columns contain.
		y, slack, st := rng.Float64(), 0.0, AtLower
		if rng.IntN(2) == 0 {
			y, slack, st = 0, 1, Basic
		}
		activity := 0.0
		var index []int32
		var value []float64
		for j := range cols {
			if rng.IntN(10) == 0 {
				a := 1 + rng.Float64()
				index, value = append(index, int32(j)), append(value, a)
				activity += a * p.X[j]
				m.Cols[j].Cost += a * y
			}
		}
		m.AddRow(lp.Row{Lower: activity - slack, Upper: math.Inf(1)}, index, value)
		p.RowActivity = append(p.RowActivity, activity)
		p.RowDual = append(p.RowDual, y)
		p.Basis.Rows = append(p.Basis.Rows, st)
	}
	p.Objective = m.Evaluate(p.X)
	return m, p
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

// wideFace returns a model without costs, whose points are all optimal, and a point inside it. Columns go up to most,
// and coefficients are between 1e-5 and 1.
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
