package bnb

import (
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
