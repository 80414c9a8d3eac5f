package scenario

import (
	"fmt"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// given is a value in the sense of the program.
func (r *solvers) given(v float64) float64 {
	if r.p.maximize {
		return -v
	}
	return v
}

// progressLogger returns a function that logs the progress of a relaxation, at most once in an interval.
func (r *solvers) progressLogger(root *root, what string) func() {
	if r.o.Log == nil {
		return func() {}
	}

	// The clock decides only what is logged, never what is computed.
	began := time.Now()
	last := began
	rounds := 0
	return func() {
		rounds++
		now := time.Now()
		if now.Sub(last) < r.o.Benders.LogEvery {
			return
		}
		last = now
		line := fmt.Sprintf("%s: round %d, bound %.9g", what, rounds, r.given(root.bound))
		if root.best != nil {
			// By rounding a bound may be above the cost, which is no negative gap.
			line += fmt.Sprintf(", a point of cost %.9g, gap %.2f%%", r.given(root.cost),
				100*lp.RelativeGap(root.cost, min(root.cost, root.bound)))
		}
		r.o.Log(fmt.Sprintf("%s, %d cuts, %.1fs", line, len(root.cuts), now.Sub(began).Seconds()))
	}
}

// logRelaxation logs how the relaxation ended, and how its scenarios were answered.
func (r *solvers) logRelaxation() {
	if n := &r.engine.counts; r.o.Log != nil {
		r.o.Log(fmt.Sprintf("relaxation: %.9g, %d cuts, %d retired, %d scenarios by LP (%d without a pivot), %d by "+
			"pool, %d skipped, %d points refuted",
			r.given(r.root.bound),
			len(r.root.cuts),
			r.root.retired,
			n.LPs,
			n.Bunched,
			n.Pool,
			n.Skipped,
			n.Refuted))
	}
}
