package bnb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestCutsPropagate has a chain of cuts x0 <= x1 <= x2 and a cut that comes later, x2 <= x3: every bound is derived
// from those of touched columns, of new cuts, and after a jump of all.
func TestCutsPropagate(t *testing.T) {
	m := &lp.Model{}
	for range 4 {
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	p, err := newProblem(m, DefaultOptions().Tolerances)
	if err != nil {
		t.Fatal(err)
	}
	q, d := newPool(p), newDomain(p)
	pr := newPropagator(p, q, 1e-9)
	ordered := func(a, b int32) {
		c, err := q.read(&Cut{Lower: 0, Upper: inf, Index: []int32{a, b}, Value: []float64{-1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		q.add(c)
		q.give(c)
	}
	ordered(1, 2)
	ordered(0, 1)
	check := func(what string, want ...float64) {
		t.Helper()
		for j, v := range want {
			if d.lower[j] != v {
				t.Errorf("%s: the lower bounds are %v, not %v", what, d.lower, want)
				return
			}
		}
	}
	if !d.tighten(change{0, false, 1}) || !pr.run(d, false) {
		t.Fatal("refuted")
	}
	check("along the chain", 1, 1, 1, 0)
	ordered(2, 3)
	if !d.tighten(change{0, false, 1}) || !pr.run(d, true) {
		t.Fatal("refuted")
	}
	check("with a new cut", 1, 1, 1, 1)
	d.backtrack(0)
	if !d.tighten(change{3, true, 0}) || !pr.run(d, false) || d.upper[0] != 0 || d.upper[1] != 0 || d.upper[2] != 0 {
		t.Errorf("back along the chain: the upper bounds are %v", d.upper)
	}
	other := &node{parent: &node{changes: []change{{1, false, 1}}}, changes: []change{{0, false, 1}}}
	if !d.enter(other, false) || !pr.run(d, false) {
		t.Fatal("refuted")
	}
	check("in another part of the tree", 1, 1, 1, 1)
	if !d.tighten(change{0, false, 1}) || d.tighten(change{3, true, 0}) && pr.run(d, false) {
		t.Error("a contradiction is not seen")
	}
}

// TestIdleCutsSayNothing propagates cuts that are called idle all the same, in random domains: no bound moves. Of those
// that move one none is idle.
func TestIdleCutsSayNothing(t *testing.T) {
	idle, moved := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := &lp.Model{}
		n := 2 + rng.IntN(5)
		for range n {
			m.AddCol(lp.Col{Lower: float64(rng.IntN(2) * (rng.IntN(3) - 1)), Upper: float64(1 + rng.IntN(2)), Integer: true})
		}
		p, err := newProblem(m, DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		q, d := newPool(p), newDomain(p)
		pr := newPropagator(p, q, 1e-9)
		cut := Cut{Lower: float64(rng.IntN(5)), Upper: inf}
		for j := range n {
			cut.Index, cut.Value = append(cut.Index, int32(j)), append(cut.Value, float64(1+rng.IntN(4)))
		}
		switch rng.IntN(6) {
		case 0:
			cut.Upper = cut.Lower + float64(rng.IntN(3))
		case 1:
			cut.Value[rng.IntN(n)] *= -1
		}
		c, err := q.read(&cut)
		if err != nil {
			t.Fatal(err)
		}
		q.add(c)
		q.give(c)
		l := &pr.cuts
		l.update()
		for j := range n {
			switch rng.IntN(4) {
			case 0:
				d.tighten(change{int32(j), true, d.lower[j]})
			case 1:
				d.tighten(change{int32(j), false, d.upper[j]})
			}
		}
		said, mark := l.idle(0, d), len(d.stack)
		c = l.list[0]
		changed := !pr.row(d, line{c.index, c.value, c.lower, c.upper}) || len(d.stack) > mark
		if said && changed {
			t.Errorf("seed %d: %+v is called idle", seed, cut)
		}
		if said {
			idle++
		}
		if changed {
			moved++
		}
	}
	if idle < 300 || moved < 300 {
		t.Errorf("%d are idle, %d move a bound", idle, moved)
	}
}

// TestFollowedCuts walks domains at random, with bounds tightened, given back and of other nodes, and cuts that come on
// the way: whoever only looks at cuts that have lost what made them idle comes to the bounds of one who looks at all.
func TestFollowedCuts(t *testing.T) {
	skipped, moved := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := &lp.Model{}
		n := 4 + rng.IntN(8)
		for range n {
			m.AddCol(lp.Col{Upper: float64(1 + rng.IntN(2)), Integer: true})
		}
		p, err := newProblem(m, DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		q := newPool(p)
		follows, all := newPropagator(p, q, 1e-9), newPropagator(p, q, 1e-9)
		d, e := newDomain(p), newDomain(p)
		nodes := []*node{nil}
		for range 60 {
			if rng.IntN(3) == 0 {
				cut := Cut{Lower: float64(1 + rng.IntN(6)), Upper: inf}
				for j := range n {
					if rng.IntN(3) > 0 {
						cut.Index, cut.Value = append(cut.Index, int32(j)), append(cut.Value, float64(1+rng.IntN(4)))
					}
				}
				if c, err := q.read(&cut); err == nil && len(cut.Index) > 1 {
					q.add(c)
					q.give(c)
				}
			}
			j := int32(rng.IntN(n))
			c := change{j, true, d.upper[j] - 1}
			if rng.IntN(3) == 0 {
				c = change{j, false, d.lower[j] + 1}
			}
			mark := len(d.stack)
			switch rng.IntN(8) {
			case 0:
				d.backtrack(0)
				e.backtrack(0)
				d.untouch()
				e.untouch()
				continue
			case 1:
				parent := nodes[rng.IntN(len(nodes))]
				nd := &node{parent: parent, changes: []change{c}}
				if ok := d.enter(nd, false); !e.enter(nd, false) || !ok {
					d.untouch()
					e.untouch()
					continue
				}
				nodes = append(nodes, nd)
			default:
				if !d.tighten(c) || !e.tighten(c) {
					d.backtrack(mark)
					e.backtrack(mark)
					d.untouch()
					e.untouch()
					continue
				}
			}
			// The reference looks at every cut of a touched column.
			for k := range all.cuts.idleTerms {
				all.cuts.idleTerms[k] = notIdle
			}
			for _, need := range follows.cuts.idleTerms {
				if need < notIdle {
					skipped++
				}
			}
			ok, want := follows.run(d, false), all.run(e, false)
			if ok != want {
				t.Fatalf("seed %d: %v, not %v", seed, ok, want)
			}
			if !ok {
				d.backtrack(0)
				e.backtrack(0)
				continue
			}
			if !slices.Equal(d.lower, e.lower) || !slices.Equal(d.upper, e.upper) {
				t.Fatalf("seed %d: bounds %v to %v, not %v to %v", seed, d.lower, d.upper, e.lower, e.upper)
			}
			moved += max(0, len(d.stack)-mark-1)
		}
	}
	if skipped < 1000 || moved < 1000 {
		t.Errorf("%d times a cut was idle, %d bounds moved", skipped, moved)
	}
}
