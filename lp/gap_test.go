package lp_test

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func TestRelativeGap(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ objective, bound, want float64 }{
		{10, 9, 0.1}, {-10, -11, 0.1}, {9, 10, 1.0 / 9}, {0, 0, 0}, {0, -1, inf}, {5, -inf, inf}, {inf, inf, 0}, {nan, 1, inf}, {1, nan, inf},
	} {
		if got := lp.RelativeGap(c.objective, c.bound); got != c.want {
			t.Errorf("the gap of %g and %g is %g, not %g", c.objective, c.bound, got, c.want)
		}
	}
}
