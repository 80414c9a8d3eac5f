package cap

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// TestPlainOracle compares the oracle of the scheme paper with one that is written from the paper's Appendix B alone: the
// multipliers are the duals of the printed linear program, and each slope is the value of the printed knapsack, solved as
// a linear program too. Points lie inside the box, where the duals of random data are unique as a rule; where they are
// not, the values at the point agree.
func TestPlainOracle(t *testing.T) {
	equal, points := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 131))
		in := randomInstance(rng, 2+rng.IntN(4), 1+rng.IntN(6))
		for i := range in.Cost {
			in.Cost[i] += rng.Float64()
		}
		for i := range in.Demand {
			in.Demand[i] += 0.5 + rng.Float64()
		}
		for j := range in.Capacity {
			in.Capacity[j] = in.TotalDemand() * (1.8 + 0.8*rng.Float64()) / float64(in.Facilities)
		}
		y := make([]float64, in.Facilities)
		for j := range y {
			y[j] = 0.3 + 0.65*rng.Float64()
		}

		// min sum c_ij x_ij : sum_j x_ij >= 1, sum_i d_i x_ij <= s_j y_j, 0 <= x_ij <= y_j, c_ij of the whole demand.
		m := &lp.Model{}
		n := in.Facilities
		for i := range in.Clients {
			m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, nil, nil)
			for j, c := range in.Row(i) {
				m.AddEntry(lp.Con(i), m.AddCol(lp.Col{Cost: c, Upper: y[j]}), 1)
			}
		}
		for j := range n {
			r := m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: in.Capacity[j] * y[j]}, nil, nil)
			for i, d := range in.Demand {
				m.AddEntry(r, lp.Var(i*n+j), d)
			}
		}
		sol, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status != lp.Optimal {
			continue
		}

		// The cut theta >= sum lambda - sum_j kappa_j(lambda) y_j.
		alpha, slopes := 0.0, make([]float64, n)
		for i := range in.Clients {
			alpha += sol.RowDual[i]
		}
		for j := range n {
			knapsack := &lp.Model{Maximize: true}
			r := knapsack.AddRow(lp.Row{Lower: math.Inf(-1), Upper: in.Capacity[j]}, nil, nil)
			for i, d := range in.Demand {
				knapsack.AddEntry(r, knapsack.AddCol(lp.Col{Cost: sol.RowDual[i] - in.Row(i)[j], Upper: 1}), d)
			}
			k, err := simplex.Solve(t.Context(), knapsack, simplex.DefaultOptions())
			if err != nil || k.Status != lp.Optimal {
				t.Fatal(k, err)
			}
			slopes[j] = -k.Objective
		}

		out, err := newPlainExact(in).Separate(t.Context(), benders.Point{Y: y})
		if err != nil || len(out.Cuts) != 1 {
			t.Fatalf("seed %d: %+v, %v", seed, out, err)
		}
		points++
		cut := &out.Cuts[0]
		same := math.Abs(cut.Alpha-alpha) <= 1e-6*(1+math.Abs(alpha))
		ours := make([]float64, n)
		for k, j := range cut.Index {
			ours[j] = cut.Beta[k]
		}
		for j, b := range slopes {
			same = same && math.Abs(ours[j]-b) <= 1e-6*(1+math.Abs(b))
		}
		if same {
			equal++
		}
		if v := cut.Value(y); math.Abs(v-sol.Objective) > 1e-6*(1+sol.Objective) {
			t.Errorf("seed %d: the cut is worth %v at the point, the linear program %v", seed, v, sol.Objective)
		}
	}
	if points < 30 || 10*equal < 8*points {
		t.Errorf("%d of %d cuts are those of the paper's text", equal, points)
	}
}
