package integer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// roomProgram returns a small program whose first stage gives facilities room, without a row of its own, and whose
// recourse has integer columns.
func roomProgram(rng *rand.Rand) *stoch.Program {
	var b stoch.Builder
	cover := []lp.Expr{b.Nonnegative("miss", 60).Times(1)}
	for range 3 {
		room := b.First(b.Between("room", 1+rng.Float64(), 0, 12))
		load := []lp.Expr{room.Times(-1)}
		for range 2 {
			x := b.Integer("x", -rng.Float64(), 0, float64(1+rng.IntN(3)))
			load = append(load, x.Times(float64(2+rng.IntN(3))))
			cover = append(cover, x.Times(float64(2+rng.IntN(3))))
		}
		b.AtMost(0, load...)
	}
	need := b.AtLeast(3, cover...)
	for s := range 4 {
		b.Scenario("", 0.25, stoch.SetRowLower(need, float64(1+2*s+rng.IntN(4))))
	}
	p, err := b.Program()
	if err != nil {
		panic(err)
	}
	return p
}

// withoutDesign returns a tree that is ready for its root and has no design, with the root's point.
func withoutDesign(t *testing.T, seed uint64) (*tree, []float64) {
	t.Helper()
	r, start := started(t, roomProgram(rand.New(rand.NewPCG(seed, 6))))
	r.best = math.Inf(1)
	prices, err := r.prices()
	if err != nil {
		t.Fatal(err)
	}
	s := newTree(r, prices, &decompose.Start{Cost: math.Inf(1), Bound: start.Bound}, r.o.Benders)
	if err := s.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.queue[0]
	s.setBounds(n.box)
	y, _, err := s.solve(t.Context(), n)
	if err != nil || y == nil {
		t.Fatal(y, err)
	}
	return s, y
}

// TestLinearProgramsFindFirstDesign seeks designs by linear programs with fixed integer columns where none is known.
func TestLinearProgramsFindFirstDesign(t *testing.T) {
	found := 0
	for seed := range uint64(10) {
		s, y := withoutDesign(t, seed)
		if s.closed() {
			t.Errorf("seed %d: the bound %v proves a design that is not there", seed, s.bound())
		}
		if err := s.together(t.Context(), y); err != nil {
			t.Fatal(err)
		}
		if s.design != nil {
			found++
		}
	}
	if found < 5 {
		t.Errorf("a first design in %d of 10 programs", found)
	}
}

// TestGainsWithoutDesign judges rounds of cuts at a node below the root, without a design: those that raise the bound
// well go on, those that hardly raise it end.
func TestGainsWithoutDesign(t *testing.T) {
	s, _ := withoutDesign(t, 1)
	for _, c := range []struct {
		before, after float64
		want          bool
	}{
		{100, 110, true},
		{100, 100.001, false},
		{-100, -90, true},
		{0, 1, true},
		{0, 1e-6, false},
	} {
		n := &node{bound: c.after, depth: 1}
		if got := s.pay(n, &effort{done: 1, before: c.before}); got != c.want {
			t.Errorf("a round that raises the bound from %v to %v is worth another one: %v", c.before, c.after, got)
		}
	}

	// The gain of the root is compared with a finite gap too.
	if gap := s.openGap(100); gap != assumedGap*100 {
		t.Errorf("the gap from 100 is %v", gap)
	}
	s.accept(make([]float64, len(s.p.master.Cols)), 103)
	if gap := s.openGap(100); gap != 3 {
		t.Errorf("the gap from 100 to 103 is %v", gap)
	}
}
