package twostage

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// drawSingles makes a model whose recourse has rows of one column, several for some columns, with coefficients of both
// signs.
func drawSingles(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "singles"}
	first, recourse := 1+rng.IntN(3), 1+rng.IntN(4)
	for range first {
		m.AddCol(lp.Col{Upper: 2, Integer: true})
	}
	for range recourse {
		c := lp.Col{Cost: float64(rng.IntN(9) - 2), Lower: float64(rng.IntN(4) - 2)}
		c.Upper = c.Lower + float64(rng.IntN(6))
		if rng.IntN(3) == 0 {
			c.Cost, c.Upper = math.Abs(c.Cost), lp.Inf
		}
		m.AddCol(c)
	}
	for range 1 + rng.IntN(7) {
		r := lp.Row{Lower: float64(rng.IntN(9) - 6), Upper: lp.Inf}
		switch rng.IntN(3) {
		case 0:
			r = lp.Row{Lower: math.Inf(-1), Upper: float64(rng.IntN(9) - 2)}
		case 1:
			r.Upper = r.Lower + float64(rng.IntN(5))
		}
		i, entries := m.AddRow(r, nil, nil), 1
		if rng.IntN(3) == 0 {
			entries = recourse
		}
		for j := range first {
			if v := float64(rng.IntN(5) - 2); v != 0 {
				m.AddEntry(i, lp.Var(j), v)
			}
		}
		for _, j := range rng.Perm(recourse)[:entries] {
			m.AddEntry(i, lp.Var(first+j), float64([]int{-3, -2, -1, 1, 2, 3}[rng.IntN(6)]))
		}
	}
	return m
}

// TestSinglesAreBounds compares recourses whose rows of one column are bounds with the model as it is: values, and what
// the multipliers of all rows are worth by themselves.
func TestSinglesAreBounds(t *testing.T) {
	optimal, infeasible, single := 0, 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := drawSingles(rng)
		p, err := New(m, nil, Options{})
		if err != nil {
			t.Fatal(seed, err)
		}
		if p.First != m.NumInteger() { // columns without a link to the first stage became some of it
			continue
		}
		solvers := make([]*recourse, len(p.parts))
		for k := range p.parts {
			if solvers[k], err = newRecourse(p, &p.parts[k]); err != nil {
				t.Fatal(seed, err)
			}
			single += len(solvers[k].singles.cols)
		}
		for range 4 {
			y, fixed := make([]float64, p.First), m.Clone()
			for j := range y {
				y[j] = float64(rng.IntN(9)) / 4
				fixed.Cols[j].Lower, fixed.Cols[j].Upper = y[j], y[j]
			}
			want, err := simplex.Solve(t.Context(), fixed, simplex.DefaultOptions())
			if err != nil {
				t.Fatal(seed, err)
			}
			total, refuted := 0.0, !holdsFirst(p, y)
			for k, r := range solvers {
				status, err := r.solve(t.Context(), y)
				switch {
				case err != nil:
					t.Fatal(seed, err)
				case status == lp.Infeasible:
					refuted = true
					if v := p.dualValue(benders.Feasibility, &p.parts[k], r.ray(), y); !(v > 1e-9) {
						t.Errorf("seed %d: a ray of value %g at %v", seed, v, y)
					}
				default:
					total += r.result.Objective
					v := p.dualValue(benders.Optimality, &p.parts[k], r.dual(), y)
					if !(math.Abs(v-r.result.Objective) <= 1e-7*max(1, math.Abs(v))) {
						t.Errorf("seed %d: a value of %g, multipliers of %g at %v", seed, r.result.Objective, v, y)
					}
				}
			}
			if refuted != (want.Status == lp.Infeasible) {
				t.Errorf("seed %d: infeasible %v at %v, want %v", seed, refuted, y, want.Status)
			}
			if refuted {
				infeasible++
				continue
			}
			if optimal++; !(math.Abs(total-want.Objective) <= 1e-7*max(1, math.Abs(total))) {
				t.Errorf("seed %d: %g at %v, want %g", seed, total, y, want.Objective)
			}
		}
	}
	if optimal < 1000 || infeasible < 1000 || single < 1000 {
		t.Errorf("%d points with a recourse, %d without, %d columns with rows", optimal, infeasible, single)
	}
}

// holdsFirst reports whether y satisfies the rows of the first stage.
func holdsFirst(p *Problem, y []float64) bool {
	m := p.firstStage()
	for j := range y {
		m.Cols[j].Lower, m.Cols[j].Upper, m.Cols[j].Integer = y[j], y[j], false
	}
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	return err == nil && sol.Status == lp.Optimal
}
