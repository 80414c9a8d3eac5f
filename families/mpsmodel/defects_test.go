package mpsmodel

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
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
		// A bound on one side only, where the objective is the same for all y: the reduced cost on y is zero but for rounding.
		{"cost that cancels", build([]lp.Col{col(0.1, -inf, -3, true), free(0.1, false), col(3, 0, 5, false)}, []float64{1, 1, 1, 1, 0},
			[]float64{2, inf, 0, 0, 1}), lp.Optimal, 6.1, true},
		// Only 0.2 on the row is dual feasible, 0.8/4 and 1/5: as float64 nothing is.
		{"optimal but for rounding", build([]lp.Col{col(1, 0, 3, true), col(0.8, -inf, 5, false), col(-1, -inf, 9, false)},
			[]float64{47, 47, 1, 4, -5}), lp.Optimal, 9.4, false},
		// The rows with 1, 0.14 and 0.04 leave 0 <= y - 10, as float64 next to it.
		{"infeasible but for rounding", build([]lp.Col{col(3, 0, 20, true), free(0, false), col(0, -inf, -10, false), col(0, 0, inf, false)},
			[]float64{-inf, -10, -1, -0.6, 0, -1}, []float64{-inf, 0, 0, 2, 2, 8}, []float64{-inf, 0, 0, 8, -7, -3}), lp.Optimal, 30, false},
	}
}

// TestReportedModels solves the models in every way, and records the runs.
func TestReportedModels(t *testing.T) {
	for _, c := range owned() {
		u, err := families.NewPlain("mps", c.model, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, a := range answers(u) {
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
		u, err := families.ReadPlain("mps", filepath.Join(data, c.name+".mps"), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers(u) {
			if a.err != nil || a.status != c.status || c.status == lp.Optimal && !(math.Abs(a.objective-c.value) <= 1e-5*max(1, math.Abs(c.value))) {
				t.Errorf("%s: want %v %g: %v", c.name, c.status, c.value, a)
			}
		}
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
