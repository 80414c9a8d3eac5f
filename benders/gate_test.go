package benders_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// TestStatusOfNonsense gives Settle results that make no sense: no result is optimal without a design, with an
// objective that is not a number, below its bound, or above it by more than the gap and the tolerance of cuts.
func TestStatusOfNonsense(t *testing.T) {
	values := []float64{math.NaN(), math.Inf(-1), math.Inf(1), -1e9, -1, -1e-9, 0, 1e-9, 1, 1.001, 2, 1e9}
	statuses := []lp.Status{lp.NotSolved, lp.Optimal, lp.Infeasible, lp.Unbounded, lp.TimeLimit, lp.NodeLimit, lp.Interrupted,
		lp.FixedPoint, lp.Stalled}
	optimal := 0
	for _, objective := range values {
		for _, bound := range values {
			for _, before := range statuses {
				for _, gap := range []float64{0, 1e-4} {
					for k := range 4 {
						r := benders.Result{Objective: objective, Bound: bound}
						if k&1 > 0 {
							r.Design = []float64{1}
						}
						exact := k&2 > 0
						why := benders.Ended(before)
						if !exact {
							why = why.Bounded()
						}
						r.Settle(why, gap)
						if r.Status != lp.Optimal {
							continue
						}
						optimal++
						size := max(1, math.Abs(objective))
						above := gap * size
						if exact {
							above += 1e-3 * size
						}
						if r.Design == nil || !(math.Abs(objective) <= 1e9) || !(bound <= objective+max(gap, 1e-6)*size) ||
							!(bound >= objective-above-1e-9*size) {
							t.Errorf("%v, design %v, objective %g, bound %g, gap %g, exact %v: optimal", before, r.Design, objective,
								bound, gap, exact)
						}
					}
				}
			}
		}
	}
	if optimal == 0 {
		t.Error("nothing is optimal")
	}
}

// TestNoDesignBreaksARow runs the drivers on problems in which at most three sites may be open, with starts, roundings
// and local searches that do not care: they open everything, which serves every client at the least cost and pays
// nothing, or return no integers at all. The result is the best design that keeps the row.
func TestNoDesignBreaksARow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0x907e))
		s := randomSite(rng, 20, 9, false)
		n := len(s.fixed)
		for j := range s.fixed {
			s.fixed[j] = 0
		}
		p := s.problem(false)
		index, ones := make([]int32, n), make([]float64, n)
		wild := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
		for j := range n {
			index[j], ones[j] = int32(j), 1e7
			wild[0][j], wild[1][j], wild[2][j], wild[3][j] = 1, 0.4, math.NaN(), 1e300
		}
		p.Master.AddRow(lp.Row{Name: "three", Lower: math.Inf(-1), Upper: 3e7}, index, ones)

		best := math.Inf(1)
		q := make([]float64, 1)
		for k := range n * n * n {
			y := make([]float64, n)
			y[k%n], y[k/n%n], y[k/n/n] = 1, 1, 1
			if _, err := s.recourse(context.Background(), y, q); err != nil {
				t.Fatal(err)
			}
			best = min(best, q[0])
		}

		calls := 0
		bad := func() []float64 { calls++; return append([]float64(nil), wild[calls%len(wild)]...) }
		p.Starts = wild
		p.Round = func([]float64) []float64 { return bad() }
		p.Improve = func(context.Context, []float64) ([]float64, error) { return bad(), nil }
		for _, d := range drivers {
			opt := benders.DefaultOptions()
			opt.Gap = 0
			sep := &separator{site: s, choose: identity, exact: true}
			r, err := d.solve(context.Background(), p, sep, opt)
			if err != nil || r.Status != lp.Optimal || !near(r.Objective, best) || p.Master.Check(r.Design) != nil {
				t.Errorf("seed %d, %s: %+v, %v; the best costs %g", seed, d.name, r, err, best)
			}
		}
		if calls == 0 {
			t.Error("no heuristic was asked")
		}
	}
}
