package presolve_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// plain are the options of solves that do not presolve.
func plain() simplex.Options {
	opt := simplex.DefaultOptions()
	opt.Presolve = false
	return opt
}

func statuses(v []simplex.VarStatus) []presolve.Status {
	s := make([]presolve.Status, len(v))
	for k := range v {
		s[k] = presolve.Status(v[k])
	}
	return s
}

func varStatuses(v []presolve.Status) []simplex.VarStatus {
	s := make([]simplex.VarStatus, len(v))
	for k := range v {
		s[k] = simplex.VarStatus(v[k])
	}
	return s
}

// answer is what presolve, solve and postsolve said, and what a warm solve from the basis took.
type answer struct {
	outcome    presolve.Outcome
	status     lp.Status
	sol        simplex.Solution
	iterations int // of the reduced model
	warm       int // of the whole model from the basis of postsolve
	reduced    *lp.Model
}

// feasibleNearby reports whether a model is feasible with its sides moved out by a little more than rounding.
func feasibleNearby(t testing.TB, m *lp.Model) bool {
	t.Helper()
	m = m.Clone()
	for i := range m.Rows {
		r := &m.Rows[i]
		r.Lower -= 1e-9 * (1 + math.Abs(r.Lower))
		r.Upper += 1e-9 * (1 + math.Abs(r.Upper))
	}
	sol, err := simplex.Solve(context.Background(), m, plain())
	if err != nil {
		t.Fatal(err)
	}
	return sol.Status != lp.Infeasible
}

