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

// mixedBlocks draws a model of two equal blocks, each with a continuous column and one or two general integer columns,
// and of two integer columns that can be exchanged without the blocks.
func mixedBlocks(rng *rand.Rand) *tiny {
	b := &blocks{tiny: &tiny{maximize: rng.IntN(2) == 0, box: 2}, count: 2, width: 2 + rng.IntN(2)}
	cost := float64(rng.IntN(7) - 3)
	for range b.count {
		b.add(rng, cost, 0, 2, false)
	}
	for range b.width - 1 {
		b.addColumns(rng, true, false)
	}
	for range 1 + rng.IntN(2) {
		b.overAll(rng)
	}
	common := len(b.rows)
	for range 1 + rng.IntN(2) {
		b.inBlocks(rng)
	}

	// The two columns are in the rows over all blocks.
	before := len(b.point)
	b.addColumns(rng, true, false)
	shift := b.point[before] + b.point[before+1]
	for i := range b.rows {
		r := &b.rows[i]
		v := 0.0
		if i < common {
			v = float64(rng.IntN(4) - 1)
		}
		r.coef = append(r.coef, v, v)
		r.lower += v * shift
		r.upper += v * shift
	}
	return b.tiny
}

// compare solves the model with the options and compares the result with enumeration.
func (m *tiny) compare(t *testing.T, seed uint64, opt Options, hooks Hooks) {
	t.Helper()
	res, err := Solve(context.Background(), m.model(nil), opt, hooks)
	if err == nil {
		err = m.verify(res, m.solve())
	}
	if err != nil {
		t.Errorf("seed %d: %v\n%+v\n%+v", seed, err, m, opt)
	}
}

// TestBreakingMixed compares models whose symmetries move continuous and general integer columns with enumeration, and
// checks that the rows are of continuous columns.
func TestBreakingMixed(t *testing.T) {
	rows, left := 0, 0
	for seed := range uint64(bulk(t, 500)) {
		rng := rand.New(rand.NewPCG(seed, 54))
		m := mixedBlocks(rng)
		opt := symmetryOptions(rng)
		opt.Presolve = true
		if rng.IntN(2) == 0 {
			opt.tuning.reductionsOff = presolve.All
		}
		hooks := Hooks{Symmetries: func(s Symmetries) {
			rows += s.Rows
			if s.Rows == 0 {
				left++
			}
		}}
		m.compare(t, seed, opt, hooks)

		p, err := newProblem(m.model(nil), opt.Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		generators, _ := p.symmetries(context.Background())
		b := &breaker{group: symmetry.NewGroup(p.n, generators)}
		b.choose(p)
		for _, lead := range b.leaders {
			for _, j := range append(lead.orbit, lead.col) {
				if p.integer[j] {
					t.Errorf("seed %d: a row for integer column %d", seed, j)
				}
			}
		}
	}
	if rows == 0 || left == 0 {
		t.Errorf("%d rows were added, %d times symmetries were left to the nodes", rows, left)
	}
}

// TestNoRowsOfIntegers compares models whose symmetries move integer columns with enumeration, and checks that these
// symmetries are left to the nodes.
func TestNoRowsOfIntegers(t *testing.T) {
	found := 0
	for seed := range uint64(bulk(t, 1500)) {
		rng := rand.New(rand.NewPCG(seed, 52))
		m := randomBlocks(rng)
		opt := symmetryOptions(rng)
		opt.Presolve = true
		hooks := Hooks{Symmetries: func(s Symmetries) {
			found++
			if s.Rows > 0 {
				t.Errorf("seed %d: %d rows", seed, s.Rows)
			}
		}}
		m.compare(t, seed, opt, hooks)
	}
	if found == 0 {
		t.Error("no symmetry was found")
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
