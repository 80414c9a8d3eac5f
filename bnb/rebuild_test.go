package bnb

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// TestTreeShare makes a tree by hand: the root has a leaf that is done and one that is split again.
func TestTreeShare(t *testing.T) {
	tree := newTree()
	tree.newRoot(3)
	if got := tree.share(); got != 0 {
		t.Errorf("a root alone: %g is done", got)
	}
	root := tree.pop(1)
	for _, depth := range []int{2, 2, 5} {
		tree.add(&node{parent: root, depth: depth, bound: 4, place: [2]int{-1, -1}})
	}
	if got, want := tree.share(), 0.5-1.0/32; math.Abs(got-want) > 1e-12 {
		t.Errorf("%g is done, want %g", got, want)
	}
}

// TestRegrow grows trees anew after every few nodes, alone and in a team: the optimum is that of a tree which stays, the
// bound that is told never falls, and limits leave a bound that holds.
func TestRegrow(t *testing.T) {
	grown := 0
	for seed := range uint64(6) {
		m := knapsacks(24, 4, seed)
		opt := exact()
		opt.Cuts, opt.LogEvery = false, 1
		want, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil || want.Status != lp.Optimal {
			t.Fatalf("seed %d: %v, %v", seed, want.Status, err)
		}
		for _, threads := range []int{1, 2} {
			for _, limit := range []int{math.MaxInt, 25} {
				opt.Threads, opt.MaxNodes = threads, limit
				opt.tuning = tuning{minRoundWork: 1, restartAfter: 2}
				last, roots := math.Inf(1), 0
				res, err := Solve(context.Background(), m, opt, Hooks{
					Progress: func(p Progress) {
						if p.Bound > last+1e-9 {
							t.Errorf("seed %d: the bound falls back from %g to %g", seed, last, p.Bound)
						}
						last = p.Bound
					},
					Node: func(c Candidate) {
						if c.Depth == 0 {
							roots++
						}
					}})
				if err != nil || res.Bound < want.Objective-1e-6 || res.Objective > want.Objective+1e-6 {
					t.Fatalf("seed %d, %d threads: objective %g, bound %g of %g, %v", seed, threads, res.Objective, res.Bound,
						want.Objective, err)
				}
				if limit > 1e6 && (res.Status != lp.Optimal || math.Abs(res.Objective-want.Objective) > 1e-6) {
					t.Errorf("seed %d, %d threads: %v, %g, want %g", seed, threads, res.Status, res.Objective, want.Objective)
				}
				grown += roots - 1
			}
		}
	}
	if grown < 20 {
		t.Errorf("only %d trees were grown anew", grown)
	}
}

// TestRegrowDue says when: after so many nodes, where little is done of the tree and of the gap, and not where hooks
// hold it.
func TestRegrowDue(t *testing.T) {
	s, err := newSearch(job{model: knapsacks(12, 3, 1), opt: DefaultOptions(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	s.tree.newRoot(0)
	if s.rebuildDue() {
		t.Error("due at the start")
	}
	s.effort.nodes = rebuildNodes
	lazy := *s
	lazy.hooks.Lazy = func(context.Context, Candidate) (Separation, error) { return Separation{}, nil }
	if !s.rebuildDue() || lazy.rebuildDue() {
		t.Errorf("due: %t, with a lazy hook: %t", s.rebuildDue(), lazy.rebuildDue())
	}
	root := s.tree.pop(1)
	for k, c := range []struct {
		incumbent bool
		depths    []int
		bound     float64
		grows     bool
	}{
		{false, []int{1, 9}, 6, false},
		{true, []int{1, 9}, 6, false},   // .498 of the tree, all the gap but 4 of 10
		{true, []int{1, 9}, 0.02, true}, // little of the gap
		{true, []int{1, 9}, 0.02, true}, // the same bound again: nothing
		{true, []int{0, 10}, 6, true},   // nothing of the tree
	} {
		if c.incumbent && s.inc.x == nil {
			s.inc.set(make([]float64, s.p.n), 10, FromStart)
		}
		s.tree.clear()
		for _, depth := range c.depths {
			s.tree.add(&node{parent: root, depth: depth, bound: c.bound, place: [2]int{-1, -1}})
		}
		s.effort.nodes = s.progress.at
		s.rebuildTree()
		nd := s.tree.heaps[byBound][0]
		if planted := s.tree.len() == 1 && nd.parent == nil; planted != c.grows || nd.bound != c.bound || s.rebuildDue() {
			t.Errorf("%d: planted: %t, bound %g, due again: %t", k, planted, nd.bound, s.rebuildDue())
		}
	}
}
