package presolve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// steppedModel gives a continuous column rows with integer columns that leave it the multiples of some step, from some
// start.
func steppedModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(2) == 0}
	n := 2 + rng.IntN(3)
	for range n {
		lo := float64(rng.IntN(3) - 1)
		m.AddCol(lp.Col{Cost: float64(rng.IntN(5)) - 2, Lower: lo, Upper: lo + 1 + float64(rng.IntN(2)), Integer: true})
	}

	// The continuous column, within eight of the start.
	step, start := []float64{0.5, 3, 0.1, 1.0 / 3, 2.5}[rng.IntN(5)], []float64{0, 0.7, -4.2}[rng.IntN(3)]
	reach := math.Floor(8/step) * step
	x := m.AddCol(lp.Col{Cost: []float64{1, -1, 0, 2.3}[rng.IntN(4)], Lower: start - reach, Upper: start + reach})

	// Its rows.
	for range 1 + rng.IntN(3) {
		v := []float64{1, -1, 2, 0.3}[rng.IntN(4)]
		index, value := []int32{int32(x)}, []float64{v}
		for j := range n {
			if c := rng.IntN(7) - 3; c != 0 {
				index, value = append(index, int32(j)), append(value, v*step*float64(c))
			}
		}
		r := lp.Row{Lower: math.Inf(-1), Upper: v * (start + step*float64(rng.IntN(5)-1))}
		switch rng.IntN(4) {
		case 0:
			r.Lower = r.Upper
		case 1:
			r.Lower = r.Upper - math.Abs(v*step)*float64(1+rng.IntN(3))
		}
		m.AddRow(r, index, value)
	}
	return m
}

// TestCountedSteps checks that models with a continuous column of this kind become models over integers, with the same
// optimum, unless the columns are kept.
func TestCountedSteps(t *testing.T) {
	seen := func(r *Reduced) bool { return r.Status == lp.NotSolved && r.Model.NumInteger() == len(r.Model.Cols) }
	counted, _ := compareDrawn(t, 2000, 22, steppedModel, ImpliedIntegers, seen)
	if counted < 1200 {
		t.Errorf("only %d columns of 2000 were counted", counted)
	}
}

// TestCountedProject projects points whose value lies on the grid of a counted column, and between two points of it.
func TestCountedProject(t *testing.T) {
	m := &lp.Model{Maximize: true}
	z := m.AddCol(lp.Col{Cost: 1, Lower: math.Inf(-1), Upper: math.Inf(1)})
	for range 2 {
		a := m.AddCol(lp.Col{Cost: -0.1, Upper: 3, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 0.25}, []int32{int32(z), int32(a)}, []float64{1, -0.5})
	}
	opt := DefaultOptions()
	opt.Reductions = ImpliedIntegers
	r, err := Reduce(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Model.Cols[z].Integer {
		t.Fatal("the column is not counted")
	}
	on := r.Project([]float64{1.75, 3, 3})
	if back := r.Restore(on); on[z] != math.Round(on[z]) || back[z] != 1.75 {
		t.Errorf("1.75 became %g and %g again", on[z], back[z])
	}
	between := r.Project([]float64{1.5, 3, 3})
	if back := r.Restore(between); between[z] == math.Round(between[z]) || back[z] != 1.5 {
		t.Errorf("1.5 became %g and %g again", between[z], back[z])
	}
}

// TestGridStaysFine has the rows of a random model in which one coefficient had been tightened with the margin of an
// implied bound: what leaves a step that is nearly nothing must not be forgotten by the next row (-3.33 was called
// optimal for -3.75).
func TestGridStaysFine(t *testing.T) {
	var g grid
	g.reach(0)
	g.refine(-1.25)
	g.refine(-0.25)
	g.reach(3.9999999959996018 / 4)
	g.refine(-0.5000000040003982 / 4)
	g.refine(0.5000000040003982 / 4)
	fine := g.step
	g.reach(13.0 / 3)
	g.refine(5.0 / 3)
	if !(fine < gridMinStep && g.step <= fine) {
		t.Errorf("the step is %g after %g", g.step, fine)
	}
}

// TestMergedSumNearStep has an integer column that is a large multiple of a continuous one. The optimal sum is a little
// more than the continuous column alone can be, by less than the slack before rounding times the multiple.
func TestMergedSumNearStep(t *testing.T) {
	for _, s := range []float64{2, 10, 1000, -1000} {
		sum := math.Abs(s) + 1e-6*math.Abs(s)/2
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 1, Upper: math.Abs(s)})
		m.AddCol(lp.Col{Cost: s, Lower: -5, Upper: 5, Integer: true})
		m.AddRow(lp.Row{Lower: sum, Upper: math.Inf(1)}, []int32{0, 1}, []float64{1, s})
		opt := DefaultOptions()
		opt.Reductions = ParallelCols | DualFixing | Bounds
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts.Merged == 0 || len(r.Model.Cols) > 0 {
			t.Errorf("%g: %d columns of %d are left, %+v", s, len(r.Model.Cols), len(m.Cols), r.Counts)
			continue
		}
		x := r.Restore(nil)
		if v := newBrute(m, 1).violation(x); v > 1e-9 {
			t.Errorf("%g: the sum %g is restored to %v, which violates the model by %g", s, sum, x, v)
		}
	}
}

