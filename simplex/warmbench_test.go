package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// warmModels are what re-solves are measured on: masters with their cuts, recourse LPs, a compact model,
// and Netlib models where the files are there.
func warmModels() []warmModel {
	list := []warmModel{
		{"ufl-master-60", func(tb testing.TB) *Solver { return uflMaster(tb, 60) }},
		{"ufl-master-100", func(tb testing.TB) *Solver { return uflMaster(tb, 100) }},
		{"cap-master", capMaster},
		{"transport-30x200", func(tb testing.TB) *Solver { return newSolver(tb, transportation(1, 30, 200)) }},
		{"transport-50x300", func(tb testing.TB) *Solver { return newSolver(tb, transportation(2, 50, 300)) }},
		{"ufl-compact-40x25", func(tb testing.TB) *Solver { return newSolver(tb, newLocation(2, 40, 25).compact()) }},
	}
	for _, name := range []string{"25fv47", "bnl1", "czprob", "degen2", "scfxm2", "sctap2", "ship08s"} {
		list = append(list, warmModel{name, func(tb testing.TB) *Solver {
			m, _, err := mps.ReadFile(netlib + "/" + name + ".mps.gz")
			if err != nil {
				tb.Skip("no Netlib files")
			}
			return newSolver(tb, m)
		}})
	}
	return list
}

type warmModel struct {
	name  string
	build func(testing.TB) *Solver
}

func newSolver(tb testing.TB, m *lp.Model) *Solver {
	s, err := New(m, DefaultOptions())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func uflMaster(tb testing.TB, size int) *Solver {
	l := newLocation(1, size, size)
	s := newSolver(tb, l.master())
	l.run(tb, s, math.MaxInt)
	return s
}

// capMaster returns the master of a capacitated location problem, one theta in all, with the Benders cuts of the
// transportation LP that its rounds have found.
func capMaster(tb testing.TB) *Solver {
	const sources, clients, rounds = 40, 100, 150
	recourse := transportation(3, sources, clients)
	m := &lp.Model{}
	demand := 0.0
	for i := range clients {
		demand += recourse.Rows[i].Lower
	}
	index, capacity := make([]int32, sources), make([]float64, sources)
	for j := range sources {
		capacity[j] = 5 * recourse.Rows[clients+j].Upper
		m.AddCol(lp.Col{Cost: 200 + 10*float64(j%7), Upper: 1})
		index[j] = int32(j)
	}
	theta := int32(m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf}))
	m.AddRow(lp.Row{Lower: demand, Upper: lp.Inf}, index, capacity)
	s, sub := newSolver(tb, m), newSolver(tb, recourse)
	for range rounds {
		mustSolve(tb, s)
		for j := range sources {
			sub.SetRowBounds(lp.Con(clients+j), -lp.Inf, capacity[j]*s.X()[j])
		}
		r := mustSolve(tb, sub)
		if r.Objective <= s.X()[theta]*(1+1e-7) {
			break
		}
		dual, side := sub.RowDual(), 0.0
		for i := range clients {
			side += dual[i] * recourse.Rows[i].Lower
		}
		value := make([]float64, sources)
		for j := range value {
			value[j] = -dual[clients+j] * capacity[j]
		}
		s.AddRow(side, lp.Inf, append(slices.Clone(index), theta), append(value, 1))
	}
	return s
}

func mustSolve(tb testing.TB, s *Solver) Result {
	tb.Helper()
	r, err := s.Solve(context.Background(), NoLimits())
	if err != nil || r.Status != lp.Optimal {
		tb.Fatal(r.Status, err)
	}
	return r
}

// warmChange prepares one change at an optimum: apply makes it and undo takes it back. ok is false where
// the optimum does not offer one.
type warmChange struct {
	name    string
	prepare func(tb testing.TB, s *Solver, rng *rand.Rand) (apply, undo func(), ok bool)
}

