package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestDeleteSlackRows adds cuts that never bind between others, deletes them at the optimum, and checks that the
// factors, where they are kept, the basic values and the edge weights are still those of the basis.
func TestDeleteSlackRows(t *testing.T) {
	kept := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 23))
		s := uflRound(t, seed, rng)
		before := mustSolve(t, s)
		var slack []lp.Con
		for i := range s.NumRows() {
			if s.RowStatus(lp.Con(i)) == Basic && rng.IntN(4) > 0 {
				slack = append(slack, lp.Con(i))
			}
		}
		for p := range s.basis.head { // those of added rows are estimates
			trueWeight(s, int32(p))
		}
		rows := s.NumRows()
		s.DeleteRows(slack)
		if s.NumRows() != rows-len(slack) {
			t.Fatalf("seed %d: %d of %d rows left after %d deletions", seed, s.NumRows(), rows, len(slack))
		}
		if s.factor.ok {
			kept++
			checkState(t, seed, s)
		}
		after := mustSolve(t, s)
		if after.Iterations > 0 || math.Abs(after.Objective-before.Objective) > 1e-9*(1+math.Abs(before.Objective)) {
			t.Errorf("seed %d: %d pivots from %g to %g", seed, after.Iterations, before.Objective, after.Objective)
		}
		s.SetColBounds(lp.Var(rng.IntN(s.NumCols())), 0, 0)
		warm, err := s.Solve(context.Background(), NoLimits())
		if err != nil {
			t.Fatal(err)
		}
		s.SlackBasis()
		cold, err := s.Solve(context.Background(), NoLimits())
		if err != nil || warm.Status != cold.Status ||
			warm.Status == lp.Optimal && math.Abs(warm.Objective-cold.Objective) > 1e-6*(1+math.Abs(cold.Objective)) {
			t.Errorf("seed %d: warm %v %g, cold %v %g, %v", seed, warm.Status, warm.Objective, cold.Status, cold.Objective, err)
		}
	}
	if kept < 40 {
		t.Errorf("the factors were kept %d times", kept)
	}
}

// uflRound returns a location master after some rounds of cuts, with rows that never bind among them.
func uflRound(t *testing.T, seed uint64, rng *rand.Rand) *Solver {
	l := newLocation(seed, 15, 12)
	s := newSolver(t, l.master())
	for range 1 + rng.IntN(6) {
		mustSolve(t, s)
		for range rng.IntN(6) {
			j := rng.IntN(s.NumCols() - 1)
			s.AddRow(math.Inf(-1), 1e6, []int32{int32(j), int32(j + 1)}, []float64{1, float64(1 + rng.IntN(3))})
		}
		l.separate(s)
	}
	return s
}

// trueWeight computes the edge weight at position p.
func trueWeight(s *Solver, p int32) {
	s.row.rho.Clear()
	s.row.rho.Add(p, 1)
	s.factor.btran(s.row.rho, &s.factor.density.btran, -1)
	s.weights.measure(p, s.row.rho)
}

// checkState compares basic values and edge weights with what the factors give anew, and the factors with the
// matrix.
func checkState(t *testing.T, seed uint64, s *Solver) {
	t.Helper()
	xb := slices.Clone(s.primals.basic)
	s.computePrimals()
	for p, x := range s.primals.basic {
		if math.Abs(x-xb[p]) > 1e-9*(1+math.Abs(x)) {
			t.Fatalf("seed %d: value %g at position %d, anew %g", seed, xb[p], p, x)
		}
	}
	if !s.rowsHold() {
		t.Fatalf("seed %d: the factors do not solve the rows", seed)
	}
	for p := range s.basis.head {
		have := s.weights.at[p]
		trueWeight(s, int32(p))
		if math.Abs(have-s.weights.at[p]) > 1e-6*s.weights.at[p] {
			t.Fatalf("seed %d: weight %g at position %d, true %g", seed, have, p, s.weights.at[p])
		}
	}
}
