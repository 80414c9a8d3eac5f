package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// routes is a program whose relaxation is flat: links get capacity from a budget, for nothing, demands go over routes
// of links, and only what is not served costs. The master's value is zero for very many cuts.
func routes(t *testing.T, links, demands, count int, seed uint64) *Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	m := &lp.Model{Name: "routes"}
	var capacity []lp.Var
	for k := range links {
		capacity = append(capacity, m.Nonnegative(fmt.Sprintf("link_%d", k), 0))
	}
	used := make([]lp.Sum, links)
	var need []lp.Con
	for d := range demands {
		served := lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", d), 1))
		for r := range 3 {
			v := m.Nonnegative(fmt.Sprintf("route_%d_%d", d, r), 0)
			served = append(served, v.Times(1))
			for _, k := range rng.Perm(links)[:1+r] {
				used[k] = append(used[k], v.Times(1))
			}
		}
		need = append(need, m.AtLeast(0, served))
	}
	for k := range links {
		m.AtMost(0, used[k], capacity[k].Times(-1))
	}
	m.AtMost(float64(demands)*5, lp.Total(capacity...))
	p := &stoch.Program{Name: m.Name, Core: m, First: links}
	for range count {
		var list []stoch.Change
		for _, i := range need {
			list = append(list, stoch.SetRowLower(i, math.Floor(10*rng.Float64())))
		}
		p.Add("", 1/float64(count), list...)
	}
	q, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestFlatMaster solves relaxations whose bound does not rise for more than maxStall rounds, though every one of these
// has a deep cut: they are solved all the same.
func TestFlatMaster(t *testing.T) {
	flat := 0
	for seed := range uint64(8) {
		p := routes(t, 30, 60, 5, seed)
		r := &solvers{p: p}
		s, err := r.separator(1)
		if err != nil {
			t.Fatal(err)
		}
		low, err := r.thetaLower(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		root, err := newRoot(s, low)
		if err != nil {
			t.Fatal(err)
		}
		waits := 0
		root.progress = func() {
			if root.bound == 0 {
				waits++
			}
		}
		if err := root.solve(t.Context(), 1e-7, math.MaxInt); err != nil {
			t.Fatal(err)
		}
		if waits > maxStall {
			flat++
		}
		whole, err := simplex.Solve(t.Context(), p.compact(), simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		want := whole.Objective
		if root.status != lp.Optimal || math.Abs(root.bound-want) > 1e-5*want || math.Abs(root.cost-want) > 1e-5*want {
			t.Errorf("seed %d: %v, bound %v, cost %v, the deterministic equivalent has %v", seed, root.status, root.bound,
				root.cost, want)
		}
	}
	if flat == 0 {
		t.Error("no master was flat for long")
	}
}
