package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// withShortRounds are options with which small models have a tree, which workers share from the first node after the
// root on.
func withShortRounds(rng *rand.Rand) Options {
	opt := exact()
	opt.Threads, opt.tuning.minRoundWork = 2, []float64{1, 100, 3000}[rng.IntN(3)]
	opt.Cuts, opt.Presolve = rng.IntN(4) == 0, rng.IntN(2) == 0
	if rng.IntN(2) == 0 {
		opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
	}
	opt.PoolSize, opt.tuning.restartAfter = 3*rng.IntN(2), rng.IntN(6)
	return opt
}

// TestTinyWorkers solves random models with teams of two to eight, plain and with all hooks, and compares with
// enumeration, and with a second run, in which hooks take longer: results and calls of hooks are the same. PROXYBD_BULK
// gives the number of models.
func TestTinyWorkers(t *testing.T) {
	count := 600
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_BULK")); err == nil {
		count = v
	}

	// A search of more than two nodes has a tree that workers can share.
	shared := 0
	forTinies(t, count, func(rng *rand.Rand, m *tiny, want float64) error {
		opt, hidden := withShortRounds(rng), hideHalf(rng, m)

		// One search has no hooks; the other has hooks, and rows behind the lazy one.
		runs := []func(pause time.Duration) (string, Result, error){
			func(time.Duration) (string, Result, error) {
				res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
				return "", res, err
			},
			func(pause time.Duration) (string, Result, error) { return hooked(m, hidden, opt, pause) },
		}

		for k, run := range runs {
			opt.Threads = 2 + rng.IntN(7)
			calls, res, err := run(0)
			if err == nil {
				err = m.verify(res, want)
			}
			if err != nil {
				return fmt.Errorf("run %d: %w", k, err)
			}
			if res.Nodes > 2 {
				shared++
			}

			// In the second run hooks may pause, which changes neither the result nor what they are called with.
			more, other, err := run(time.Duration(rng.IntN(100)) * time.Microsecond)
			if err != nil || course(&res) != course(&other) || calls != more {
				return fmt.Errorf("run %d with %d threads: %w\n%s\n%s\n%s\n%s", k, opt.Threads, err, course(&res), course(&other),
					calls, more)
			}
		}
		return nil
	})

	if shared < count/40 {
		t.Errorf("only %d searches of %d models had more than two nodes", shared, count)
	}
}

// hooked hides rows in a lazy hook, and has all other hooks too; one call in three pauses. It also returns what they
// were called with.
func hooked(m *tiny, hidden []bool, opt Options, pause time.Duration) (string, Result, error) {
	var calls []string
	var at atomic.Int32
	var hookErr error

	// enter records a call, and returns the function that ends it: no other hook may be called before that.
	enter := func(kind string, c Candidate) func() {
		if at.Add(1) > 1 {
			hookErr = errors.New("two hooks at a time")
		}
		calls = append(calls, fmt.Sprintf("%s %d %d %v %g %g", kind, c.Node, c.Depth, c.X, c.Bound, c.Incumbent))
		if pause > 0 && len(calls)%3 == 0 {
			time.Sleep(pause)
		}
		return func() { at.Add(-1) }
	}

	var buffer []float64 // used again, as hooks may
	fractional := func(x []float64) int {
		return slices.IndexFunc(x, func(v float64) bool { return math.Abs(v-math.Round(v)) > 1e-6 })
	}

	res, err := hiding(m, hidden, opt, Hooks{
		// Each call returns at most one violated row, in memory that later calls overwrite.
		User: func(_ context.Context, c Candidate) (Separation, error) {
			defer enter("user", c)()
			var sep Separation
			for i := range m.rows {
				if hidden[i] && m.rows[i].violation(c.X) > 1e-3 {
					cut := m.rows[i].cut()
					buffer = append(buffer[:0], cut.Value...)
					cut.Value = buffer
					sep.Cuts = append(sep.Cuts, cut)
					break
				}
			}
			return sep, nil
		},

		// The point is the candidate with its integer columns rounded, and need not be feasible.
		Heuristic: func(_ context.Context, c Candidate) (Separation, error) {
			defer enter("heuristic", c)()
			buffer = buffer[:0]
			for j, v := range c.X {
				if m.integer[j] {
					v = math.Round(v)
				}
				buffer = append(buffer, v)
			}
			return Separation{Points: [][]float64{buffer}}, nil
		},

		// Nodes with even numbers are branched on at the first fractional column, if that is an integer one.
		Branch: func(_ context.Context, c Candidate) (Branching, error) {
			defer enter("branch", c)()
			if j := fractional(c.X); j >= 0 && m.integer[j] && c.Node%2 == 0 {
				return BranchOn(lp.Var(j), c.X[j]), nil
			}
			return Branching{}, nil
		},

		Node:     func(c Candidate) { enter("node", c)() },
		Progress: func(Progress) {},
	})

	return strings.Join(calls, "\n"), res, errors.Join(err, hookErr)
}

