package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// randomMedium draws models beyond enumeration: mixed columns, fractional data, fixed charges, and now
// and then equality rows.
func randomMedium(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "medium"}
	for range 8 + rng.IntN(20) {
		c := lp.Col{Cost: float64(rng.IntN(41) - 20), Upper: 1, Integer: true}
		switch rng.IntN(6) {
		case 0:
			c.Upper = float64(1 + rng.IntN(20))
		case 1:
			c.Lower, c.Upper = -float64(rng.IntN(10)), float64(rng.IntN(10))
		case 2:
			c.Integer, c.Upper = false, float64(rng.IntN(30))
		case 3:
			c.Cost = math.Round(c.Cost*100*rng.Float64()) / 100
		}
		m.AddCol(c)
	}
	for range 6 * rng.IntN(2) {
		x := m.AddCol(lp.Col{Cost: -float64(rng.IntN(10)), Upper: 100})
		y := m.AddCol(lp.Col{Cost: float64(20 + rng.IntN(200)), Upper: 1, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{int32(x), int32(y)}, []float64{1, -float64(10 + rng.IntN(50))})
	}
	equalities := rng.IntN(4) == 0
	for range 3 + rng.IntN(12) {
		addRandomRow(rng, m, equalities)
	}
	return m
}

func addRandomRow(rng *rand.Rand, m *lp.Model, equalities bool) {
	var index []int32
	var value []float64
	act := 0.0
	for j, c := range m.Cols {
		v := float64(rng.IntN(41) - 15)
		if rng.IntN(4) == 0 {
			v = math.Round(v*1000*rng.Float64()) / 1000
		}
		if v == 0 || rng.IntN(3) > 0 {
			continue
		}
		index, value = append(index, int32(j)), append(value, v)
		act += v * math.Round(c.Lower+rng.Float64()*(c.Upper-c.Lower))
	}
	r := lp.Row{Lower: act - float64(rng.IntN(20)), Upper: act + float64(rng.IntN(10))}
	switch rng.IntN(5) {
	case 0:
		if equalities {
			r.Lower, r.Upper = act, act
		}
	case 1:
		r.Upper = lp.Inf
	default:
		r.Lower = math.Inf(-1)
	}
	m.AddRow(r, index, value)
}

// TestMediumLazy hides half of the rows of a model behind the lazy hook and compares with the whole.
func TestMediumLazy(t *testing.T) {
	optimal, cuts := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 32))
		m := randomMedium(rng)
		opt := DefaultOptions()
		opt.Gap, opt.MaxNodes = 0, 20000
		want, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := newProblem(m, opt.Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		rest := &lp.Model{Cols: m.Cols}
		var hidden []Cut
		for i, r := range m.Rows {
			index, value := p.byRow.Vec(i)
			if rng.IntN(2) == 0 {
				hidden = append(hidden, Cut{Lower: r.Lower, Upper: r.Upper, Index: index, Value: value})
			} else {
				rest.AddRow(r, index, value)
			}
		}
		lazy := func(context.Context, Candidate) (Separation, error) { return Separation{Cuts: hidden}, nil }
		got, err := Solve(context.Background(), rest, opt, Hooks{Lazy: lazy})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if want.Status.Limited() || got.Status.Limited() {
			continue
		}
		if got.Status != want.Status ||
			want.X != nil && !(math.Abs(got.Objective-want.Objective) <= 1e-5*math.Max(1, math.Abs(want.Objective))) {
			t.Errorf("seed %d: %v, objective %.9g; without hiding %v, %.9g", seed, got.Status, got.Objective, want.Status,
				want.Objective)
		}
		if want.X != nil {
			optimal++
		}
		cuts += got.LazyCuts
	}
	if optimal < 60 || cuts < 500 {
		t.Errorf("%d models with a solution, %d lazy cuts: the test has lost its point", optimal, cuts)
	}
}
