package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// TestTinyBranchHook lets a hook branch at random, on columns and on disjunctions of up to three children.
func TestTinyBranchHook(t *testing.T) {
	calls := 0
	forTinies(t, 1500, func(rng *rand.Rand, m *tiny, want float64) error {
		branch := func(_ context.Context, c Candidate) (Branching, error) {
			calls++
			var fractional []int
			for j, v := range c.X {
				if m.integer[j] && math.Abs(v-math.Round(v)) > 1e-6 {
					fractional = append(fractional, j)
				}
			}

			// One of four answers on a random fractional column is drawn; none of them excludes an integer point.
			j := fractional[rng.IntN(len(fractional))]
			f := math.Floor(c.X[j])
			switch rng.IntN(4) {
			case 0:
				return Branching{}, nil
			case 1: // three children on one column, one of them a single value
				return Branching{Children: [][]Bound{{{lp.Var(j), math.Inf(-1), f}}, {{lp.Var(j), f + 1, f + 1}},
					{{lp.Var(j), f + 2, inf}}}}, nil
			case 2: // a column and, in one child, another
				k := slices.Index(m.integer, true)
				return Branching{Children: [][]Bound{{{lp.Var(j), f + 1, inf}},
					{{lp.Var(j), math.Inf(-1), f}, {lp.Var(k), 0, inf}},
					{{lp.Var(j), math.Inf(-1), f}, {lp.Var(k), math.Inf(-1), -1}}}}, nil
			}
			return BranchOn(lp.Var(j), c.X[j]), nil
		}

		opt := exact()
		opt.Cuts = false
		opt.tuning.conflictsOff = rng.IntN(4) > 0 // else few trees have a branching
		res, err := hiding(m, hideHalf(rng, m), opt, Hooks{Branch: branch})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})

	if calls < 80 {
		t.Errorf("only %d calls", calls)
	}
}

