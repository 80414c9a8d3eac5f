package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// bruteForce returns the optimum of a model whose columns are all bounded, by looking at every vertex;
// ok is false where there is no feasible point. It shares nothing with the solver.
func bruteForce(m *lp.Model) (best float64, ok bool) {
	n := len(m.Cols)
	var planes [][]float64 // coefficients, then right-hand side
	a, _ := m.Matrix()
	rows := make([][]float64, len(m.Rows))
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	for j := range n {
		idx, val := a.Vec(j)
		for k, i := range idx {
			rows[i][j] = val[k]
		}
		for _, b := range []float64{m.Cols[j].Lower, m.Cols[j].Upper} {
			e := make([]float64, n+1)
			e[j], e[n] = 1, b
			planes = append(planes, e)
		}
	}
	for i, r := range m.Rows {
		for _, b := range []float64{r.Lower, r.Upper} {
			if !math.IsInf(b, 0) {
				planes = append(planes, append(append([]float64(nil), rows[i]...), b))
			}
		}
	}
	best = math.Inf(1)
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	pick := make([]int, n)
	var choose func(k, from int)
	choose = func(k, from int) {
		if k < n {
			for p := from; p < len(planes); p++ {
				pick[k] = p
				choose(k+1, p+1)
			}
			return
		}
		x, regular := solveDense(planes, pick)
		if !regular || !feasiblePoint(m, rows, x) {
			return
		}
		if v := sense * m.Evaluate(x); v < best {
			best, ok = v, true
		}
	}
	choose(0, 0)
	return sense * best, ok
}

func solveDense(planes [][]float64, pick []int) ([]float64, bool) {
	n := len(pick)
	t := make([][]float64, n)
	for i, p := range pick {
		t[i] = append([]float64(nil), planes[p]...)
	}
	for c := range n {
		r := c
		for i := c; i < n; i++ {
			if math.Abs(t[i][c]) > math.Abs(t[r][c]) {
				r = i
			}
		}
		if math.Abs(t[r][c]) < 1e-9 {
			return nil, false
		}
		t[c], t[r] = t[r], t[c]
		for i := range n {
			if i == c {
				continue
			}
			f := t[i][c] / t[c][c]
			for k := c; k <= n; k++ {
				t[i][k] -= f * t[c][k]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		x[i] = t[i][n] / t[i][i]
	}
	return x, true
}

func feasiblePoint(m *lp.Model, rows [][]float64, x []float64) bool {
	const tol = 1e-7
	for j, c := range m.Cols {
		if x[j] < c.Lower-tol || x[j] > c.Upper+tol {
			return false
		}
	}
	for i, r := range m.Rows {
		sum := 0.0
		for j, v := range rows[i] {
			sum += v * x[j]
		}
		if sum < r.Lower-tol || sum > r.Upper+tol {
			return false
		}
	}
	return true
}

// tinyModel decodes a bounded model of up to three columns and four rows from bytes.
func tinyModel(data []byte) *lp.Model {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	m := &lp.Model{Maximize: next()%2 == 1}
	n, rows := 1+next()%3, next()%5
	for range n {
		lo := float64(next()%11 - 5)
		m.AddCol(lp.Col{Cost: float64(next()%15 - 7), Lower: lo, Upper: lo + float64(next()%9)})
	}
	for range rows {
		var idx []int32
		var val []float64
		for j := range n {
			if v := next()%11 - 5; v != 0 {
				idx, val = append(idx, int32(j)), append(val, float64(v))
			}
		}
		lo, up := float64(next()%21-10), lp.Inf
		switch next() % 4 {
		case 0:
			up = lo
		case 1:
			up = lo + float64(next()%7)
		case 2:
			lo, up = math.Inf(-1), lo
		}
		m.AddRow(lp.Row{Lower: lo, Upper: up}, idx, val)
	}
	return m
}

func checkTiny(t *testing.T, m *lp.Model) {
	t.Helper()
	want, feasible := bruteForce(m)
	for _, scale := range []bool{true, false} {
		opt := DefaultOptions()
		opt.Scale = scale
		opt.Perturb = scale
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case feasible && sol.Status == lp.Optimal:
			if math.Abs(sol.Objective-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("objective %g, best vertex %g", sol.Objective, want)
			}
			if r := Check(m, sol); !r.OK(1e-7) {
				t.Fatalf("residuals %+v", r)
			}
		case !feasible && sol.Status == lp.Infeasible:
			if err := CheckFarkas(m, sol.Ray); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("status %v, feasible %v", sol.Status, feasible)
		}
	}
}

func TestBruteForce(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 6))
		data := make([]byte, 60)
		for k := range data {
			data[k] = byte(rng.IntN(256))
		}
		t.Logf("seed %d", seed)
		checkTiny(t, tinyModel(data))
	}
}

func FuzzSolve(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{1, 2, 4, 250, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 3, 3, 3, 3, 3, 3})
	f.Fuzz(func(t *testing.T, data []byte) { checkTiny(t, tinyModel(data)) })
}

// FuzzWarm applies a random sequence of changes to a random model, warm against cold.
func FuzzWarm(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, seed, stream uint64) {
		rng := rand.New(rand.NewPCG(seed, stream))
		w := newWarm(t, seed, randomModel(rng, 1+rng.IntN(10), 1+rng.IntN(10)))
		for range 8 {
			w.change(rng)
			w.compare()
		}
	})
}
