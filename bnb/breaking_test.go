package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/bnb/symmetry"
	"github.com/proxybd/proxybd/lp"
)

// boxes places items on a line without overlap: equal items have continuous places, of each pair one
// is before the other, which two binary columns say, and what counts are the places and the end of the last one.
func boxes(rng *rand.Rand) *lp.Model {
	m := &lp.Model{}
	kinds := 1 + rng.IntN(2)
	var place []lp.Var
	var width []float64
	for range kinds {
		w := float64(1 + rng.IntN(3))
		cost := float64(rng.IntN(3) - 1)
		for range 2 + rng.IntN(2) {
			place = append(place, m.AddCol(lp.Col{Cost: cost, Upper: 10}))
			width = append(width, w)
		}
	}
	makespan := m.AddCol(lp.Col{Cost: float64(1 + rng.IntN(3)), Upper: float64(5 + rng.IntN(8))})
	for i, x := range place {
		m.AddRow(lp.Row{Lower: width[i], Upper: math.Inf(1)}, []int32{int32(makespan), int32(x)}, []float64{1, -1})
		for k := range i {
			first := int32(m.AddCol(lp.Col{Upper: 1, Integer: true}))
			last := int32(m.AddCol(lp.Col{Upper: 1, Integer: true}))
			other := int32(place[k])
			m.AddRow(lp.Row{Lower: 1, Upper: 2}, []int32{first, last}, []float64{1, 1})
			m.AddRow(lp.Row{Lower: width[i] - 12, Upper: math.Inf(1)}, []int32{other, int32(x), first}, []float64{1, -1, -12})
			m.AddRow(lp.Row{Lower: width[k] - 12, Upper: math.Inf(1)}, []int32{int32(x), other, last}, []float64{1, -1, -12})
		}
	}
	return m
}

// TestBreakingRows solves models whose symmetries move continuous columns with and without rows that break them.
func TestBreakingRows(t *testing.T) {
	ctx := context.Background()
	rows := 0
	for seed := range uint64(bulk(t, 200)) {
		m := boxes(rand.New(rand.NewPCG(seed, 51)))
		off := exact()
		off.Symmetry = false
		want, err := Solve(ctx, m, off, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		hooks := Hooks{Symmetries: func(s Symmetries) { rows += s.Rows }}
		on := exact()
		on.tuning.reductionsOff = presolve.All // one of two equal columns may be substituted, which ends a symmetry
		got, err := Solve(ctx, m, on, hooks)
		if err != nil || got.Status != want.Status || math.Abs(got.Objective-want.Objective) > 1e-6 {
			t.Fatalf("seed %d: %v %v, %v; without symmetry %v %v", seed, got.Status, got.Objective, err, want.Status, want.Objective)
		}
		if want.X == nil {
			continue
		}

		// A start that breaks the rows counts like any other: the search stops with it before its first node.
		opt := on
		opt.Start = [][]float64{want.X}
		opt.MaxNodes = 0
		got, err = Solve(ctx, m, opt, Hooks{})
		if err != nil || !(got.Objective <= want.Objective+1e-6) {
			t.Fatalf("seed %d: %v from a start of %v, %v", seed, got.Objective, want.Objective, err)
		}
	}
	if rows == 0 {
		t.Error("no row was added")
	}
}

// TestBreakingIntegers compares models whose symmetries move general integer columns with enumeration.
func TestBreakingIntegers(t *testing.T) {
	broken := 0
	for seed := range uint64(bulk(t, 1500)) {
		rng := rand.New(rand.NewPCG(seed, 52))
		m := randomBlocks(rng)
		want := m.solve()
		opt := symmetryOptions(rng)
		opt.Presolve = true
		hooks := Hooks{Symmetries: func(s Symmetries) { broken += s.Rows }}
		res, err := Solve(context.Background(), m.model(nil), opt, hooks)
		if err == nil {
			err = m.verify(res, want)
		}
		if err != nil {
			t.Errorf("seed %d: %v\n%+v\n%+v", seed, err, m, opt)
		}
	}
	if broken == 0 {
		t.Error("no row was added")
	}
}

// TestBreakerOrder takes random points to points of their orbits that satisfy the rows.
func TestBreakerOrder(t *testing.T) {
	changed := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 53))
		m := boxes(rng)
		p, err := newProblem(m, DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		generators, _ := p.symmetries(context.Background())
		b := &breaker{group: symmetry.NewGroup(p.n, generators)}
		b.choose(p)
		x := make([]float64, p.n)
		for j := range x {
			x[j] = float64(rng.IntN(4))
		}
		y := b.order(x)
		if got, want := p.value(y), p.value(x); math.Abs(got-want) > 1e-9 {
			t.Fatalf("seed %d: objective %g, %g before", seed, got, want)
		}
		if got, want := p.violation(y), p.violation(x); math.Abs(got-want) > 1e-9 {
			t.Fatalf("seed %d: violation %g, %g before", seed, got, want)
		}
		with := m.Clone()
		before := len(with.Rows)
		b.addRows(with)
		a, err := with.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		activity := make([]float64, len(with.Rows))
		for j := range y {
			index, value := a.Vec(j)
			for k, i := range index {
				activity[i] += value[k] * y[j]
				if int(i) >= before && x[j] != y[j] {
					changed++
				}
			}
		}
		for i := before; i < len(activity); i++ {
			if activity[i] < 0 {
				t.Fatalf("seed %d: row %d of the breaker is violated by %g", seed, i-before, -activity[i])
			}
		}
	}
	if changed == 0 {
		t.Error("no point was changed")
	}
}