// solve presolves m, solves what is left, postsolves, and solves m from the basis.
func solve(t testing.TB, m *lp.Model, opt presolve.Options) answer {
	t.Helper()
	r, err := presolve.Run(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	ans := answer{outcome: r.Status, reduced: r.Model}
	if r.Model == nil {
		return ans
	}
	red, err := simplex.Solve(context.Background(), r.Model, plain())
	if err != nil {
		t.Fatal(err)
	}
	ans.status, ans.iterations = red.Status, red.Iterations
	if red.Exact || red.Status == lp.Infeasible && feasibleNearby(t, r.Model) {
		// The rounding of its coefficients decides the reduced model: rows that are parallel in m need not be parallel
		// there, and sides that meet in m need not meet.
		ans.status = lp.NotSolved
	}
	if ans.status != lp.Optimal {
		return ans
	}
	post := r.Postsolve(presolve.Solution{X: red.X, RowActivity: red.RowActivity, RowDual: red.RowDual,
		ReducedCost: red.ReducedCost, Cols: statuses(red.Basis.Cols), Rows: statuses(red.Basis.Rows)})
	ans.sol = simplex.Solution{X: post.X, RowActivity: post.RowActivity, RowDual: post.RowDual,
		ReducedCost: post.ReducedCost,
		Basis:       simplex.Basis{Cols: varStatuses(post.Cols), Rows: varStatuses(post.Rows)}}
	ans.sol.Objective = m.Evaluate(post.X)
	countBasics(t, m, post)
	s, err := simplex.New(m, plain())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetBasis(&ans.sol.Basis); err != nil {
		t.Fatal(err)
	}
	w, err := s.Solve(context.Background(), simplex.NoLimits())
	if err != nil || w.Status != lp.Optimal {
		t.Fatalf("from the basis of postsolve: %v, %v", w.Status, err)
	}
	if !near(w.Objective, ans.sol.Objective, 1e-6) {
		t.Errorf("objective %.12g after postsolve, %.12g after a warm solve", ans.sol.Objective, w.Objective)
	}
	ans.warm = w.Iterations
	return ans
}

func countBasics(t testing.TB, m *lp.Model, s presolve.Solution) {
	t.Helper()
	n := 0
	for _, part := range [2][]presolve.Status{s.Cols, s.Rows} {
		for _, st := range part {
			if st == presolve.Basic {
				n++
			}
		}
	}
	if n != len(m.Rows) {
		t.Errorf("%d basic variables for %d rows", n, len(m.Rows))
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// structured returns a random model that has the optimum returned, by construction: a point, duals and
// reduced costs with complementary signs come first, and bounds and costs are made from them. Rows and
// columns of every kind that presolve looks for are frequent.
func structured(rng *rand.Rand) (*lp.Model, float64) {
	m := &lp.Model{Maximize: rng.IntN(2) == 0, Offset: float64(rng.IntN(5))}
	n, rows := 1+rng.IntN(14), rng.IntN(14)
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, n)
		for range rng.IntN(5) {
			a[i][rng.IntN(n)] = float64(rng.IntN(9)-4) * []float64{1, 1, .5, .25, 3}[rng.IntN(5)]
		}
		if i > 0 && rng.IntN(5) == 0 {
			f := float64(1+rng.IntN(3)) * []float64{1, -1, .5}[rng.IntN(3)]
			for j := range n {
				a[i][j] = f * a[i-1][j]
			}
		}
	}
	for j := 1; j < n; j++ {
		if rng.IntN(6) == 0 {
			f := float64(1+rng.IntN(3)) * []float64{1, -1}[rng.IntN(2)]
			for i := range rows {
				a[i][j] = f * a[i][j-1]
			}
		}
	}
	x, y := make([]float64, n), make([]float64, rows)
	for j := range x {
		x[j] = float64(rng.IntN(9) - 4)
	}
	bounds := func(v, price float64) (lo, up float64) {
		lo, up = v-float64(rng.IntN(4)), v+float64(rng.IntN(4))
		if rng.IntN(3) == 0 {
			lo = math.Inf(-1)
		}
		if rng.IntN(3) == 0 {
			up = math.Inf(1)
		}
		if price > 0 {
			lo = v
		} else if price < 0 {
			up = v
		}
		return lo, up
	}
	price := func() float64 {
		if rng.IntN(2) == 0 {
			return 0
		}
		return float64(rng.IntN(7) - 3)
	}
	d := make([]float64, n)
	for j := range d {
		d[j] = price()
		lo, up := bounds(x[j], d[j])
		m.AddCol(lp.Col{Lower: lo, Upper: up})
	}
	for i := range y {
		y[i] = price()
		act := 0.0
		var index []int32
		var value []float64
		for j, v := range a[i] {
			act += v * x[j]
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		lo, up := bounds(act, y[i])
		if rng.IntN(3) == 0 {
			lo, up = act, act
		}
		m.AddRow(lp.Row{Lower: lo, Upper: up}, index, value)
	}
	for j := range d {
		for i := range y {
			d[j] += a[i][j] * y[i]
		}
		m.Cols[j].Cost = sense * d[j]
	}
	return m, m.Evaluate(x)
}

// checkOptimal presolves and solves a model with a known optimum.
func checkOptimal(t *testing.T, m *lp.Model, want float64, opt presolve.Options) answer {
	t.Helper()
	ans := solve(t, m, opt)
	if ans.status != lp.Optimal {
		t.Fatalf("%v, %v", ans.outcome, ans.status)
	}
	if !near(ans.sol.Objective, want, 1e-7) {
		t.Errorf("objective %.10g, optimum %.10g", ans.sol.Objective, want)
	}
	if r := simplex.Check(m, &ans.sol); !r.OK(1e-6) {
		t.Errorf("residuals %+v", r)
	}
	return ans
}

var masks = []presolve.Reductions{presolve.FixedCols, presolve.RedundantRows, presolve.SingletonRows,
	presolve.ForcingRows, presolve.FreeSingletons, presolve.Slacks, presolve.Doubletons, presolve.Substitutions,
	presolve.DominatedCols, presolve.DuplicateRows, presolve.DuplicateCols,
	presolve.CostlySlacks, presolve.All}

// TestRandom checks every reduction alone and all of them together on models with a known optimum.
func TestRandom(t *testing.T) {
	cases := uint64(3000)
	if testing.Short() {
		cases = 300
	}
	warm, removed := 0, map[presolve.Reductions]int{}
	for seed := range cases {
		for _, mask := range masks {
			m, want := structured(rand.New(rand.NewPCG(seed, 1)))
			ans := checkOptimal(t, m, want, presolve.Options{Reductions: mask})
			warm += ans.warm
			removed[mask] += len(m.Rows) + len(m.Cols) - len(ans.reduced.Rows) - len(ans.reduced.Cols)
			if t.Failed() {
				t.Fatalf("seed %d, reductions %#x", seed, mask)
			}
		}
		// Any set of them.
		m, want := structured(rand.New(rand.NewPCG(seed, 1)))
		mask := presolve.Reductions(rand.New(rand.NewPCG(seed, 2)).Uint32()) & presolve.All
		warm += checkOptimal(t, m, want, presolve.Options{Reductions: mask}).warm
		if t.Failed() {
			t.Fatalf("seed %d, reductions %#x", seed, mask)
		}
	}
	for _, mask := range masks {
		if removed[mask] == 0 {
			t.Errorf("reductions %#x removed nothing", mask)
		}
	}
	if warm > int(cases)/20 {
		t.Errorf("%d pivots from the bases of postsolve", warm)
	}
	t.Logf("%d pivots in %d warm solves", warm, 14*cases)
}

// TestCostlySlacks relaxes single-commodity fixed-charge networks: of each arc x <= u y nothing may be left but a bound
// on x, which carries the cost of y.
func TestCostlySlacks(t *testing.T) {
	full := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 6))
		m, nodes := &lp.Model{}, 3+rng.IntN(6)
		for range nodes {
			m.AddRow(lp.Row{}, nil, nil)
		}
		for k := range 6 * nodes {
			tail := rng.IntN(nodes)
			head := (tail + 1 + rng.IntN(nodes-1)) % nodes
			if k < nodes { // a cycle
				tail, head = k, (k+1)%nodes
			}
			x := m.AddCol(lp.Col{Upper: math.Inf(1), Cost: float64(rng.IntN(4))})
			y := m.AddCol(lp.Col{Upper: float64(1 + rng.IntN(2)), Cost: float64(1 + rng.IntN(20))})
			m.AddEntry(lp.Con(tail), x, -1)
			m.AddEntry(lp.Con(head), x, 1)
			m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{int32(x), int32(y)}, []float64{1, -float64(5 + rng.IntN(20))})
		}
		for i := range nodes - 1 {
			v := float64(rng.IntN(9) - 4)
			m.Rows[i].Lower, m.Rows[i].Upper = v, v
			m.Rows[nodes-1].Lower -= v
		}
		m.Rows[nodes-1].Upper = m.Rows[nodes-1].Lower
		want, err := simplex.Solve(context.Background(), m, plain())
		if err != nil || want.Status != lp.Optimal {
			t.Fatalf("seed %d: %v, %v", seed, want.Status, err)
		}
		ans := checkOptimal(t, m, want.Objective, presolve.Options{Reductions: presolve.CostlySlacks | presolve.SingletonRows})
		for j := 1; j < len(m.Cols); j += 2 {
			if ans.sol.Basis.Cols[j] == simplex.AtUpper {
				full++
			}
		}
		if left := len(ans.reduced.Rows); left != nodes || ans.warm != 0 || t.Failed() {
			t.Fatalf("seed %d: %d rows left of %d nodes, %d pivots after postsolve", seed, left, nodes, ans.warm)
		}
	}
	if full == 0 {
		t.Error("no arc was full")
	}
}