func TestBranchHookErrors(t *testing.T) {
	m := marketSplit(3, 20, 5)
	m.AddCol(lp.Col{Upper: 1})
	broken := errors.New("broken")
	for name, answer := range map[string]struct {
		children [][]Bound
		fault    error
		want     error
	}{
		"continuous": {[][]Bound{{{lp.Var(len(m.Cols) - 1), 0, 0}}}, nil, ErrBranch},
		"outside":    {[][]Bound{{{lp.Var(len(m.Cols)), 0, 0}}}, nil, ErrBranch},
		"NaN":        {[][]Bound{{{0, math.NaN(), 0}}}, nil, ErrBranch},
		"nothing":    {[][]Bound{{{0, -5, 70}}}, nil, ErrBranch},
		"own error":  {nil, broken, broken},
	} {
		hooks := Hooks{Branch: func(context.Context, Candidate) (Branching, error) {
			return Branching{answer.children}, answer.fault
		}}
		if _, err := Solve(context.Background(), m, exact(), hooks); !errors.Is(err, answer.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTinyPool checks the pool: distinct verified points, best first, beginning with the incumbent.
func TestTinyPool(t *testing.T) {
	several := 0
	forTinies(t, 1000, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := exact()
		opt.PoolSize, opt.Cuts = 1+rng.IntN(5), false
		res, err := hiding(m, hideHalf(rng, m), opt, Hooks{})
		if err != nil || math.IsNaN(want) {
			return err
		}

		// The pool is no larger than its limit, and the point of the result is in it.
		isX := func(p Point) bool { return slices.Equal(p.X, res.X) }
		if len(res.Pool) > opt.PoolSize || !slices.ContainsFunc(res.Pool, isX) {
			return fmt.Errorf("a pool of %d points, limit %d", len(res.Pool), opt.PoolSize)
		}
		if len(res.Pool) > 1 {
			several++
		}

		// Points are feasible, have the objectives that the pool says, and come best first.
		for k, p := range res.Pool {
			if !m.feasible(p.X, 1e-6) || math.Abs(m.value(p.X)-p.Objective) > 1e-9 {
				return fmt.Errorf("point %d of the pool: %+v", k, p)
			}
			if k > 0 && (p.Objective < res.Pool[k-1].Objective) != m.maximize && p.Objective != res.Pool[k-1].Objective {
				return fmt.Errorf("objective %g after %g", p.Objective, res.Pool[k-1].Objective)
			}

			// No two points have the same integer columns.
			for _, o := range res.Pool[:k] {
				same := true
				for j, v := range p.X {
					same = same && (!m.integer[j] || v == o.X[j])
				}
				if same {
					return fmt.Errorf("point %d is in the pool twice", k)
				}
			}
		}

		return m.verify(res, want)
	})

	if several < 15 {
		t.Errorf("only %d pools hold several points", several)
	}
}

// TestPoolBelowCutoff asks for several points better than a cutoff: the pool has no others, and none where no point is.
func TestPoolBelowCutoff(t *testing.T) {
	m := &lp.Model{}
	x := m.Integer("x", 1, 0, 5)
	y := m.Integer("y", 2, 0, 5)
	m.AtLeast(3, x, y)

	// The optimum is 3, at (3, 0): no point is better than the first cutoff.
	for _, cutoff := range []float64{3, 4.5} {
		for _, presolve := range []bool{true, false} {
			opt := exact()
			opt.PoolSize, opt.Presolve = 5, presolve
			opt.setCutoff(cutoff)
			opt.Cuts = false

			// The lazy hook and the starts offer points, among them (5, 5), which is worse than both cutoffs.
			lazy := func(context.Context, Candidate) (Separation, error) {
				return Separation{Points: [][]float64{{5, 5}, {4, 0}, {3, 0}, {2, 1}}}, nil
			}
			opt.Start = [][]float64{{5, 5}, {4, 0}}

			// There is a point, and with it a pool, only with the second cutoff.
			res, err := Solve(context.Background(), m, opt, Hooks{Lazy: lazy})
			if err != nil || (cutoff > 3) != (len(res.Pool) > 0) || (res.X == nil) != (len(res.Pool) == 0) {
				t.Errorf("cutoff %g: %v, %v, a pool of %d points", cutoff, res.Status, err, len(res.Pool))
			}
			for _, p := range res.Pool {
				if p.Objective >= cutoff {
					t.Errorf("cutoff %g: %+v", cutoff, p)
				}
			}
		}
	}
}

// TestFullPoolKeepsIncumbent offers a full pool a point that is better by rounding only, and so no new incumbent.
func TestFullPoolKeepsIncumbent(t *testing.T) {
	s := searchOf(t, knapsacks(12, 3, 1), exact())
	q := solutions{p: s.p, limit: 1}
	q.add(make([]float64, s.p.n), -5)
	other := make([]float64, s.p.n)
	other[0] = 1
	if q.admits(other, -5-1e-12) || !q.admits(other, -5.1) {
		t.Error("the pool drops the incumbent, or keeps a better point out")
	}
}

// TestTinyPartialStarts gives starts with holes; the answer must not depend on them.
func TestTinyPartialStarts(t *testing.T) {
	found := 0
	forTinies(t, 1000, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := exact()
		x := make([]float64, len(m.cost))
		for j := range x {
			x[j] = float64(rng.IntN(5) - 2)
			if !m.integer[j] || rng.IntN(2) == 0 {
				x[j] = math.NaN()
			}
		}
		opt.Start = [][]float64{x}
		res, err := hiding(m, hideHalf(rng, m), opt, Hooks{})
		if err != nil {
			return err
		}
		found += res.Parts[PartStarts].Found
		return m.verify(res, want)
	})
	if found < 100 {
		t.Errorf("only %d starts were completed", found)
	}
}

// TestMemoryLimit runs a search that would grow without end: it must stop by its status, twice at the same node, with
// incumbent and bound, and below two thirds of the limit by the measure of the runtime: a third at least is left for what
// the garbage collector has not freed yet.
func TestMemoryLimit(t *testing.T) {
	m := marketSplit(6, 50, 5)
	opt := DefaultOptions()
	opt.MaxMemory = 12 << 20

	var before, peak uint64
	heap := func() uint64 {
		// What the collector has not come to yet depends on the load of the machine, and is no memory of the search.
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}

	// Both runs measure the heap at every 1000th node.
	var last Result
	for run := range 2 {
		before, peak = heap(), 0
		nodes := 0
		hooks := Hooks{Node: func(Candidate) {
			if nodes++; nodes%1000 == 0 {
				peak = max(peak, heap())
			}
		}}

		res, err := Solve(context.Background(), m, opt, hooks)
		if err != nil || res.Status != lp.MemoryLimit {
			t.Fatalf("%v, %v", res.Status, err)
		}

		// The result at the limit has a point, a finite gap and a bound that is not above its objective.
		if res.X == nil || math.IsInf(res.Gap, 0) || !(res.Bound <= res.Objective) {
			t.Errorf("objective %g, bound %g, gap %g", res.Objective, res.Bound, res.Gap)
		}

		// The heap has grown by two thirds of the limit at most.
		if used := int64(peak - before); used > opt.MaxMemory*2/3 {
			t.Errorf("%d bytes in use, limit %d", used, opt.MaxMemory)
		}

		// The second run ends at the node of the first one, with its bound.
		if run == 1 && (res.Nodes != last.Nodes || res.Bound != last.Bound) {
			t.Errorf("%d nodes, then %d", last.Nodes, res.Nodes)
		}
		last = res
	}
}

// marketSplit is a model of Cornuejols and Dawande (1998): rows that binary columns can hardly satisfy exactly, the
// slack is the cost.
func marketSplit(rows, cols int, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(3, seed))
	m := &lp.Model{}
	for range cols {
		m.AddCol(lp.Col{Upper: 1, Integer: true})
	}
	for range rows {
		index, value, sum := []int32{}, []float64{}, 0.0
		for j := range cols {
			v := float64(rng.IntN(100))
			index, value, sum = append(index, int32(j)), append(value, v), sum+v
		}
		for _, sign := range []float64{1, -1} {
			index, value = append(index, int32(m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf}))), append(value, sign)
		}
		side := math.Floor(sum / 2)
		m.AddRow(lp.Row{Lower: side, Upper: side}, index, value)
	}
	return m
}

