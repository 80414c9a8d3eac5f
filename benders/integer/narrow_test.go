package integer

import (
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// mixedProgram returns a small program whose first stage opens facilities (0-1) and gives them room (continuous), and
// whose recourse has both kinds of columns.
func mixedProgram(rng *rand.Rand) *stoch.Program {
	var b stoch.Builder
	cover := []lp.Expr{b.Nonnegative("miss", 60).Times(1)}
	for range 3 {
		open := b.First(b.Binary("open", float64(rng.IntN(6))))
		room := b.First(b.Between("room", 1+rng.Float64(), 0, 12))
		b.AtMost(0, room.Times(1), open.Times(-12))
		load := []lp.Expr{room.Times(-1)}
		for range 2 {
			x := b.Integer("x", -rng.Float64(), 0, float64(1+rng.IntN(3)))
			load = append(load, x.Times(float64(2+rng.IntN(3))))
			cover = append(cover, x.Times(float64(2+rng.IntN(3))))
		}
		z := b.Between("z", 1+rng.Float64(), 0, 2)
		load = append(load, z.Times(1))
		cover = append(cover, z.Times(1))
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

// TestNarrowBoxKeepsBetterDesigns narrows the boxes of random programs with the cost of a design that is a little worse
// than the optimum, and holds the optimum of the extensive form in the box against that of all designs.
func TestNarrowBoxKeepsBetterDesigns(t *testing.T) {
	narrower := 0
	for seed := range uint64(60) {
		program := mixedProgram(rand.New(rand.NewPCG(seed, 6)))
		whole := leastIn(t, program, box{})

		r, start := started(t, program)
		prices, err := r.prices()
		if err != nil {
			t.Fatal(err)
		}
		s := newTree(r, prices, &start, r.o.Benders)
		if err := s.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.cost = whole + 0.005
		n := s.queue[0]
		n.bound = whole - 0.005 // close enough to the cost for narrow to do something
		if err := s.narrow(t.Context(), n); err != nil {
			t.Fatal(err)
		}

		for j := range n.lower {
			if s.better.upper[j]-s.better.lower[j] < n.upper[j]-n.lower[j] {
				narrower++
			}
		}
		if got := leastIn(t, program, s.better); got > whole+1e-6 {
			t.Errorf("seed %d: the best design in the box costs %v, and the optimum is %v", seed, got, whole)
		}
	}
	if narrower < 100 {
		t.Errorf("%d columns of all programs lost some of their width: the test has no force", narrower)
	}
}

// leastIn returns the optimum of the extensive form over the designs of a box; all designs where it has no columns.
func leastIn(t *testing.T, p *stoch.Program, in box) float64 {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	for j, low := range in.lower {
		m.Cols[j].Lower = low
		m.Cols[j].Upper = in.upper[j]
	}
	out, err := solveMIP(t.Context(), m, 1e6)
	if err != nil || out.Status != lp.Optimal {
		t.Fatal(out.Status, err)
	}
	return out.Objective
}
