package lp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestRounded rounds what is nearly a point, and says what is wrong with others.
func TestRounded(t *testing.T) {
	m := &lp.Model{}
	x := m.Integer("x", 0, 0, 9)
	y := m.Nonnegative("y", 0)
	m.Rows[m.AtMost(7, x.Times(2), y.Times(1))].Name = "room"
	given := []float64{3 - 1e-6, 1 + 1e-7}
	if p, err := m.Rounded(given); err != nil || p[0] != 3 || p[1] != given[1] || given[0] == 3 {
		t.Errorf("%v, %v, given %v", p, err, given)
	}
	for want, p := range map[string][]float64{"1 columns for 2": {1}, "the integer column x is 0.5": {0.5, 0},
		"the column y is -1": {0, -1}, "the column x is 10": {10, 0}, "the row room is 8": {3, 2}} {
		if _, err := m.Rounded(p); !errors.Is(err, lp.ErrPoint) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", p, err, want)
		}
	}
}
