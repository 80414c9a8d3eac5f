package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// location is an uncapacitated location problem, whose Benders master has one theta a client and
// dense cuts: what the solver is mostly used for.
type location struct {
	fixed []float64
	cost  [][]float64 // by client and facility
}

func newLocation(seed uint64, clients, facilities int) *location {
	rng := rand.New(rand.NewPCG(seed, 3))
	l := &location{}
	for range facilities {
		l.fixed = append(l.fixed, 100+200*rng.Float64())
	}
	for range clients {
		row := make([]float64, facilities)
		d := float64(1 + rng.IntN(5))
		for j := range row {
			row[j] = d * (2 + 8*rng.Float64())
		}
		l.cost = append(l.cost, row)
	}
	return l
}

// master returns the master without cuts: one column a facility, then one theta a client.
func (l *location) master() *lp.Model {
	m := &lp.Model{}
	var idx []int32
	var val []float64
	for j, f := range l.fixed {
		m.AddCol(lp.Col{Cost: f, Upper: 1})
		idx, val = append(idx, int32(j)), append(val, 1)
	}
	for range l.cost {
		m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
	}
	m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, idx, val)
	return m
}

// compact returns the model with the assignment columns.
func (l *location) compact() *lp.Model {
	m := &lp.Model{}
	for _, f := range l.fixed {
		m.AddCol(lp.Col{Cost: f, Upper: 1})
	}
	for _, row := range l.cost {
		var idx []int32
		var val []float64
		for j, c := range row {
			x := m.AddCol(lp.Col{Cost: c, Upper: lp.Inf})
			idx, val = append(idx, int32(x)), append(val, 1)
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 0}, []int32{int32(x), int32(j)}, []float64{1, -1})
		}
		m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, idx, val)
	}
	return m
}

// separate adds the violated cuts theta_i + sum_j (v - c_ij)+ y_j >= v at the point of s, and returns
// their number.
func (l *location) separate(s *Solver) int {
	x := s.X()
	n := len(l.fixed)
	var idx []int32
	var val []float64
	type pick struct {
		c float64
		j int
	}
	added := 0
	type cut struct {
		v   float64
		idx []int32
		val []float64
	}
	var cuts []cut
	for i, row := range l.cost {
		order := make([]pick, n)
		for j, c := range row {
			order[j] = pick{c, j}
		}
		slices.SortFunc(order, func(a, b pick) int {
			if a.c < b.c {
				return -1
			}
			return 1
		})
		sum, v := 0.0, order[n-1].c
		for _, p := range order {
			if sum += x[p.j]; sum >= 1-1e-9 {
				v = p.c
				break
			}
		}
		idx, val = append([]int32(nil), int32(n+i)), append([]float64(nil), 1)
		act := x[n+i]
		for j, c := range row {
			if c < v {
				idx, val = append(idx, int32(j)), append(val, v-c)
				act += (v - c) * x[j]
			}
		}
		if act < v-1e-6*(1+v) {
			cuts = append(cuts, cut{v, idx, val})
		}
	}
	for _, c := range cuts {
		s.AddRow(c.v, lp.Inf, c.idx, c.val)
		added++
	}
	return added
}

// purge deletes the cuts that are slack and returns their number.
func purge(s *Solver) int {
	var slack []lp.Con
	for i := 1; i < s.NumRows(); i++ {
		if s.RowStatus(lp.Con(i)) == Basic {
			slack = append(slack, lp.Con(i))
		}
	}
	s.DeleteRows(slack)
	return len(slack)
}

type cutLoop struct{ rounds, iterations, cuts, refactors int }

// run solves the master by adding violated cuts until there are none.
func (l *location) run(tb testing.TB, s *Solver, purgeEvery int) (float64, cutLoop) {
	var c cutLoop
	for {
		r, err := s.Solve(context.Background(), NoLimits())
		if err != nil || r.Status != lp.Optimal {
			tb.Fatalf("round %d: %v, %v", c.rounds, r.Status, err)
		}
		c.rounds++
		c.iterations += r.Iterations
		c.refactors += r.Refactorizations
		k := l.separate(s)
		if k == 0 {
			return r.Objective, c
		}
		c.cuts += k
		if c.rounds%purgeEvery == 0 {
			purge(s)
		}
	}
}

// TestCutLoop compares the bound of the cut loop, rows deleted on the way, with the compact model.
func TestCutLoop(t *testing.T) {
	for seed := range uint64(4) {
		l := newLocation(seed, 30, 20)
		s, err := New(l.master(), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := l.run(t, s, 7)
		sol, err := Solve(context.Background(), l.compact(), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status != lp.Optimal || math.Abs(got-sol.Objective) > 1e-5*sol.Objective {
			t.Errorf("seed %d: cut loop %g, compact model %g (%v)", seed, got, sol.Objective, sol.Status)
		}
	}
}

// BenchmarkCutLoop is a whole root cut loop of a 100 x 100 location problem.
func BenchmarkCutLoop(b *testing.B) {
	l := newLocation(1, 100, 100)
	var c cutLoop
	for b.Loop() {
		s, err := New(l.master(), DefaultOptions())
		if err != nil {
			b.Fatal(err)
		}
		_, c = l.run(b, s, 1000000)
	}
	b.ReportMetric(float64(c.rounds), "rounds")
	b.ReportMetric(float64(c.iterations), "pivots")
	b.ReportMetric(float64(c.cuts), "cuts")
	b.ReportMetric(float64(c.refactors), "refactors")
}

// BenchmarkWarmBounds fixes one facility after another in a converged master, re-solves and goes back, as
// strong branching does.
func BenchmarkWarmBounds(b *testing.B) {
	l := newLocation(1, 100, 100)
	s, err := New(l.master(), DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	l.run(b, s, 1000000)
	var basis Basis
	s.GetBasis(&basis)
	b.ReportAllocs()
	j, pivots, solves := 0, 0, 0
	for b.Loop() {
		for _, v := range [2]float64{0, 1} {
			s.SetColBounds(lp.Var(j), v, v)
			r, err := s.Solve(context.Background(), NoLimits())
			if err != nil {
				b.Fatal(err)
			}
			pivots += r.Iterations
			solves++
			s.SetColBounds(lp.Var(j), 0, 1)
			if err := s.SetBasis(&basis); err != nil {
				b.Fatal(err)
			}
		}
		j = (j + 1) % len(l.fixed)
	}
	b.ReportMetric(float64(pivots)/float64(solves), "pivots/solve")
	b.ReportMetric(float64(s.NumRows()), "rows")
}

// BenchmarkWarmSmall moves one bound a little and back in a converged master with many slack cuts: the cost
// of a solve that needs few pivots or none.
func BenchmarkWarmSmall(b *testing.B) {
	l := newLocation(1, 150, 150)
	s, err := New(l.master(), DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	l.run(b, s, 1000000)
	x := append([]float64(nil), s.X()...)
	b.ReportAllocs()
	j, pivots, solves := 0, 0, 0
	for b.Loop() {
		for _, lo := range [2]float64{min(x[j]+0.001, 1), 0} {
			s.SetColBounds(lp.Var(j), lo, 1)
			r, err := s.Solve(context.Background(), NoLimits())
			if err != nil {
				b.Fatal(err)
			}
			pivots += r.Iterations
			solves++
		}
		j = (j + 1) % len(l.fixed)
	}
	b.ReportMetric(float64(pivots)/float64(solves), "pivots/solve")
	b.ReportMetric(float64(s.NumRows()), "rows")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(solves), "us/solve")
}
