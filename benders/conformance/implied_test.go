package conformance_test

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/families/scflp"
)

// TestImpliedRefuses raises the constant and a slope of valid cuts that some design meets with equality: the check takes
// the cuts and refuses the raised ones.
func TestImpliedRefuses(t *testing.T) {
	in, err := scflp.Family.Generate("4x3:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := in.Program()
	if err != nil {
		t.Fatal(err)
	}
	exact, err := p.Recourse.Exact(true)
	if err != nil {
		t.Fatal(err)
	}
	first := len(p.Model.Master().Cols)
	check := conformance.Implied(p.Model.Compact(), first)

	seen := map[benders.Kind]int{}
	for mask := range 1 << first {
		y := make([]float64, first)
		for j := range y {
			y[j] = float64(mask >> j & 1)
		}
		s, err := exact.Separate(context.Background(), benders.Point{Y: y, Integer: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, cut := range s.Cuts {
			seen[cut.Kind]++
			if err := check(&cut); err != nil {
				t.Errorf("a cut at %v: %v", y, err)
			}
			raised := cut
			raised.Alpha += 1e-3 * max(1, math.Abs(cut.Alpha))
			if cut.Kind == benders.Feasibility {
				raised.Alpha += 1e3 * math.Abs(cut.Alpha)
			}
			if check(&raised) == nil {
				t.Errorf("a raised cut at %v is taken: %+v", y, raised)
			}
		}
	}
	if seen[benders.Optimality] < 3 {
		t.Errorf("%v: too few cuts", seen)
	}
}
