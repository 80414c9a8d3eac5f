package presolve

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

const (
	smallBox = 4     // integer columns without bounds are enumerated in [-smallBox, smallBox]
	largeBox = 10000 // and those of a reduced model, which may stand for several, in [-largeBox, largeBox]
)

// boxed gives unbounded columns a box by bounds where box is set, so that enumeration is the truth.
func boxed(m *lp.Model) *lp.Model {
	m = m.Clone()
	for j := range m.Cols {
		c := &m.Cols[j]
		c.Lower, c.Upper = math.Max(c.Lower, -smallBox), math.Min(c.Upper, smallBox)
	}
	return m
}

// compare reduces m and compares its optimum with that of the reduced model, both by enumeration.
func compare(m *lp.Model, opt Options) error {
	given := newBrute(m, smallBox)
	want := given.solve(nil)

	r, err := Reduce(context.Background(), m, opt)
	if err != nil {
		return err
	}

	// A model may be called infeasible only if enumeration finds no point.
	if r.Status == lp.Infeasible {
		if !math.IsNaN(want) {
			return fmt.Errorf("called infeasible, but %v has value %g", given.arg, want)
		}
		return nil
	}

	// Every point of the reduced model must be restored to a feasible point of the same value.
	reduced := newBrute(r.Model, largeBox)
	var bad error
	got := reduced.solve(func(x []float64) {
		full := r.Restore(x)
		if v := given.violation(full); bad == nil && !(v <= 1e-5) {
			bad = fmt.Errorf("the point %v restored to %v violates the model by %g", x, full, v)
		}
		a, b := r.Model.Evaluate(x), m.Evaluate(full)
		if bad == nil && !(math.Abs(a-b) <= 1e-6) {
			bad = fmt.Errorf("the point %v has value %g, restored to %v it has %g", x, a, full, b)
		}
	})
	if bad != nil {
		return bad
	}

	// NaN stands for a model without a point.
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(want-got) > 1e-5 {
		return fmt.Errorf("optimum %g at %v, reduced %g at %v", want, given.arg, got, reduced.arg)
	}
	return factsHold(r, reduced)
}

// compareDrawn compares optima of drawn models with those of the reduced ones, by all reductions or some alone, a quarter
// of them with the columns kept. It returns the number of models on which the latter are seen at work, and that of those
// they refute.
func compareDrawn(t *testing.T, models int, stream uint64, draw func(*rand.Rand) *lp.Model, alone Reductions,
	seen func(*Reduced) bool) (found, refuted int) {
	t.Helper()
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, stream))
		m := draw(rng)
		opt := DefaultOptions()
		opt.KeepColumns = rng.IntN(4) == 0
		if rng.IntN(2) == 0 {
			opt.Reductions = alone
		}
		if err := compare(m, opt); err != nil {
			t.Fatalf("seed %d, reductions %#x: %v\n%s", seed, opt.Reductions, err, dump(m))
		}

		opt.Reductions = alone
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if seen(r) {
			found++
		}
		if r.Status == lp.Infeasible {
			refuted++
		}
	}
	return found, refuted
}

// factsHold checks the implications at every point of the reduced model.
func factsHold(r *Reduced, reduced *brute) (err error) {
	reduced.solve(func(x []float64) {
		for _, m := range r.Facts.Implications {
			if math.Round(x[m.Col]) != float64(m.Value) {
				continue
			}
			if m.Upper && x[m.Then] > m.Bound+1e-6 || !m.Upper && x[m.Then] < m.Bound-1e-6 {
				err = fmt.Errorf("implication %+v does not hold at %v", m, x)
			}
		}
	})
	return err
}

