package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// runMaster solves a Benders master in every iteration and reports nodes a second, cuts a run, and the share of the
// time outside the LPs; the time of the hooks is that of their caller and counts in neither.
func runMaster(b *testing.B, m *lp.Model, hooks Hooks, opt Options) {
	nodes, cuts, lazy := 0, 0, 0
	total, outside := 0.0, 0.0
	for b.Loop() {
		res, err := Solve(context.Background(), m, opt, hooks)
		if err != nil || res.X == nil {
			b.Fatalf("%v, %v", res.Status, err)
		}
		nodes += res.Nodes
		cuts += res.LazyCuts + res.UserCuts
		lazy += res.LazyCuts
		own := res.Elapsed - res.Parts[PartLazy].Time - res.Parts[PartUser].Time
		total += own.Seconds()
		outside += (own - res.Parts[PartLP].Time).Seconds()
	}
	n := float64(b.N)
	b.ReportMetric(float64(nodes)/total, "nodes/s")
	b.ReportMetric(float64(nodes)/n, "nodes")
	b.ReportMetric(float64(cuts)/n, "cuts")
	b.ReportMetric(float64(lazy)/n, "lazy-cuts")
	b.ReportMetric(100*outside/total, "%outside-LP")
}

// BenchmarkMasterUFL is branch-and-Benders-cut on masters of uncapacitated facility location: with user cuts, and with
// lazy cuts alone.
func BenchmarkMasterUFL(b *testing.B) {
	u := randomFacilities(110, 170, 1)
	b.Run("user", func(b *testing.B) { runMaster(b, u.master(), u.hooks(), DefaultOptions()) })
	b.Run("lazy", func(b *testing.B) {
		small := randomFacilities(60, 220, 1)
		hooks := small.hooks()
		hooks.User = nil
		runMaster(b, small.master(), hooks, DefaultOptions())
	})
}

// capacitated is a facility-location master with capacities (the costs and capacities of Cornuejols, Sridharan, Thizy,
// EJOR 50, 1991), demand in scenarios that are equally likely, and an epigraph column for each. The recourse of a
// scenario is a transportation problem, solved warm; its cut has an entry for every facility with a price on its
// capacity.
type capacitated struct {
	n, m     int
	fixed    []float64
	capacity []float64
	demand   [][]float64       // by scenario
	recourse []*simplex.Solver // by scenario; rows: m demands, then n capacities
}

func randomCapacitated(n, m, scenarios int, seed uint64) (*capacitated, error) {
	rng := rand.New(rand.NewPCG(seed, 6))
	c := &capacitated{n: n, m: m}
	total, room := 0.0, 0.0
	mean := make([]float64, m)
	for i := range mean {
		mean[i] = float64(5 + rng.IntN(31))
		total += mean[i]
	}
	for range n {
		c.capacity = append(c.capacity, float64(10+rng.IntN(151)))
		room += c.capacity[len(c.capacity)-1]
	}
	for j, s := range c.capacity {
		c.capacity[j] = math.Ceil(s * 5 * total / room)
		c.fixed = append(c.fixed, math.Round(float64(rng.IntN(91))+(100+10*rng.Float64())*math.Sqrt(c.capacity[j])))
	}
	t := c.transport(rng)
	for range scenarios {
		demand := make([]float64, m)
		for i := range demand {
			demand[i] = math.Round(mean[i] * (0.5 + rng.Float64()))
			t.Rows[i].Lower = demand[i]
		}
		s, err := simplex.New(t, simplex.DefaultOptions())
		if err != nil {
			return nil, err
		}
		c.demand, c.recourse = append(c.demand, demand), append(c.recourse, s)
	}
	return c, nil
}