// arbitrary returns a random model of any status.
func arbitrary(rng *rand.Rand) *lp.Model {
	m, _ := structured(rng)
	for range 1 + rng.IntN(4) {
		j := rng.IntN(len(m.Cols))
		m.Cols[j].Cost = float64(rng.IntN(7) - 3)
		if rng.IntN(2) == 0 {
			m.Cols[j].Lower, m.Cols[j].Upper = math.Inf(-1), float64(rng.IntN(7)-3)
		}
	}
	for range rng.IntN(3) {
		if len(m.Rows) > 0 {
			r := &m.Rows[rng.IntN(len(m.Rows))]
			if math.IsInf(r.Lower, -1) {
				r.Lower = r.Upper - 1
			}
			if rng.IntN(2) == 0 && !math.IsInf(r.Lower, 0) {
				r.Lower, r.Upper = r.Lower+3, r.Upper+3
			}
		}
	}
	for i := range m.Rows {
		if r := &m.Rows[i]; math.IsInf(r.Lower, 1) || r.Lower != r.Lower {
			r.Lower = math.Inf(-1)
		}
	}
	return m
}

// compare checks the outcome on m against a solve without presolve.
func compare(t *testing.T, m *lp.Model, opt presolve.Options) {
	t.Helper()
	want, err := simplex.Solve(context.Background(), m, plain())
	if err != nil {
		t.Skip(err)
	}
	ans := solve(t, m, opt)
	switch {
	case ans.outcome == presolve.Infeasible:
		if want.Status != lp.Infeasible {
			t.Errorf("found infeasible, is %v", want.Status)
		}
	case ans.outcome == presolve.UnboundedOrInfeasible:
		if want.Status != lp.Infeasible && want.Status != lp.Unbounded {
			t.Errorf("found unbounded or infeasible, is %v", want.Status)
		}
	case ans.status == lp.NotSolved:
	case want.Status != ans.status:
		// A model that is both primal and dual infeasible may be called either.
		if want.Status == lp.Optimal || ans.status == lp.Optimal {
			t.Errorf("status %v, without presolve %v", ans.status, want.Status)
		}
	case want.Status == lp.Optimal:
		checkOptimal(t, m, want.Objective, opt)
	}
}

