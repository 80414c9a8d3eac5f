package simplex

import (
	"context"
	"testing"
)

// TestPrimalProgress has the objective of the primal loop fall for long, and then stand still: only that is a stall.
func TestPrimalProgress(t *testing.T) {
	s := newSolver(t, transportation(1, 3, 4))
	s.begin(context.Background(), NoLimits())
	s.ctl.startPrimal()
	for k := range 3 * s.patience() {
		s.ctl.pivoted()
		if s.primalStalled(-float64(k)) {
			t.Fatalf("stalled after %d iterations, with progress in each", k)
		}
	}
	best := -float64(3*s.patience() - 1)
	for range s.patience() {
		s.ctl.pivoted()
		if s.primalStalled(best) {
			t.Fatal("stalled too early")
		}
	}
	s.ctl.pivoted()
	if !s.primalStalled(best) {
		t.Error("no stall without progress")
	}
}
