package simplex

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// recorder keeps the records of a log.
type recorder struct{ records []map[string]slog.Value }

func (r *recorder) Enabled(context.Context, slog.Level) bool { return true }
func (r *recorder) WithGroup(string) slog.Handler            { return r }
func (r *recorder) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *recorder) Handle(_ context.Context, rec slog.Record) error {
	m := map[string]slog.Value{"": slog.StringValue(rec.Message)}
	rec.Attrs(func(a slog.Attr) bool {
		m[a.Key] = a.Value
		return true
	})
	r.records = append(r.records, m)
	return nil
}

// TestLog checks that a solve writes the size of the reduced model, its progress and its end, in order.
func TestLog(t *testing.T) {
	l := newLocation(1, 40, 30)
	for _, presolve := range []bool{false, true} {
		var rec recorder
		opt := DefaultOptions()
		opt.Presolve = presolve
		opt.Log, opt.LogEvery = slog.New(&rec), time.Nanosecond
		m := l.compact()
		m.AddRow(lp.Row{Lower: 0.25, Upper: 1}, []int32{0}, []float64{1}) // for presolve
		for j := range 200 {
			m.AddRow(lp.Row{Lower: 0, Upper: 1}, []int32{int32(j + 1)}, []float64{1})
		}
		sol, err := Solve(context.Background(), m, opt)
		if err != nil || sol.Status != lp.Optimal {
			t.Fatal(sol, err)
		}
		if got := rec.records[0][""].String() == "presolve"; got != presolve {
			t.Errorf("presolve %v: first record %v", presolve, rec.records[0])
		}
		if presolve {
			if rows := rec.records[0]["rows"].Int64(); rows >= int64(len(m.Rows)) || rec.records[0]["nonzeros"].Int64() == 0 {
				t.Errorf("reduced to %v", rec.records[0])
			}
			rec.records = rec.records[1:]
		}
		checkProgress(t, rec.records, sol)
	}
}

func checkProgress(t *testing.T, records []map[string]slog.Value, sol *Solution) {
	t.Helper()
	if len(records) < 4 {
		t.Fatalf("%d records of %d iterations", len(records), sol.Iterations)
	}
	last, infeasible := int64(-1), false
	for k, r := range records {
		it := r["iteration"].Int64()
		if it < last {
			t.Errorf("record %d: iteration %d after %d", k, it, last)
		}
		last = it
		if r["elapsed"].Kind() != slog.KindDuration || r["dual"].Kind() != slog.KindFloat64 {
			t.Errorf("record %d: %v", k, r)
		}
		infeasible = infeasible || r["primal"].Float64() > 0
	}
	end := records[len(records)-1]
	if end[""].String() != "simplex done" || last != int64(sol.Iterations) || end["objective"].Float64() != sol.Objective {
		t.Errorf("last record %v, solution %v", end, sol.Result)
	}
	if !infeasible || end["primal"].Float64() > 1e-6 || end["dual"].Float64() > 1e-6 {
		t.Errorf("infeasibilities: %v on the way, at the end %v", infeasible, end)
	}
}

// transportation is the recourse LP of a capacitated location problem, a shortage column for every client.
func transportation(seed uint64, sources, clients int) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 12))
	m := &lp.Model{}
	total := 0.0
	demand := make([]float64, clients)
	for i := range demand {
		demand[i] = float64(5 + rng.IntN(30))
		total += demand[i]
	}
	bySource := make([][]int32, sources)
	ones := make([]float64, max(sources, clients)+1)
	for k := range ones {
		ones[k] = 1
	}
	for i := range clients {
		var index []int32
		for j := range sources {
			x := int32(m.AddCol(lp.Col{Cost: 1 + 9*rng.Float64(), Upper: lp.Inf}))
			index, bySource[j] = append(index, x), append(bySource[j], x)
		}
		index = append(index, int32(m.AddCol(lp.Col{Cost: 100, Upper: lp.Inf})))
		m.AddRow(lp.Row{Lower: demand[i], Upper: lp.Inf}, index, ones[:len(index)])
	}
	for j := range sources {
		m.AddRow(lp.Row{Lower: -lp.Inf, Upper: total / float64(sources) * (0.8 + 0.6*rng.Float64())}, bySource[j],
			ones[:clients])
	}
	return m
}

// TestLimitBound stops models of hundreds of rows after a number of iterations: the bound holds, it is there in
// the end, and a point that is called feasible is worth no less than the optimum.
func TestLimitBound(t *testing.T) {
	for name, m := range map[string]*lp.Model{"compact": newLocation(2, 40, 25).compact(),
		"transportation": transportation(1, 30, 200)} {
		want, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || want.Status != lp.Optimal {
			t.Fatal(name, want, err)
		}
		finite := 0
		for part := 1; part < 20; part++ {
			opt := DefaultOptions()
			opt.Presolve, opt.Perturb = part%2 == 0, part%3 > 0
			opt.Limits.Iterations = want.Iterations * part / 20
			got, err := Solve(context.Background(), m, opt)
			if err != nil {
				t.Fatal(name, err)
			}
			if got.Status != lp.IterationLimit && got.Status != lp.Optimal {
				t.Fatalf("%s: status %v after %d iterations", name, got.Status, opt.Limits.Iterations)
			}
			tol := 1e-9 * want.Objective
			if math.IsNaN(got.Bound) || got.Bound > want.Objective+tol {
				t.Errorf("%s: bound %.12g after %d iterations, optimum %.12g", name, got.Bound, got.Iterations, want.Objective)
			}
			if !math.IsInf(got.Bound, 0) {
				finite++
			}
			if feasible := got.Primal == lp.FeasiblePoint; feasible == math.IsNaN(got.Objective) ||
				got.Objective < want.Objective-tol {
				t.Errorf("%s: primal %v, objective %g, optimum %g", name, got.Primal, got.Objective, want.Objective)
			}
		}
		if finite < 19 {
			t.Errorf("%s: %d of 19 bounds are finite", name, finite)
		}
	}
}

// TestPrimalLimit stops the primal loop, whose points are feasible.
func TestPrimalLimit(t *testing.T) {
	m := transportation(2, 20, 150)
	s, err := New(m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(context.Background(), NoLimits()); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 13))
	for j := range m.Cols {
		m.Cols[j].Cost = 1 + 9*rng.Float64()
		s.SetCost(lp.Var(j), m.Cols[j].Cost)
	}
	want, err := Solve(context.Background(), m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for range 40 {
		limits := NoLimits()
		limits.Iterations = 10
		r, err := s.Solve(context.Background(), limits)
		if err != nil {
			t.Fatal(err)
		}
		if r.Bound > want.Objective+1e-9*want.Objective {
			t.Errorf("bound %g, optimum %g", r.Bound, want.Objective)
		}
		if r.Primal == lp.FeasiblePoint {
			points++
			if !(r.Objective >= want.Objective-1e-9*want.Objective) ||
				math.Abs(m.Evaluate(s.X())-r.Objective) > 1e-9*r.Objective {
				t.Errorf("objective %g, value of X %g, optimum %g", r.Objective, m.Evaluate(s.X()), want.Objective)
			}
		}
	}
	t.Logf("%d of 40 limits left a feasible point", points)
}