// course is everything in a result but times.
func course(r *Result) string {
	c := *r
	c.Elapsed, c.Parts = 0, [Parts]PartStatistics{}
	return fmt.Sprintf("%+v", c)
}

// transport is a fixed-charge transportation problem with that many sources and as many sinks.
func transport(seed uint64, size int) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := &lp.Model{}

	// Sources and sinks have the same total, divided among them at random.
	flow := func() []float64 {
		v := make([]float64, size)
		for range 10 * size {
			v[rng.IntN(size)]++
		}
		return v
	}
	supply, demand := flow(), flow()

	// A flow x from source a to sink b is possible only where its charge is paid: x <= upper y.
	rows := make([][]int32, 2*size)
	for a := range size {
		for b := range size {
			upper := math.Min(supply[a], demand[b])
			x := m.AddCol(lp.Col{Cost: float64(rng.IntN(10)), Upper: upper})
			y := m.AddCol(lp.Col{Cost: float64(20 + rng.IntN(200)), Upper: 1, Integer: true})
			m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{int32(x), int32(y)}, []float64{1, -upper})
			rows[a], rows[size+b] = append(rows[a], int32(x)), append(rows[size+b], int32(x))
		}
	}

	// Each source ships all of its supply, and each sink gets exactly its demand.
	ones := slices.Repeat([]float64{1}, size)
	for k, v := range append(supply, demand...) {
		m.AddRow(lp.Row{Lower: v, Upper: v}, rows[k], ones)
	}
	return m
}

// TestWorkersRepeat solves transportation problems with several numbers of threads: two runs are the same, and the
// optimum is that of one thread.
func TestWorkersRepeat(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		m := transport(seed, 8)
		opt := DefaultOptions()
		one, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil {
			t.Fatal(err)
		}

		for _, threads := range []int{2, 5} {
			opt.Threads = threads
			var runs [2]Result
			for k := range runs {
				if runs[k], err = Solve(context.Background(), m, opt, Hooks{}); err != nil {
					t.Fatal(err)
				}
			}

			// Two runs agree in all but times, and have the optimum of one thread.
			res := &runs[0]
			if course(res) != course(&runs[1]) {
				t.Errorf("seed %d with %d threads: two runs differ\n%s\n%s", seed, threads, course(res), course(&runs[1]))
			}
			if res.Status != lp.Optimal || math.Abs(res.Objective-one.Objective) > opt.Gap*one.Objective {
				t.Errorf("seed %d with %d threads: %v, %g, with one %g", seed, threads, res.Status, res.Objective, one.Objective)
			}

			// Only with several threads is work done at the same time, so that the span is less than the work.
			if !(res.Span < res.Work) || one.Span != one.Work {
				t.Errorf("seed %d with %d threads: work %g span %g, with one %g %g", seed, threads, res.Work, res.Span, one.Work,
					one.Span)
			}

			t.Logf("seed %d with %d threads: %d nodes, %d alone, work %.3g %.3g span %.3g", seed, threads, res.Nodes, one.Nodes,
				res.Work, one.Work, res.Span)
		}
	}
}

// TestWorkersGap solves transportation problems to a gap of 10% with several threads. A point that one worker finds
// closes nodes of the others: their bounds stay in the bound of the result, which no point may be better than.
func TestWorkersGap(t *testing.T) {
	for _, seed := range []uint64{167, 259, 1, 2, 3} {
		for _, size := range []int{3, 4} {
			m := transport(seed, size)
			want, err := Solve(t.Context(), m, exact(), Hooks{})
			if err != nil || want.Status != lp.Optimal {
				t.Fatal(want.Status, err)
			}
			for threads := range 4 {
				opt := DefaultOptions()
				opt.Gap, opt.Threads = 0.1, threads+1
				opt.Cuts, opt.Presolve = false, false
				opt.tuning.minRoundWork = 1
				opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
				res, err := Solve(t.Context(), m, opt, Hooks{})
				if err != nil || res.Status != lp.Optimal || !(res.Bound <= want.Objective+1e-6) || !(res.Gap <= opt.Gap) {
					t.Errorf("seed %d, size %d, %d threads: %v, %v, %g with a bound of %g, the optimum is %g", seed, size, opt.Threads,
						res.Status, err, res.Objective, res.Bound, want.Objective)
				}
			}
		}
	}
}

