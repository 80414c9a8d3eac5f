package interior

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/internal/countdown"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// transport returns a transportation problem of n suppliers and n customers, which presolve does not solve.
func transport(n int) *lp.Model {
	rng := rand.New(rand.NewPCG(3, 3))
	m := &lp.Model{}
	supply := make([]lp.Con, n)
	demand := make([]lp.Con, n)
	for i := range n {
		supply[i] = m.AtMost(float64(20 + rng.IntN(20)))
		demand[i] = m.AtLeast(float64(5 + rng.IntN(15)))
	}
	for i := range n {
		for j := range n {
			x := m.Nonnegative("", float64(1+rng.IntN(50)))
			m.AddEntry(supply[i], x, 1)
			m.AddEntry(demand[j], x, 1)
		}
	}
	return m
}

// TestLimits ends the method at each limit: these are statuses.
func TestLimits(t *testing.T) {
	m := transport(12)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()

	// Without a limit the model is solved, so that each of the other statuses is due to its limit.
	for _, c := range []struct {
		name string
		ctx  context.Context
		set  func(o *Options)
		want lp.Status
	}{
		{"none", context.Background(), func(*Options) {}, lp.Optimal},
		{"iterations", context.Background(), func(o *Options) { o.Limits.Iterations = 2 }, lp.IterationLimit},
		{"time", context.Background(), func(o *Options) { o.Limits.Time = 0 }, lp.TimeLimit},
		{"memory", context.Background(), func(o *Options) { o.MaxBytes = 10 }, lp.MemoryLimit},
		{"cancelled", cancelled, func(*Options) {}, lp.Interrupted},
	} {
		opt := DefaultOptions()
		c.set(&opt)
		sol, err := Solve(c.ctx, m, opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}

		if sol.Status != c.want {
			t.Errorf("%s: %v, want %v", c.name, sol.Status, c.want)
		}
	}
}

// TestBoundAtLimit stops the method after each number of iterations: what it returns is a bound, and a good one at last.
func TestBoundAtLimit(t *testing.T) {
	m := transport(12)
	full, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil || full.Status != lp.Optimal {
		t.Fatal(full, err)
	}

	// The limit grows until the method ends before it; odd limits are tried without presolve.
	last := math.Inf(-1)
	for most := range 100 {
		opt := DefaultOptions()
		opt.Presolve = most%2 == 0
		opt.Limits.Iterations = most
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status == lp.Optimal {
			break
		}

		// Wherever the method stops, its bound is valid: not above the optimum.
		if !(sol.Bound <= full.Objective+1e-6*math.Abs(full.Objective)) {
			t.Errorf("bound %g of the optimum %g after %d iterations", sol.Bound, full.Objective, most)
		}
		last = max(last, sol.Bound)
	}

	if !(last >= 0.999*full.Objective) {
		t.Errorf("the best bound is %g, the optimum %g", last, full.Objective)
	}
}

