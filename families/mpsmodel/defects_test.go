package mpsmodel

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// expected is a model and its right answer; proven says that a recorded run must prove it.
type expected struct {
	name   string
	model  *lp.Model
	status lp.Status
	value  float64
	proven bool
}

// build makes a model: columns, then rows as sides and coefficients of all columns.
func build(cols []lp.Col, rows ...[]float64) *lp.Model {
	m := &lp.Model{Name: "own", Cols: cols}
	for _, r := range rows {
		var index []int32
		var value []float64
		for j, v := range r[2:] {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		m.AddRow(lp.Row{Lower: r[0], Upper: r[1]}, index, value)
	}
	return m
}

// owned are models of our own with the causes of wrong answers that were reported.
func owned() []expected {
	inf := math.Inf(1)
	free := func(cost float64, integer bool) lp.Col {
		return lp.Col{Cost: cost, Lower: -inf, Upper: inf, Integer: integer}
	}
	col := func(cost, lower, upper float64, integer bool) lp.Col {
		return lp.Col{Cost: cost, Lower: lower, Upper: upper, Integer: integer}
	}

	// Each model has its columns, then its rows: the lower side, the upper side, and the coefficients of all columns.
	return []expected{
		// x = (3y - 10)/5 and x - y <= 6, so y >= -20: the cuts on the free y have slopes that are no floats.
		{"free column", build([]lp.Col{free(0, true), free(4, false)}, []float64{10, 10, 3, -5}, []float64{-inf, 6, -1, 1}), lp.Optimal, -56, true},
		// The same with two free columns, the cost on the sum of them: y + z >= 7/3 in integers.
		{"two free columns", build([]lp.Col{free(2, true), free(2, true), col(5, 0, inf, false)}, []float64{7, inf, 3, 3, 0}, []float64{1, inf, 1, -1, 1},
			[]float64{-inf, 9, 1, 0, 1}), lp.Optimal, 6, true},
		// The first-stage cost falls for ever, the recourse turns it: -y + 1.5 (2y - 7)+.
		{"cost that falls", build([]lp.Col{col(-1, 0, inf, true), col(1.5, 0, inf, false)}, []float64{-inf, 7, 2, -1}), lp.Optimal, -3, true},
		// 2x + 5y <= 50 against x + y >= 200: no recourse, and a master that is unbounded before the first cut.
		{"infeasible recourse", build([]lp.Col{col(-3, 0, inf, true), col(0, -20, inf, false)}, []float64{30, 50, 5, 2}, []float64{200, inf, 1, 1}), lp.Infeasible, 0, true},
		// The relaxation is unbounded along x, and 2y - 4z = 1 has no integer solution.
		{"infeasible, relaxation unbounded", build([]lp.Col{col(0, 0, 9, true), col(1, 0, 9, true), col(-1, 0, inf, false)}, []float64{1, 1, 2, -4, 0},
			[]float64{0, inf, -1, 0, 1}), lp.Infeasible, 0, true},
		{"unbounded recourse", build([]lp.Col{col(0, 0, 9, true), col(1, 0, 9, true), col(-1, 0, inf, false)}, []float64{2, 2, 2, -4, 0},
			[]float64{0, inf, -1, 0, 1}), lp.Unbounded, 0, false},
		// The ray is in the first stage, and the recourse x = y/2 follows it at half of what it pays.
		{"unbounded first stage", build([]lp.Col{free(-2, true), col(2, 0, inf, false)}, []float64{0, inf, -1, 2}), lp.Unbounded, 0, false},
		// Bounds of integer columns between integers.
		{"fractional bounds", build([]lp.Col{col(2, 0, 2.4, true), col(7, 0, inf, false)}, []float64{3.1, inf, 1, 1}), lp.Optimal, 11.7, true},
		// A free row over both parts of the recourse.
		{"free row", build([]lp.Col{col(3, 0, 5, true), col(4, 0, 9, false), col(5, 0, 9, false)}, []float64{4, inf, 1, 1, 0}, []float64{6, inf, 1, 0, 1},
			[]float64{-inf, inf, 1, 1, 1}), lp.Optimal, 20, true},
		// A bound on one side only, where the objective is the same for all y: the reduced cost on y is zero but for
		// rounding.
		{"cost that cancels", build([]lp.Col{col(0.1, -inf, -3, true), free(0.1, false), col(3, 0, 5, false)}, []float64{1, 1, 1, 1, 0},
			[]float64{2, inf, 0, 0, 1}), lp.Optimal, 6.1, true},
		// The first column is 2 and the third follows x, the second: 1.3e5 x asks for x >= 0.2, and -1.25e-5 x in a row of
		// 5e4 for x <= 0 (tsmps-1244).
		{"infeasible by a small coefficient", build([]lp.Col{col(1, 0, 11, true), col(1, 0, 1, false), col(-5000, 4, 9, false),
			col(-750000, 0, 29, false)}, []float64{480000, 480000, 240000}, []float64{-20.384, -20.384, 0, 0.08, -3.4},
			[]float64{39200, inf, 0, 130000, 2200}, []float64{-inf, -15360000, 0, 0, 0, -600000},
			[]float64{53915.52, 53915.52, 27000, -1.25e-05, 0, -3.3}), lp.Infeasible, 0, false},
		// A recourse with coefficients from 2e-4 to 5e4 in which no pivot was acceptable (tsmps-493).
		{"no pivot", build([]lp.Col{col(6.4e-05, -2, -1, true), col(0.00059, 0, 20, true), col(-6.1e-05, -5, 15, true),
			col(-55.175669, 0, 20, true), col(5.638596, -2, 2, false), col(0.083527, -inf, 20, false), col(69209.692859, 0, 9, false)},
			[]float64{-114939.70232757418, inf, 7.81179, 0, 0, 11128.506431, 0, 0, -47431.235547},
			[]float64{-28478.789767402464, -28476.289767402464, 627.036308, 13718.695055, 0.008843, -23001.349763, -0.000212, 1.790348, 0.067295},
			[]float64{-119255.35551423246, inf, 0, 0, 0, -40376.644593, 937.2897, 0.001332},
			[]float64{-3266.744809827077, inf, -1.2e-05, 9.5e-05, -1033.50592, 0, 0, 0.003373}), lp.Optimal, -14111.3197357, false},
		// A master that the outer loop at a gap of 1e-9 left with an unsolved node (tsmps-946).
		{"unsolved node", build([]lp.Col{col(1, -2, 2, true), col(-1, 0, 9, true), col(3, -2, -1, true), col(-3, 0, 20, true), col(-4, -5,
			15, true), col(-5, -5, -1, true), col(-2, 0, 20, false), col(1, 0, 20, false), col(-7, -2, -1,
			false), col(2, -2, -1, false), col(0, 0, 20, false)},
			[]float64{-8.502689836306537, inf, -1, -1, -1, 1, 1, 1, -1, 0, 0, 1, -1},
			[]float64{-5.649088083488119, -3.1490880834881194, 0, 1, 1, -1, -1, -1, 0, 0, 0, 0, -1},
			[]float64{-1.8509119165118806, 0.6490880834881194, -1, 0, 0, -1, -1, 0, 0, 0, -1, 0, 1},
			[]float64{-15.559976925667875, -15.559976925667875, -1, -1, 0, -1, 0, 1, -1, -1, 1, -1, 1},
			[]float64{5.204513669330299, 5.204513669330299, 0, 1, -1, 0, 0, -1, 1, 0, 0, 0, -1},
			[]float64{2.4400230743321245, 4.9400230743321245, 0, 0, 0, 1, 0, 0, -1, -1, -1, 0, 1},
			[]float64{0, 0, 1, 1, 1, -1, 1, 0, 0, 0, -1, 0, 0},
			[]float64{-inf, 5, 0, 0, -1, 1, 0, 0, 0, 0, 0, 1, 0}), lp.Optimal, -20.3517402563, false},
		// Only 0.2 on the row is dual feasible, 0.8/4 and 1/5: as float64 nothing is.
		{"optimal but for rounding", build([]lp.Col{col(1, 0, 3, true), col(0.8, -inf, 5, false), col(-1, -inf, 9, false)},
			[]float64{47, 47, 1, 4, -5}), lp.Optimal, 9.4, false},
		// The rows with 1, 0.14 and 0.04 leave 0 <= y - 10, as float64 next to it.
		{"infeasible but for rounding", build([]lp.Col{col(3, 0, 20, true), free(0, false), col(0, -inf, -10, false), col(0, 0, inf, false)},
			[]float64{-inf, -10, -1, -0.6, 0, -1}, []float64{-inf, 0, 0, 2, 2, 8}, []float64{-inf, 0, 0, 8, -7, -3}), lp.Optimal, 30, false},
	}
}

// tight is the outer loop at a gap of 1e-9.
func tight(u *generic.Plain) answer {
	o := bulkOptions()
	o.Gap = 1e-9
	r, err := pipeline.Solve(context.Background(), u, decompose.Options{Method: decompose.Exact, Scheme: decompose.Outer, Benders: o})
	if err != nil {
		return answer{way: "tight", err: err}
	}
	return answer{"tight", r.Status, r.Objective, r.Bound, nil}
}

// TestReportedModels solves the models in every way, and records the runs.
func TestReportedModels(t *testing.T) {
	for _, c := range owned() {
		u, err := generic.NewPlain("mps", c.model, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, a := range append(answers(u), tight(u)) {
			if a.err != nil || a.status != c.status || c.status == lp.Optimal && !near(a.objective, c.value) {
				t.Errorf("%s: want %v %g: %v", c.name, c.status, c.value, a)
			}
		}
		for _, m := range []decompose.Method{decompose.Exact, decompose.Aggregated} {
			res, rec, err := recordedRun(u, m, bulkOptions())
			switch {
			case err != nil:
				t.Errorf("%s, recorded: %v", c.name, err)
			case res.Status != c.status || (rec == nil) != (c.status == lp.Unbounded) || c.proven && !whole(res, rec):
				t.Errorf("%s, recorded: %v, objective %g, bound %g", c.name, res.Status, res.Objective, res.Bound)
			}
		}
	}
}

// TestReportedFiles does the same with the files in ../shared/data/defects.
func TestReportedFiles(t *testing.T) {
	const data = "../../../shared/data/defects"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no ../shared/data")
	}

	// The right answers are those on which other solvers agree.
	for _, c := range []expected{
		{name: "solve-false-unbounded", status: lp.Optimal, value: -227.4285714285714},
		{name: "tsmps-772", status: lp.Optimal, value: -330.4659806803864},
		{name: "tsmps-690", status: lp.Infeasible, proven: true},
		{name: "outer-unbounded", status: lp.Infeasible, proven: true},
		{name: "tsmps-227", status: lp.Optimal, value: -55},
		{name: "tsmps-493", status: lp.Optimal, value: -739332.0117112262},
		{name: "tsmps-946", status: lp.Optimal, value: -32.08346101377842},
		{name: "fracbound", status: lp.Optimal, value: 8, proven: true},
		{name: "tsmps-167", status: lp.Optimal, value: -138, proven: true},
	} {
		u, err := generic.ReadPlain("mps", filepath.Join(data, c.name+".mps"), "", nil)
		if err != nil {
			t.Fatal(err)
		}

		// All ways to solve the model must give its status, and its value if there is one.
		for _, a := range answers(u) {
			if a.err != nil || a.status != c.status || c.status == lp.Optimal && !(math.Abs(a.objective-c.value) <= 1e-5*max(1, math.Abs(c.value))) {
				t.Errorf("%s: want %v %g: %v", c.name, c.status, c.value, a)
			}
		}

		// A recorded run must agree, and where a proof is expected, the record must prove the result.
		res, rec, err := recordedRun(u, decompose.Exact, bulkOptions())
		switch {
		case err != nil:
			t.Errorf("%s, recorded: %v", c.name, err)
			continue
		case res.Status != c.status || c.proven && !whole(res, rec):
			t.Errorf("%s, recorded: %v, objective %g, bound %g", c.name, res.Status, res.Objective, res.Bound)
		}
		t.Logf("%s, recorded: %v, objective %.10g, bound %.10g", c.name, res.Status, res.Objective, res.Bound)
	}
}
