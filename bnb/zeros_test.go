package bnb

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestZeroEntries solves a model with entries that are zero in columns without bounds, with and without presolve.
func TestZeroEntries(t *testing.T) {
	m := &tiny{
		cost:  []float64{-5, -6, 0, 0, -4, 2, 4},
		lower: []float64{0, -inf, -1.4, -inf, 0, -1.5, -1.5},
		upper: []float64{1, inf, inf, inf, 1, 1.25, 1.25},
		box:   1,
	}
	for range m.cost {
		m.integer = append(m.integer, true)
	}
	for _, j := range []int{1, 2, 3, 5, 6} {
		r := row{-1, 1, make([]float64, len(m.cost))}
		r.coef[j] = 1
		m.rows = append(m.rows, r)
	}
	m.rows = append(m.rows, row{math.Inf(-1), -2, []float64{0, 2, 0, 0, 0, 1, 0}})

	want := m.solve()
	model := m.model(nil)
	for i, r := range m.rows {
		for _, j := range []int{0, 2, 5} {
			if r.coef[j] == 0 {
				model.AddEntry(lp.Con(i), lp.Var(j), 0)
			}
		}
	}
	for _, presolve := range []bool{false, true} {
		opt := exact()
		opt.Presolve = presolve
		opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
		res, err := Solve(context.Background(), model, opt, Hooks{})
		if err == nil {
			err = m.verify(res, want)
		}
		if err != nil {
			t.Errorf("presolve %v: %v", presolve, err)
		}
	}
}
