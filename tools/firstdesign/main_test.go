package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestIntegral follows a log by a clock that counts lines, and computes the area by hand.
func TestIntegral(t *testing.T) {
	log := `r14.5: network design
start: a design of cost 200, bound 50, 5.0s
     nodes   open  LP iter      incumbent          bound      gap   cuts    time
S        0      0        0            150             50   66.67%      0    5.0s
         1      0     4652            100             50   50.00%    441    6.4s
objective     100
`
	now := 0.0
	clock := func() float64 { now++; return now }
	h := follow(strings.NewReader(log), clock)
	if len(h) != 3 || h.last() != 100 || h.first() != "1.00" {
		t.Fatalf("%v", h)
	}

	// No design for a second, then distances of 1/2 and 1/3 for a second each, then none.
	if got := h.integral(100, 10*time.Second); math.Abs(got-(1+1.0/2+1.0/3)) > 1e-12 {
		t.Errorf("an area of %g", got)
	}
	if got := (history)(nil).integral(100, 10*time.Second); got != 10 {
		t.Errorf("an area of %g without a design", got)
	}
}
