package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// jobs is a model of jobs that need a part of a resource at every time: each begins once, and its start is given by a
// column of its own. The last end is to be early, or the weighted starts.
func jobs(n int, last bool, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 77))
	m := &lp.Model{}
	const room = 10
	length, need, horizon := make([]int, n), make([]float64, n), 4
	for j := range n {
		length[j], need[j] = 1+rng.IntN(5), float64(2+rng.IntN(6))
		horizon += length[j] * int(need[j]) * 14 / (10 * room)
	}
	end := m.AddCol(lp.Col{Upper: float64(2 * horizon)})
	if last {
		m.Cols[end].Cost = 1
	}
	use, value := make([][]int32, horizon), make([][]float64, horizon)
	for j := range n {
		start := m.AddCol(lp.Col{Upper: float64(horizon)})
		if !last {
			m.Cols[start].Cost = float64(1 + rng.IntN(9))
		}
		var one []int32
		var at, ones []float64
		for t := range horizon - length[j] + 1 {
			x := int32(m.AddCol(lp.Col{Upper: 1, Integer: true}))
			one, at, ones = append(one, x), append(at, float64(t)), append(ones, 1)
			for u := t; u < t+length[j]; u++ {
				use[u], value[u] = append(use[u], x), append(value[u], need[j])
			}
		}
		m.AddRow(lp.Row{Lower: 1, Upper: 1}, one, ones)
		m.AddRow(lp.Row{}, append(slices.Clone(one), int32(start)), append(at, -1))
		m.AddRow(lp.Row{Lower: float64(length[j]), Upper: lp.Inf}, []int32{int32(end), int32(start)}, []float64{1, -1})
	}
	for t := range use {
		m.AddRow(lp.Row{Lower: -lp.Inf, Upper: room}, use[t], value[t])
	}
	return m
}

// TestOrderedSets solves models of jobs by their sets and without, with one worker and with two: the optimum is the
// same, and where the last end counts the sets take less work.
func TestOrderedSets(t *testing.T) {
	for _, last := range []bool{true, false} {
		var work [2]float64
		for seed := range uint64(6) {
			m := jobs(8, last, seed)
			var res [3]Result
			for k := range res {
				opt := exact()
				opt.tuning.orderedSetsOff = k == 1
				if k == 2 {
					opt.Threads, opt.tuning.minRoundWork = 2, 1
				}
				var err error
				if res[k], err = Solve(context.Background(), m, opt, Hooks{}); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if r := &res[k]; r.Status != res[0].Status || r.Status != lp.Infeasible && (r.Status != lp.Optimal ||
					math.Abs(r.Objective-res[0].Objective) > 1e-6) {
					t.Fatalf("seed %d: %v %g, then %v %g", seed, res[0].Status, res[0].Objective, r.Status, r.Objective)
				}
			}
			work[0], work[1] = work[0]+res[0].Work, work[1]+res[1].Work
		}
		if last && work[0] > 0.7*work[1] {
			t.Errorf("work %g, without sets %g", work[0], work[1])
		}
	}
}

// TestSetsOfJobs looks at the sets that are found: one a job, in the order of time, and two parts one of which holds
// the start, whatever it is.
func TestSetsOfJobs(t *testing.T) {
	p, err := newProblem(jobs(5, true, 1), DefaultOptions().Tolerances)
	if err != nil {
		t.Fatal(err)
	}
	p.findSets()
	if len(p.sets) != 5 {
		t.Fatalf("%d sets of 5 jobs", len(p.sets))
	}
	s := &search{p: p}
	for k := range p.sets {
		o := &p.sets[k]
		if !slices.IsSorted(o.cols) || !slices.IsSorted(o.at) {
			t.Errorf("set %d: %v at %v", k, o.cols, o.at)
		}
		x := make([]float64, p.n)
		x[o.cols[1]], x[o.cols[2]], x[o.cols[3]] = 0.5, 0.25, 0.25
		first, weight, ok := o.parts(x)
		if !ok || first != 2 || math.Abs(weight-0.5) > 1e-12 {
			t.Errorf("set %d: %d columns in the first part, weight %g of the second, %v", k, first, weight, ok)
		}
		s.point.x = x
		sides := s.sides(int32(p.n+k), weight)
		for _, j := range o.cols {
			out := 0
			for _, side := range sides {
				if slices.Contains(side, change{j, true, 0}) {
					out++
				}
			}
			if out != 1 {
				t.Errorf("set %d: column %d is out of %d children", k, j, out)
			}
		}
		x[o.cols[1]], x[o.cols[2]], x[o.cols[3]] = 0, 0, 1
		if _, _, ok := o.parts(x); ok {
			t.Errorf("set %d is split at an integral point", k)
		}
	}
}
