package conformance

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/exact"
)

// Implied returns a check of cuts that needs no certificate: a cut is implied by the whole program if no point of the
// program violates it, which the linear relaxation decides in exact arithmetic. A feasibility cut may also rest on the
// integrality of the design; then branch and cut decides, within a tolerance. compact is the program as a minimisation
// whose first columns are the design, with one epigraph, which stands for the cost of all others.
func Implied(compact *lp.Model, first int) func(*benders.Cut) error {
	const work = 1e10 // of package exact; one cut of the small programs takes about a thousandth of it

	return func(cut *benders.Cut) error {
		// The objective is the left side of the cut: the epigraph, or nothing for a feasibility cut, less the slopes.
		m := compact.Clone()
		m.Offset = 0
		for j := range m.Cols {
			if j < first || cut.Kind == benders.Feasibility {
				m.Cols[j].Cost = 0
			}
		}
		for k, j := range cut.Index {
			m.Cols[j].Cost -= cut.Beta[k]
		}

		// The least of the epigraph less the slope part is at least the constant of a valid cut. The exact value is rounded
		// to nearest, so that the next number is no less than the value. A valid cut is found here at once if the relaxation
		// implies it, as it does every optimality cut: those are certified by dual multipliers of the relaxation.
		a := exact.Solve(m, exact.Start{}, work)
		switch {
		case a == nil:
			return fmt.Errorf("the exact linear program takes too long")
		case a.Status == lp.Infeasible:
			return nil
		case a.Status == lp.Optimal && cut.Alpha <= math.Nextafter(a.Objective, math.Inf(1)):
			return nil
		case cut.Kind == benders.Optimality || a.Status != lp.Optimal:
			return fmt.Errorf("constant %v, the program allows %v (%v)", cut.Alpha, a.Objective, a.Status)
		}

		// A feasibility cut that the relaxation violates may hold for all integer designs.
		r, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil {
			return err
		}
		const tolerance = 1e-6
		if r.Status != lp.Infeasible && !(cut.Alpha <= r.Bound+tolerance*max(1, math.Abs(cut.Alpha))) {
			return fmt.Errorf("constant %v, designs allow %v (%v)", cut.Alpha, r.Objective, r.Status)
		}
		return nil
	}
}
