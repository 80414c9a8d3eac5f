package scenario_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// plants has sites that are built or not, and many scenarios of the customers' demands, which what is missing costs.
// Where linked, a customer's share of a site is random too.
func plants(count int, linked bool) *stoch.Program {
	rng := rand.New(rand.NewPCG(5, 5))
	const sites, customers = 6, 8
	m := &lp.Model{Name: "plants"}
	for range sites {
		m.AddCol(lp.Col{Cost: float64(30 + rng.IntN(40)), Upper: 1, Integer: true})
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	rows := [2]int{}
	for i := range sites {
		r := m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, nil, nil)
		if i == 0 {
			rows[0] = int(r)
		}
		m.AddEntry(r, lp.Var(i), -40)
	}
	for range customers {
		m.AddRow(lp.Row{Lower: 10, Upper: lp.Inf}, nil, nil)
	}
	rows[1] = rows[0] + sites
	for k := range customers {
		for i := range sites {
			x := m.AddCol(lp.Col{Cost: 1 + 4*rng.Float64(), Upper: 30})
			m.AddEntry(lp.Con(rows[0]+i), x, 1)
			m.AddEntry(lp.Con(rows[1]+k), x, 1)
		}
		m.AddEntry(lp.Con(rows[1]+k), m.AddCol(lp.Col{Cost: 20, Upper: lp.Inf}), 1)
	}
	for range count {
		var list []stoch.Change
		for k := range customers {
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: lp.Con(rows[1] + k), Value: 4 + 12*rng.Float64()})
		}
		if linked {
			list = append(list, stoch.Change{Kind: stoch.Entry, Row: lp.Con(rows[0]), Value: -30 - 20*rng.Float64()})
		}
		p.Add("", 1/float64(count), list...)
	}
	return p
}

// demands has sites that are built or not, customers whose demands are random, and for each of both a link: no more goes
// from a site to a customer than it needs, nor anything from a site that is not built.
func demands(count int) *stoch.Program {
	rng := rand.New(rand.NewPCG(8, 2))
	const sites, customers = 5, 6
	m := &lp.Model{Name: "demands"}
	for range sites {
		m.AddCol(lp.Col{Cost: float64(20 + rng.IntN(40)), Upper: 1, Integer: true})
	}
	for range customers {
		need := m.AddRow(lp.Row{Lower: 5, Upper: lp.Inf}, nil, nil)
		m.AddEntry(need, m.AddCol(lp.Col{Cost: 15, Upper: lp.Inf}), 1)
		for i := range sites {
			x := m.AddCol(lp.Col{Cost: 1 + 6*rng.Float64(), Upper: 20})
			m.AddEntry(need, x, 1)
			link := m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, nil, nil)
			m.AddEntry(link, x, 1)
			m.AddEntry(link, lp.Var(i), -5)
		}
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range count {
		var list []stoch.Change
		for k := range customers {
			demand := 2 + 10*rng.Float64()
			need := k * (1 + sites)
			list = append(list, stoch.SetRowLower(lp.Con(need), demand))
			for i := range sites {
				if most := min(demand, float64(5+i)); most != 5 {
					list = append(list, stoch.SetEntry(lp.Con(need+1+i), lp.Var(i), -most))
				}
			}
		}
		p.Add("", 1/float64(count), list...)
	}
	return p
}

// manyScenarios are programs whose pools have several segments, with tables and without.
func manyScenarios() []*stoch.Program {
	return []*stoch.Program{plants(300, false), plants(300, true), demands(600)}
}

// TestThreadsMakeNoDifference solves with several numbers of threads: every number of the result is the same bit for
// bit.
func TestThreadsMakeNoDifference(t *testing.T) {
	for _, p := range manyScenarios() {
		var first *benders.Result
		for _, threads := range []int{1, 2, 3, 7} {
			q, err := scenario.New(p)
			if err != nil {
				t.Fatal(err)
			}
			o := decompose.DefaultOptions()
			o.Threads = threads
			r, err := decompose.Solve(context.Background(), q.Program(), o)
			if err != nil || r.Status != lp.Optimal {
				t.Fatalf("%v, %v", r, err)
			}
			r.Parts, r.Elapsed, r.Pricing = benders.Parts{}, 0, 0
			if first == nil {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Errorf("%d threads: %+v\n1 thread: %+v", threads, r, first)
			}
		}
		if n := first.Scenarios; n.LPs == 0 || n.Pool == 0 || n.Skipped == 0 {
			t.Errorf("%s: not every way of pricing was used: %+v", p.Name, n)
		}
	}
}
