package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// randomModel makes a model that is feasible at a point of its own: small integer coefficients, ranges, equations,
// free and fixed columns.
func randomModel(rng *rand.Rand, m, n int) *lp.Model {
	p := &lp.Model{Maximize: rng.IntN(4) == 0, Offset: float64(rng.IntN(7))}
	x := make([]float64, n)
	for j := range n {
		lo, up := 0.0, lp.Inf
		switch rng.IntN(6) {
		case 0:
			up = float64(rng.IntN(10))
		case 1:
			lo, up = -float64(rng.IntN(5)), float64(rng.IntN(5))
		case 2:
			lo = math.Inf(-1)
		case 3:
			lo = float64(rng.IntN(4))
			up = lo + float64(rng.IntN(3))
		}
		p.AddCol(lp.Col{Cost: float64(rng.IntN(21) - 8), Lower: lo, Upper: up})
		x[j] = min(max(float64(rng.IntN(5)), lo), up)
	}
	for range m {
		idx, val, act := randomRow(rng, n, x)
		lo, up := randomSides(rng, act)
		p.AddRow(lp.Row{Lower: lo, Upper: up}, idx, val)
	}
	return p
}

func randomRow(rng *rand.Rand, n int, x []float64) ([]int32, []float64, float64) {
	var idx []int32
	var val []float64
	act := 0.0
	for j := range n {
		if rng.IntN(n) < 4 {
			v := float64(rng.IntN(13) - 5)
			idx, val = append(idx, int32(j)), append(val, v)
			act += v * x[j]
		}
	}
	return idx, val, act
}

func randomSides(rng *rand.Rand, act float64) (float64, float64) {
	switch rng.IntN(5) {
	case 0:
		return act, act
	case 1:
		return act - float64(rng.IntN(5)), act + float64(rng.IntN(5))
	case 2, 3:
		return act - float64(rng.IntN(4)), lp.Inf
	}
	return math.Inf(-1), act + float64(rng.IntN(4))
}

// certify checks the answer of one Solve on the model, by its own certificate.
func certify(t *testing.T, seed uint64, m *lp.Model, sol *Solution) {
	t.Helper()
	if sol.Exact { // the rounded vectors need not prove it
		if status, _ := exactOptimum(m); status != sol.Status {
			t.Fatalf("seed %d: %v in exact arithmetic, is %v", seed, sol.Status, status)
		}
		return
	}

	// Each status has a certificate that does not rest on the solver.
	switch sol.Status {
	case lp.Optimal:
		if r := Check(m, sol); !r.OK(1e-6) {
			t.Fatalf("seed %d: residuals %+v", seed, r)
		}
		if math.Abs(m.Evaluate(sol.X)-sol.Objective) > 1e-6*(1+math.Abs(sol.Objective)) {
			t.Fatalf("seed %d: objective %g, value of X %g", seed, sol.Objective, m.Evaluate(sol.X))
		}
	case lp.Infeasible:
		if err := CheckFarkas(m, sol.Ray); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	case lp.Unbounded:
		if err := CheckPrimalRay(m, sol.Ray); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	default:
		t.Fatalf("seed %d: status %v", seed, sol.Status)
	}
}

func TestRandomModels(t *testing.T) {
	counts := map[lp.Status]int{}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := randomModel(rng, 1+rng.IntN(15), 1+rng.IntN(15))
		opt := DefaultOptions()
		opt.Scale = seed%2 == 0
		opt.Perturb = seed%3 != 0
		opt.noInverse = seed%5 < 2
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		certify(t, seed, m, sol)
		counts[sol.Status]++
	}
	t.Log(counts)
	if counts[lp.Optimal] == 0 || counts[lp.Unbounded] == 0 {
		t.Errorf("the models do not cover every outcome: %v", counts)
	}
}

// TestWarm changes a model at random through a Solver and compares each warm answer with a cold one.
func TestWarm(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := newWarm(t, seed, randomModel(rng, 2+rng.IntN(12), 2+rng.IntN(12)))
		w.compare()
		for range 15 {
			w.change(rng)
			if rng.IntN(3) > 0 {
				w.compare()
			}
		}
	}
}

// warm mirrors the changes made to a Solver in a model of its own.
type warm struct {
	t     *testing.T
	seed  uint64
	s     *Solver
	model lp.Model
	idx   [][]int32
	val   [][]float64
	saved Basis
}

// newWarm begins with m and the default options.
func newWarm(t *testing.T, seed uint64, m *lp.Model) *warm {
	return newWarmWith(t, seed, m, DefaultOptions())
}

func newWarmWith(t *testing.T, seed uint64, m *lp.Model, opt Options) *warm {
	s, err := New(m, opt)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	w := &warm{t: t, seed: seed, s: s, model: *m.Clone()}
	a, _ := m.Matrix()
	rows := a.Transpose()
	for i := range rows.Major {
		idx, val := rows.Vec(i)
		w.idx = append(w.idx, append([]int32(nil), idx...))
		w.val = append(w.val, append([]float64(nil), val...))
	}
	return w
}