func warmChanges() []warmChange {
	return []warmChange{{"bound", changeBound}, {"cut", changeCut}, {"rhs", changeSides}}
}

// changeBound moves a bound of a column over its value, as branching does.
func changeBound(_ testing.TB, s *Solver, rng *rand.Rand) (apply, undo func(), ok bool) {
	for range 1000 {
		j := rng.IntN(s.NumCols())
		x := s.X()[j]
		lo, up := s.ColBounds(lp.Var(j))
		if s.ColStatus(lp.Var(j)) != Basic || x < lo+1e-6 {
			continue
		}
		to := max(lo, 0.9*x-0.1*min(x, 1))
		if isInf(lo) {
			to = x - 0.1*(1+math.Abs(x))
		}
		return func() { s.SetColBounds(lp.Var(j), lo, to) }, func() { s.SetColBounds(lp.Var(j), lo, up) }, true
	}
	return nil, nil, false
}

// changeCut leaves out an inequality that holds with equality and solves without it: adding it again adds one
// violated cut.
func changeCut(tb testing.TB, s *Solver, rng *rand.Rand) (apply, undo func(), ok bool) {
	for range 1000 {
		i := rng.IntN(s.NumRows())
		lo, up := s.RowBounds(lp.Con(i))
		if s.RowStatus(lp.Con(i)) == Basic || lo == up || math.Abs(s.RowDual()[i]) < 1e-6 {
			continue
		}
		idx, val := s.Row(lp.Con(i))
		index, value := slices.Clone(idx), slices.Clone(val)
		s.DeleteRows([]lp.Con{lp.Con(i)})
		r, err := s.Solve(context.Background(), NoLimits())
		if err != nil {
			tb.Fatal(err)
		}
		if r.Status != lp.Optimal {
			s.AddRow(lo, up, index, value)
			mustSolve(tb, s)
			continue
		}
		act := 0.0
		for k, j := range index {
			act += value[k] * s.X()[j]
		}
		if tol := 1e-6 * (1 + math.Abs(act)); act >= lo-tol && act <= up+tol {
			s.AddRow(lo, up, index, value)
			mustSolve(tb, s)
			continue
		}
		return func() { s.AddRow(lo, up, index, value) }, func() { s.DeleteRows([]lp.Con{lp.Con(s.NumRows() - 1)}) }, true
	}
	return nil, nil, false
}

// changeSides changes the right-hand sides of three rows by up to five percent.
func changeSides(_ testing.TB, s *Solver, rng *rand.Rand) (apply, undo func(), ok bool) {
	type side struct {
		i          int
		lo, up     float64
		newLo, new float64
	}
	var list []side
	for try := 0; try < 1000 && len(list) < 3; try++ {
		i := rng.IntN(s.NumRows())
		lo, up := s.RowBounds(lp.Con(i))
		f := 1 + 0.1*(rng.Float64()-0.5)
		if (lo == 0 || isInf(lo)) && (up == 0 || isInf(up)) {
			continue
		}
		list = append(list, side{i, lo, up, lo * f, up * f})
	}
	apply = func() {
		for _, r := range list {
			s.SetRowBounds(lp.Con(r.i), r.newLo, r.new)
		}
	}
	undo = func() {
		for k := len(list) - 1; k >= 0; k-- {
			s.SetRowBounds(lp.Con(list[k].i), list[k].lo, list[k].up)
		}
	}
	return apply, undo, len(list) > 0
}

// warmTrial is one re-solve, warm and cold.
type warmTrial struct {
	pivots, coldPivots int
	time, coldTime     time.Duration
}

