package bnb

import (
	"context"
	"slices"
	"testing"
)

// TestForkedRootFixing has a worker record the LP of a new root: the reduced costs of the search that it was forked
// from stay as they are, since they belong to another objective.
func TestForkedRootFixing(t *testing.T) {
	opt := exact()
	opt.Presolve = false
	opt.MaxNodes = 1
	s := searchOf(t, knapsacks(20, 3, 1), opt)
	if err := s.run(context.Background()); err != nil || !s.root.known {
		t.Fatalf("the root was solved: %t, %v", s.root.known, err)
	}
	price, lower, upper := slices.Clone(s.root.price), slices.Clone(s.root.lower), slices.Clone(s.root.upper)

	w, err := s.fork(0, Hooks{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	pt := nodePoint{price: make([]float64, s.p.n), objective: 17}
	for j := range s.p.n {
		pt.price[j] = 100 + float64(j)
		w.lp.lower[j] = -1
		w.lp.upper[j] = 2
	}
	w.root.record(&pt, w.lp)
	if !slices.Equal(s.root.price, price) || !slices.Equal(s.root.lower, lower) || !slices.Equal(s.root.upper, upper) {
		t.Errorf("the worker has overwritten the reduced costs or the bounds of the root: %v", s.root.price)
	}
}
