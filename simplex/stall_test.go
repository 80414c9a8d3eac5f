package simplex

import (
	"context"
	"testing"
)

// TestPrimalProgress has the objective of the primal loop fall for long, and then stay the same, as the negative that
// should rise: only the second is a stall.
func TestPrimalProgress(t *testing.T) {
	s := newSolver(t, transportation(1, 3, 4))
	s.begin(context.Background(), NoLimits())
	s.ctl.startLoop(true)
	for k := range 3 * s.patience() {
		s.ctl.pivoted()
		if s.stalled(float64(k)) {
			t.Fatalf("stalled after %d iterations, with progress in each", k)
		}
	}
	best := float64(3*s.patience() - 1)
	for range s.patience() {
		s.ctl.pivoted()
		if s.stalled(best) {
			t.Fatal("stalled too early")
		}
	}
	s.ctl.pivoted()
	if !s.stalled(best) {
		t.Error("no stall without progress")
	}
}
