package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// TestBrokenWeights re-solves with edge weights that hide every row from the dual loop: the answer must not
// pass for optimal.
func TestBrokenWeights(t *testing.T) {
	for _, w := range []float64{math.Inf(1), math.NaN(), 1e300, 0} {
		m := transportation(4, 10, 40)
		s := newSolver(t, m)
		mustSolve(t, s)
		for i := range 40 {
			m.Rows[i].Lower *= 1.1
			s.SetRowBounds(i, m.Rows[i].Lower, lp.Inf)
		}
		for p := range s.weight {
			s.weight[p] = w
		}
		got := mustSolve(t, s)
		if r := Check(m, s.Solution(got)); !r.OK(1e-6) {
			t.Errorf("weights %g: %+v", w, r)
		}
		want, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective {
			t.Errorf("weights %g: %g, want %g, %v", w, got.Objective, want.Objective, err)
		}
	}
}

// TestPrimalLoopWeights takes a binding row out of a hard model, solves by the primal loop, which moves far, and
// puts the row back: the weights that the primal loop leaves must serve the dual one.
func TestPrimalLoopWeights(t *testing.T) {
	m, _, err := mps.ReadFile(netlib + "/25fv47.mps.gz")
	if err != nil {
		t.Skip("no Netlib files")
	}
	s := newSolver(t, m)
	mustSolve(t, s)
	if _, ok := tryWarm(t, s, warmChange{"cut", changeCut}, 0, func() {}, func() {}); !ok {
		t.Error("no such change")
	}
	for p, w := range s.weight {
		if !(w > 0 && w < 1e15) {
			t.Errorf("weight %g at position %d", w, p)
		}
	}
}
