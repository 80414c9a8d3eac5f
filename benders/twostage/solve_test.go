package twostage

import (
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
)

// TestThePointIsTheModels solves random programs, as minimisations and as maximisations, with the recourse before the
// first stage, and checks that the point satisfies the model and has the value that is reported.
func TestThePointIsTheModels(t *testing.T) {
	points := 0
	for seed := range uint64(100) {
		given := randomModel(rand.New(rand.NewPCG(seed, 51)))
		n := len(given.Cols)
		m := &lp.Model{Maximize: seed%2 == 1, Rows: append([]lp.Row(nil), given.Rows...)}
		for j := range n {
			c := given.Cols[n-1-j]
			if m.Maximize {
				c.Cost = -c.Cost
			}
			m.AddCol(c)
		}
		list, err := given.Triplets()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			m.AddEntry(e.Row, lp.Var(n-1)-e.Col, e.Value)
		}
		s, err := Solve(t.Context(), m, firstOf(m), decompose.DefaultOptions())
		if err != nil || s.Status != lp.Optimal {
			continue // compared in other tests
		}
		points++
		if !near(m.Evaluate(s.X), s.Objective) {
			t.Errorf("seed %d: the point costs %g, the result says %g", seed, m.Evaluate(s.X), s.Objective)
		}
		for _, e := range list {
			given.Rows[e.Row].Lower -= e.Value * s.X[lp.Var(n-1)-e.Col]
			given.Rows[e.Row].Upper -= e.Value * s.X[lp.Var(n-1)-e.Col]
		}
		for i, r := range given.Rows {
			if r.Lower > 1e-5 || r.Upper < -1e-5 {
				t.Errorf("seed %d: row %d is off by [%g, %g]", seed, i, r.Lower, r.Upper)
			}
		}
	}
	if points < 30 {
		t.Errorf("only %d programs had a point", points)
	}
}
