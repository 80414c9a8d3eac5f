package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// runMaster solves a Benders master in every iteration and reports nodes a second, cuts a run, and the share of the time
// outside the LPs; the time of the hooks is that of their caller and counts in neither.
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

// capacitated is a capacitated facility-location master with one epigraph column; its recourse is a transportation
// problem, solved warm.
type capacitated struct {
	n, m     int
	fixed    []float64
	capacity []float64
	demand   []float64
	recourse *simplex.Solver // rows: m demands, then n capacities
}

func randomCapacitated(n, m int, seed uint64) (*capacitated, error) {
	rng := rand.New(rand.NewPCG(seed, 6))
	c := &capacitated{n: n, m: m}
	total := 0.0
	for range m {
		c.demand = append(c.demand, float64(5+rng.IntN(30)))
		total += c.demand[len(c.demand)-1]
	}
	for range n {
		c.capacity = append(c.capacity, math.Ceil(total/float64(n)*(2+4*rng.Float64())))
		c.fixed = append(c.fixed, math.Round(total*(0.5+rng.Float64())))
	}
	t := &lp.Model{}
	for range n * m {
		t.AddCol(lp.Col{Cost: float64(1 + rng.IntN(20)), Upper: lp.Inf})
	}
	for i := range m {
		index, ones := make([]int32, n), make([]float64, n)
		for j := range n {
			index[j], ones[j] = int32(j*m+i), 1
		}
		t.AddRow(lp.Row{Lower: c.demand[i], Upper: lp.Inf}, index, ones)
	}
	for j := range n {
		index, ones := make([]int32, m), make([]float64, m)
		for i := range m {
			index[i], ones[i] = int32(j*m+i), 1
		}
		t.AddRow(lp.Row{Lower: math.Inf(-1), Upper: c.capacity[j]}, index, ones)
	}
	var err error
	c.recourse, err = simplex.New(t, simplex.DefaultOptions())
	return c, err
}

// master holds the designs that can serve the demand, and the recourse cost as its last column.
func (c *capacitated) master() *lp.Model {
	m := &lp.Model{Name: "cap"}
	index, total := make([]int32, c.n), 0.0
	for j, f := range c.fixed {
		index[j] = int32(m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true}))
	}
	for _, d := range c.demand {
		total += d
	}
	m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: total, Upper: lp.Inf}, index, c.capacity)
	return m
}

// separate returns the optimality cut of the design in x if it is violated: theta >= lambda'd + mu's y.
func (c *capacitated) separate(ctx context.Context, x []float64, tol float64) (Separation, error) {
	for j := range c.n {
		c.recourse.SetRowBounds(c.m+j, math.Inf(-1), c.capacity[j]*math.Min(1, math.Max(0, x[j])))
	}
	res, err := c.recourse.Solve(ctx)
	if err != nil || res.Status != lp.Optimal || x[c.n] >= res.Objective-tol*math.Max(1, res.Objective) {
		return Separation{}, err
	}
	cut := Cut{Upper: math.Inf(1), Index: []int32{int32(c.n)}, Value: []float64{1}}
	dual := c.recourse.RowDual()
	for i, d := range c.demand {
		cut.Lower += d * dual[i]
	}
	for j, s := range c.capacity {
		if v := dual[c.m+j]; v != 0 {
			cut.Index, cut.Value = append(cut.Index, int32(j)), append(cut.Value, -v*s)
		}
	}
	point := append([]float64(nil), x...)
	point[c.n] = res.Objective
	return Separation{Cuts: []Cut{cut}, Points: [][]float64{point}}, nil
}

// BenchmarkMasterCAP is branch-and-Benders-cut on capacitated masters with aggregated cuts, stopped by a limit on nodes: with
// user cuts, and with lazy cuts alone.
func BenchmarkMasterCAP(b *testing.B) {
	run := func(b *testing.B, n, m, nodes int, user bool) {
		c, err := randomCapacitated(n, m, 2)
		if err != nil {
			b.Fatal(err)
		}
		opt := DefaultOptions()
		opt.MaxNodes = nodes
		hooks := Hooks{Lazy: func(ctx context.Context, p Candidate) (Separation, error) { return c.separate(ctx, p.X, 1e-7) }}
		if user {
			hooks.User = func(ctx context.Context, p Candidate) (Separation, error) { return c.separate(ctx, p.X, 1e-4) }
		}
		runMaster(b, c.master(), hooks, opt)
	}
	b.Run("user", func(b *testing.B) { run(b, 60, 120, 400, true) })
	b.Run("lazy", func(b *testing.B) { run(b, 40, 60, 60000, false) })
}
