package errname

import (
	"errors"
	"fmt"
	"testing"
)

// TestWithout takes a name off the front alone, and keeps what the error wraps.
func TestWithout(t *testing.T) {
	sentinel := errors.New("invalid model")
	inner := fmt.Errorf("lp: %w: column lp: cost NaN", sentinel)
	got := fmt.Errorf("stoch: the core: %w", Without(inner, "mps", "lp"))
	if got.Error() != "stoch: the core: invalid model: column lp: cost NaN" || !errors.Is(got, sentinel) {
		t.Errorf("%v", got)
	}

	if err := Without(inner, "mps"); err != inner {
		t.Errorf("another name was taken off: %v", err)
	}
	if err := Without(nil, "lp"); err != nil {
		t.Errorf("nil became %v", err)
	}
}
