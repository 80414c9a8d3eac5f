package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// knapsacks is a multi-dimensional knapsack that takes a few hundred nodes.
func knapsacks(n, rows int, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := &lp.Model{Maximize: true}
	index := make([]int32, n)
	for j := range n {
		index[j] = int32(m.AddCol(lp.Col{Cost: float64(20 + rng.IntN(80)), Upper: 1, Integer: true}))
	}
	for range rows {
		weight, sum := make([]float64, n), 0.0
		for j := range weight {
			weight[j] = float64(10 + rng.IntN(90))
			sum += weight[j]
		}
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: math.Floor(sum / 2)}, index, weight)
	}
	return m
}

// TestBoundOfTidyPoint has an optimum whose LP point is 1e-9 worse than the point that is reported.
func TestBoundOfTidyPoint(t *testing.T) {
	m := tiny{maximize: true, offset: 0.25,
		cost: []float64{6, -5, -5, 3, -4, -5, -6, -3, -2}, lower: []float64{0, -1.5, 0, 0, -1.4, -3, -inf, 0, 0},
		upper: []float64{1, 1.25, 1, 1, inf, 1.5, inf, 1, 1}, integer: []bool{5: false, 6: false, 8: true},
		rows: []row{
			{-0.5, 0.5, []float64{0, 0.5, 0, 0, 0, 0, 0, 0, 0}},
			{-1, 1, []float64{0, 0, 0, 0, 1, 0, 0, 0, 0}},
			{-1, 1, []float64{0, 0, 0, 0, 0, -1, 0, 0, 0}},
			{-1, 1, []float64{0, 0, 0, 0, 0, 0, 1, 0, 0}},
			{81.5, 81.5, []float64{-8, -9.5, 0, 0, 4, -1, 40, 0, 40}},
		}, box: 1}
	for _, j := range []int{0, 1, 2, 3, 4, 7, 8} {
		m.integer[j] = true
	}
	for seed := range uint64(4) {
		opt := exact()
		opt.AbsoluteGap, opt.Presolve, opt.Seed = 0.5, false, seed
		opt.RootRounds, opt.NodeRounds, opt.Branching = 1, 0, 1
		res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
		if err != nil || res.Status != lp.Optimal || !(res.Bound >= res.Objective) {
			t.Errorf("seed %d: %v, %v, objective %.12g with a bound of %.12g", seed, res.Status, err, res.Objective, res.Bound)
		}
	}
}

// timeless drops what may differ between two equal runs.
func timeless(r Result) Result {
	r.Elapsed = 0
	for k := range r.Parts {
		r.Parts[k].Time, r.Parts[k].LPTime = 0, 0
	}
	return r
}

func TestDeterminism(t *testing.T) {
	u := randomFacilities(30, 40, 9)
	for name, run := range map[string]func() (Result, error){
		"knapsacks": func() (Result, error) {
			return Solve(context.Background(), knapsacks(40, 5, 1), DefaultOptions(), Hooks{})
		},
		"facilities": func() (Result, error) {
			return Solve(context.Background(), u.master(), DefaultOptions(), u.hooks())
		},
		"work limit": func() (Result, error) {
			opt := DefaultOptions()
			opt.MaxWork = 2e5
			return Solve(context.Background(), knapsacks(60, 8, 2), opt, Hooks{})
		},
	} {
		a, err := run()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := run()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		// Apart from times two runs agree; only the limit on work leaves its model unsolved.
		if !reflect.DeepEqual(timeless(a), timeless(b)) {
			t.Errorf("%s: two runs differ:\n%+v\n%+v", name, a, b)
		}
		if name != "work limit" && a.Status != lp.Optimal || name == "work limit" && a.Status != lp.WorkLimit {
			t.Errorf("%s: status %v", name, a.Status)
		}
	}
}

