package ufl

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// TestPlainOracle compares the oracle of the scheme paper with one that is written from the paper's Appendix B alone: for
// every client the dual of its printed linear program, and the slopes -(pi_i - c_ij)+. At points inside the box the duals
// of random data are unique.
func TestPlainOracle(t *testing.T) {
	clients := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 137))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(6), "float")
		for k := range in.Cost {
			in.Cost[k] += rng.Float64()
		}
		y := make([]float64, in.Facilities)
		sum := 0.0
		for j := range y {
			y[j] = 0.1 + 0.85*rng.Float64()
			sum += y[j]
		}
		if sum < 1.01 {
			continue
		}
		out, err := newPlainExact(in, false).Separate(t.Context(), benders.Point{Y: y})
		if err != nil {
			t.Fatal(err)
		}
		cuts := map[int]*benders.Cut{}
		for k := range out.Cuts {
			cuts[out.Cuts[k].Theta] = &out.Cuts[k]
		}

		total := 0.0
		for i := range in.Clients {
			// min sum_j c_ij x_j : sum_j x_j >= 1, 0 <= x_j <= y_j
			m := &lp.Model{}
			r := m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, nil, nil)
			least := math.Inf(1)
			for j, c := range in.Row(i) {
				m.AddEntry(r, m.AddCol(lp.Col{Cost: c, Upper: y[j]}), 1)
				least = min(least, c)
			}
			sol, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
			if err != nil || sol.Status != lp.Optimal {
				t.Fatal(sol, err)
			}
			total += sol.Objective
			pi := sol.RowDual[0]
			cut := cuts[i]
			if cut == nil {
				if pi > least+1e-9 {
					t.Errorf("seed %d: no cut of client %d, whose dual is %v above %v", seed, i, pi, least)
				}
				continue
			}
			clients++
			if math.Abs(cut.Alpha-pi) > 1e-9*(1+pi) {
				t.Errorf("seed %d: the dual of client %d is %v, the linear program's %v", seed, i, cut.Alpha, pi)
			}
			ours := make([]float64, in.Facilities)
			for k, j := range cut.Index {
				ours[j] = cut.Beta[k]
			}
			for j, c := range in.Row(i) {
				if want := -max(0, pi-c); math.Abs(ours[j]-want) > 1e-9*(1+pi) {
					t.Errorf("seed %d: client %d has the slope %v at facility %d, want %v", seed, i, ours[j], j, want)
				}
			}
		}
		if math.Abs(out.Value-total) > 1e-9*(1+total) {
			t.Errorf("seed %d: the recourse costs %v, the linear programs say %v", seed, out.Value, total)
		}
	}
	if clients < 60 {
		t.Errorf("%d clients: the test proves too little", clients)
	}
}
