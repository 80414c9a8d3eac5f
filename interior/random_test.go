package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// randomModels is the number of models of TestRandomModels without PROXYBD_BATTERY.
const randomModels = 3000

// randomModel returns a small model with every kind of row and column: free, fixed, boxed and one-sided, dependent and
// empty rows, integer or real coefficients. About half of them have an optimum.
func randomModel(seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 7))
	rows := 1 + rng.IntN(8)
	cols := 1 + rng.IntN(10)
	m := &lp.Model{Maximize: rng.IntN(2) == 0, Offset: float64(rng.IntN(3))}
	number := func() float64 {
		if seed%2 == 0 {
			return float64(rng.IntN(11) - 5)
		}
		return math.Round(rng.NormFloat64()*1000) / 100
	}

	for range cols {
		c := lp.Col{Cost: number(), Lower: 0, Upper: lp.Inf}
		switch rng.IntN(8) {
		case 0:
			c.Lower = -lp.Inf
		case 1:
			c.Lower = -lp.Inf
			c.Upper = number()
		case 2, 3:
			c.Lower = number()
			c.Upper = c.Lower + math.Abs(number())
		case 4:
			c.Lower = number()
		}
		m.AddCol(c)
	}

	// The sides are near the activity of a random point in most rows.
	x := make([]float64, cols)
	for j := range x {
		x[j] = max(min(number(), m.Cols[j].Upper), m.Cols[j].Lower)
	}
	for i := range rows {
		activity := 0.0
		var index []int32
		var value []float64
		for j := range cols {
			if v := number(); rng.IntN(3) > 0 && v != 0 {
				index = append(index, int32(j))
				value = append(value, v)
				activity += v * x[j]
			}
		}
		if rng.IntN(6) == 0 {
			activity = number()
		}
		r := lp.Row{Lower: activity, Upper: activity}
		switch rng.IntN(5) {
		case 0, 1:
			r.Upper = lp.Inf
		case 2:
			r.Lower = -lp.Inf
		case 3:
			r.Lower -= math.Abs(number())
		}
		m.AddRow(r, index, value)
		if rng.IntN(8) == 0 && i+1 < rows {
			m.AddRow(lp.Row{Lower: 2 * r.Lower, Upper: 2 * r.Upper}, index, scaled(value, 2))
		}
	}
	return m
}

// scaled returns t times v.
func scaled(v []float64, t float64) []float64 {
	out := make([]float64, len(v))
	for k := range v {
		out[k] = t * v[k]
	}
	return out
}

// TestRandomModels compares the method with the simplex method on random models of all statuses, with and without
// presolve and crossover. PROXYBD_BATTERY gives their number; 100000 is the full battery.
func TestRandomModels(t *testing.T) {
	models := uint64(randomModels)
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_BATTERY"), 10, 64); err == nil {
		models = v
	}
	counts := map[lp.Status]int{}
	for seed := range models {
		status, err := compare(seed)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		counts[status]++
	}
	t.Log(counts)
	for _, st := range [...]lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if counts[st] == 0 {
			t.Errorf("no model is %v", st)
		}
	}
}

// compare solves the model of a seed by both methods.
func compare(seed uint64) (lp.Status, error) {
	m := randomModel(seed)
	want, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		return lp.NotSolved, fmt.Errorf("simplex: %w", err)
	}
	opt := DefaultOptions()
	opt.Presolve = seed%3 == 0
	opt.Crossover = seed%5 != 0
	got, err := Solve(context.Background(), m, opt)
	if err != nil {
		return want.Status, err
	}
	return want.Status, agree(m, got, want)
}

// agree reports where an answer is not proven by its own vectors, or differs from the one wanted.
func agree(m *lp.Model, got, want *simplex.Solution) error {
	if got.Status != want.Status {
		return fmt.Errorf("status %v, the simplex method has %v", got.Status, want.Status)
	}
	switch got.Status {
	case lp.Infeasible:
		if got.Exact {
			return nil // the ray is the nearest in float64
		}
		return simplex.CheckFarkas(m, got.Ray)
	case lp.Unbounded:
		return simplex.CheckPrimalRay(m, got.Ray)
	}
	if r := simplex.Check(m, got); !r.OK(1e-6) {
		return fmt.Errorf("residuals %+v", r)
	}
	if !(math.Abs(got.Objective-want.Objective) <= 1e-6*(1+math.Abs(want.Objective))) {
		return fmt.Errorf("objective %.12g, the simplex method has %.12g", got.Objective, want.Objective)
	}
	return nil
}

// FuzzModels is TestRandomModels over seeds of the fuzzer's choice.
func FuzzModels(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(2))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if _, err := compare(seed); err != nil {
			t.Error(err)
		}
	})
}

// TestOwnAnswers counts how often the iterations end with an answer of their own on random models without presolve:
// the simplex method is to be the exception.
func TestOwnAnswers(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(500) {
		m := randomModel(seed)
		if !iterable(m) {
			continue
		}
		want, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		r := &run{m: m, opt: DefaultOptions(), ctx: context.Background()}
		w, out, err := r.iterate(m)
		if err != nil {
			t.Fatal(err)
		}
		key := want.Status.String() + " " + out.String()
		if out == stalled && w.suspected {
			key += " unproven"
		}
		counts[key]++
		own := want.Status == lp.Optimal && out == optimal || want.Status == lp.Infeasible && (out == infeasible || out == unbounded) ||
			want.Status == lp.Unbounded && out == unbounded
		if !own && out != stalled {
			t.Errorf("seed %d: %v ended as %v", seed, want.Status, out)
		}
	}
	t.Log(counts)
}