// tryWarm makes one change and solves it warm and cold; ok is false where the change is not possible or leaves no
// point. Start and stop surround what is measured. The solver is left at an optimum.
func tryWarm(tb testing.TB, s *Solver, c warmChange, seed uint64, start, stop func()) (w warmTrial, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 14))
	apply, undo, ok := c.prepare(tb, s, rng)
	if !ok {
		return w, false
	}
	mustSolve(tb, s)
	var basis Basis
	s.GetBasis(&basis)
	start()
	began := time.Now()
	apply()
	r, err := s.Solve(context.Background(), NoLimits())
	w.time = time.Since(began)
	stop()
	if err != nil {
		tb.Fatal(err)
	}
	w.pivots = r.Iterations
	s.SlackBasis()
	began = time.Now()
	cold, err := s.Solve(context.Background(), NoLimits())
	w.coldTime = time.Since(began)
	if err != nil || cold.Status != r.Status ||
		r.Status == lp.Optimal && math.Abs(cold.Objective-r.Objective) > 1e-6*(1+math.Abs(r.Objective)) {
		tb.Fatalf("warm %v %g, cold %v %g, %v", r.Status, r.Objective, cold.Status, cold.Objective, err)
	}
	w.coldPivots = cold.Iterations
	undo()
	if c.name == "cut" { // the row is put back for the next change, at the end
		if err := s.SetBasis(&basis); err != nil {
			tb.Fatal(err)
		}
		apply()
	} else if err := s.SetBasis(&basis); err != nil {
		tb.Fatal(err)
	}
	mustSolve(tb, s)
	return w, r.Status == lp.Optimal
}

// fractions returns the medians of warm over cold, in pivots and time.
func fractions(trials []warmTrial) (pivots, seconds float64) {
	var p, t []float64
	for _, w := range trials {
		p = append(p, float64(w.pivots)/float64(max(1, w.coldPivots)))
		t = append(t, w.time.Seconds()/w.coldTime.Seconds())
	}
	return median(p), median(t)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// TestWarmFractions compares the pivots of warm re-solves with cold ones: the median over all models and
// changes is at most five percent.
func TestWarmFractions(t *testing.T) {
	var all []float64
	for _, m := range warmModels() {
		t.Run(m.name, func(t *testing.T) {
			if m.name == "25fv47" {
				t.Skip("takes ten seconds; see the benchmark")
			}
			s := m.build(t)
			mustSolve(t, s)
			for _, c := range warmChanges() {
				var trials []warmTrial
				for seed := range uint64(7) {
					if w, ok := tryWarm(t, s, c, seed, func() {}, func() {}); ok {
						trials = append(trials, w)
					}
				}
				p, f := fractions(trials)
				t.Logf("%-6s %d trials, pivots %.3f, time %.3f of cold", c.name, len(trials), p, f)
				if len(trials) > 0 {
					all = append(all, p)
				}
			}
		})
	}
	if len(all) < 12 {
		t.Fatalf("only %d cases", len(all))
	}
	if m := median(all); !(m <= 0.05) {
		t.Errorf("median of pivots of %d cases is %.3f of cold", len(all), m)
	}
}

// BenchmarkWarm re-solves after one change; pivots-of-cold and time-of-cold are medians over different changes.
func BenchmarkWarm(b *testing.B) {
	for _, m := range warmModels() {
		for _, c := range warmChanges() {
			b.Run(m.name+"/"+c.name, func(b *testing.B) { benchmarkWarm(b, m, c) })
		}
	}
}

func benchmarkWarm(b *testing.B, m warmModel, c warmChange) {
	s := m.build(b)
	mustSolve(b, s)
	var trials []warmTrial
	pivots, seed := 0, uint64(0)
	for b.Loop() {
		b.StopTimer()
		w, ok := tryWarm(b, s, c, seed, b.StartTimer, b.StopTimer)
		seed++
		if ok {
			trials = append(trials, w)
			pivots += w.pivots
		}
		b.StartTimer()
	}
	if len(trials) == 0 {
		b.Skip("the model offers no such change")
	}
	p, t := fractions(trials)
	b.ReportMetric(float64(pivots)/float64(len(trials)), "pivots/op")
	b.ReportMetric(p, "pivots-of-cold")
	b.ReportMetric(t, "time-of-cold")
	b.ReportMetric(float64(s.NumRows()), "rows")
}