// TestAuto solves models by the method that pays: the answers are those of the simplex method.
func TestAuto(t *testing.T) {
	for _, n := range []int{12, 210} {
		m := transport(n)
		opt := DefaultOptions()
		var b bytes.Buffer
		opt.Log = slog.New(slog.NewTextHandler(&b, nil))
		got, err := SolveAuto(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		want, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != want.Status || math.Abs(got.Objective-want.Objective) > 1e-6*math.Abs(want.Objective) {
			t.Errorf("%d: %v %g, the simplex method %v %g", n, got.Status, got.Objective, want.Status, want.Objective)
		}
		if isInterior := strings.Contains(b.String(), "interior"); isInterior != (n > 100) {
			t.Errorf("%d: interior point method %v", n, isInterior)
		}
	}
}

// TestAutoCostlyProof lets presolve find a model infeasible whose factorisation, for the proof, is too costly for
// SolveAuto: the simplex method gives the proof.
func TestAutoCostlyProof(t *testing.T) {
	m := transport(12)
	m.AtLeast(2, m.Binary("excluded", 0))
	r, err := newRun(context.Background(), m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	r.opt.maxFlops = 1e-3
	sol, err := r.solve()
	if err != nil {
		t.Fatal(err)
	}
	if err := simplex.CheckFarkas(m, sol.Ray); sol.Status != lp.Infeasible || err != nil {
		t.Errorf("%v, %v", sol.Status, err)
	}
}

// TestMemoryFigure looks for the predicted memory in the log of a refused model.
func TestMemoryFigure(t *testing.T) {
	var b bytes.Buffer
	opt := DefaultOptions()
	opt.MaxBytes = 10
	opt.Log = slog.New(slog.NewTextHandler(&b, nil))
	if _, err := Solve(context.Background(), transport(12), opt); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "bytes, the limit is 10") {
		t.Errorf("no figure in %s", b.String())
	}
}

// TestValidate gives each option a value without a meaning.
func TestValidate(t *testing.T) {
	for name, spoil := range map[string]func(o *Options){
		"tolerance": func(o *Options) { o.Tolerance = 0 },
		"threads":   func(o *Options) { o.Threads = -1 },
		"memory":    func(o *Options) { o.MaxBytes = -1 },
		"time":      func(o *Options) { o.Limits.Time = -time.Second },
	} {
		opt := DefaultOptions()
		spoil(&opt)
		if _, err := Solve(context.Background(), transport(2), opt); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDeterministic solves a model twice, and with several threads: the answers are the same bit for bit.
func TestDeterministic(t *testing.T) {
	m := transport(20)
	opt := DefaultOptions()
	opt.Crossover = false
	var first *simplex.Solution
	for _, opt.Threads = range []int{1, 1, 4} {
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = sol
		}
		for j := range sol.X {
			if sol.X[j] != first.X[j] {
				t.Fatalf("column %d: %g and %g", j, sol.X[j], first.X[j])
			}
		}
	}
}

// Textbook problems with known answers: Dantzig's transport example, and one by Klee and Minty.
func TestTextbook(t *testing.T) {
	dantzig := &lp.Model{}
	cost := [2][3]float64{{0.225, 0.153, 0.162}, {0.225, 0.162, 0.126}}
	supply := []lp.Con{dantzig.AtMost(350), dantzig.AtMost(600)}
	demand := []lp.Con{dantzig.AtLeast(325), dantzig.AtLeast(300), dantzig.AtLeast(275)}
	for i := range supply {
		for j := range demand {
			x := dantzig.Nonnegative("", cost[i][j])
			dantzig.AddEntry(supply[i], x, 1)
			dantzig.AddEntry(demand[j], x, 1)
		}
	}

	// max 100 x1 + 10 x2 + x3, x1 <= 1, 20 x1 + x2 <= 100, 200 x1 + 20 x2 + x3 <= 10000.
	klee := &lp.Model{Maximize: true}
	x1, x2, x3 := klee.Nonnegative("x1", 100), klee.Nonnegative("x2", 10), klee.Nonnegative("x3", 1)
	klee.AtMost(1, x1)
	klee.AtMost(100, x1.Times(20), x2)
	klee.AtMost(10000, x1.Times(200), x2.Times(20), x3)

	for name, c := range map[string]struct {
		m    *lp.Model
		want float64
	}{"Dantzig": {dantzig, 153.675}, "Klee and Minty": {klee, 10000}} {
		for _, presolve := range []bool{false, true} {
			opt := DefaultOptions()
			opt.Presolve = presolve
			sol, err := Solve(context.Background(), c.m, opt)
			if err != nil {
				t.Fatal(err)
			}
			if d := sol.Objective - c.want; sol.Status != lp.Optimal || d > 1e-7*c.want || d < -1e-7*c.want {
				t.Errorf("%s: %v, %g", name, sol.Status, sol.Objective)
			}
		}
	}
}

// TestInterrupts interrupts the method in its orderings, factorisations and iterations, with and without presolve: the
// status says so, and the bound is one.
func TestInterrupts(t *testing.T) {
	m := transport(40)
	full, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil || full.Status != lp.Optimal {
		t.Fatal(full, err)
	}

	// The number of calls grows until the method ends before the context; even numbers run with presolve.
	interrupted := 0
	for calls := 0; ; calls += 1 + calls/16 {
		opt := DefaultOptions()
		opt.Presolve = calls%2 == 0
		sol, err := Solve(countdown.After(calls), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status == lp.Optimal {
			break
		}

		if sol.Status != lp.Interrupted {
			t.Errorf("%d calls: %v", calls, sol.Status)
		}
		if !(sol.Bound <= full.Objective+1e-6*math.Abs(full.Objective)) {
			t.Errorf("%d calls: bound %g of the optimum %g", calls, sol.Bound, full.Objective)
		}
		interrupted++
	}
	if interrupted < 20 {
		t.Errorf("only %d interrupts", interrupted)
	}
}
