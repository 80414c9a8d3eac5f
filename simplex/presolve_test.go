package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// reducibleModel is a random model with every kind of row and column that presolve removes.
func reducibleModel(rng *rand.Rand) *lp.Model {
	n := 6 + rng.IntN(25)
	m := &lp.Model{Maximize: rng.IntN(3) == 0}
	x := make([]float64, n)
	for j := range n {
		lo, up := 0.0, float64(1+rng.IntN(9))
		switch rng.IntN(8) {
		case 0:
			up = lo
		case 1:
			lo, up = math.Inf(-1), lp.Inf
		case 2, 3:
			up = lp.Inf
		}
		m.AddCol(lp.Col{Cost: float64(rng.IntN(15) - 3), Lower: lo, Upper: up})
		x[j] = min(max(float64(rng.IntN(6)), lo), up)
	}
	for range n {
		size := []int{0, 1, 1, 2, 2, 2, 3, 5}[rng.IntN(8)]
		var idx []int32
		var val []float64
		act := 0.0
		for _, j := range rng.Perm(n)[:size] {
			v := float64(rng.IntN(9) - 4)
			idx, val = append(idx, int32(j)), append(val, v)
			act += v * x[j]
		}
		lo, up := act, act
		switch rng.IntN(4) {
		case 0:
			lo = math.Inf(-1)
			up += float64(rng.IntN(6))
		case 1:
			up = lp.Inf
			lo -= float64(rng.IntN(6))
		}
		m.AddRow(lp.Row{Lower: lo, Upper: up}, idx, val)
	}
	return m
}

// TestPresolve compares answers with and without presolve, checks them on the whole model, and checks
// that every reduction was at work and that the basis of the reduced model is nearly always optimal.
func TestPresolve(t *testing.T) {
	kinds := map[reductionKind]int{}
	optimal, pivots, status := 0, 0, map[lp.Status]int{}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 10))
		m := reducibleModel(rng)
		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		p := newPresolver(m, dropZeros(a))
		p.reduce()
		for _, r := range p.stack {
			kinds[r.kind]++
		}
		small, _, _ := p.reduced()
		with, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		certify(t, seed, m, with)
		opt := DefaultOptions()
		opt.Presolve = false
		without, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if with.Status != without.Status || with.Status == lp.Optimal && math.Abs(with.Objective-without.Objective) > 1e-6*(1+math.Abs(without.Objective)) {
			t.Fatalf("seed %d: %v %g with presolve, %v %g without", seed, with.Status, with.Objective, without.Status, without.Objective)
		}
		status[with.Status]++
		if with.Status != lp.Optimal {
			continue
		}
		optimal++
		reduced, err := Solve(context.Background(), small, opt)
		if err != nil || reduced.Status != lp.Optimal || math.Abs(reduced.Objective-with.Objective) > 1e-6*(1+math.Abs(with.Objective)) {
			t.Fatalf("seed %d: reduced model %v, %v, whole model %g", seed, reduced, err, with.Objective)
		}
		s, err := New(m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		_, basis, err := presolved(context.Background(), m, DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if basis != nil {
			if err := s.SetBasis(basis); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pivots += r.Iterations
	}
	t.Logf("statuses %v, reductions %v, %d pivots after %d optimal presolved models", status, kinds, pivots, optimal)
	for k := slackRow; k <= aggregated; k++ {
		if kinds[k] == 0 {
			t.Errorf("no reduction of kind %d", k)
		}
	}
	if pivots > optimal {
		t.Errorf("%d pivots after %d presolved models", pivots, optimal)
	}
	// The model itself must be left alone.
	m := reducibleModel(rand.New(rand.NewPCG(1, 10)))
	a, _ := m.Matrix()
	before := append([]float64(nil), a.Value...)
	newPresolver(m, a).reduce()
	for k, v := range before {
		if a.Value[k] != v {
			t.Fatalf("presolve changed entry %d of the model", k)
		}
	}
}
