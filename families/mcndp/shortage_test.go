package mcndp

import (
	"context"
	"strings"
	"testing"
)

// TestInfeasibilityHasAReason compares the reason with the recourse at the design of all arcs: it is empty exactly where
// that carries the demand.
func TestInfeasibilityHasAReason(t *testing.T) {
	all, named := 0, 0
	for seed := range uint64(200) {
		in := random(seed)
		open := make([]float64, in.arcs())
		for j := range open {
			open[j] = 1
		}
		_, feasible, err := mustRecourse(t, in).Solve(context.Background(), open)
		if err != nil {
			t.Fatal(err)
		}
		reason, err := in.Infeasibility(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if feasible != (reason == "") {
			t.Errorf("%s: feasible %v, reason %q", in.Name, feasible, reason)
		}
		if !feasible {
			all++
			if strings.Contains(reason, " must ") {
				named++
			}
		}
	}
	if all < 20 || named < all/2 {
		t.Errorf("of %d infeasible instances %d are explained by a cut set", all, named)
	}
}
