package activity

import (
	"math"
	"testing"
)

func TestRange(t *testing.T) {
	var r Range
	r.Add(2, -1, 3)
	r.Add(-1, 0, math.Inf(1))
	if r.Lower() != math.Inf(-1) || r.Upper() != 6 || r.Size != 8 {
		t.Errorf("range [%g, %g], size %g", r.Lower(), r.Upper(), r.Size)
	}
	if v := r.MinWithout(math.Inf(-1)); v != -2 {
		t.Errorf("least without the infinite term %g, want -2", v)
	}
	if v := r.MinWithout(-2); v != math.Inf(-1) {
		t.Errorf("least without the finite term %g, want -Inf", v)
	}
	if v := r.MaxWithout(6); v != 0 {
		t.Errorf("largest without the first term %g, want 0", v)
	}
	r.Move(-1, 0, math.Inf(1), 1, 4)
	if r.Lower() != -6 || r.Upper() != 5 {
		t.Errorf("range [%g, %g] after the move, want [-6, 5]", r.Lower(), r.Upper())
	}
}

// TestExact has sums over whole numbers, one with a fraction at one end, and one too large to be exact.
func TestExact(t *testing.T) {
	var r Range
	r.Add(2, 0, 758)
	r.Add(-1, 0, math.Inf(1))
	if !r.ExactMin() || !r.ExactMax() {
		t.Error("a sum of whole numbers is not exact")
	}
	r.Add(-1, 0, 0.5)
	if r.ExactMin() || !r.ExactMax() {
		t.Errorf("a term from -0.5 to 0: exact %v and %v, want false and true", r.ExactMin(), r.ExactMax())
	}
	third := Range{}
	third.Add(3, 0, 1.0/3)
	if !third.ExactMin() || third.ExactMax() {
		t.Error("3 times 1/3 is exact")
	}
	third.Move(3, 0, 1.0/3, 1.0/3, 1)
	if third.ExactMin() || third.ExactMax() {
		t.Error("a sum that lost a fraction is exact")
	}
	large := Range{}
	large.Add(1<<30, -1<<30, 1)
	if large.ExactMin() || large.ExactMax() {
		t.Error("2^60 is exact")
	}
}
