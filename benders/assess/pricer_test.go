package assess_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// many is the farmer with n yields drawn at random, one of them with probability 0.
func many(n int) *stoch.Program {
	p := farmer(false)
	p.Scenarios = nil
	rng := rand.New(rand.NewPCG(uint64(n), 4))
	for s := range n {
		factor := 0.5 + rng.Float64()
		probability := 1 / float64(n-1)
		if s == 5 {
			probability = 0
		}
		p.Add("", probability, stoch.SetEntry(1, 0, 2.5*factor), stoch.SetEntry(2, 1, 3*factor), stoch.SetEntry(3, 2, 20*factor))
	}
	return p
}

// alone prices a design in one scenario of a program: in the whole model of that scenario its columns are fixed.
func alone(t *testing.T, p *stoch.Program, s int, y []float64) float64 {
	t.Helper()
	one := &stoch.Program{Core: p.Core.Clone(), First: p.First}
	for j, v := range y {
		one.Core.Cols[j].Lower = v
		one.Core.Cols[j].Upper = v
	}
	one.Add("", 1, p.Scenarios[s].Changes...)
	m, err := one.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	o := bnb.DefaultOptions()
	o.Gap = 1e-10
	r, err := bnb.Solve(t.Context(), m, o, bnb.Hooks{})
	if err != nil || r.Status != lp.Optimal {
		t.Fatal(r.Status, err)
	}
	return r.Objective
}

// TestRanges prices ranges in any order and by several goroutines, of linear and integer recourse: the costs are those
// of Evaluate bit for bit, and each is that of its scenario alone.
func TestRanges(t *testing.T) {
	y := []float64{120, 80, 300}
	for _, integer := range []bool{false, true} {
		p := many(200)
		if integer {
			p = many(12)
			p.Core.Cols[5].Integer = true
			p.Core.Cols[6].Integer = true
		}
		want, err := assess.Evaluate(t.Context(), p, y)
		if err != nil {
			t.Fatal(err)
		}
		r, err := assess.NewPricer(p)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Ranges(); n < 4 {
			t.Fatalf("%d ranges", n)
		}
		parts := make([][]float64, r.Ranges())
		var all sync.WaitGroup
		for k := len(parts) - 1; k >= 0; k-- {
			all.Go(func() { parts[k], _ = r.Price(t.Context(), y, k) })
		}
		all.Wait()
		got, err := r.Costs(y, parts)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		if !slices.EqualFunc(got.Scenario, want.Scenario, same) || got.First != want.First || got.Infeasible != 0 {
			t.Errorf("%v\nwant %v", got, want)
		}
		for s := 0; s < len(p.Scenarios); s += 1 + len(p.Scenarios)/20 {
			if s == 5 {
				continue
			}
			if truth := alone(t, p, s, y); !(math.Abs(got.Scenario[s]-truth) <= 1e-9*math.Abs(truth)) {
				t.Errorf("integer %v: scenario %d costs %v, alone %v", integer, s, got.Scenario[s], truth)
			}
		}
		if !math.IsNaN(got.Scenario[5]) {
			t.Errorf("a scenario that does not occur costs %v", got.Scenario[5])
		}

		// What is no range, no design, or not all of the ranges is an error.
		if _, err := r.Price(t.Context(), y, len(parts)); err == nil {
			t.Error("a range that is not there is priced")
		}
		if _, err := r.Price(t.Context(), y[:2], 0); err == nil {
			t.Error("a design of two columns is priced")
		}
		if _, err := r.Costs(y, parts[1:]); err == nil {
			t.Error("a range is missing")
		}
	}
}
