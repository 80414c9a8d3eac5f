package simplex

import (
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestScaleCosts: a cost counts as an entry of its column in the scales where it is small, and nowhere else. The
// column of x has entries of 1 in rows with 100 and 1 of other columns.
func TestScaleCosts(t *testing.T) {
	scale := func(cost float64) float64 {
		m := &lp.Model{}
		x, y, z := m.Between("x", cost, 0, 10), m.Nonnegative("y", 1), m.Nonnegative("z", 1)
		m.AtLeast(1, x.Times(1), y.Times(100))
		m.AtLeast(1, x.Times(1), z.Times(1))
		s, err := New(m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return s.colScale[x] / s.colScale[y]
	}
	none, large, small := scale(0), scale(1), scale(1e-6)
	if large != none || small == none {
		t.Errorf("x over y is scaled by %g without a cost, %g with a cost of 1, %g with one of 1e-6", none, large, small)
	}
}
