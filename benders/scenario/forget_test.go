package scenario

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestPoolForgetsWhileItIsAsked solves all scenarios at points at which a pool of few certificates was asked, and which
// has removed its answers before the last wave: they are not used then.
func TestPoolForgetsWhileItIsAsked(t *testing.T) {
	const sites, customers, count = 4, 8, 300
	rng := rand.New(rand.NewPCG(1, 4))
	m := &lp.Model{Name: "few"}
	var built [sites]lp.Var
	var used [sites]lp.Sum
	for j := range sites {
		built[j] = m.Binary(fmt.Sprintf("built_%d", j), 10)
	}
	var need []lp.Con
	for i := range customers {
		served := lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", i), 30))
		for j := range sites {
			v := m.Nonnegative(fmt.Sprintf("sent_%d_%d", j, i), 1+9*rng.Float64())
			served, used[j] = append(served, v.Times(1)), append(used[j], v.Times(1))
		}
		need = append(need, m.AtLeast(5, served))
	}
	for j := range sites {
		m.AtMost(0, used[j], built[j].Times(-15))
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range count {
		var list []stoch.Change
		for _, i := range need {
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: i, Value: 10 * rng.Float64()})
		}
		p.Add("", 1.0/count, list...)
	}
	q, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngine(q)
	if err != nil {
		t.Fatal(err)
	}
	e.threads, e.pool.limit = 1, 60
	forgot := 0
	for range 30 {
		y := make([]float64, sites)
		for j := range y {
			y[j] = rng.Float64()
		}
		e.move(y)
		e.byPool()
		for _, c := range e.chunks {
			c.jumps = true
		}
		if _, err := e.solve(t.Context(), func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		if e.open > 0 {
			t.Fatalf("%d scenarios were not solved", e.open)
		}
		if n := len(e.pool.duals); n > e.pool.limit {
			t.Fatalf("%d certificates, the pool has room for %d", n, e.pool.limit)
		}
		if e.asked && !e.pool.current() {
			forgot++
		}
	}
	if forgot == 0 {
		t.Error("the pool never forgot what it was asked for")
	}
}
