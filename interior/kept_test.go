package interior

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// twoStage returns a model whose first columns are in a row of many scenarios, and together in equations of their own.
func twoStage(rng *rand.Rand) *lp.Model {
	const first, scenarios = 8, 300
	m := &lp.Model{}
	var y []int32
	for range first {
		y = append(y, int32(m.AddCol(lp.Col{Cost: 1 + rng.Float64(), Upper: 10})))
	}
	m.AddRow(lp.Row{Lower: 12, Upper: 12}, y[:4], []float64{1, 1, 1, 1})
	m.AddRow(lp.Row{Lower: 2, Upper: 2}, []int32{y[2], y[5], y[6]}, []float64{1, 1, -1})
	for range scenarios {
		x := int32(m.AddCol(lp.Col{Cost: 3 * rng.Float64() / scenarios, Upper: 4}))
		short := int32(m.AddCol(lp.Col{Cost: 40. / scenarios, Upper: lp.Inf}))
		index := append([]int32{x, short}, y...)
		value := []float64{1, 1}
		for range y {
			value = append(value, rng.Float64())
		}
		m.AddRow(lp.Row{Lower: 5 + 20*rng.Float64(), Upper: lp.Inf}, index, value)
		m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 6}, []int32{x, short}, []float64{2, -0.1})
	}
	return m
}

// methodFor returns the method before its first iteration on m.
func methodFor(t *testing.T, m *lp.Model, o Options) *method {
	f, err := newForm(m)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newMethod(context.Background(), m, f, o, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRowsOfKeptColumns solves models with equations over dense columns alone, which stay in the linear system: the
// matrix has no entry on the diagonal there.
func TestRowsOfKeptColumns(t *testing.T) {
	for seed := range uint64(20) {
		m := twoStage(rand.New(rand.NewPCG(seed, 8)))
		o := DefaultOptions()
		o.Presolve = false
		w := methodFor(t, m, o)
		if len(w.kept) == 0 {
			t.Fatalf("seed %d: no column is kept", seed)
		}
		if out := w.run(); out != optimal || w.iterations > 60 {
			t.Errorf("seed %d: %v after %d iterations", seed, out, w.iterations)
		}

		want, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Solve(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got.Objective-want.Objective) <= 1e-6*math.Abs(want.Objective)) {
			t.Errorf("seed %d: %v, and the simplex method has %v", seed, got.Objective, want.Objective)
		}
	}
}

// banded returns a model whose rows have columns in common with those next to them, and one column in many rows, which
// may be kept or not.
func banded(rng *rand.Rand) *lp.Model {
	rows := 500 + rng.IntN(300)
	width := 40 + rng.IntN(60)
	m := &lp.Model{}

	// Two columns begin in each row, with entries in some of the rows below, less than three widths away.
	index := make([][]int32, rows)
	for i := range rows {
		for range 2 {
			j := int32(m.AddCol(lp.Col{Cost: 1 + rng.Float64(), Upper: lp.Inf}))
			index[i] = append(index[i], j)
			for next := i + 1 + rng.IntN(width); next < min(rows, i+3*width); next += 1 + rng.IntN(width) {
				index[next] = append(index[next], j)
			}
		}
	}

	// The elimination of this column would fill the matrix with an entry for each pair of its rows.
	long := int32(m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf}))
	for _, i := range rng.Perm(rows)[:101+rng.IntN(60)] {
		index[i] = append(index[i], long)
	}

	for i := range rows {
		value := make([]float64, len(index[i]))
		for k := range value {
			value[k] = 1 + rng.Float64()
		}
		m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, index[i], value)
	}
	return m
}

// TestLimitOfOperations chooses kept columns with limits of the operations: no choice may need more than its limit, and
// where one needs less there has to be a choice.
func TestLimitOfOperations(t *testing.T) {
	chosen, costly, several := 0, 0, 0
	for seed := range uint64(8) {
		m := banded(rand.New(rand.NewPCG(seed, 13)))
		f, err := newForm(m)
		if err != nil {
			t.Fatal(err)
		}

		// The choice without a limit has the operations that the limits are shares of.
		k := &kkt{form: f}
		o := DefaultOptions()
		free, err := k.choose(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(k.lengths()) > 1 {
			several++
		}

		// Every choice keeps to its limit, and there is one where the limit is above those operations.
		for _, share := range []float64{0.5, 0.75, 0.99, 1.1} {
			o.maxFlops = share * free.Flops() / float64(f.m+f.n)
			got, err := k.choose(o, nil)
			switch {
			case errors.Is(err, errCostly):
				costly++
				if share > 1.001 {
					t.Errorf("seed %d: no choice needs %g of the operations of the best one", seed, share)
				}
			case err != nil:
				t.Fatal(err)
			case got.Flops() > share*free.Flops()*(1+1e-9):
				t.Errorf("seed %d: %g operations, the limit is %g", seed, got.Flops(), share*free.Flops())
			default:
				chosen++
			}
		}
	}

	t.Logf("%d choices, %d refused, several sets of columns in %d models", chosen, costly, several)
	if chosen == 0 || costly == 0 || several == 0 {
		t.Error("a case does not occur")
	}
}