func (w *warm) rebuild() *lp.Model {
	p := &lp.Model{Maximize: w.model.Maximize, Offset: w.model.Offset}
	for _, c := range w.model.Cols {
		p.AddCol(c)
	}
	for i, r := range w.model.Rows {
		p.AddRow(r, w.idx[i], w.val[i])
	}
	return p
}

func (w *warm) compare() {
	w.t.Helper()
	m := w.rebuild()
	res, err := w.s.Solve(context.Background(), NoLimits())
	if err != nil {
		w.t.Fatalf("seed %d: %v", w.seed, err)
	}
	sol := w.s.Solution(res)
	certify(w.t, w.seed, m, sol)
	cold, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil {
		w.t.Fatalf("seed %d: cold: %v", w.seed, err)
	}
	if cold.Status != sol.Status && cold.Status == lp.Optimal {
		w.t.Fatalf("seed %d: warm %v, cold %v", w.seed, sol.Status, cold.Status)
	}
	if sol.Status == lp.Optimal && math.Abs(sol.Objective-cold.Objective) > 1e-6*(1+math.Abs(cold.Objective)) {
		w.t.Fatalf("seed %d: warm %g, cold %g", w.seed, sol.Objective, cold.Objective)
	}
}

// change makes one random change, to the model and to that of the solver.
func (w *warm) change(rng *rand.Rand) {
	n, m := len(w.model.Cols), len(w.model.Rows)
	switch k := rng.IntN(9); {
	// Bounds, sides and costs.
	case k == 0 && n > 0:
		j := rng.IntN(n)
		c := &w.model.Cols[j]
		c.Lower = float64(rng.IntN(4) - 2)
		c.Upper = c.Lower + float64(rng.IntN(4))
		w.s.SetColBounds(lp.Var(j), c.Lower, c.Upper)
	case k == 1 && m > 0:
		i := rng.IntN(m)
		r := &w.model.Rows[i]
		r.Lower, r.Upper = randomSides(rng, float64(rng.IntN(9)-3))
		w.s.SetRowBounds(lp.Con(i), r.Lower, r.Upper)
	case k == 2 && n > 0:
		j := rng.IntN(n)
		w.model.Cols[j].Cost = float64(rng.IntN(21) - 8)
		w.s.SetCost(lp.Var(j), w.model.Cols[j].Cost)

	// Rows and columns.
	case k == 3 || k == 4:
		w.addRows(rng, 1+rng.IntN(3))
	case k == 5 && m > 1:
		w.deleteRows(rng)
	case k == 6:
		w.addCol(rng)
	case k == 7 && n > 1:
		w.deleteCol(rng.IntN(n))

	// The basis that was saved last, unless the model has become smaller.
	case k == 8:
		if len(w.saved.Cols) > 0 && len(w.saved.Cols) <= n && len(w.saved.Rows) <= m {
			if err := w.s.SetBasis(&w.saved); err != nil {
				w.t.Fatalf("seed %d: %v", w.seed, err)
			}
		}
		w.s.GetBasis(&w.saved)
	}
}

func (w *warm) addRows(rng *rand.Rand, k int) {
	for range k {
		idx, val, _ := randomRow(rng, len(w.model.Cols), make([]float64, len(w.model.Cols)))
		lo, up := randomSides(rng, float64(rng.IntN(9)-3))
		w.s.AddRow(lo, up, idx, val)
		w.model.Rows = append(w.model.Rows, lp.Row{Lower: lo, Upper: up})
		w.idx, w.val = append(w.idx, idx), append(w.val, val)
	}
}

func (w *warm) deleteRows(rng *rand.Rand) {
	var gone []lp.Con
	rows, idx, val := w.model.Rows[:0], w.idx[:0], w.val[:0]
	for i, r := range w.model.Rows {
		if rng.IntN(4) == 0 {
			gone = append(gone, lp.Con(i))
			continue
		}
		rows, idx, val = append(rows, r), append(idx, w.idx[i]), append(val, w.val[i])
	}
	w.model.Rows, w.idx, w.val = rows, idx, val
	w.s.DeleteRows(gone)
}

func (w *warm) addCol(rng *rand.Rand) {
	j := int32(len(w.model.Cols))
	var idx []int32
	var val []float64
	for i := range w.model.Rows {
		if rng.IntN(3) == 0 {
			v := float64(rng.IntN(9) - 4)
			idx, val = append(idx, int32(i)), append(val, v)
			w.idx[i], w.val[i] = append(w.idx[i], j), append(w.val[i], v)
		}
	}
	c := lp.Col{Cost: float64(rng.IntN(11) - 3), Lower: float64(rng.IntN(3) - 1), Upper: lp.Inf}
	w.model.Cols = append(w.model.Cols, c)
	w.s.AddCol(c.Cost, c.Lower, c.Upper, idx, val)
}

func (w *warm) deleteCol(j int) {
	w.model.Cols = append(w.model.Cols[:j], w.model.Cols[j+1:]...)
	for i := range w.idx {
		var idx []int32
		var val []float64
		for k, c := range w.idx[i] {
			if int(c) == j {
				continue
			}
			if int(c) > j {
				c--
			}
			idx, val = append(idx, c), append(val, w.val[i][k])
		}
		w.idx[i], w.val[i] = idx, val
	}
	w.s.DeleteCols([]lp.Var{lp.Var(j)})
}
