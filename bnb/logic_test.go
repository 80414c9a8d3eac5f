package bnb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// puzzle is a tiny model with special ordered sets, semi-continuous columns and indicators, as files say it.
type puzzle struct {
	maximize bool
	cols     []lp.Col
	semi     []bool
	rows     []puzzleRow
	sets     []lp.Set
}

type puzzleRow struct {
	lower, upper float64
	coef         []float64
	when         int // the column that the row depends on, -1 for none
	is           int
}

// randomPuzzle draws a model of up to seven columns. With wide bounds coefficients of auxiliary columns are large.
func randomPuzzle(rng *rand.Rand) *puzzle {
	p := &puzzle{maximize: rng.IntN(2) == 0}
	n := 3 + rng.IntN(5)
	wide := 1.0
	if rng.IntN(4) == 0 {
		wide = math.Pow(10, float64(2+rng.IntN(6)))
	}
	binaries := rng.IntN(3)
	free := rng.IntN(2) == 0
	for j := range n {
		c := lp.Col{Name: fmt.Sprintf("x%d", j), Cost: float64(rng.IntN(21) - 10), Upper: float64(1+rng.IntN(9)) * wide}
		semi := false
		switch kind := rng.IntN(8); {
		case j < binaries:
			c.Upper, c.Integer = 1, true
		case kind == 0:
			c.Upper, c.Integer = float64(1+rng.IntN(3)), true
			semi = rng.IntN(2) == 0
			c.Lower = float64(rng.IntN(3)) - 1
		case kind == 1:
			c.Lower = -float64(rng.IntN(5))
		case kind == 2:
			c.Lower, c.Upper = -float64(4+rng.IntN(5))*wide, -float64(rng.IntN(4))
			semi = c.Upper < 0
		case kind <= 4:
			c.Lower, semi = float64(rng.IntN(5)), true
		case kind == 5:
			c.Upper = lp.Inf // a row may bound it
		}

		// Some models have columns without bounds, in sets, semi-continuous or in conditional rows.
		if free && !c.Integer && rng.IntN(2) == 0 {
			switch {
			case semi && c.Upper < 0:
				c.Lower = math.Inf(-1)
			case rng.IntN(3) == 0 && !semi:
				c.Lower, c.Upper = math.Inf(-1), lp.Inf
			default:
				c.Upper = lp.Inf
			}
		}
		if c.Upper < c.Lower {
			c.Upper = c.Lower
		}
		p.cols, p.semi = append(p.cols, c), append(p.semi, semi)
	}
	for range 1 + rng.IntN(4) {
		r := puzzleRow{lower: math.Inf(-1), upper: float64(rng.IntN(20)), coef: make([]float64, n), when: -1}
		for j := range r.coef {
			if rng.IntN(3) > 0 {
				r.coef[j] = float64(rng.IntN(11)-4) / 2
			}
		}
		switch rng.IntN(5) {
		case 0:
			r.lower, r.upper = float64(rng.IntN(8)-4), lp.Inf
		case 1:
			r.lower = r.upper
		}
		if binaries > 0 && rng.IntN(2) == 0 {
			r.when, r.is = rng.IntN(binaries), rng.IntN(2)
		}
		p.rows = append(p.rows, r)
	}
	for k := range rng.IntN(3) {
		s := lp.Set{Name: fmt.Sprintf("set%d", k), Kind: lp.SetKind(1 + rng.IntN(2))}
		for _, j := range rng.Perm(n)[:1+rng.IntN(min(n, 5))] {
			s.Vars = append(s.Vars, lp.Var(j))
		}
		p.sets = append(p.sets, s)
	}
	return p
}

// bound writes a bound as LP files do.
func bound(v float64) string {
	if math.IsInf(v, 0) {
		return strings.ToLower(fmt.Sprintf("%+g", v))
	}
	return fmt.Sprintf("%g", v)
}

// expression writes the terms of a row.
func expression(coef []float64, name func(int) string) string {
	text := ""
	for j, v := range coef {
		if v != 0 {
			text += fmt.Sprintf(" %+g %s", v, name(j))
		}
	}
	if text == "" {
		text = " 0 " + name(0)
	}
	return text
}

