package bnb

import (
	"testing"
	"time"
)

// TestRestartCutoff has an objective that moves in whole steps: the search that a restart makes must want a point
// that is one step better than the incumbent, however large the objective.
func TestRestartCutoff(t *testing.T) {
	m := knapsacks(12, 3, 1)
	for _, size := range []float64{1, 900, 2000, 1e4, 3e5} {
		for _, sign := range []float64{1, -1} {
			s, err := newSearch(job{model: m, opt: DefaultOptions(), start: time.Now()})
			if err != nil || s.p.step != 1 {
				t.Fatalf("step %g, %v", s.p.step, err)
			}
			s.opt.Gap = 0
			s.inc.opt.Gap = 0
			s.inc.set(make([]float64, s.p.n), sign*size, FromStart)
			in := newIncumbent(s.p, s.restartOptions(), nil)
			if !in.improves(sign*size-1) || in.improves(sign*size) {
				t.Errorf("incumbent %g: wants one less: %t, wants the same: %t", sign*size, in.improves(sign*size-1),
					in.improves(sign*size))
			}
		}
	}
}