// transport is the recourse without its demands and capacities: a cost is ten times a distance in the unit square.
func (c *capacitated) transport(rng *rand.Rand) *lp.Model {
	t, n, m := &lp.Model{}, c.n, c.m
	place := make([][2]float64, n+m)
	for k := range place {
		place[k] = [2]float64{rng.Float64(), rng.Float64()}
	}
	for j := range n {
		for i := range m {
			d := math.Hypot(place[j][0]-place[n+i][0], place[j][1]-place[n+i][1])
			t.AddCol(lp.Col{Cost: math.Round(1000*d) / 100, Upper: lp.Inf})
		}
	}
	for i := range m {
		index, ones := make([]int32, n), make([]float64, n)
		for j := range n {
			index[j], ones[j] = int32(j*m+i), 1
		}
		t.AddRow(lp.Row{Upper: lp.Inf}, index, ones)
	}
	for j := range n {
		index, ones := make([]int32, m), make([]float64, m)
		for i := range m {
			index[i], ones[i] = int32(j*m+i), 1
		}
		t.AddRow(lp.Row{Lower: math.Inf(-1), Upper: c.capacity[j]}, index, ones)
	}
	return t
}

// master holds the designs that can serve the demand of every scenario, and the recourse costs as its last columns.
func (c *capacitated) master() *lp.Model {
	m := &lp.Model{Name: "cap"}
	index, largest := make([]int32, c.n), 0.0
	for j, f := range c.fixed {
		index[j] = int32(m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true}))
	}
	for _, demand := range c.demand {
		total := 0.0
		for _, d := range demand {
			total += d
		}
		largest = math.Max(largest, total)
		m.AddCol(lp.Col{Cost: 1 / float64(len(c.demand)), Upper: lp.Inf})
	}
	m.AddRow(lp.Row{Lower: largest, Upper: lp.Inf}, index, c.capacity)
	return m
}

// separate returns the violated optimality cuts of the design in x, theta_k >= lambda'd_k + mu's y.
func (c *capacitated) separate(ctx context.Context, x []float64, tol float64) (Separation, error) {
	point := append([]float64(nil), x...)
	var cuts []Cut
	for k := range c.demand {
		cut, cost, err := c.price(ctx, k, x)
		if err != nil || math.IsInf(cost, 1) {
			return Separation{}, err
		}
		if point[c.n+k] = cost; x[c.n+k] < cost-tol*math.Max(1, cost) {
			cuts = append(cuts, cut)
		}
	}
	return Separation{Cuts: cuts, Points: [][]float64{point}}, nil
}

// price solves the recourse of scenario k for the design in x: its cut and its cost, +Inf if the LP gives none.
func (c *capacitated) price(ctx context.Context, k int, x []float64) (Cut, float64, error) {
	s := c.recourse[k]
	for j := range c.n {
		s.SetRowBounds(lp.Con(c.m+j), math.Inf(-1), c.capacity[j]*math.Min(1, math.Max(0, x[j])))
	}
	res, err := s.Solve(ctx, simplex.NoLimits())
	if err != nil || res.Status != lp.Optimal {
		return Cut{}, math.Inf(1), err
	}
	cut := Cut{Upper: math.Inf(1), Index: []int32{int32(c.n + k)}, Value: []float64{1}}
	dual := s.RowDual()
	for i, d := range c.demand[k] {
		cut.Lower += d * dual[i]
	}
	for j, u := range c.capacity {
		if v := dual[c.m+j]; v != 0 {
			cut.Index, cut.Value = append(cut.Index, int32(j)), append(cut.Value, -v*u)
		}
	}
	return cut, res.Objective, nil
}

// BenchmarkMasterCAP is branch-and-Benders-cut on capacitated masters with aggregated cuts, stopped by a limit on
// nodes: with user cuts at the root, and with lazy cuts alone.
func BenchmarkMasterCAP(b *testing.B) {
	run := func(b *testing.B, n, m, scenarios, nodes int, user bool) {
		c, err := randomCapacitated(n, m, scenarios, 2)
		if err != nil {
			b.Fatal(err)
		}
		opt := DefaultOptions()
		opt.MaxNodes = nodes
		hooks := Hooks{Lazy: func(ctx context.Context, p Candidate) (Separation, error) { return c.separate(ctx, p.X, 1e-7) }}
		if user {
			hooks.User = func(ctx context.Context, p Candidate) (Separation, error) {
				if p.Depth > 0 {
					return Separation{}, nil
				}
				return c.separate(ctx, p.X, 1e-4)
			}
		}
		runMaster(b, c.master(), hooks, opt)
	}
	b.Run("user", func(b *testing.B) { run(b, 50, 50, 20, 4000, true) })
	b.Run("lazy", func(b *testing.B) { run(b, 50, 50, 20, 4000, false) })
}