// TestAnyStatus compares with solves without presolve.
func TestAnyStatus(t *testing.T) {
	cases := uint64(10000)
	if testing.Short() {
		cases = 1000
	}
	for seed := range cases {
		mask := presolve.All
		if seed%2 == 1 {
			mask = presolve.Reductions(rand.New(rand.NewPCG(seed, 3)).Uint32()) & presolve.All
		}
		compare(t, arbitrary(rand.New(rand.NewPCG(seed, 4))), presolve.Options{Reductions: mask})
		if t.Failed() {
			t.Fatalf("seed %d, reductions %#x", seed, mask)
		}
	}
}

// TestFreedRow has slacks that leave their row without sides, which must not stay behind: a solver may
// leave its logical nonbasic.
func TestFreedRow(t *testing.T) {
	compare(t, arbitrary(rand.New(rand.NewPCG(20085, 4))), presolve.Options{Reductions: 0x639})
}

func FuzzPresolve(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint32(presolve.All))
	f.Add(uint64(20085), uint64(4), uint32(0x639))
	f.Add(uint64(18962), uint64(1587), uint32(416))
	f.Add(uint64(19311), uint64(1628), uint32(944))
	f.Fuzz(func(t *testing.T, a, b uint64, mask uint32) {
		compare(t, arbitrary(rand.New(rand.NewPCG(a, b))),
			presolve.Options{Reductions: presolve.Reductions(mask) & presolve.All})
	})
}

func TestOptions(t *testing.T) {
	for _, opt := range []presolve.Options{{Reductions: 1 << 30}, {MinGain: -1}, {MinGain: math.NaN()}} {
		if _, err := presolve.Run(&lp.Model{}, opt); !errors.Is(err, presolve.ErrOptions) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := presolve.Run(&lp.Model{Cols: []lp.Col{{Cost: math.NaN()}}},
		presolve.DefaultOptions()); !errors.Is(err, lp.ErrModel) {
		t.Error(err)
	}
}

// TestOutcomes has a model for each outcome, with its column x and its row.
func TestOutcomes(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		want     presolve.Outcome
		opt      presolve.Options
		cost     float64
		lo, up   float64
		rlo, rup float64
	}{
		{presolve.Solved, presolve.DefaultOptions(), 1, 0, 9, 2, inf},
		{presolve.Infeasible, presolve.DefaultOptions(), 1, 0, 1, 2, inf},
		{presolve.Infeasible, presolve.DefaultOptions(), 1, 2, 1, 0, inf},
		{presolve.UnboundedOrInfeasible, presolve.DefaultOptions(), -1, 0, inf, 2, inf},
		{presolve.Unchanged, presolve.Options{MinGain: 1}, -1, 0, 9, -inf, 2},
		{presolve.Reduction, presolve.Options{}, -1, 0, 9, -inf, 2},
	} {
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: c.cost, Lower: c.lo, Upper: c.up})
		m.AddRow(lp.Row{Lower: c.rlo, Upper: c.rup}, []int32{0}, []float64{1})
		r, err := presolve.Run(m, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want {
			t.Errorf("%v, want %v", r.Status, c.want)
		}
	}
}

