package simplex

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestThreads changes models at random and solves them with one thread and with two, which begin all solves for tau
// ahead: all answers and counts but the span are the same, bit for bit.
func TestThreads(t *testing.T) {
	saved := 0.0
	status := map[lp.Status]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := randomModel(rng, 10+rng.IntN(40), 10+rng.IntN(40))
		opt := DefaultOptions()
		opt.noInverse = true
		one := newWarmWith(t, seed, m, opt)
		opt.Threads = 2
		two := newWarmWith(t, seed, m, opt)
		two.s.ahead.init(2, 0)

		// Both are changed by the same random numbers.
		again := rand.New(rand.NewPCG(seed, 6))
		rng = rand.New(rand.NewPCG(seed, 6))
		for range 12 {
			one.change(rng)
			two.change(again)
			res := sameAnswers(t, seed, one.s, two.s)
			status[res.Status]++
			saved += res.Work - res.Span
		}
	}
	if saved == 0 || status[lp.Optimal] == 0 || status[lp.Infeasible] == 0 || status[lp.Unbounded] == 0 {
		t.Errorf("work of the other thread %g, answers %v", saved, status)
	}
}

// sameAnswers solves the model of both solvers, compares everything but the span, and returns the result of the second.
func sameAnswers(t *testing.T, seed uint64, one, two *Solver) Result {
	t.Helper()
	a, errA := one.Solve(context.Background(), NoLimits())
	b, errB := two.Solve(context.Background(), NoLimits())
	if a.Span != a.Work || errA != nil || errB != nil {
		t.Fatalf("seed %d: work %g span %g of one thread; %v, %v", seed, a.Work, a.Span, errA, errB)
	}

	// Without an optimum the objective may be NaN, which differs from itself.
	span := b.Span
	b.Span = a.Span
	if a.Status == b.Status && a.Status != lp.Optimal {
		a.Objective, b.Objective = 0, 0
	}
	x, y := one.Solution(a), two.Solution(b)
	if !reflect.DeepEqual(x, y) {
		t.Fatalf("seed %d: one thread\n%+v\ntwo\n%+v", seed, x, y)
	}
	b.Span = span
	return b
}

// TestThreadsLarge solves a model whose solves are long enough to be begun ahead: the span is shorter than the work.
func TestThreadsLarge(t *testing.T) {
	m := newLocation(2, 100, 60).compact()
	opt := DefaultOptions()
	opt.Presolve = false
	one, err := Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Threads = 2
	two, err := Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if one.Status != lp.Optimal || !(two.Span < 0.9*two.Work) || one.Span != one.Work {
		t.Errorf("%v: work %g span %g, with one thread %g %g", one.Status, two.Work, two.Span, one.Work, one.Span)
	}
	two.Span = one.Span
	if !reflect.DeepEqual(one, two) {
		t.Error("the answers differ")
	}
}
