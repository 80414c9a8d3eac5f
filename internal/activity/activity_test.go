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
