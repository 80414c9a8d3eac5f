package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// tinyModels is how many tiny models a test of presolve takes: BNB_TINY multiplies it.
func tinyModels(n int) int {
	if v, err := strconv.Atoi(os.Getenv("BNB_TINY")); err == nil {
		return n * v
	}
	return n
}

// TestTinyPresolve compares Solve with random sets of reductions, and without presolve, with enumeration.
// The environment variable BNB_TINY multiplies the number of models.
func TestTinyPresolve(t *testing.T) {
	forTinies(t, tinyModels(2000), func(rng *rand.Rand, m *tiny, want float64) error {
		opt := exact()
		opt.tuning.reductionsOff = presolve.Reductions(rng.Uint32()) & presolve.All
		opt.Presolve = rng.IntN(8) > 0
		if rng.IntN(2) == 0 {
			opt.tuning.reductionsOff = 0
		}
		opt.PoolSize = rng.IntN(3)
		if rng.IntN(3) == 0 { // a start, mostly a feasible one
			x := make([]float64, len(m.cost))
			for j := range x {
				x[j] = float64(rng.IntN(5) - 2)
			}
			opt.Start = append(opt.Start, x)
		}
		var told error
		hooks := Hooks{Incumbent: func(c Candidate) {
			if len(c.X) != len(m.cost) || !m.feasible(c.X, 1e-6) {
				told = fmt.Errorf("the incumbent hook saw %v", c.X)
			}
		}}
		res, err := Solve(context.Background(), m.model(nil), opt, hooks)
		for _, q := range res.Pool {
			if !m.feasible(q.X, 1e-6) || math.Abs(m.value(q.X)-q.Objective) > 1e-9 {
				return fmt.Errorf("the pool holds %v with %g", q.X, q.Objective)
			}
		}
		if err != nil || told != nil {
			return errors.Join(err, told)
		}
		return m.verify(res, want)
	})
}

// TestStartBetweenSteps starts from a point in which a column that presolve counts in steps lies between two of them.
// What the start is worth is kept, with and without a search.
func TestStartBetweenSteps(t *testing.T) {
	m := &lp.Model{Maximize: true}
	z := int32(m.AddCol(lp.Col{Cost: 1, Lower: math.Inf(-1), Upper: math.Inf(1)}))
	start := []float64{1.2}
	for k := range int32(6) {
		m.AddCol(lp.Col{Cost: -0.3, Upper: 3, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 0.25}, []int32{z, k + 1}, []float64{1, -0.5})
		start = append(start, 3)
	}
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 17}, []int32{1, 2, 3, 4, 5, 6}, []float64{1, 1, 1, 1, 1, 1})
	start[6] = 2
	for _, nodes := range []int{0, math.MaxInt} {
		opt := exact()
		opt.Start, opt.MaxNodes = [][]float64{start}, nodes
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if want := m.Evaluate(start); err != nil || !(res.Objective >= want-1e-9) || nodes > 0 && res.Status != lp.Optimal {
			t.Errorf("%d nodes: %v, %v, objective %g from a start of %g", nodes, err, res.Status, res.Objective, want)
		}
	}
}

// TestPresolveOpen compares presolve on and off for models with infinite bounds, some of them unbounded.
func TestPresolveOpen(t *testing.T) {
	seen := map[lp.Status]int{}
	for seed := range uint64(tinyModels(1500)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		tm := randomTiny(rng)
		for j := range tm.cost {
			if rng.IntN(3) == 0 {
				tm.lower[j] = math.Inf(-1)
			}
			if rng.IntN(2) == 0 {
				tm.upper[j] = math.Inf(1)
			}
		}
		m := tm.model(func(int) bool { return rng.IntN(8) > 0 })
		opt := exact()
		opt.MaxNodes, opt.TimeLimit = 300, 2*time.Second // general integers without bounds may not end
		on, err1 := Solve(context.Background(), m, opt, Hooks{})
		opt.Presolve = false
		off, err2 := Solve(context.Background(), m, opt, Hooks{})
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v", seed, err1, err2)
		}
		if on.Status.Limited() || off.Status.Limited() {
			continue
		}
		seen[on.Status]++
		if on.Status != off.Status ||
			on.Status == lp.Optimal && math.Abs(on.Objective-off.Objective) > 2e-6*math.Max(1, math.Abs(on.Objective)) {
			t.Errorf("seed %d: %v %.9g with presolve, %v %.9g without", seed, on.Status, on.Objective, off.Status, off.Objective)
		}
		if on.X != nil && violationOf(t, m, on.X) > 1e-6 {
			t.Errorf("seed %d: point %v violates the model", seed, on.X)
		}
	}
	for _, s := range []lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if seen[s] == 0 {
			t.Errorf("no model was %v", s)
		}
	}
	t.Log(seen)
}
