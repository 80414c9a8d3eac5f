package iis

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// random returns a small model, often an infeasible one.
func random(rng *rand.Rand, integer bool) *lp.Model {
	var m lp.Model
	n := 2 + rng.IntN(5)
	var x []lp.Var
	for range n {
		lower, upper := float64(rng.IntN(3)-1), float64(1+rng.IntN(3))
		switch {
		case rng.IntN(5) == 0:
			upper = math.Inf(1)
		case rng.IntN(6) == 0:
			lower = math.Inf(-1)
		}
		x = append(x, m.AddCol(lp.Col{Cost: float64(rng.IntN(5)), Lower: lower, Upper: upper, Integer: integer && rng.IntN(3) > 0}))
	}
	for range 2 + rng.IntN(6) {
		var index []int32
		var value []float64
		for _, v := range x {
			if rng.IntN(2) == 0 {
				index = append(index, int32(v))
				value = append(value, float64(rng.IntN(9)-4))
			}
		}
		side := float64(rng.IntN(15) - 7)
		switch rng.IntN(4) {
		case 0:
			m.AddRow(lp.Row{Lower: side, Upper: side}, index, value)
		case 1:
			m.AddRow(lp.Row{Lower: side, Upper: side + float64(rng.IntN(3))}, index, value)
		case 2:
			m.AddRow(lp.Row{Lower: side, Upper: math.Inf(1)}, index, value)
		default:
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: side}, index, value)
		}
	}
	return &m
}

// hasPoint solves a model anew, by branch and cut where it has integer columns.
func hasPoint(t testing.TB, m *lp.Model) bool {
	t.Helper()
	if !hasIntegers(m) {
		out, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return out.Status != lp.Infeasible
	}
	o := bnb.DefaultOptions()
	o.MaxNodes = 100_000
	out, err := bnb.Solve(t.Context(), m, o, bnb.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Status != lp.Infeasible && out.X == nil && out.Status != lp.Unbounded {
		t.Fatalf("a subsystem is left open: %v", out.Status)
	}
	return out.Status != lp.Infeasible
}

// check reports a set that is feasible, and a set without one of its sides that is not.
func check(t testing.TB, name string, m *lp.Model, s *Set) {
	t.Helper()
	if hasPoint(t, s.Only(m)) {
		t.Errorf("%s: the set of %d sides is feasible", name, len(s.Sides))
	}
	if !s.Irreducible {
		return
	}
	// Of large sets a sample.
	for _, k := range rand.New(rand.NewPCG(1, 1)).Perm(len(s.Sides))[:min(len(s.Sides), 40)] {
		rest := Set{Sides: slices.Delete(slices.Clone(s.Sides), k, k+1)}
		if !hasPoint(t, rest.Only(m)) {
			t.Errorf("%s: the set of %d sides is infeasible without %+v", name, len(s.Sides), s.Sides[k])
		}
	}
}

// TestRandomModels holds the sets of random models against solving them and all their subsets of one side less.
func TestRandomModels(t *testing.T) {
	found, reducible := 0, 0
	for seed := range uint64(3000) {
		m := random(rand.New(rand.NewPCG(seed, 3)), seed%2 == 1)
		s, err := Find(t.Context(), m, DefaultOptions())
		if errors.Is(err, ErrFeasible) {
			if !hasPoint(t, m) {
				t.Errorf("seed %d: an infeasible model is called feasible", seed)
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		found++
		if !s.Irreducible {
			reducible++
		}
		check(t, "random", m, s)
	}
	t.Logf("%d infeasible models, %d sets not proven irreducible", found, reducible)
	if found < 500 || reducible > found/20 {
		t.Errorf("%d infeasible models, %d sets not proven irreducible", found, reducible)
	}
}

// TestTimeEnds returns an infeasible set at a limit.
func TestTimeEnds(t *testing.T) {
	for seed := range uint64(200) {
		m := random(rand.New(rand.NewPCG(seed, 3)), false)
		o := DefaultOptions()
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o.Progress = func(int, int) {
			if calls++; calls == 2 {
				cancel()
			}
		}
		s, err := Find(ctx, m, o)
		cancel()
		if err != nil {
			continue
		}
		if hasPoint(t, s.Only(m)) {
			t.Errorf("seed %d: the set at a limit is feasible", seed)
		}
	}
}

// TestNetlib finds irreducible sets of Netlib's infeasible programs.
func TestNetlib(t *testing.T) {
	list, _ := filepath.Glob("../../shared/data/netlib/infeasible/*.mps.gz")
	if len(list) == 0 {
		t.Skip("no shared data")
	}
	for _, path := range list {
		m, _, err := mps.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Rows) > 1500 && testing.Short() {
			continue
		}
		began := time.Now()
		s, err := Find(t.Context(), m, DefaultOptions())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		rows := 0
		for _, side := range s.Sides {
			if side.Row {
				rows++
			}
		}
		t.Logf("%-18s %4d rows %4d bounds, irreducible %v, %d solves, %.2f s", filepath.Base(path), rows, len(s.Sides)-rows,
			s.Irreducible, s.Solves, time.Since(began).Seconds())
		check(t, filepath.Base(path), m, s)
	}
}
