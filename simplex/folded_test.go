package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/fold"
)

// symmetric returns a random model that turning its blocks round does not change: copies of a block of columns, rows
// over two neighbouring copies, and rows over all of them, in random order. Some are infeasible, some unbounded.
func symmetric(rng *rand.Rand) *lp.Model {
	copies, n, rows := 3+rng.IntN(5), 1+rng.IntN(6), 1+rng.IntN(6)
	m := &lp.Model{Maximize: rng.IntN(3) == 0}
	place := rng.Perm(copies * n)
	x := make([]float64, n)
	m.Cols = make([]lp.Col, copies*n)
	for j := range n {
		c := lp.Col{Cost: float64(rng.IntN(9) - 2), Upper: lp.Inf}
		if m.Maximize {
			c.Cost = -c.Cost
		}
		switch rng.IntN(6) {
		case 0:
			c.Lower = math.Inf(-1)
		case 1, 2:
			c.Upper = float64(rng.IntN(4))
		}
		x[j] = min(float64(rng.IntN(4)), c.Upper)
		for k := range copies {
			m.Cols[place[k*n+j]] = c
		}
	}
	type row struct {
		lp.Row
		index []int32
		value []float64
	}
	var list []row
	for range rows {
		own, next := make([]float64, n), make([]float64, n)
		activity := 0.0
		for j := range n {
			if rng.IntN(2) == 0 {
				own[j] = float64(rng.IntN(7) - 3)
			}
			if rng.IntN(3) == 0 {
				next[j] = float64(rng.IntN(7) - 3)
			}
			activity += (own[j] + next[j]) * x[j]
		}
		bounds := lp.Row{Lower: activity, Upper: activity}
		switch rng.IntN(3) {
		case 0:
			bounds.Upper = lp.Inf
		case 1:
			bounds.Lower = math.Inf(-1)
		}
		if rng.IntN(40) == 0 {
			bounds.Lower++
			bounds.Upper++
		}
		for k := range copies {
			r := row{Row: bounds}
			for j := range n {
				if own[j] != 0 {
					r.index, r.value = append(r.index, int32(place[k*n+j])), append(r.value, own[j])
				}
				if next[j] != 0 {
					r.index, r.value = append(r.index, int32(place[(k+1)%copies*n+j])), append(r.value, next[j])
				}
			}
			list = append(list, r)
		}
	}
	if rng.IntN(2) == 0 {
		r := row{Row: lp.Row{Lower: math.Inf(-1)}}
		for k := range copies {
			for j := range n {
				r.index, r.value = append(r.index, int32(place[k*n+j])), append(r.value, 1)
				r.Upper += x[j]
			}
		}
		list = append(list, r)
	}
	for _, i := range rng.Perm(len(list)) {
		m.AddRow(list[i].Row, list[i].index, list[i].value)
	}
	return m
}

// TestFold compares answers by way of the folded model with those without.
func TestFold(t *testing.T) {
	count := comparison{}
	for seed := range uint64(3000) {
		m := symmetric(rand.New(rand.NewPCG(seed, 12)))
		if f, err := fold.Run(m, foldShare); err != nil || f == nil {
			t.Fatalf("seed %d: not folded, %v", seed, err)
		}
		on := DefaultOptions()
		on.Presolve = seed%2 == 0
		off := on
		off.Fold = false
		count.solve(t, seed, m, on, off)
	}
	count.end(t)
}

// TestCrossover mixes two optimal vertices of random models and crosses over from the point between them, with the
// multipliers of one: the basis that comes out must need no pivots.
func TestCrossover(t *testing.T) {
	ctx := context.Background()
	inside, pivots := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 13))
		m := reducible(rng)
		for j := range m.Cols {
			m.Cols[j].Cost = math.Round(m.Cols[j].Cost / 4) // so that there are faces of optima
		}
		opt := DefaultOptions()
		opt.Fold, opt.Perturb = false, false // a slack basis would count as a cold start
		a, err := Solve(ctx, m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a.Status != lp.Optimal {
			continue
		}
		b := otherVertex(t, rng, m, a)
		p := between(m, a, b)
		s, err := New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		before := s.crossover(ctx, p)
		pivots += before.Iterations
		r, err := s.Solve(ctx, NoLimits())
		if err != nil || r.Status != lp.Optimal || math.Abs(r.Objective-a.Objective) > 1e-6*(1+math.Abs(a.Objective)) ||
			r.Iterations > 0 {
			t.Fatalf("seed %d: after the crossover %+v, %v; without %+v", seed, r, err, a.Result)
		}
		certify(t, seed, m, s.Solution(r))
		for j := range p.X {
			if p.X[j] != a.X[j] {
				inside++
				break
			}
		}
	}
	t.Logf("%d points between vertices, %d pivots", inside, pivots)
	if inside == 0 || pivots == 0 {
		t.Error("no crossover had anything to do")
	}
}