// TestHooksFollowTheSearch checks the order and the content of what hooks get.
func TestHooksFollowTheSearch(t *testing.T) {
	u := randomFacilities(20, 25, 4)
	hooks := u.hooks()

	// Each incumbent has the objective of an earlier candidate of the lazy hook, and is better than the one before it.
	lazy := hooks.Lazy
	asked := map[float64]bool{}
	hooks.Lazy = func(ctx context.Context, c Candidate) (Separation, error) {
		asked[c.Objective] = true
		return lazy(ctx, c)
	}

	best, accepted := math.Inf(1), 0
	hooks.Incumbent = func(c Candidate) {
		accepted++
		if !asked[c.Objective] {
			t.Errorf("incumbent %g (source %d) was never shown to the lazy hook", c.Objective, c.Source)
		}
		if c.Objective >= best {
			t.Errorf("incumbent %g after %g", c.Objective, best)
		}
		best = c.Objective
	}

	// The bound in the log never falls, up to rounding.
	nodes, lines, last := 0, 0, math.Inf(-1)
	hooks.Node = func(c Candidate) { nodes++ }
	hooks.Progress = func(p Progress) {
		lines++
		if p.Bound < last-1e-6 {
			t.Errorf("the bound falls from %g to %g", last, p.Bound)
		}
		last = p.Bound
	}

	// The start satisfies the rows of the model, but not the client cuts of the lazy hook.
	opt := DefaultOptions()
	start := make([]float64, u.n+u.m)
	start[3] = 1 // one facility, client costs far too low
	opt.Start = [][]float64{start}
	res, err := Solve(context.Background(), u.master(), opt, hooks)
	if err != nil || res.Status != lp.Optimal {
		t.Fatalf("%v, %v", res.Status, err)
	}

	// The result has the numbers that the hooks counted, and each incumbent had a line of the log.
	if res.Objective != best || res.Incumbents != accepted || nodes != res.Nodes || lines < accepted {
		t.Errorf("objective %g reported %g, incumbents %d reported %d, nodes %d reported %d, %d lines", res.Objective, best,
			res.Incumbents, accepted, res.Nodes, nodes, lines)
	}

	// Both hooks have added cuts, and the times are measured.
	if res.UserCuts == 0 || res.LazyCuts == 0 || res.Elapsed <= 0 || res.Parts[PartLP].Time <= 0 {
		t.Errorf("statistics missing: %+v", res)
	}
}

func TestStartIsCompleted(t *testing.T) {
	u := randomFacilities(20, 25, 4)
	opt := DefaultOptions()
	opt.MaxNodes = 0
	start := make([]float64, u.n+u.m)
	start[3] = 1
	opt.Start = [][]float64{start}
	res, err := Solve(context.Background(), u.master(), opt, u.hooks())
	if err != nil || res.Status != lp.NodeLimit || res.X == nil {
		t.Fatalf("%v, %v, X %v", res.Status, err, res.X)
	}
	if want := u.master().Evaluate(u.complete(start)); math.Abs(res.Objective-want) > 1e-6 {
		t.Errorf("start of value %g, want %g", res.Objective, want)
	}
}

// TestStallNodes checks that a search stops exactly that many nodes after its last point.
func TestStallNodes(t *testing.T) {
	stopped := 0
	for seed := range uint64(6) {
		u := randomFacilities(40, 40, 20+seed)
		hooks := u.hooks()
		last := 0
		hooks.Incumbent = func(c Candidate) { last = c.Node + 1 }

		opt := DefaultOptions()
		opt.StallNodes, opt.Gap = 3, 0
		hooks.User = nil
		res, err := Solve(context.Background(), u.master(), opt, hooks)
		if err != nil {
			t.Fatal(err)
		}

		// A search that stalls has done exactly that many nodes since its last point; others end with the optimum.
		switch {
		case res.Status == lp.Stalled && res.Nodes != last+opt.StallNodes:
			t.Errorf("seed %d: the last point at node %d, stopped after %d", seed, last, res.Nodes)
		case res.Status == lp.Stalled:
			stopped++
		case res.Status != lp.Optimal:
			t.Errorf("seed %d: %v", seed, res.Status)
		}
	}

	if stopped == 0 {
		t.Error("no search was stopped")
	}
}

