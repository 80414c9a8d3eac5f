package cuts

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// TestHullOfOneRow cuts models with one row until nothing is found: the bound is the optimum of the integer points then.
func TestHullOfOneRow(t *testing.T) {
	cut := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := drawOneRow(rng)
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}
		opt := DefaultOptions()
		for k := range opt.Off {
			opt.Off[k] = Kind(k) != Hull
		}
		for before := -1; before < len(s.cuts); {
			before = len(s.cuts)
			if _, err := s.separate(opt); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		cut += len(s.cuts)
		if err := s.verify(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		res, err := s.solver.Solve(context.Background(), simplex.NoLimits())
		if err != nil {
			t.Fatal(err)
		}
		if best := s.optimum(); math.Abs(res.Objective-best) > 1e-4 {
			t.Errorf("seed %d: bound %g, optimum %g after %d cuts\ncolumns %+v\nrow %+v", seed, res.Objective, best,
				len(s.cuts), m.Cols, s.Row(0))
		}
	}
	if cut < 500 {
		t.Errorf("only %d cuts: the test has lost its point", cut)
	}
}

// drawOneRow makes a knapsack, or its negative, of two to five columns with at least three values each that leave it
// feasible: the separators count on bounds that have been propagated.
func drawOneRow(rng *rand.Rand) *lp.Model {
	m := &lp.Model{}
	least, most, heaviest := 0.0, 0.0, 0.0
	var index []int32
	var value []float64
	for range 2 + rng.IntN(4) {
		a := float64(1+rng.IntN(40)) * float64(1-2*rng.IntN(2)) / float64(1+rng.IntN(2))
		index, value = append(index, int32(len(index))), append(value, a)
		heaviest = math.Max(heaviest, math.Abs(a))
	}
	widths := []float64{}
	for _, a := range value {
		widths = append(widths, float64(2+rng.IntN(3)))
		most += math.Abs(a) * widths[len(widths)-1]
	}
	room := math.Max(2*heaviest, rng.Float64()*most)
	for k, a := range value {
		c := lp.Col{Cost: float64(rng.IntN(41) - 20), Lower: float64(rng.IntN(5) - 2), Integer: true}
		c.Upper = c.Lower + math.Min(widths[k], math.Floor(room/math.Abs(a)))
		least += math.Min(a*c.Lower, a*c.Upper)
		m.AddCol(c)
	}
	row := lp.Row{Lower: math.Inf(-1), Upper: least + room}
	if rng.IntN(2) == 0 {
		row = lp.Row{Lower: -row.Upper, Upper: math.Inf(1)}
		for k := range value {
			value[k] = -value[k]
		}
	}
	m.AddRow(row, index, value)
	return m
}

// optimum is the least objective of the integer points of a model with one row, whose columns are all in it.
func (s *small) optimum() float64 {
	best, row := math.Inf(1), s.Row(0)
	var walk func(j int, act, objective float64)
	walk = func(j int, act, objective float64) {
		if j == len(s.m.Cols) {
			if act >= row.Lower-1e-9 && act <= row.Upper+1e-9 {
				best = math.Min(best, objective)
			}
			return
		}
		c := s.m.Cols[j]
		for v := c.Lower; v <= c.Upper; v++ {
			walk(j+1, act+row.Value[j]*v, objective+c.Cost*v)
		}
	}
	walk(0, 0, 0)
	return best
}