// count is how many random models a test takes: PRESOLVE_MODELS multiplies it.
func count(t *testing.T, n int) int {
	if v, err := strconv.Atoi(os.Getenv("PRESOLVE_MODELS")); err == nil {
		return n * v
	}
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestEnumeration compares optima of random models with those of their reduced models. The environment
// variable PRESOLVE_MODELS multiplies the number of models.
func TestEnumeration(t *testing.T) {
	for seed := range uint64(count(t, 6000)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := boxed(randomModel(rng))
		opt := DefaultOptions()
		if rng.IntN(4) == 0 {
			opt.Reductions = Reductions(rng.Uint32()) & All
		}
		if err := compare(m, opt); err != nil {
			t.Errorf("seed %d, reductions %#x: %v\n%s", seed, opt.Reductions, err, dump(m))
			if t.Failed() && seed > 100 {
				return
			}
		}
	}
}

// dump writes a model for a failure message.
func dump(m *lp.Model) string {
	b := newBrute(m, 1)
	s := fmt.Sprintf("maximize %v offset %g\n", m.Maximize, m.Offset)
	for j, c := range m.Cols {
		s += fmt.Sprintf("x%d cost %g in [%g, %g] integer %v\n", j, c.Cost, c.Lower, c.Upper, c.Integer)
	}
	for i, r := range m.Rows {
		s += fmt.Sprintf("%g <= %v <= %g\n", r.Lower, b.rows[i], r.Upper)
	}
	return s
}

// TestEveryReductionFires keeps the generator honest: each reduction is seen at work.
func TestEveryReductionFires(t *testing.T) {
	var sum Counts
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := boxed(randomModel(rng))
		if seed%10 == 0 {
			m = congruentModel(rng)
		}
		if seed%10 == 1 {
			m = stateModel(rng)
		}
		r, err := Reduce(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		sum.add(&r.Counts)
	}
	v := reflect.ValueOf(sum)
	for k := range v.NumField() {
		if v.Field(k).Int() == 0 {
			t.Errorf("no model made presolve count %s", v.Type().Field(k).Name)
		}
	}
	t.Logf("%+v", sum)
}

func (c *Counts) add(o *Counts) {
	v, w := reflect.ValueOf(c).Elem(), reflect.ValueOf(o).Elem()
	for k := range v.NumField() {
		v.Field(k).SetInt(v.Field(k).Int() + w.Field(k).Int())
	}
}

// TestKeepColumns checks that a model whose columns are kept has the feasible points of the given one: their
// optima agree for other objectives and with rows added to both.
func TestKeepColumns(t *testing.T) {
	opt := DefaultOptions()
	opt.KeepColumns = true
	for seed := range uint64(count(t, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := boxed(randomModel(rng))
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}

		if r.Status == lp.Infeasible {
			if v := newBrute(m, smallBox).solve(nil); !math.IsNaN(v) {
				t.Fatalf("seed %d: called infeasible, but has value %g\n%s", seed, v, dump(m))
			}
			continue
		}

		// Both models get the same additional row and the same other objective.
		given, kept := m.Clone(), r.Model.Clone()
		row := randomRow(rng, len(m.Cols))
		side := float64(rng.IntN(7) - 3)
		for _, x := range []*lp.Model{given, kept} {
			i := x.AddRow(lp.Row{Lower: math.Inf(-1), Upper: side}, nil, nil)
			for j, v := range row {
				x.Cols[j].Cost = float64(int(seed)>>j%5 - 2)
				if v != 0 {
					x.AddEntry(i, lp.Var(j), v)
				}
			}
		}

		a, b := newBrute(given, smallBox), newBrute(kept, smallBox)
		want, got := a.solve(nil), b.solve(nil)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(want-got) > 1e-5 {
			t.Fatalf("seed %d: optimum %g at %v, reduced %g at %v\n%s", seed, want, a.arg, got, b.arg, dump(m))
		}
	}
}

// TestDivisorBesideLargeColumn has a row whose coefficients are multiples of 1 to the twelfth digit, and a column so
// large that the difference is more than the tolerance: the side may not be rounded.
func TestDivisorBesideLargeColumn(t *testing.T) {
	for _, far := range []float64{1e8, 1e5, 1e3} {
		const a = 1.0000000000009
		m := &lp.Model{Maximize: true}
		m.AddCol(lp.Col{Cost: 1, Upper: 5, Integer: true})
		m.AddCol(lp.Col{Cost: 10, Upper: far, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: a*far + 0.5}, []int32{0, 1}, []float64{1, a})
		opt := DefaultOptions()
		opt.Reductions = Divisors
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if v := newBrute(r.Model, 1).violation([]float64{0, far}); v > 0 {
			t.Errorf("the point with %g violates the reduced model by %g", far, v)
		}
		if rounded := r.Counts.Sides > 0; rounded != (far < 1e6) {
			t.Errorf("with %g, %d sides were rounded", far, r.Counts.Sides)
		}
	}
}

// TestParallelRowsKeepTheLarger merges two rows, in either order, of which one is a multiple of the other: the sides of
// both end in the row with the larger entries, in which the tolerance of a violation is the smaller one.
func TestParallelRowsKeepTheLarger(t *testing.T) {
	for _, s := range []float64{1000, -1000, 1e-3, -1e-3} {
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 1, Upper: 9})
		m.AddCol(lp.Col{Cost: 1, Upper: 9, Integer: true})

		// The first row is x + 2y >= 3, the second one says that s times the sum is between s and 8s.
		m.AddRow(lp.Row{Lower: 3, Upper: math.Inf(1)}, []int32{0, 1}, []float64{1, 2})
		m.AddRow(lp.Row{Lower: min(s, 8*s), Upper: max(s, 8*s)}, []int32{0, 1}, []float64{s, 2 * s})
		opt := DefaultOptions()
		opt.Reductions = ParallelRows
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Model.Rows) != 1 || r.Counts.ParallelRows != 1 {
			t.Fatalf("%g: %d rows, %+v", s, len(r.Model.Rows), r.Counts)
		}

		// The sum is between 3 and 8, in the units of the row that is left.
		unit := 1.0
		if math.Abs(s) > 1 {
			unit = s
		}
		matrix, err := r.Model.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		_, value := matrix.Transpose().Vec(0)
		row := r.Model.Rows[0]
		low, up := min(3*unit, 8*unit), max(3*unit, 8*unit)
		if value[0] != unit || math.Abs(row.Lower-low) > 1e-9 || math.Abs(row.Upper-up) > 1e-9 {
			t.Errorf("%g: the row is %v in [%g, %g], want %g times the sum in [%g, %g]", s, value, row.Lower, row.Upper, unit,
				low, up)
		}
	}
}
