package mcndp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// printed is the recourse as the paper's Appendix B prints it, x_ij the fraction of commodity i on arc j: rows u_iv of
// outgoing less incoming flow, capacities, and x_ij <= y_j. With slack it is the primal of the normalised Farkas program:
// no costs, and in all rows of commodity i a slack at the price 1, the dual of sum_v u_iv <= 1.
func printed(in *Instance, y []float64, slack bool) *lp.Model {
	m := &lp.Model{}
	for i := range in.Demand {
		for v := range int32(in.Nodes) {
			b := 0.0
			if v == in.Origin[i] {
				b = 1
			}
			if v == in.Destination[i] {
				b = -1
			}
			m.AddRow(lp.Row{Lower: b, Upper: lp.Inf}, nil, nil)
		}
	}
	for j := range in.Tail {
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: in.Capacity[j] * y[j]}, nil, nil)
	}
	for i, d := range in.Demand {
		first := i * in.Nodes
		for j := range in.Tail {
			col := lp.Col{Cost: d * in.Cost[j], Upper: y[j]}
			if slack {
				col.Cost = 0
			}
			x := m.AddCol(col)
			m.AddEntry(lp.Con(first+int(in.Tail[j])), x, 1)
			m.AddEntry(lp.Con(first+int(in.Head[j])), x, -1)
			m.AddEntry(lp.Con(len(in.Demand)*in.Nodes+j), x, d)
		}
		if slack {
			z := m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
			for v := range in.Nodes {
				m.AddEntry(lp.Con(first+v), z, 1)
			}
		}
	}
	return m
}

// TestPaperOracleEndsOptimal runs the paper's oracle on instances with many commodities, whose optimum branch and cut on
// the whole model says. An oracle whose cut is not worth the recourse cost at a design would accept it for less.
func TestPaperOracleEndsOptimal(t *testing.T) {
	for seed := range uint64(4) {
		in, err := Family.Generate([]string{"8x24x20", "10x35x15"}[seed%2], seed)
		if err != nil {
			t.Fatal(err)
		}
		p, err := in.Program()
		if err != nil {
			t.Fatal(err)
		}
		want, err := bnb.Solve(t.Context(), p.Model.Compact(), bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil || want.Status != lp.Optimal {
			t.Fatal(want.Status, err)
		}
		o := decompose.DefaultOptions()
		o.Scheme = decompose.Paper
		got, err := decompose.Solve(t.Context(), p, o)
		if err != nil || got.Status != lp.Optimal || math.Abs(got.Objective-want.Objective) > 2e-4*want.Objective {
			t.Errorf("seed %d: %v %v, %v; the optimum is %v", seed, got.Status, got.Objective, err, want.Objective)
		}
	}
}

// TestPlainOracle compares the oracle of the scheme paper with one that is written from the paper's Appendix B alone. Where
// the recourse is feasible, the cut is worth the optimum of the printed program at the point, and its slopes are the
// printed knapsacks of its own multipliers; where it is not, it is a feasibility cut that is worth the optimum of the
// normalised Farkas program. Multipliers themselves are seldom unique here.
func TestPlainOracle(t *testing.T) {
	feasible, infeasible := 0, 0
	for seed := range uint64(80) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 139))
		y := make([]float64, in.arcs())
		for j := range y {
			y[j] = 1
			if closed := rng.Float64(); seed%4 == 0 || rng.IntN(12) == 0 {
				y[j] -= closed
			}
		}
		out, err := newPlainExact(in).Separate(t.Context(), benders.Point{Y: y})
		if err != nil || len(out.Cuts) != 1 {
			t.Fatalf("seed %d: %+v, %v", seed, out, err)
		}
		cut := &out.Cuts[0]
		sol, err := simplex.Solve(t.Context(), printed(in, y, out.Infeasible), simplex.DefaultOptions())
		if err != nil || sol.Status != lp.Optimal {
			t.Fatalf("seed %d: the printed program: %v, %v; infeasible %v", seed, sol, err, out.Infeasible)
		}
		if v := cut.Value(y); math.Abs(v-sol.Objective) > 1e-6*(1+math.Abs(sol.Objective)) {
			t.Errorf("seed %d: the cut is worth %v at the point, the printed program %v", seed, v, sol.Objective)
		}
		if out.Infeasible {
			if infeasible++; !(sol.Objective > 1e-9) {
				t.Errorf("seed %d: called infeasible, the Farkas program says %v", seed, sol.Objective)
			}
			continue
		}
		feasible++

		// alpha = sum_iv b_iv u_iv, and kappa_j of the profits u_tail - u_head - d_i c_j.
		u := cut.Certificate.(*benders.Multipliers).Values
		m := in.commodities()
		alpha := 0.0
		for i := range m {
			alpha += u[int(in.Origin[i])*m+i] - u[int(in.Destination[i])*m+i]
		}
		if math.Abs(alpha-cut.Alpha) > 1e-9*(1+math.Abs(alpha)) {
			t.Errorf("seed %d: alpha is %v, want %v", seed, cut.Alpha, alpha)
		}
		slopes := make([]float64, in.arcs())
		for k, j := range cut.Index {
			slopes[j] = cut.Beta[k]
		}
		for j := range in.Tail {
			knapsack := &lp.Model{Maximize: true}
			r := knapsack.AddRow(lp.Row{Lower: math.Inf(-1), Upper: in.Capacity[j]}, nil, nil)
			for i, d := range in.Demand {
				profit := u[int(in.Tail[j])*m+i] - u[int(in.Head[j])*m+i] - d*in.Cost[j]
				knapsack.AddEntry(r, knapsack.AddCol(lp.Col{Cost: profit, Upper: 1}), d)
			}
			k, err := simplex.Solve(t.Context(), knapsack, simplex.DefaultOptions())
			if err != nil || k.Status != lp.Optimal || math.Abs(slopes[j]+k.Objective) > 1e-6*(1+k.Objective) {
				t.Errorf("seed %d: arc %d has the slope %v, its knapsack says %v, %v", seed, j, slopes[j], k, err)
			}
		}
	}
	if feasible < 10 || infeasible < 10 {
		t.Errorf("%d feasible points, %d infeasible: the test proves too little", feasible, infeasible)
	}
}