// lpText is the model as an LP file.
func (p *puzzle) lpText() string {
	name := func(j int) string { return p.cols[j].Name }
	cost := make([]float64, len(p.cols))
	for j := range cost {
		cost[j] = p.cols[j].Cost
	}
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s\n obj:%s\nSubject To\n", map[bool]string{true: "Maximize", false: "Minimize"}[p.maximize], expression(cost, name))
	for i, r := range p.rows {
		fmt.Fprintf(b, " r%d:", i)
		if r.when >= 0 {
			fmt.Fprintf(b, " %s = %d ->", name(r.when), r.is)
		}
		switch expr := expression(r.coef, name); {
		case r.lower == r.upper:
			fmt.Fprintf(b, "%s = %g\n", expr, r.upper)
		case math.IsInf(r.lower, -1):
			fmt.Fprintf(b, "%s <= %g\n", expr, r.upper)
		default:
			fmt.Fprintf(b, "%s >= %g\n", expr, r.lower)
		}
	}
	b.WriteString("Bounds\n")
	integers, semis := "", ""
	for j, c := range p.cols {
		fmt.Fprintf(b, " %s <= %s <= %s\n", bound(c.Lower), name(j), bound(c.Upper))
		if c.Integer {
			integers += " " + name(j)
		}
		if p.semi[j] {
			semis += " " + name(j)
		}
	}
	if integers != "" {
		fmt.Fprintf(b, "Generals\n%s\n", integers)
	}
	if semis != "" {
		fmt.Fprintf(b, "Semi-Continuous\n%s\n", semis)
	}
	if len(p.sets) > 0 {
		b.WriteString("SOS\n")
		for _, s := range p.sets {
			fmt.Fprintf(b, " %s: S%d::", s.Name, s.Kind)
			for k, j := range s.Vars {
				fmt.Fprintf(b, " %s:%d", name(int(j)), 3*k+1)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("End\n")
	return b.String()
}

// card is a line of an MPS file whose fields stand in the columns of fixed MPS, which cbc asks for.
func card(code, name, key, value any) string {
	return fmt.Sprintf(" %-2v %-8v  %-8v  %12v\n", code, name, key, value)
}

// mpsText is the model as an MPS file.
func (p *puzzle) mpsText() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "NAME          puzzle\nOBJSENSE\n    %s\nROWS\n N  obj\n", map[bool]string{true: "MAX", false: "MIN"}[p.maximize])
	rhs, indicators := "", ""
	for i, r := range p.rows {
		kind, side := "G", r.lower
		switch {
		case r.lower == r.upper:
			kind = "E"
		case math.IsInf(r.lower, -1):
			kind, side = "L", r.upper
		}
		fmt.Fprintf(b, " %s  r%d\n", kind, i)
		rhs += card("", "RHS", fmt.Sprintf("r%d", i), side)
		if r.when >= 0 {
			indicators += card("IF", fmt.Sprintf("r%d", i), p.cols[r.when].Name, r.is)
		}
	}
	b.WriteString("COLUMNS\n")
	bounds := ""
	for j, c := range p.cols {
		marker := func(word string) {
			if c.Integer {
				fmt.Fprintf(b, "    M%d        'MARKER'                 '%s'\n", j, word)
			}
		}
		marker("INTORG")
		b.WriteString(card("", c.Name, "obj", c.Cost))
		for i, r := range p.rows {
			if r.coef[j] != 0 {
				b.WriteString(card("", c.Name, fmt.Sprintf("r%d", i), r.coef[j]))
			}
		}
		marker("INTEND")
		if math.IsInf(c.Lower, -1) {
			bounds += card("MI", "B", c.Name, "")
		} else {
			bounds += card("LO", "B", c.Name, c.Lower)
		}
		switch {
		case p.semi[j]:
			bounds += card("SC", "B", c.Name, math.Min(c.Upper, 1e30))
		case math.IsInf(c.Upper, 1):
			bounds += card("PL", "B", c.Name, "")
		default:
			bounds += card("UP", "B", c.Name, c.Upper)
		}
	}
	fmt.Fprintf(b, "RHS\n%sBOUNDS\n%s", rhs, bounds)
	if len(p.sets) > 0 {
		b.WriteString("SOS\n")
		for _, s := range p.sets {
			fmt.Fprintf(b, " S%d %s\n", s.Kind, s.Name)
			for k, j := range s.Vars {
				fmt.Fprintf(b, "    %-10s%d\n", p.cols[j].Name, 3*k+1)
			}
		}
	}
	if indicators != "" {
		b.WriteString("INDICATORS\n" + indicators)
	}
	b.WriteString("ENDATA\n")
	return b.String()
}

// enumerate returns the best objective over all choices that the disjunctions leave, each a linear program; NaN where
// none is feasible. unbounded says that one of them is.
func (p *puzzle) enumerate(ctx context.Context) (best float64, unbounded bool, err error) {
	lower, upper := make([]float64, len(p.cols)), make([]float64, len(p.cols))
	for j, c := range p.cols {
		lower[j], upper[j] = c.Lower, c.Upper
	}
	best = math.NaN()
	leaf := func() error {
		m := &lp.Model{Maximize: p.maximize}
		for j, c := range p.cols {
			if lower[j] > upper[j] {
				return nil
			}
			m.AddCol(lp.Col{Cost: c.Cost, Lower: lower[j], Upper: upper[j]})
		}
		for _, r := range p.rows {
			if r.when >= 0 && lower[r.when] != float64(r.is) {
				continue
			}
			var sum lp.Sum
			for j, v := range r.coef {
				sum = append(sum, lp.Term{Coef: v, Var: lp.Var(j)})
			}
			m.Range(r.lower, r.upper, sum)
		}
		opt := simplex.DefaultOptions()
		opt.Tolerances = simplex.Tolerances{Primal: 1e-9, Dual: 1e-9}
		sol, err := simplex.Solve(ctx, m, opt)
		if err != nil {
			return err
		}
		switch sol.Status {
		case lp.Unbounded:
			unbounded = true
		case lp.Optimal:
			if !(sol.Objective >= best) != p.maximize || math.IsNaN(best) {
				best = sol.Objective
			}
		}
		return nil
	}
	// within restricts a column for what follows.
	within := func(j int, lo, up float64, next func() error) error {
		l, u := lower[j], upper[j]
		lower[j], upper[j] = math.Max(l, lo), math.Min(u, up)
		err := next()
		lower[j], upper[j] = l, u
		return err
	}
	var integers func(j int) error
	integers = func(j int) error {
		if j == len(p.cols) {
			return leaf()
		}
		if !p.cols[j].Integer {
			return integers(j + 1)
		}
		for v := math.Ceil(lower[j]); v <= upper[j]; v++ {
			if err := within(j, v, v, func() error { return integers(j + 1) }); err != nil {
				return err
			}
		}
		return nil
	}
	var zeros func(k, at int, s lp.Set, first int) error
	var sets func(k int) error
	zeros = func(k, at int, s lp.Set, first int) error {
		if at == len(s.Vars) {
			return sets(k + 1)
		}
		next := func() error { return zeros(k, at+1, s, first) }
		if at >= first && at < first+int(s.Kind) {
			return next()
		}
		return within(int(s.Vars[at]), 0, 0, next)
	}
	sets = func(k int) error {
		if k == len(p.sets) {
			return integers(0)
		}
		s := p.sets[k]
		for first := 0; first == 0 || first+int(s.Kind) <= len(s.Vars); first++ {
			if err := zeros(k, 0, s, first); err != nil {
				return err
			}
		}
		return nil
	}
	var semis func(j int) error
	semis = func(j int) error {
		switch {
		case j == len(p.cols):
			return sets(0)
		case !p.semi[j]:
			return semis(j + 1)
		}
		if err := semis(j + 1); err != nil {
			return err
		}
		l, u := lower[j], upper[j]
		lower[j], upper[j] = 0, 0
		err := semis(j + 1)
		lower[j], upper[j] = l, u
		return err
	}
	err = semis(0)
	return best, unbounded, err
}

// TestLogicAgainstEnumeration solves random models with sets, semi-continuous columns and indicators, as LP and MPS
// files, and compares with the best linear program over all choices. The points must hold what the file says. Columns
// without bounds are among them; what is left to branching, presolve, cuts and threads take turns.
func TestLogicAgainstEnumeration(t *testing.T) {
	count := seeds(t, 3000, 300)
	solved := map[lp.Form]int{}
	infeasible, unlimited, refused := 0, 0, 0
	for seed := range count {
		p := randomPuzzle(rand.New(rand.NewPCG(seed, 18)))
		want, unbounded, err := p.enumerate(t.Context())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text, read := p.lpText(), mps.ReadLP
		if seed%2 == 1 {
			text, read = p.mpsText(), mps.Read
		}
		m, _, err := read(strings.NewReader(text), "puzzle")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}

		form := lp.Form(seed / 2 % 3)
		if form != lp.Automatic {
			stated, l := m.Stated()
			l.Form = form
			var e *lp.LogicError
			switch err := stated.Impose(l); {
			case errors.As(err, &e) && form == lp.AsRows && strings.Contains(e.Detail(), "bound"):
				refused++
				continue
			case err != nil:
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			m = stated
		}
		if form == lp.AsRows && m.Branched().Any() {
			t.Fatalf("seed %d: rows leave something to branching\n%s", seed, text)
		}

		opt := puzzleOptions(seed)
		res, err := Solve(t.Context(), m, opt, Hooks{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		switch {
		case res.Status == lp.Unbounded && unbounded:
			unlimited++
		case res.Status == lp.Infeasible && math.IsNaN(want) && !unbounded:
			infeasible++
		case res.Status != lp.Optimal || unbounded || !(math.Abs(res.Objective-want) <= 1e-5*math.Max(1, math.Abs(want))):
			t.Fatalf("seed %d: %v %.12g, enumeration %.12g (unbounded %t)\n%s", seed, res.Status, res.Objective, want, unbounded, text)
		default:
			solved[form]++
			if v, err := m.LogicViolation(res.X); err != nil || !(v <= 2.001e-6) {
				t.Fatalf("seed %d: the point breaks the model's logic by %g: %v\n%s", seed, v, err, text)
			}
			if err := m.Check(res.X); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if seed%8 == 0 {
				writtenTheSame(t, seed, m, res.Objective)
			}
		}
	}
	t.Logf("%v solved, %d infeasible, %d unbounded, %d refused", solved, infeasible, unlimited, refused)
	for _, n := range []int{8 * solved[0], 8 * solved[1], 8 * solved[2], 50 * infeasible, 50 * unlimited, 50 * refused} {
		if n < int(count) {
			t.Errorf("%v solved, %d infeasible, %d unbounded, %d refused of %d: the test has lost its point", solved, infeasible, unlimited, refused, count)
			break
		}
	}
}

// seeds is the number of models of a test, fewer in short mode; the environment variable PROXYBD_SEEDS says another one.
func seeds(t *testing.T, usual, short uint64) uint64 {
	t.Helper()
	if text := os.Getenv("PROXYBD_SEEDS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return short
	}
	return usual
}

// puzzleOptions are options for a seed: with and without presolve, cuts and ordered sets, with two threads that share
// the tree from the first nodes on.
func puzzleOptions(seed uint64) Options {
	opt := DefaultOptions()
	opt.Gap = 1e-9
	opt.Presolve = seed%3 > 0
	opt.Cuts = seed%5 > 0
	opt.tuning.orderedSetsOff = seed%7 == 0
	if seed%4 == 3 {
		opt.Threads = 2
		opt.tuning.minRoundWork = 1
	}
	if seed%11 == 0 {
		opt.tuning.restartAfter = 2
	}
	return opt
}

// writtenTheSame writes a model and reads it back: a model of the same optimum, plain where rows state it.
func writtenTheSame(t *testing.T, seed uint64, m *lp.Model, want float64) {
	t.Helper()
	var file bytes.Buffer
	write, read := mps.Write, mps.Read
	if seed%16 == 0 {
		write, read = mps.WriteLP, mps.ReadLP
	}
	if err := write(&file, m); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	back, _, err := read(&file, "written")
	rows, noRows := m.Explicit()
	if err != nil || back.HasLogic() != (noRows != nil) || noRows == nil && rows.Branched().Any() {
		t.Fatalf("seed %d: %v, logic %t, in rows: %v", seed, err, back.HasLogic(), noRows)
	}
	opt := DefaultOptions()
	opt.Gap = 1e-9
	res, err := Solve(t.Context(), back, opt, Hooks{})
	if err != nil || res.Status != lp.Optimal || !(math.Abs(res.Objective-want) <= 1e-6*math.Max(1, math.Abs(want))) {
		t.Fatalf("seed %d: %v %.12g %v, the model that was written has %.12g", seed, res.Status, res.Objective, err, want)
	}
}

// TestPoolOfLogic asks for several points of a model in which only hidden columns can make two of them differ.
func TestPoolOfLogic(t *testing.T) {
	m, _, err := mps.ReadLP(strings.NewReader("max\n obj: x + y + z + b\nst\n c: x + y + z <= 3\nbounds\n x <= 4\n y <= 4\n z <= 4\n"+
		"bin\n b\nsos\n s: S2:: x:1 y:2 z:3\nend\n"), "t.lp")
	if err != nil {
		t.Fatal(err)
	}
	opt := DefaultOptions()
	opt.PoolSize = 10
	for _, opt.Presolve = range []bool{false, true} {
		res, err := Solve(t.Context(), m, opt, Hooks{})
		if err != nil || res.Status != lp.Optimal || math.Abs(res.Objective-4) > 1e-9 {
			t.Fatalf("%v %g %v", res.Status, res.Objective, err)
		}
		seen := map[float64]bool{}
		for _, p := range res.Pool {
			if seen[p.X[3]] {
				t.Errorf("two points with b = %g: %v", p.X[3], res.Pool)
			}
			seen[p.X[3]] = true
		}
	}
}