func TestHookErrors(t *testing.T) {
	boom := errors.New("boom")
	u := randomFacilities(10, 10, 4)

	// The error of a hook is returned, whichever hook it is.
	for name, set := range map[string]func(*Hooks){
		"lazy": func(h *Hooks) {
			h.Lazy = func(context.Context, Candidate) (Separation, error) { return Separation{}, boom }
		},
		"user": func(h *Hooks) {
			h.User = func(context.Context, Candidate) (Separation, error) { return Separation{}, boom }
		},
		"heuristic": func(h *Hooks) {
			h.Heuristic = func(context.Context, Candidate) (Separation, error) { return Separation{}, boom }
		},
	} {
		hooks := u.hooks()
		set(&hooks)
		if _, err := Solve(context.Background(), u.master(), DefaultOptions(), hooks); !errors.Is(err, boom) {
			t.Errorf("%s: error %v", name, err)
		}
	}

	// A cut is an error if it has an unknown column, a NaN as value or side, or fewer values than columns.
	hooks := u.hooks()
	for _, bad := range []Cut{
		{Lower: 1, Upper: inf, Index: []int32{99}, Value: []float64{1}},
		{Lower: 1, Upper: inf, Index: []int32{0}, Value: []float64{math.NaN()}},
		{Lower: math.NaN(), Upper: inf, Index: []int32{0}, Value: []float64{1}},
		{Lower: 1, Upper: inf, Index: []int32{0, 1}, Value: []float64{1}},
	} {
		hooks.User = func(context.Context, Candidate) (Separation, error) { return Separation{Cuts: []Cut{bad}}, nil }
		if _, err := Solve(context.Background(), u.master(), DefaultOptions(), hooks); !errors.Is(err, ErrCut) {
			t.Errorf("cut %+v: error %v", bad, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	m := knapsacks(5, 1, 1)
	opt := DefaultOptions()
	opt.Start = [][]float64{{1}}
	if res, err := Solve(context.Background(), m, opt, Hooks{}); !errors.Is(err, ErrOptions) ||
		!math.IsNaN(res.Objective) {
		t.Errorf("short start: %v", err)
	}
	opt = DefaultOptions()
	opt.Gap = math.NaN()
	if _, err := Solve(context.Background(), m, opt, Hooks{}); !errors.Is(err, ErrOptions) {
		t.Errorf("NaN gap: %v", err)
	}
	m.AddEntry(99, 0, 1)
	if _, err := Solve(context.Background(), m, DefaultOptions(), Hooks{}); !errors.Is(err, lp.ErrModel) {
		t.Errorf("bad model: %v", err)
	}
}

// TestUnbounded covers unbounded relaxations: with integer points, without, and with a lazy hook that
// bounds the problem after all.
func TestUnbounded(t *testing.T) {
	build := func(rows bool) *lp.Model {
		m := &lp.Model{}
		a := int32(m.AddCol(lp.Col{Cost: -1, Upper: lp.Inf, Integer: true}))
		b := int32(m.AddCol(lp.Col{Cost: 0, Upper: 1, Integer: true}))
		if rows {
			m.AddRow(lp.Row{Lower: 1, Upper: 1}, []int32{b}, []float64{2}) // 2 b = 1
		}
		m.AddRow(lp.Row{Lower: -3, Upper: lp.Inf}, []int32{a, b}, []float64{1, 1})
		return m
	}

	// The first column lowers the objective without end, and integer points lie along it.
	res, err := Solve(context.Background(), build(false), DefaultOptions(), Hooks{})
	if err != nil || res.Status != lp.Unbounded || !math.IsInf(res.Bound, -1) {
		t.Errorf("unbounded: %v, %v, bound %g", res.Status, err, res.Bound)
	}

	// The row 2 b = 1 leaves no integer point, but the relaxation is unbounded as before.
	res, err = Solve(context.Background(), build(true), DefaultOptions(), Hooks{})
	if err != nil || res.Status != lp.Infeasible || res.X != nil {
		t.Errorf("infeasible with an unbounded relaxation: %v, %v", res.Status, err)
	}

	// Cuts of the lazy hook bound the first column by 7.5, so that 7 is its best integer.
	lazy := func(_ context.Context, c Candidate) (Separation, error) {
		if c.X[0] > 7.5 {
			return Separation{Cuts: []Cut{{Lower: -inf, Upper: 7.5, Index: []int32{0}, Value: []float64{1}}}}, nil
		}
		return Separation{}, nil
	}
	res, err = Solve(context.Background(), build(false), DefaultOptions(), Hooks{Lazy: lazy})
	if err != nil || res.Status != lp.Optimal || res.Objective != -7 {
		t.Errorf("bounded by lazy rows: %v, %v, objective %g", res.Status, err, res.Objective)
	}

	// With the signs of the costs turned, the maximum is infinite.
	m := build(false)
	m.Maximize, m.Cols[0].Cost = true, 1
	if res, err = Solve(context.Background(), m, DefaultOptions(), Hooks{}); err != nil || res.Status != lp.Unbounded ||
		!math.IsInf(res.Bound, 1) {
		t.Errorf("unbounded maximisation: %v, %v, bound %g", res.Status, err, res.Bound)
	}
}

// TestDegenerateModels covers models without rows, columns or integer columns.
func TestDegenerateModels(t *testing.T) {
	empty := &lp.Model{Offset: 3}
	cont := &lp.Model{}
	cont.AddCol(lp.Col{Cost: 2, Lower: 1.5, Upper: 4})
	free := &lp.Model{Maximize: true}
	free.AddCol(lp.Col{Cost: 2, Lower: -1.5, Upper: 4.5, Integer: true})
	void := &lp.Model{}
	void.AddCol(lp.Col{Lower: 0.25, Upper: 0.75, Integer: true})
	for name, c := range map[string]struct {
		m    *lp.Model
		want float64
	}{"empty": {empty, 3}, "continuous": {cont, 3}, "no rows": {free, 8}, "no integer": {void, math.NaN()}} {
		res, err := Solve(context.Background(), c.m, DefaultOptions(), Hooks{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if math.IsNaN(c.want) {
			if res.Status != lp.Infeasible {
				t.Errorf("%s: %v", name, res.Status)
			}
		} else if res.Status != lp.Optimal || res.Objective != c.want || res.Bound != c.want || res.Gap != 0 {
			t.Errorf("%s: %v, objective %g bound %g", name, res.Status, res.Objective, res.Bound)
		}
	}
}

// TestStops checks limits and cancellation on a model that takes long.
func TestStops(t *testing.T) {
	m := knapsacks(100, 20, 7)
	opt := DefaultOptions()
	opt.TimeLimit = 150 * time.Millisecond

	start := time.Now()
	res, err := Solve(context.Background(), m, opt, Hooks{})
	if err != nil || res.Status != lp.TimeLimit || res.X != nil && !(res.Bound >= res.Objective) || !(res.Gap > 0) {
		t.Errorf("time limit: %v, %v, objective %g bound %g", res.Status, err, res.Objective, res.Bound)
	}
	if e := time.Since(start); e > time.Minute { // the processor may be shared
		t.Errorf("a limit of 150ms took %v", e)
	}

	// The caller cancels the search at its 50th node, after which at most one more is counted.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	nodes := 0
	res, err = Solve(ctx, m, DefaultOptions(), Hooks{Node: func(Candidate) {
		if nodes++; nodes == 50 {
			cancel()
		}
	}})
	if err != nil || res.Status != lp.Interrupted || res.Nodes > 51 || !(res.Bound >= res.Objective) {
		t.Errorf("cancelled: %v, %v, %d nodes", res.Status, err, res.Nodes)
	}

	// A hook waits until the time limit, and returns the error of its context: that is no error of the search.
	waiting := Hooks{User: func(ctx context.Context, _ Candidate) (Separation, error) {
		<-ctx.Done()
		return Separation{}, fmt.Errorf("separator: %w", ctx.Err())
	}}
	if res, err = Solve(context.Background(), m, opt, waiting); err != nil || res.Status != lp.TimeLimit {
		t.Errorf("a hook cut short by the limit: %v, %v", res.Status, err)
	}
}

// TestObjectiveStep checks the detection of integral objectives.
func TestObjectiveStep(t *testing.T) {
	for _, c := range []struct {
		costs []float64
		want  float64
	}{
		{[]float64{4, 6, -10}, 2}, {[]float64{0.5, 0.75}, 0.25}, {[]float64{1. / 3, 0.5}, 1. / 6},
		{[]float64{math.Pi, 1}, 0}, {[]float64{0, 0}, 0}, {[]float64{12.35, 0.05}, 0.05},
	} {
		m := &lp.Model{}
		for _, v := range c.costs {
			m.AddCol(lp.Col{Cost: v, Upper: 5, Integer: true})
		}
		p, err := newProblem(m, DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.step-c.want) > 1e-9 {
			t.Errorf("costs %v: step %g, want %g", c.costs, p.step, c.want)
		}
	}
}

// FuzzTiny compares small models with enumeration, half of their rows behind the lazy hook.
func FuzzTiny(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed*7)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rng := rand.New(rand.NewPCG(a, b))
		m := randomTiny(rng)
		want := m.solve()
		res, err := hiding(m, hideHalf(rng, m), exact(), Hooks{})
		if err == nil {
			err = m.verify(res, want)
		}
		if err != nil {
			t.Fatalf("seeds %d, %d: %v\n%+v", a, b, err, m)
		}
	})
}