// TestModelIsLeftAlone runs presolve and looks for changes in what it was given.
func TestModelIsLeftAlone(t *testing.T) {
	for seed := range uint64(200) {
		m, _ := structured(rand.New(rand.NewPCG(seed, 5)))
		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		before, values := m.Clone(), slices.Clone(a.Value)
		if _, err := presolve.Run(m, presolve.DefaultOptions()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before.Cols, m.Cols) || !slices.Equal(before.Rows, m.Rows) || !slices.Equal(values, a.Value) {
			t.Fatalf("seed %d: the model has changed", seed)
		}
	}
}

const netlib = "../../../shared/data/netlib"

func netlibFiles(t *testing.T, pattern string) []string {
	files, _ := filepath.Glob(filepath.Join(netlib, pattern))
	if len(files) == 0 {
		t.Skip("no Netlib files")
	}
	return files
}

func read(t *testing.T, path string) *lp.Model {
	m, _, err := mps.ReadFile(path)
	if err != nil {
		t.Fatal(path, err)
	}
	return m
}

// slow take more than two seconds.
var slow = []string{"dfl001", "qap12", "qap15", "pilot87", "pilot", "d2q06c", "greenbea", "fit2p", "stocfor3",
	"maros-r7", "truss", "d6cube", "fit2d"}

// TestNetlib compares every model but the slowest with the solver without presolve.
func TestNetlib(t *testing.T) {
	var all, left [3]int
	warm := 0
	for _, path := range netlibFiles(t, "*.mps.gz") {
		name := strings.TrimSuffix(filepath.Base(path), ".mps.gz")
		m := read(t, path)
		if os.Getenv("ALL") == "" && slices.Contains(slow, name) || strings.HasPrefix(name, "qap") {
			continue
		}
		ans := solve(t, m, presolve.DefaultOptions())
		if ans.status != lp.Optimal {
			t.Errorf("%s: %v, %v", name, ans.outcome, ans.status)
			continue
		}
		res := simplex.Check(m, &ans.sol)
		if !res.OK(1e-6) {
			t.Errorf("%s: residuals %+v", name, res)
		}
		from := [3]int{len(m.Rows), len(m.Cols), m.NumEntries()}
		to := [3]int{len(ans.reduced.Rows), len(ans.reduced.Cols), ans.reduced.NumEntries()}
		for k := range all {
			all[k] += from[k]
			left[k] += to[k]
		}
		warm += ans.warm
		t.Logf("%-10s %v -> %v, %d pivots, %d after postsolve", name, from, to, ans.iterations, ans.warm)
	}
	t.Logf("rows, columns, coefficients %v -> %v; %d pivots after postsolve", all, left, warm)
}

// TestNetlibInfeasible checks that no infeasible model gets an optimum.
func TestNetlibInfeasible(t *testing.T) {
	for _, path := range netlibFiles(t, "infeasible/*.mps.gz") {
		m := read(t, path)
		r, err := presolve.Run(m, presolve.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if r.Model == nil {
			t.Logf("%s: %v", filepath.Base(path), r.Status)
			continue
		}
		sol, err := simplex.Solve(context.Background(), r.Model, plain())
		if err != nil || sol.Status != lp.Infeasible {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}