// TestLedger recounts the footprint of the tree after a search that a limit ended.
func TestLedger(t *testing.T) {
	for _, nodes := range []int{3, 50, 400} {
		opt := exact()
		opt.MaxNodes = nodes
		s := searchOf(t, marketSplit(3, 20, 5), opt)
		if err := s.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		seen := map[*node]bool{}
		want := int64(0)
		for _, nd := range s.tree.heaps[byBound].nodes {
			for ; nd != nil && !seen[nd]; nd = nd.parent {
				seen[nd] = true
				want += nd.bytes()
			}
		}
		if s.tree.bytes != want {
			t.Errorf("%d nodes: %d bytes on the ledger, %d in the tree", nodes, s.tree.bytes, want)
		}
	}
}

func searchOf(t *testing.T, m *lp.Model, opt Options) *search {
	t.Helper()
	s, err := newSearch(job{model: m, opt: opt, start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWorkLimitInRoot checks that a limit on work ends the first LP too, not only what comes after it.
func TestWorkLimitInRoot(t *testing.T) {
	m := knapsacks(400, 120, 5)
	opt := exact()
	opt.Presolve, opt.Cuts, opt.MaxNodes = false, false, 1
	res, err := Solve(context.Background(), m, opt, Hooks{})
	if err != nil || res.Nodes != 1 {
		t.Fatalf("%v after %d nodes, %v", res.Status, res.Nodes, err)
	}
	opt.MaxWork = res.Work / 20
	stopped, err := Solve(context.Background(), m, opt, Hooks{})
	if err != nil || stopped.Status != lp.WorkLimit {
		t.Fatalf("%v, %v", stopped.Status, err)
	}
	if stopped.Work > 2*opt.MaxWork {
		t.Errorf("work %g for a limit of %g", stopped.Work, opt.MaxWork)
	}
}

// TestRestartKeepsIncumbent checks that a search that continues another one has its incumbent as the guide.
func TestRestartKeepsIncumbent(t *testing.T) {
	s, err := newSearch(job{model: knapsacks(20, 3, 7), opt: exact(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if o := s.continuation(ctx).origin; o.guide != nil {
		t.Fatalf("a guide without an incumbent: %v", o.guide)
	}
	s.inc.set(make([]float64, s.p.n), 0, FromStart)
	next, err := newSearch(s.continuation(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if c := s.inc.cutoff; next.inc.x != nil || len(next.inc.guide()) != s.p.n ||
		!(next.inc.cutoff >= c && next.inc.cutoff <= c+1e-6) {
		t.Errorf("guide %v, cutoff %g", next.inc.guide(), next.inc.cutoff)
	}
	next.inc.set(s.inc.x, -1, FromStart)
	if &next.inc.guide()[0] != &next.inc.x[0] {
		t.Error("its own incumbent does not take over")
	}
}

// TestPoolOfReducedModel compares the pools of random models with two integer columns and a continuous one, that may be
// counted in steps when the model is reduced: all points differ in the integer columns, and are feasible.
func TestPoolOfReducedModel(t *testing.T) {
	several := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0x9001))

		// All zeros satisfy the rows and bounds, so that each model has a point.
		m := &lp.Model{}
		x := m.Between("x", float64(rng.IntN(5)-2), -2, float64(rng.IntN(3)))
		y, z := m.Integer("y", float64(rng.IntN(9)-4), -2, 4), m.Integer("z", float64(rng.IntN(9)-4), 0, 4)
		for range 4 {
			m.AtLeast(float64(-rng.IntN(14)), x.Times(float64(rng.IntN(9)-4)), y.Times(float64(rng.IntN(9)-4)),
				z.Times(float64(rng.IntN(7)-3)))
		}

		opt := exact()
		opt.PoolSize = 6
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil {
			t.Fatal(seed, err)
		}

		// Each point is feasible, and has other integer columns than those before it.
		for k, p := range res.Pool {
			if err := m.Check(p.X); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			for _, o := range res.Pool[:k] {
				if o.X[y] == p.X[y] && o.X[z] == p.X[z] {
					t.Errorf("seed %d: %v and %v", seed, o.X, p.X)
				}
			}
		}

		if len(res.Pool) > 1 {
			several++
		}
	}

	if several == 0 {
		t.Error("no pool has two points")
	}
}

// TestIntegersOutOfRange refuses an integer column whose values floats do not distinguish, by name, and solves models
// whose bounds are as large and whose values are not.
func TestIntegersOutOfRange(t *testing.T) {
	for _, presolve := range []bool{true, false} {
		opt := exact()
		opt.Presolve = presolve
		m := &lp.Model{Maximize: true}
		m.AtMost(27021597764222972, m.Integer("huge", 1, 0, lp.Inf).Times(3))
		if _, err := Solve(context.Background(), m, opt, Hooks{}); !errors.Is(err, ErrRange) ||
			!strings.Contains(err.Error(), "huge") {
			t.Error(err)
		}
		m = &lp.Model{}
		m.AtLeast(5, m.Integer("wide", 1, -1e18, 1e18).Times(2))
		if r, err := Solve(context.Background(), m, opt, Hooks{}); err != nil || r.Objective != 3 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