// otherVertex returns a vertex of the face of optima that a random objective picks: what has a price stays at its
// bound.
func otherVertex(t *testing.T, rng *rand.Rand, m *lp.Model, a *Solution) *Solution {
	face := m.Clone()
	for j := range face.Cols {
		face.Cols[j].Cost = rng.NormFloat64()
		if math.Abs(a.ReducedCost[j]) > 1e-9 {
			face.Cols[j].Lower, face.Cols[j].Upper = a.X[j], a.X[j]
		}
	}
	for i := range face.Rows {
		if math.Abs(a.RowDual[i]) > 1e-9 {
			face.Rows[i].Lower, face.Rows[i].Upper = a.RowActivity[i], a.RowActivity[i]
		}
	}
	b, err := Solve(context.Background(), face, DefaultOptions())
	if err != nil || b.Status != lp.Optimal {
		return a
	}
	return b
}

// between returns the point half way from a to b with the multipliers of a; what is off its bounds is marked basic.
func between(m *lp.Model, a, b *Solution) *Solution {
	p := &Solution{Result: a.Result, RowDual: a.RowDual, ReducedCost: a.ReducedCost}
	mix := func(x, y, lo, up float64) (float64, VarStatus) {
		z := (x + y) / 2
		switch {
		case math.Abs(z-lo) <= 1e-9:
			return lo, AtLower
		case math.Abs(z-up) <= 1e-9:
			return up, AtUpper
		}
		return z, Basic
	}
	for j := range m.Cols {
		x, st := mix(a.X[j], b.X[j], m.Cols[j].Lower, m.Cols[j].Upper)
		p.X, p.Basis.Cols = append(p.X, x), append(p.Basis.Cols, st)
	}
	for i := range m.Rows {
		x, st := mix(a.RowActivity[i], b.RowActivity[i], m.Rows[i].Lower, m.Rows[i].Upper)
		p.RowActivity, p.Basis.Rows = append(p.RowActivity, x), append(p.Basis.Rows, st)
	}
	return p
}

// TestFoldLimits stops a solve by way of the folded model everywhere: the bound that it reports must hold.
func TestFoldLimits(t *testing.T) {
	ctx := context.Background()
	stopped := 0
	for seed := range uint64(150) {
		m := symmetric(rand.New(rand.NewPCG(seed, 14)))
		full, err := Solve(ctx, m, DefaultOptions())
		if err != nil || full.Status != lp.Optimal {
			continue
		}
		sense := 1.0
		if m.Maximize {
			sense = -1
		}
		for k := range full.Iterations + 2 {
			opt := DefaultOptions()
			opt.Limits.Iterations = k
			r, err := Solve(ctx, m, opt)
			if err != nil || r.Iterations > k || r.Status != lp.Optimal && r.Status != lp.IterationLimit {
				t.Fatalf("seed %d, limit %d: %+v, %v", seed, k, r, err)
			}
			if sense*(r.Bound-full.Objective) > 1e-6*(1+math.Abs(full.Objective)) {
				t.Fatalf("seed %d, limit %d: bound %g, optimum %g", seed, k, r.Bound, full.Objective)
			}
			if r.Status == lp.IterationLimit {
				stopped++
			}
		}
		opt := DefaultOptions()
		opt.Limits.Time = time.Nanosecond
		if r, err := Solve(ctx, m, opt); err != nil || r.Status != lp.Optimal && r.Status != lp.TimeLimit {
			t.Fatalf("seed %d, no time: %+v, %v", seed, r, err)
		}
	}
	if stopped == 0 {
		t.Error("the limit stopped nothing")
	}
}
