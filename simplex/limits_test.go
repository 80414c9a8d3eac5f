package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// optimalRandom returns a random model that has an optimum, and the optimum.
func optimalRandom(t *testing.T, seed uint64) (*lp.Model, *Solution) {
	for try := uint64(0); ; try++ {
		rng := rand.New(rand.NewPCG(seed, 100+try))
		m := randomModel(rng, 10+rng.IntN(30), 10+rng.IntN(30))
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if sol.Status == lp.Optimal {
			return m, sol
		}
	}
}

// TestStrongBranching goes back to one basis again and again, with limited solves, changed bounds and at
// times changed costs in between, and compares every finished solve with a cold one.
func TestStrongBranching(t *testing.T) {
	for seed := range uint64(60) {
		m, _ := optimalRandom(t, seed)
		rng := rand.New(rand.NewPCG(seed, 7))
		w := newWarm(t, seed, m)
		w.compare()
		var basis Basis
		w.s.GetBasis(&basis)
		for range 15 {
			j := rng.IntN(len(m.Cols))
			old := w.model.Cols[j]
			c := &w.model.Cols[j]
			c.Lower = float64(rng.IntN(4) - 1)
			c.Upper = c.Lower + float64(rng.IntN(2))
			w.s.SetColBounds(lp.Var(j), c.Lower, c.Upper)
			if rng.IntN(5) == 0 {
				k := rng.IntN(len(m.Cols))
				w.model.Cols[k].Cost += 1
				old.Cost = w.model.Cols[j].Cost
				w.s.SetCost(lp.Var(k), w.model.Cols[k].Cost)
			}
			if rng.IntN(2) == 0 {
				limits := NoLimits()
				limits.Iterations = rng.IntN(5)
				if _, err := w.s.Solve(context.Background(), limits); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if rng.IntN(2) == 0 {
				w.compare()
			}
			if rng.IntN(4) > 0 {
				w.model.Cols[j] = old
				w.s.SetColBounds(lp.Var(j), old.Lower, old.Upper)
			}
			if err := w.s.SetBasis(&basis); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			w.compare()
			if err := w.s.SetBasis(&basis); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// TestLimits stops solves early in every way and checks what they claim, then lets them finish.
func TestLimits(t *testing.T) {
	for seed := range uint64(60) {
		m, want := optimalRandom(t, seed)
		sense := 1.0
		if m.Maximize {
			sense = -1
		}
		opt := DefaultOptions()
		opt.Perturb = seed%2 == 0
		s, err := New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		expect := func(r Result, err error, status lp.Status) {
			t.Helper()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if r.Status != status && r.Status != lp.Optimal {
				t.Fatalf("seed %d: %v, want %v", seed, r.Status, status)
			}
			if sense*(r.Bound-want.Objective) > 1e-5*(1+math.Abs(want.Objective)) {
				t.Fatalf("seed %d: bound %g beyond the optimum %g", seed, r.Bound, want.Objective)
			}
		}
		for k := range 4 {
			limits := NoLimits()
			limits.Iterations = k
			r, err := s.Solve(context.Background(), limits)
			expect(r, err, lp.IterationLimit)
			if r.Iterations > k {
				t.Fatalf("seed %d: %d iterations, limit %d", seed, r.Iterations, k)
			}
		}
		limits := NoLimits()
		limits.Work = 10
		r, err := s.Solve(context.Background(), limits)
		expect(r, err, lp.WorkLimit)
		limits = NoLimits()
		limits.Time = 0
		r, err = s.Solve(context.Background(), limits)
		expect(r, err, lp.TimeLimit)
		limits.Time = time.Hour
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r, err = s.Solve(ctx, limits)
		expect(r, err, lp.Interrupted)
		s.SlackBasis()
		limit := want.Objective - sense*(1+0.1*math.Abs(want.Objective))
		limits = NoLimits()
		limits.Objective = limit
		r, err = s.Solve(context.Background(), limits)
		expect(r, err, lp.ObjectiveLimit)
		if r.Status == lp.ObjectiveLimit && sense*(r.Bound-limit) < 0 {
			t.Fatalf("seed %d: bound %g has not passed the limit %g", seed, r.Bound, limit)
		}
		r, err = s.Solve(context.Background(), NoLimits())
		expect(r, err, lp.Optimal)
		if math.Abs(r.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Fatalf("seed %d: %g after the limits, want %g", seed, r.Objective, want.Objective)
		}
	}
}

// TestBadLimits checks that limits with no meaning are refused, and that the next Solve is none the worse.
func TestBadLimits(t *testing.T) {
	s := newSolver(t, transportation(1, 3, 4))
	for name, change := range map[string]func(*Limits){
		"Iterations": func(l *Limits) { l.Iterations = -1 }, "Time": func(l *Limits) { l.Time = -1 },
		"Work": func(l *Limits) { l.Work = math.NaN() }, "Objective": func(l *Limits) { l.Objective = math.NaN() },
	} {
		limits := NoLimits()
		change(&limits)
		if _, err := s.Solve(context.Background(), limits); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustSolve(t, s)
}

// TestBadChanges checks that a change with no meaning is refused, reported once and not made.
func TestBadChanges(t *testing.T) {
	m, want := optimalRandom(t, 1)
	s, err := New(m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for name, change := range map[string]func(){
		"column":    func() { s.SetColBounds(lp.Var(len(m.Cols)), 0, 1) },
		"nan bound": func() { s.SetColBounds(0, nan, 1) },
		"row":       func() { s.SetRowBounds(-1, 0, 1) },
		"cost":      func() { s.SetCost(0, math.Inf(1)) },
		"repeated":  func() { s.AddRow(0, 1, []int32{1, 1}, []float64{1, 2}) },
		"index":     func() { s.AddRow(0, 1, []int32{int32(len(m.Cols))}, []float64{1}) },
		"lengths":   func() { s.AddRow(0, 1, []int32{0}, nil) },
		"value":     func() { s.AddCol(0, 0, 1, []int32{0}, []float64{nan}) },
		"order":     func() { s.DeleteRows([]lp.Con{1, 0}) },
		"delete":    func() { s.DeleteCols([]lp.Var{lp.Var(len(m.Cols))}) },
	} {
		change()
		if _, err := s.Solve(context.Background(), NoLimits()); !errors.Is(err, ErrIndex) {
			t.Errorf("%s: error %v", name, err)
		}
		r, err := s.Solve(context.Background(), NoLimits())
		if err != nil || r.Status != lp.Optimal || math.Abs(r.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Errorf("%s: afterwards %v, %v, want %g", name, r, err, want.Objective)
		}
	}
	if err := s.SetBasis(&Basis{Cols: make([]VarStatus, len(m.Cols)+1)}); !errors.Is(err, ErrBasis) {
		t.Errorf("basis: error %v", err)
	}
}

// TestEmpty solves models without rows, without columns and without either.
func TestEmpty(t *testing.T) {
	for k, build := range []func(m *lp.Model){
		func(m *lp.Model) { m.Offset = 3 },
		func(m *lp.Model) { m.AddCol(lp.Col{Cost: 2, Lower: 1.5, Upper: lp.Inf}) },
		func(m *lp.Model) { m.AddCol(lp.Col{Cost: -2, Lower: -lp.Inf, Upper: 1.5}); m.Offset = 6 },
		func(m *lp.Model) { m.AddRow(lp.Row{Lower: -1, Upper: lp.Inf}, nil, nil); m.Offset = 3 },
	} {
		m := &lp.Model{}
		build(m)
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || sol.Status != lp.Optimal || sol.Objective != 3 {
			t.Errorf("model %d: %+v, %v", k, sol, err)
		}
	}
	m := &lp.Model{}
	m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, nil, nil)
	sol, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil || sol.Status != lp.Infeasible || CheckFarkas(m, sol.Ray) != nil {
		t.Errorf("empty row: %+v, %v", sol, err)
	}
	m = &lp.Model{}
	m.AddCol(lp.Col{Cost: 1, Lower: -lp.Inf, Upper: lp.Inf})
	sol, err = Solve(context.Background(), m, DefaultOptions())
	if err != nil || sol.Status != lp.Unbounded || CheckPrimalRay(m, sol.Ray) != nil {
		t.Errorf("free column: %+v, %v", sol, err)
	}
	m = &lp.Model{}
	m.AddCol(lp.Col{Lower: 2, Upper: 1})
	sol, err = Solve(context.Background(), m, DefaultOptions())
	if err != nil || sol.Status != lp.Infeasible {
		t.Errorf("crossed bounds: %+v, %v", sol, err)
	}
}

// TestDeterministic solves twice and compares bit for bit.
func TestDeterministic(t *testing.T) {
	m, first := optimalRandom(t, 2)
	second, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil || first.Work != second.Work || first.Iterations != second.Iterations ||
		first.Objective != second.Objective {
		t.Errorf("%+v and %+v, %v", first.Result, second.Result, err)
	}
	for j := range first.X {
		if first.X[j] != second.X[j] {
			t.Errorf("column %d: %g and %g", j, first.X[j], second.X[j])
		}
	}
}

// TestHugeRange solves models whose rows and columns are scaled over many orders of magnitude: the
// optimum is that of the model before scaling.
func TestHugeRange(t *testing.T) {
	for seed := range uint64(60) {
		m, want := optimalRandom(t, seed)
		rng := rand.New(rand.NewPCG(seed, 8))
		p := &lp.Model{Maximize: m.Maximize, Offset: m.Offset}
		unit := make([]float64, len(m.Cols))
		for j, c := range m.Cols {
			unit[j] = math.Ldexp(1, rng.IntN(21)-10)
			p.AddCol(lp.Col{Cost: c.Cost * unit[j], Lower: c.Lower / unit[j], Upper: c.Upper / unit[j]})
		}
		a, _ := m.Matrix()
		byRow := a.Transpose()
		for i, r := range m.Rows {
			idx, val := byRow.Vec(i)
			f := math.Ldexp(1, rng.IntN(21)-10)
			scaled := make([]float64, len(val))
			for k, j := range idx {
				scaled[k] = val[k] * f * unit[j]
			}
			p.AddRow(lp.Row{Lower: r.Lower * f, Upper: r.Upper * f}, idx, scaled)
		}
		sol, err := Solve(context.Background(), p, DefaultOptions())
		if err != nil || sol.Status != lp.Optimal ||
			math.Abs(sol.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Errorf("seed %d: %v, %v, want %g", seed, sol, err, want.Objective)
		}
	}
}

// TestBInvRow checks the multipliers of every basic variable, at the optimum and once more after slack rows have been
// deleted: rows where others are basic at their positions take the positions with them.
func TestBInvRow(t *testing.T) {
	for seed := range uint64(30) {
		m, _ := optimalRandom(t, seed)
		s, err := New(m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(context.Background(), NoLimits()); err != nil {
			t.Fatal(err)
		}
		checkTableau(t, s, seed)
		var slack []lp.Con
		for i := range s.NumRows() {
			if s.RowStatus(lp.Con(i)) == Basic {
				slack = append(slack, lp.Con(i))
			}
		}
		s.DeleteRows(slack)
		checkTableau(t, s, seed)
		res, err := s.Solve(context.Background(), NoLimits())
		if err != nil || res.Status != lp.Optimal || res.Iterations > 0 {
			t.Fatalf("seed %d: %v after %d iterations, %v", seed, res.Status, res.Iterations, err)
		}
	}
}

// checkTableau checks the definition of BInvRow for every basic variable: in y'(A x - s) its coefficient is 1, and that of
// every other basic variable 0.
func checkTableau(t *testing.T, s *Solver, seed uint64) {
	t.Helper()
	n := s.NumCols()
	y := make([]float64, s.NumRows())
	isBasic := func(v int) bool {
		if v < n {
			return s.ColStatus(lp.Var(v)) == Basic
		}
		return s.RowStatus(lp.Con(v-n)) == Basic
	}

	for v := range n + s.NumRows() {
		if !isBasic(v) {
			continue
		}
		if err := s.BInvRow(v, y); err != nil {
			t.Fatal(err)
		}

		coef := make([]float64, n+len(y))
		size := 1.0
		for i, m := range y {
			coef[n+i] = -m
			size = max(size, math.Abs(m))
			index, value := s.Row(lp.Con(i))
			for k, j := range index {
				coef[j] += m * value[k]
				size = max(size, math.Abs(m*value[k]))
			}
		}
		for w, c := range coef {
			want := 0.0
			if w == v {
				want = 1
			}
			if isBasic(w) && !(math.Abs(c-want) <= 1e-8*size) {
				t.Fatalf("seed %d: variable %d has the coefficient %g in the row of %d, want %g", seed, w, c, v, want)
			}
		}
	}
}

// TestSmallUnit solves min x - 1e-5 y s.t. x + z >= 1, c y + z <= b + 1, 2 x + c y <= b. Where c is large the unit of y
// is so small that its scaled reduced cost is far below the tolerance, that in the model far above. At the optimum
// x = 0, z = 1 and y = b/c.
func TestSmallUnit(t *testing.T) {
	for _, c := range []float64{1e2, 1e4, 1e6, 1e7, 1e8} {
		b := 1e6
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
		m.AddCol(lp.Col{Cost: -1e-5, Upper: math.Inf(1)})
		m.AddCol(lp.Col{Upper: math.Inf(1)})
		m.AddRow(lp.Row{Lower: 1, Upper: math.Inf(1)}, []int32{0, 2}, []float64{1, 1})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: b + 1}, []int32{1, 2}, []float64{c, 1})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: b}, []int32{0, 1}, []float64{2, c})
		for _, presolve := range []bool{false, true} {
			opt := DefaultOptions()
			opt.Presolve = presolve
			sol, err := Solve(context.Background(), m, opt)
			if err != nil || sol.Status != lp.Optimal {
				t.Fatalf("c %g: %+v, %v", c, sol, err)
			}
			if r := Check(m, sol); !r.OK(1e-6) || !(math.Abs(sol.Objective+1e-5*b/c) <= 1e-9) {
				t.Errorf("c %g, presolve %t: objective %g, want %g; residuals %+v", c, presolve, sol.Objective, -1e-5*b/c, r)
			}
		}
	}
}
