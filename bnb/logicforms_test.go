package bnb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// logicModel draws a model whose tree has some tens to thousands of nodes, and its logic. All columns have bounds, so
// that both forms state it.
func logicModel(rng *rand.Rand) (*lp.Model, lp.Logic) {
	m := &lp.Model{Maximize: true}
	var l lp.Logic
	n := 24 + rng.IntN(12)
	for j := range n {
		c := lp.Col{Name: fmt.Sprintf("x%d", j), Cost: float64(1 + rng.IntN(20)), Upper: float64(3 + rng.IntN(12))}
		switch rng.IntN(5) {
		case 0:
			c.Lower = math.Floor(c.Upper / 2)
			l.Semi = append(l.Semi, lp.Var(j))
		case 1:
			c.Lower = -float64(rng.IntN(6))
		}
		m.AddCol(c)
	}

	// Knapsacks, some of which hold for one value of a 0-1 column only.
	for i := range 14 {
		var sum lp.Sum
		for j := range n {
			if rng.IntN(2) == 0 {
				sum = append(sum, lp.Term{Coef: float64(rng.IntN(12) - 2), Var: lp.Var(j)})
			}
		}
		row := m.AtMost(float64(60+rng.IntN(120)), sum)
		if i < 6 {
			z := m.Binary(fmt.Sprintf("z%d", i), float64(rng.IntN(60)-30))
			l.Indicators = append(l.Indicators, lp.Indicator{If: z, Is: rng.IntN(2), Row: row})
		}
	}

	for range 8 {
		s := lp.Set{Kind: lp.SetKind(1 + rng.IntN(2))}
		for _, j := range rng.Perm(n)[:3+rng.IntN(8)] {
			s.Vars = append(s.Vars, lp.Var(j))
		}
		l.Sets = append(l.Sets, s)
	}
	return m, l
}

// TestLogicForms compares branching with rows on models with larger trees, with threads, restarts of the tree, a hook
// that keeps presolve out, and starts.
func TestLogicForms(t *testing.T) {
	count := seeds(t, 30, 10)
	nodes, feasible := 0, 0
	for seed := range count {
		m, l := logicModel(rand.New(rand.NewPCG(seed, 41)))
		solve := func(form lp.Form, opt Options) (*lp.Model, Result) {
			c := m.Clone()
			l.Form = form
			if err := c.Impose(l); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			res, err := Solve(t.Context(), c, opt, Hooks{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return c, res
		}

		opt := DefaultOptions()
		opt.Gap = 0
		_, want := solve(lp.AsRows, opt)
		own := puzzleOptions(seed)
		own.Gap = 0
		c, got := solve(lp.ByBranching, own)
		nodes += got.Nodes
		if got.Status != want.Status || want.X != nil && !(math.Abs(got.Objective-want.Objective) <= 1e-6*math.Abs(want.Objective)) {
			t.Fatalf("seed %d: %v %.12g, with rows %v %.12g", seed, got.Status, got.Objective, want.Status, want.Objective)
		}
		if got.X == nil {
			continue
		}
		feasible++
		if err := c.Check(got.X); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}

		// The optimum is a start, with the hidden columns left open; nothing is better.
		start := append([]float64(nil), got.X...)
		for j := range c.Cols {
			if c.Cols[j].Hidden {
				start[j] = math.NaN()
			}
		}
		c.Derive(start)
		own.Start = [][]float64{start}
		if _, again := solve(lp.ByBranching, own); !(math.Abs(again.Objective-got.Objective) <= 1e-6*math.Abs(got.Objective)) {
			t.Errorf("seed %d: %v %.12g from the optimum %.12g", seed, again.Status, again.Objective, got.Objective)
		}
	}
	if t.Logf("%d nodes, %d feasible", nodes, feasible); nodes < 40*int(count) || feasible < int(count)/2 {
		t.Errorf("%d nodes, %d of %d feasible: the models are too easy", nodes, feasible, count)
	}
}
