package fold

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func mustFold(t *testing.T, m *lp.Model, share float64) *Folded {
	t.Helper()
	f, err := Run(m, share)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// assignment returns the n by n assignment problem with equal costs.
func assignment(n int) *lp.Model {
	m := &lp.Model{Offset: 3}
	for range n * n {
		m.AddCol(lp.Col{Cost: 2, Upper: lp.Inf})
	}
	for i := range n {
		var row, col []int32
		var one []float64
		for k := range n {
			row, col, one = append(row, int32(i*n+k)), append(col, int32(k*n+i)), append(one, 1)
		}
		m.AddRow(lp.Row{Lower: 1, Upper: 1}, row, one)
		m.AddRow(lp.Row{Lower: 1, Upper: 1}, col, one)
	}
	return m
}

func TestAssignment(t *testing.T) {
	f := mustFold(t, assignment(5), 0.5)
	g := f.Model
	if len(g.Cols) != 1 || len(g.Rows) != 1 || g.Cols[0].Cost != 50 || g.Offset != 3 {
		t.Fatalf("%+v", g)
	}
	a, err := g.Matrix()
	if err != nil || a.NNZ() != 1 || a.Value[0] != 5 {
		t.Fatalf("%+v, %v", a, err)
	}
	if x := f.Cols([]float64{0.2}); len(x) != 25 || x[24] != 0.2 {
		t.Errorf("point %v", x)
	}
	if y := f.RowDuals([]float64{10}); len(y) != 10 || y[9] != 1 {
		t.Errorf("multipliers %v", y)
	}
	if d := f.ReducedCosts([]float64{50}); len(d) != 25 || d[0] != 2 {
		t.Errorf("reduced costs %v", d)
	}
	if r := f.Rows([]float64{1}); len(r) != 10 || r[3] != 1 {
		t.Errorf("activities %v", r)
	}
}

// TestDifferences makes one thing different from the rest in each way that breaks the symmetry.
func TestDifferences(t *testing.T) {
	for name, change := range map[string]func(m *lp.Model){
		"cost":        func(m *lp.Model) { m.Cols[7].Cost = 1 },
		"lower bound": func(m *lp.Model) { m.Cols[7].Lower = -1 },
		"upper bound": func(m *lp.Model) { m.Cols[7].Upper = 1 },
		"coefficient": func(m *lp.Model) { m.AddCol(lp.Col{}); m.AddEntry(0, 25, 1) },
	} {
		m := assignment(5)
		change(m)
		f := mustFold(t, m, 0.5)
		if f == nil || len(f.Model.Cols) < 3 || len(f.Model.Rows) < 2 {
			t.Errorf("%s: folded to %+v", name, f)
		}
	}
	m := assignment(5)
	m.Rows[3].Upper = 2
	if f := mustFold(t, m, 0.5); f == nil || len(f.Model.Rows) < 3 {
		t.Errorf("row: folded to %+v", f)
	}
	m = assignment(5)
	for j := range m.Cols {
		m.Cols[j].Cost = float64(j)
	}
	if f := mustFold(t, m, 0.5); f != nil {
		t.Errorf("all costs differ: folded to %+v", f)
	}
}

// TestPath has a chain whose ends differ from the middle: every round of a refinement gets one step further, so that it
// must be given up.
func TestPath(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{})
	for j := range 10 * maxRounds {
		m.AddCol(lp.Col{})
		m.AddRow(lp.Row{}, []int32{int32(j), int32(j + 1)}, []float64{1, 1})
	}
	if f := mustFold(t, m, 1); f != nil {
		t.Errorf("folded to %d columns", len(f.Model.Cols))
	}
}

// TestIdentities checks on random models of few different numbers what the folded model stands for: activities and
// objective of points that are equal on classes, and reduced costs of multipliers that are.
func TestIdentities(t *testing.T) {
	folded := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 15))
		m := random(rng)
		f := mustFold(t, m, 1)
		if f == nil {
			t.Fatalf("seed %d: not folded", seed)
		}
		if len(f.Model.Cols) < len(m.Cols) {
			folded++
		}
		X, Y := make([]float64, len(f.Model.Cols)), make([]float64, len(f.Model.Rows))
		for j := range X {
			X[j] = rng.NormFloat64()
		}
		for i := range Y {
			Y[i] = rng.NormFloat64()
		}
		x, y := f.Cols(X), f.RowDuals(Y)
		if a, b := f.Model.Evaluate(X), m.Evaluate(x); math.Abs(a-b) > 1e-9 {
			t.Fatalf("seed %d: objective %g, folded %g", seed, b, a)
		}
		act, d := products(t, m, x, y)
		actF, dF := products(t, f.Model, X, Y)
		if !near(act, f.Rows(actF)) || !near(d, f.ReducedCosts(dF)) {
			t.Fatalf("seed %d: activities or reduced costs differ", seed)
		}
	}
	if folded == 0 {
		t.Error("no model folded")
	}
}

// products returns A x and c - A'y.
func products(t *testing.T, m *lp.Model, x, y []float64) (activity, reduced []float64) {
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	activity = make([]float64, len(m.Rows))
	for j := range m.Cols {
		d := m.Cols[j].Cost
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * x[j]
			d -= value[k] * y[i]
		}
		reduced = append(reduced, d)
	}
	return activity, reduced
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Abs(v-w) <= 1e-9 })
}

// random returns a sparse model whose costs, bounds and coefficients have two values each.
func random(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Offset: 1}
	n := 2 + rng.IntN(12)
	for range n {
		m.AddCol(lp.Col{Cost: float64(rng.IntN(2)), Upper: float64(1 + rng.IntN(2))})
	}
	for range 1 + rng.IntN(10) {
		var index []int32
		var value []float64
		for _, j := range rng.Perm(n)[:1+rng.IntN(2)] {
			index, value = append(index, int32(j)), append(value, float64(1-2*rng.IntN(2)))
		}
		m.AddRow(lp.Row{Upper: float64(rng.IntN(2))}, index, value)
	}
	return m
}
