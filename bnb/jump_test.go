package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// randomJump builds a model with a known point in it, and a search that stands at a random LP point.
func randomJump(t *testing.T, seed uint64) *search {
	rng := rand.New(rand.NewPCG(seed, 11))
	m := &lp.Model{}
	n, rows := 5+rng.IntN(20), 1+rng.IntN(12)
	point := make([]float64, n)
	for j := range n {
		c := lp.Col{Upper: float64(1 + rng.IntN(2)*rng.IntN(9)), Integer: rng.IntN(4) > 0}
		point[j] = float64(rng.IntN(1 + int(c.Upper)))
		m.AddCol(c)
	}
	for range rows {
		var index []int32
		var value []float64
		act := 0.0
		for j := range n {
			if rng.IntN(3) == 0 {
				v := float64(1+rng.IntN(5)) * float64(1-2*rng.IntN(2))
				index, value = append(index, int32(j)), append(value, v)
				act += v * point[j]
			}
		}
		row := lp.Row{Lower: act - float64(rng.IntN(3)), Upper: act + float64(rng.IntN(3))}
		switch rng.IntN(3) {
		case 0:
			row.Lower = math.Inf(-1)
		case 1:
			row.Upper = math.Inf(1)
		}
		m.AddRow(row, index, value)
	}
	s, err := newSearch(job{model: m, opt: DefaultOptions(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	s.point.x = make([]float64, n)
	for j := range s.point.x {
		s.point.x[j] = rng.Float64() * s.p.upper[j]
	}
	return s
}

// TestFeasibilityJump checks the points that it finds, and that it finds one in most models that have one.
func TestFeasibilityJump(t *testing.T) {
	const models = 300
	found := 0
	for seed := range uint64(models) {
		s := randomJump(t, seed)
		f := newFeasibilityJump(s)
		if !f.run(context.Background()) {
			continue
		}
		found++
		if v := s.p.violation(f.x); !(v <= s.opt.Tolerances.Feasibility) || !s.p.integral(f.x, s.opt.Tolerances.Integrality) {
			t.Errorf("seed %d: the point violates the model by %g", seed, v)
		}
	}
	if found < models*9/10 {
		t.Errorf("points in %d of %d models", found, models)
	}
}

// TestFeasibilityJumpScores compares what the jumps maintain with a computation from scratch.
func TestFeasibilityJumpScores(t *testing.T) {
	for seed := range uint64(100) {
		f := newFeasibilityJump(randomJump(t, seed))
		for range 30 {
			if j := f.pick(); j >= 0 {
				f.jump(j)
			} else {
				f.reweigh()
			}
		}
		p := f.s.p
		for i := range p.rows {
			index, value := p.byRow.Vec(i)
			act := 0.0
			for k, j := range index {
				act += value[k] * f.x[j]
			}
			if !(math.Abs(act-f.act[i]) <= 1e-9*(1+math.Abs(act))) {
				t.Fatalf("seed %d: row %d is at %g, not %g", seed, i, act, f.act[i])
			}
			if bad := f.violation(i, act) > 0; bad != (f.bad.place[i] >= 0) {
				t.Fatalf("seed %d: row %d violated: %v", seed, i, bad)
			}
		}
		for j := range p.n {
			want := f.gain(int32(j), f.value[j])
			if !(math.Abs(want-f.score[j]) <= 1e-9*(1+math.Abs(want))) || (f.score[j] > jumpGain) != (f.good.place[j] >= 0) {
				t.Fatalf("seed %d: the score of column %d is %g, not %g", seed, j, want, f.score[j])
			}
		}
	}
}
