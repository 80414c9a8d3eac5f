package benders_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// site is a small location problem with both kinds of cut: clients i are served by the nearest open
// facility, and the recourse is feasible only when the open capacity covers the demand.
type site struct {
	fixed, capacity []float64
	cost            [][]float64 // client, facility
	demand          float64
}

func randomSite(rng *rand.Rand, clients, facilities int, capacitated bool) *site {
	s := &site{fixed: make([]float64, facilities), capacity: make([]float64, facilities)}
	total := 0.0
	for j := range facilities {
		s.fixed[j] = 5 + 20*rng.Float64()
		s.capacity[j] = 1 + float64(rng.IntN(9))
		total += s.capacity[j]
	}
	if capacitated {
		s.demand = math.Floor(total * (0.3 + 0.4*rng.Float64()))
	}
	for range clients {
		row := make([]float64, facilities)
		for j := range row {
			row[j] = math.Floor(40*rng.Float64()) / 4
		}
		s.cost = append(s.cost, row)
	}
	return s
}

func (s *site) open(y []float64) (capacity float64, any bool) {
	for j, v := range y {
		if v > 0.5 {
			capacity, any = capacity+s.capacity[j], true
		}
	}
	return capacity, any
}

func (s *site) recourse(_ context.Context, y, q []float64) (bool, error) {
	if c, any := s.open(y); !any || c < s.demand {
		return false, nil
	}
	clear(q)
	for i, row := range s.cost {
		best := math.Inf(1)
		for j, v := range y {
			if v > 0.5 {
				best = min(best, row[j])
			}
		}
		q[min(i, len(q)-1)] += best
	}
	return true, nil
}

// problem returns the two-stage form with one epigraph, or one a client.
func (s *site) problem(aggregated bool) *benders.Problem {
	m := &lp.Model{Name: "site"}
	index, ones := make([]int32, len(s.fixed)), make([]float64, len(s.fixed))
	for j, f := range s.fixed {
		m.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: f, Upper: 1, Integer: true})
		index[j], ones[j] = int32(j), 1
	}
	m.AddRow(lp.Row{Name: "one open", Lower: 1, Upper: lp.Inf}, index, ones)
	k := len(s.cost)
	if aggregated {
		k = 1
	}
	return &benders.Problem{Name: "site", Master: m, Epigraphs: k, ThetaLower: make([]float64, k), Recourse: s.recourse}
}

// brute returns the optimum over all designs, +Inf if there is none.
func (s *site) brute() float64 {
	n := len(s.fixed)
	best := math.Inf(1)
	y, q := make([]float64, n), make([]float64, len(s.cost))
	for mask := 1; mask < 1<<n; mask++ {
		cost := 0.0
		for j := range y {
			y[j] = float64(mask >> j & 1)
			cost += y[j] * s.fixed[j]
		}
		if ok, _ := s.recourse(context.Background(), y, q); !ok {
			continue
		}
		for _, v := range q {
			cost += v
		}
		best = min(best, cost)
	}
	return best
}

type vector struct {
	kind benders.Kind
	pi   []float64
}

func (v vector) Kind() benders.Kind { return v.kind }
func (v vector) Vector() []float64  { return v.pi }

// separator separates a site exactly, or with multipliers from choose.
type separator struct {
	*site
	aggregated bool
	choose     func(i int, exact float64) float64
	exact      bool // what choose returns is exact
	calls      int
}

func (s *separator) Source() benders.Source { return "fixture" }

func (s *separator) Separate(_ context.Context, p benders.Point) (benders.Separation, error) {
	s.calls++
	capacity := 0.0
	for j, v := range p.Y {
		capacity += v * s.capacity[j]
	}
	if capacity < s.demand-1e-9 {
		c := benders.Cut{Kind: benders.Feasibility, Alpha: s.demand, Certificate: vector{kind: benders.Feasibility}}
		for j := range p.Y {
			c.Index, c.Beta = append(c.Index, int32(j)), append(c.Beta, -s.capacity[j])
		}
		return benders.Separation{Cuts: []benders.Cut{c}, Infeasible: true}, nil
	}
	out := benders.Separation{Exact: s.exact}
	for i := range s.cost {
		pi := s.choose(i, critical(s.cost[i], p.Y))
		c := benders.Cut{Theta: i, Alpha: pi, Certificate: vector{pi: []float64{pi}}}
		for j, cost := range s.cost[i] {
			if pi > cost {
				c.Index, c.Beta = append(c.Index, int32(j)), append(c.Beta, cost-pi)
			}
		}
		out.Value += c.Value(p.Y)
		out.Cuts = append(out.Cuts, c)
	}
	if s.aggregated {
		out.Cuts = []benders.Cut{sum(out.Cuts, len(p.Y))}
	}
	return out, nil
}

func sum(cuts []benders.Cut, n int) benders.Cut {
	total := benders.Cut{Theta: benders.AllEpigraphs, Index: make([]int32, n), Beta: make([]float64, n)}
	for j := range n {
		total.Index[j] = int32(j)
	}
	for _, c := range cuts {
		total.Alpha += c.Alpha
		for k, j := range c.Index {
			total.Beta[j] += c.Beta[k]
		}
	}
	return total
}

// critical returns the cost at which the open facilities, nearest first, first cover the client.
func critical(cost, y []float64) float64 {
	order := make([]int, len(cost))
	for j := range order {
		order[j] = j
	}
	sort.SliceStable(order, func(a, b int) bool { return cost[order[a]] < cost[order[b]] })
	covered := 0.0
	for _, j := range order {
		if covered += y[j]; covered >= 1-1e-9 {
			return cost[j]
		}
	}
	return cost[order[len(order)-1]]
}