// TestArrival draws rounds and clocks: a worker comes no earlier than its clock, soon after it, and, where the
// coordinator does not wait for it, after the time of the one that is served.
func TestArrival(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	served := 0
	for range 100000 {
		shared := &coordinator{minLength: 1 + 10*rng.Float64(), hooked: rng.IntN(8) == 0}
		w := &worker{t: shared, from: 1e9 * rng.Float64()}
		w.until = w.from + shared.minLength*(1+8*rng.Float64())
		now := w.from + 1.2*rng.Float64()*(w.until-w.from)
		later := now + 3*rng.Float64()*shared.minLength*float64(rng.IntN(2))
		other := w.from + 1.2*rng.Float64()*(w.until-w.from)
		w.clock.Store(math.Float64bits(now))

		at := w.arrival(later)
		if at < later || at < w.arrival(now) || at > later+shared.minLength*(1+1e-6) {
			t.Fatalf("clock %g of the round from %g to %g: arrival %g", later, w.from, w.until, at)
		}
		if w.comesAfter(other) {
			served++
			if at <= other {
				t.Fatalf("clock %g, published %g: arrival %g, and one at %g is served before", later, now, at, other)
			}
		} else if awaited := math.Float64frombits(w.awaited.Load()); awaited > other {
			t.Fatalf("the coordinator waits for a clock of %g, for one at %g", awaited, other)
		}
	}
	if served < 10000 || served > 90000 {
		t.Errorf("%d of 100000 are served", served)
	}
}

// TestWorkersEnd ends searches with several workers by a limit on time, on work, on memory and by the caller, in the
// midst of it.
func TestWorkersEnd(t *testing.T) {
	m := transport(1, 12)
	opt := DefaultOptions()
	opt.Threads = 3

	// Later searches are compared with this one, which is long enough for workers to share its tree.
	all, err := Solve(context.Background(), m, withNodes(opt, 150), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Status != lp.NodeLimit || all.Span >= all.Work {
		t.Fatalf("%v, work %g, span %g: no workers", all.Status, all.Work, all.Span)
	}

	// valid checks a search that ended early: it has a point, and its bound and objective agree with those above.
	valid := func(label string, want lp.Status, res Result, err error) {
		t.Helper()
		if err != nil || res.Status != want || res.X == nil || !(res.Bound <= all.Objective*(1+1e-9)) ||
			!(res.Objective >= all.Bound*(1-1e-9)) {
			t.Errorf("%s: %v %v, objective %g bound %g; at the node limit %g %g", label, res.Status, err, res.Objective, res.Bound,
				all.Objective, all.Bound)
		}
	}

	// The work comes to at least half of the limit, and exceeds it by little.
	o := opt
	o.MaxWork = all.Work * 0.9
	res, err := Solve(context.Background(), m, o, Hooks{})
	valid("work", lp.WorkLimit, res, err)
	if !(res.Work > 0.5*o.MaxWork && res.Work < 1.05*o.MaxWork) {
		t.Errorf("work %g of %g", res.Work, o.MaxWork)
	}

	// The search has a point, and ends after 40 nodes in a row without a better one.
	o = opt
	o.StallNodes = 40
	res, err = Solve(context.Background(), m, o, Hooks{})
	valid("stall", lp.Stalled, res, err)

	// The limit is less than the time of the first search; a faster run may still reach its limit on nodes before.
	o = withNodes(opt, 250)
	o.TimeLimit = all.Elapsed * 3 / 4
	if res, err = Solve(context.Background(), m, o, Hooks{}); res.Status != lp.NodeLimit {
		valid("time", lp.TimeLimit, res, err)
	}

	// The caller cancels the search at its 80th node.
	ctx, cancel := context.WithCancel(context.Background())
	nodes := 0
	res, err = Solve(ctx, m, opt, Hooks{Node: func(Candidate) {
		if nodes++; nodes == 80 {
			cancel()
		}
	}})
	valid("interrupt", lp.Interrupted, res, err)

	// An error of a hook, at its 50th call, ends the search and is returned.
	refusal := errors.New("no")
	nodes = 0
	_, err = Solve(context.Background(), m, opt, Hooks{User: func(context.Context, Candidate) (Separation, error) {
		if nodes++; nodes == 50 {
			return Separation{}, refusal
		}
		return Separation{}, nil
	}})
	if !errors.Is(err, refusal) {
		t.Errorf("the error of a hook: %v", err)
	}
}

func withNodes(opt Options, limit int) Options {
	opt.MaxNodes = limit
	return opt
}