// TestMergedColumnsStayInteger has two integer columns that are multiples of each other but for rounding: their sum has
// integer bounds, or sides that are rounded by them are rounded on with each visit.
func TestMergedColumnsStayInteger(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Cost: 2, Lower: 5, Upper: 9, Integer: true})
	m.AddCol(lp.Col{Cost: -8, Upper: 3, Integer: true})
	m.AddCol(lp.Col{Cost: 1, Upper: 11, Integer: true})
	m.AddCol(lp.Col{Cost: 1, Lower: -112})
	m.Cols[3].Upper = lp.Inf
	all := []int32{0, 1, 2, 3}
	m.AddRow(lp.Row{Lower: -86, Upper: lp.Inf}, all, []float64{16.000000000000007, -63.999999999999986, 64.00000000000003, 1})
	m.AddRow(lp.Row{Lower: -2.1249999999999964, Upper: lp.Inf}, all[:3], []float64{-0.24999999999999994, 1.0000000000000004, -0.9999999999999998})
	r, err := Reduce(context.Background(), m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if r.Counts.Merged == 0 {
		t.Error("no columns were merged")
	}
	for j, c := range r.Model.Cols {
		if c.Integer && (c.Lower != math.Round(c.Lower) || c.Upper != math.Round(c.Upper)) {
			t.Errorf("integer column %d of the reduced model has the bounds %.17g and %.17g", j, c.Lower, c.Upper)
		}
	}
}

// TestIntegersInAnyOrder checks that stocks which are integer one after the other are found when their columns are in
// the opposite order.
func TestIntegersInAnyOrder(t *testing.T) {
	const periods = 30
	var m lp.Model
	var stocks [periods]lp.Var
	for k := range periods {
		stocks[periods-1-k] = m.AddCol(lp.Col{Upper: 9})
	}
	for k, stock := range stocks {
		use := m.AddCol(lp.Col{Cost: float64(k%3 - 1), Upper: 3, Integer: true})
		i := m.AddRow(lp.Row{Lower: 1, Upper: 1}, []int32{int32(use), int32(stock)}, []float64{1, -1})
		if k > 0 {
			m.AddEntry(i, stocks[k-1], 1)
		}
	}

	r, err := Reduce(context.Background(), &m, Options{Reductions: ImpliedIntegers, Feasibility: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counts.ImpliedIntegers != periods {
		t.Errorf("%d of %d stocks became integer", r.Counts.ImpliedIntegers, periods)
	}
}

// TestFarGrid has an equation and a row that is -1000 times as large but for rounding errors, both of large sides. If
// the continuous column y became the number of its steps the sides would cancel, and what is left of them, rounding
// errors, exceed the tolerance of the row: no point would be left. There is one, with 2 as the value of k.
func TestFarGrid(t *testing.T) {
	m := &lp.Model{}
	x := m.AddCol(lp.Col{Cost: -0.1, Upper: lp.Inf})
	b := m.AddCol(lp.Col{Lower: -1, Upper: 1, Integer: true})
	k := m.AddCol(lp.Col{Cost: -0.02, Lower: 1, Upper: 3, Integer: true})
	y := m.AddCol(lp.Col{Cost: 5631, Upper: lp.Inf})
	one := m.AddCol(lp.Col{Lower: 1, Upper: 1, Integer: true})
	m.AddRow(lp.Row{Lower: -3722.9316721708246, Upper: -3722.90719464}, []int32{int32(x), int32(b), int32(k), int32(one)},
		[]float64{3.726e-05, -0.37661672, 1.848e-05, -3723.2840534})
	index := []int32{int32(k), int32(y), int32(one)}
	m.AddRow(lp.Row{Lower: -532175.2770590341, Upper: -532175.2770590341}, index,
		[]float64{195814.28598232, -131855.58212589, -17711.18275233})
	m.AddRow(lp.Row{Lower: 5.321752770590794e+08, Upper: lp.Inf}, index,
		[]float64{-1.958142859823105e+08, 1.3185558212589002e+08, 1.7711182752364423e+07})

	r, err := Reduce(t.Context(), m, DefaultOptions())
	if err != nil || r.Status == lp.Infeasible {
		t.Errorf("%v, %v", r.Status, err)
	}
}
