package bnb

import (
	"context"
	"testing"
)

// TestImprovements checks on random models that better points are found around an incumbent, that they satisfy the
// model, which check verifies, and that the rows of the objective are a copy.
func TestImprovements(t *testing.T) {
	tried, better := 0, 0
	for seed := range uint64(300) {
		s := randomJump(t, seed)
		for j := range s.p.n {
			s.p.cost[j] = float64((int(seed)+7*j)%11 - 5)
		}
		s.dom = newDomain(s.p)
		first := &jumps{}
		if err := first.run(context.Background(), s, &node{}); err != nil {
			t.Fatal(err)
		}
		if s.inc.x == nil {
			continue
		}
		before := s.inc.objective
		s.effort.spend(0, 1e9)
		h := &improvements{}
		if err := h.run(context.Background(), s, &node{}); err != nil {
			t.Fatal(err)
		}
		tried++
		if s.inc.objective < before {
			better++
		}
		if s.inc.objective > before || s.p.violation(s.inc.x) > 1e-6 || !s.p.integral(s.inc.x, 0) {
			t.Errorf("seed %d: objective %g after %g, violation %g", seed, s.inc.objective, before, s.p.violation(s.inc.x))
		}
		if len(h.rows.rowUpper) != s.p.rows+1 || len(s.p.rowUpper) != s.p.rows {
			t.Errorf("seed %d: the rows of the problem have changed", seed)
		}
	}
	if tried < 150 || better < tried/3 {
		t.Errorf("%d of %d incumbents were improved", better, tried)
	}
}

// TestImprovementsWithoutCosts checks that a target which no point reaches ends at the limit on the effort.
func TestImprovementsWithoutCosts(t *testing.T) {
	s := randomJump(t, 3)
	first := &jumps{}
	if err := first.run(context.Background(), s, &node{}); err != nil || s.inc.x == nil {
		t.Fatal(s.inc.x, err)
	}
	s.effort.spend(0, 1e9)
	h := &improvements{}
	if err := h.run(context.Background(), s, &node{}); err != nil || h.work == 0 {
		t.Errorf("work %g, %v", h.work, err)
	}
}
