package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// row is a row of a tiny model, dense, for the reference.
type row struct {
	lower, upper float64
	coef         []float64
}

// tiny is a model small enough to be solved by enumeration: at most two continuous columns, all boxed.
type tiny struct {
	maximize bool
	offset   float64
	cost     []float64
	lower    []float64
	upper    []float64
	integer  []bool
	rows     []row
	noise    []float64 // by row, what rounding may have made of its coefficients; shorter where that is nothing
	box      int       // enumeration range of integer columns, [-box, box]
}

// model builds the lp.Model of the rows that keep says.
func (t *tiny) model(keep func(i int) bool) *lp.Model {
	m := &lp.Model{Maximize: t.maximize, Offset: t.offset}
	for j := range t.cost {
		m.AddCol(lp.Col{Cost: t.cost[j], Lower: t.lower[j], Upper: t.upper[j], Integer: t.integer[j]})
	}
	for i, r := range t.rows {
		if keep != nil && !keep(i) {
			continue
		}
		c := r.cut()
		m.AddRow(lp.Row{Lower: r.lower, Upper: r.upper}, c.Index, c.Value)
	}
	return m
}

func (r *row) cut() Cut {
	c := Cut{Lower: r.lower, Upper: r.upper}
	for j, v := range r.coef {
		if v != 0 {
			c.Index = append(c.Index, int32(j))
			c.Value = append(c.Value, v)
		}
	}
	return c
}

func (r *row) violation(x []float64) float64 {
	act := 0.0
	for j, v := range r.coef {
		act += v * x[j]
	}
	return math.Max(r.lower-act, act-r.upper)
}

func (t *tiny) value(x []float64) float64 {
	v := t.offset
	for j, c := range t.cost {
		v += c * x[j]
	}
	return v
}

// randomTiny draws a model. Integer columns may be free, then rows keep them in the box.
func randomTiny(rng *rand.Rand) *tiny {
	ints, conts := 1+rng.IntN(4), max(0, rng.IntN(5)-2)
	n := ints + conts
	t := &tiny{maximize: rng.IntN(2) == 0, box: 4, offset: float64(rng.IntN(3))}
	if ints > 3 {
		t.box = 3
	}
	perm := rng.Perm(n)
	t.integer = make([]bool, n)
	for k := range ints {
		t.integer[perm[k]] = true
	}
	fractionalCosts := rng.IntN(3) == 0
	for j := range n {
		c := float64(rng.IntN(13) - 6)
		if fractionalCosts {
			c += float64(rng.IntN(8)) / 8 * 0.37
		}
		t.cost = append(t.cost, c)
		lo, up := t.bounds(rng, j)
		t.lower, t.upper = append(t.lower, lo), append(t.upper, up)
	}
	t.drawRows(rng, n)
	return t
}

func (t *tiny) bounds(rng *rand.Rand, j int) (lo, up float64) {
	b := float64(t.box)
	if !t.integer[j] {
		lo = float64(rng.IntN(5) - 3)
		return lo, lo + float64(rng.IntN(5)) + 0.5*float64(rng.IntN(2))
	}
	switch rng.IntN(6) {
	case 0: // free, boxed by a row
		return math.Inf(-1), math.Inf(1)
	case 1:
		return 0, 1
	case 2:
		return -b, 0
	case 3:
		return -1.5, 2.25
	}
	lo = float64(rng.IntN(2*t.box) - t.box)
	return lo, math.Min(b, lo+float64(rng.IntN(4)))
}

func (t *tiny) drawRows(rng *rand.Rand, n int) {
	for j := range n {
		if math.IsInf(t.lower[j], -1) {
			r := row{-float64(t.box), float64(t.box), make([]float64, n)}
			r.coef[j] = 1
			t.rows = append(t.rows, r)
		}
	}
	for range 1 + rng.IntN(5) {
		r := row{coef: make([]float64, n)}
		point := 0.0
		for j := range n {
			if rng.IntN(3) > 0 {
				r.coef[j] = float64(rng.IntN(11) - 5)
				if rng.IntN(8) == 0 {
					r.coef[j] *= 0.5
				}
			}
			point += r.coef[j] * float64(rng.IntN(5)-2)
		}
		slack := float64(rng.IntN(6))
		switch rng.IntN(5) {
		case 0:
			r.lower, r.upper = point, point
		case 1:
			r.lower, r.upper = point-slack, point+float64(rng.IntN(6))
		case 2:
			r.lower, r.upper = point-slack, math.Inf(1)
		default:
			r.lower, r.upper = math.Inf(-1), point+slack
		}
		t.rows = append(t.rows, r)
	}
}

// solve enumerates the integer columns; the continuous ones are solved by vertices. It returns the
// best objective, NaN if there is none.
func (t *tiny) solve() float64 {
	best := math.NaN()
	x := make([]float64, len(t.cost))
	var conts []int
	for j := range x {
		if !t.integer[j] {
			conts = append(conts, j)
		}
	}
	var walk func(j int)
	walk = func(j int) {
		if j == len(x) {
			t.vertices(x, conts, func() {
				if v := t.value(x); math.IsNaN(best) || (v < best) != t.maximize && v != best {
					best = v
				}
			})
			return
		}
		if !t.integer[j] {
			walk(j + 1)
			return
		}
		for v := -t.box; v <= t.box; v++ {
			if f := float64(v); f >= t.lower[j] && f <= t.upper[j] {
				x[j] = f
				walk(j + 1)
			}
		}
	}
	walk(0)
	return best
}

func (t *tiny) feasible(x []float64, tol float64) bool {
	for j, v := range x {
		if v < t.lower[j]-tol || v > t.upper[j]+tol {
			return false
		}
	}
	for i := range t.rows {
		if t.rows[i].violation(x) > tol {
			return false
		}
	}
	return true
}

// vertices calls visit at every feasible vertex of the polytope in the continuous columns.
func (t *tiny) vertices(x []float64, conts []int, visit func()) {
	try := func() {
		if t.feasible(x, 1e-9) {
			visit()
		}
	}
	if len(conts) == 0 {
		try()
		return
	}
	planes := t.planes(x, conts)
	if len(conts) == 1 {
		for _, p := range planes {
			if p[0] != 0 {
				x[conts[0]] = p[2] / p[0]
				try()
			}
		}
		return
	}
	for a := range planes {
		for b := range a {
			p, q := planes[a], planes[b]
			det := p[0]*q[1] - p[1]*q[0]
			if math.Abs(det) > 1e-12 {
				x[conts[0]] = (p[2]*q[1] - p[1]*q[2]) / det
				x[conts[1]] = (p[0]*q[2] - p[2]*q[0]) / det
				try()
			}
		}
	}
}

// planes lists the bounding lines a0 u + a1 v = b in the continuous columns.
func (t *tiny) planes(x []float64, conts []int) [][3]float64 {
	var out [][3]float64
	for k, j := range conts {
		for _, b := range []float64{t.lower[j], t.upper[j]} {
			p := [3]float64{2: b}
			p[k] = 1
			out = append(out, p)
		}
	}
	for _, r := range t.rows {
		rest := 0.0
		var p [3]float64
		for j, v := range r.coef {
			if t.integer[j] {
				rest += v * x[j]
			}
		}
		for k, j := range conts {
			p[k] = r.coef[j]
		}
		for _, b := range []float64{r.lower, r.upper} {
			if !math.IsInf(b, 0) {
				p[2] = b - rest
				out = append(out, p)
			}
		}
	}
	return out
}

// exact are options that ask for the optimum itself.
func exact() Options {
	o := DefaultOptions()
	o.Gap, o.AbsoluteGap = 0, 1e-7
	return o
}

// verify compares a finished run with the reference.
func (t *tiny) verify(res Result, want float64) error {
	if math.IsNaN(want) {
		if res.Status != lp.Infeasible || res.X != nil {
			return fmt.Errorf("status %v, objective %g, but no point is feasible", res.Status, res.Objective)
		}
		return nil
	}
	if res.Status != lp.Optimal {
		return fmt.Errorf("status %v, objective %g bound %g, want optimal %g", res.Status, res.Objective, res.Bound, want)
	}
	if !t.feasible(res.X, 1e-6) {
		return fmt.Errorf("point %v is not feasible", res.X)
	}
	for j, v := range res.X {
		if t.integer[j] && v != math.Round(v) {
			return fmt.Errorf("column %d = %g is not integer", j, v)
		}
	}
	if d := math.Abs(t.value(res.X) - res.Objective); !(d <= 1e-9) {
		return fmt.Errorf("objective %g differs from that of the point by %g", res.Objective, d)
	}
	if d := math.Abs(res.Objective - want); !(d <= 2e-6) {
		return fmt.Errorf("objective %g, want %g", res.Objective, want)
	}
	if d := math.Abs(res.Bound - want); !(d <= 2e-6) {
		return fmt.Errorf("bound %g, want %g", res.Bound, want)
	}
	return nil
}

// bounded checks a run that a limit may have stopped: what it claims must be true.
func (t *tiny) bounded(res Result, want float64) error {
	if !res.Status.Limited() {
		return t.verify(res, want)
	}
	if res.X != nil && !t.feasible(res.X, 1e-6) {
		return fmt.Errorf("point %v is not feasible", res.X)
	}
	if res.X != nil && math.IsNaN(want) {
		return fmt.Errorf("point %v of an infeasible model", res.X)
	}
	sense := 1.0
	if t.maximize {
		sense = -1
	}
	if !math.IsNaN(want) && sense*res.Bound > sense*want+2e-6 {
		return fmt.Errorf("bound %g claims more than the optimum %g", res.Bound, want)
	}
	if res.X != nil && sense*res.Objective < sense*want-2e-6 {
		return fmt.Errorf("objective %g is better than the optimum %g", res.Objective, want)
	}
	return nil
}

// forTinies runs f on many models; a failure names the seed that replays it.
func forTinies(t *testing.T, count int, f func(rng *rand.Rand, m *tiny, want float64) error) {
	t.Helper()
	infeasible := 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 77))
		m := randomTiny(rng)
		want := m.solve()
		if math.IsNaN(want) {
			infeasible++
		}
		if err := f(rng, m, want); err != nil {
			t.Errorf("seed %d: %v\n%+v", seed, err, m)
			if t.Failed() && seed > uint64(count)/2 {
				return
			}
		}
	}
	if infeasible == 0 || infeasible > count*3/4 {
		t.Errorf("%d of %d models are infeasible: the generator has lost its balance", infeasible, count)
	}
}

func TestTinyAgainstEnumeration(t *testing.T) {
	forTinies(t, 4000, func(rng *rand.Rand, m *tiny, want float64) error {
		res, err := Solve(context.Background(), m.model(nil), exact(), Hooks{})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})
}

func TestTinyDefaultGap(t *testing.T) {
	forTinies(t, 500, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := DefaultOptions()
		opt.Gap = []float64{1e-4, 0.05, 0.5, 2}[rng.IntN(4)]
		res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
		if err != nil || math.IsNaN(want) {
			return err
		}
		if res.Status != lp.Optimal || !(math.Abs(res.Objective-want) <= opt.Gap*math.Abs(res.Objective)+1e-6) {
			return fmt.Errorf("status %v, objective %g outside the gap %g of %g", res.Status, res.Objective, opt.Gap, want)
		}
		if !(res.Gap <= opt.Gap+1e-9 || math.Abs(res.Objective-res.Bound) < 1e-8) {
			return fmt.Errorf("gap %g reported as optimal", res.Gap)
		}
		return nil
	})
}

// hiding solves m with the rows that hidden marks behind the lazy hook.
func hiding(m *tiny, hidden []bool, opt Options, more Hooks) (Result, error) {
	var hookErr error
	more.Lazy = func(_ context.Context, c Candidate) (Separation, error) {
		var sep Separation
		for i := range m.rows {
			if hidden[i] && m.rows[i].violation(c.X) > 1e-9 {
				sep.Cuts = append(sep.Cuts, m.rows[i].cut())
			}
		}
		return sep, nil
	}
	more.Incumbent = func(c Candidate) {
		if !m.feasible(c.X, 1e-5) {
			hookErr = fmt.Errorf("the incumbent %v breaks a hidden row", c.X)
		}
	}
	res, err := Solve(context.Background(), m.model(func(i int) bool { return !hidden[i] }), opt, more)
	if hookErr != nil {
		return res, hookErr
	}
	return res, err
}

func hideHalf(rng *rand.Rand, m *tiny) []bool {
	hidden := make([]bool, len(m.rows))
	for i := range hidden {
		single := 0
		for _, v := range m.rows[i].coef {
			if v != 0 {
				single++
			}
		}
		hidden[i] = single != 1 && rng.IntN(2) == 0 // rows that box a free column stay
	}
	return hidden
}

func TestTinyLazy(t *testing.T) {
	forTinies(t, 2500, func(rng *rand.Rand, m *tiny, want float64) error {
		res, err := hiding(m, hideHalf(rng, m), exact(), Hooks{})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})
}

// validCuts are consequences of a tiny model: positive combinations of its rows, and its optimum.
func validCuts(rng *rand.Rand, m *tiny, want float64) []Cut {
	var cuts []Cut
	if !math.IsNaN(want) && rng.IntN(2) == 0 {
		r := row{want - m.offset, math.Inf(1), m.cost}
		if m.maximize {
			r.lower, r.upper = math.Inf(-1), want-m.offset
		}
		cuts = append(cuts, r.cut())
	}
	for range 3 {
		r := row{coef: make([]float64, len(m.cost))}
		for i := range m.rows {
			f := float64(rng.IntN(3))
			if f == 0 {
				continue
			}
			for j, v := range m.rows[i].coef {
				r.coef[j] += f * v
			}
			r.lower += f * m.rows[i].lower
			r.upper += f * m.rows[i].upper
		}
		cuts = append(cuts, r.cut())
	}
	return cuts
}

func TestTinyUserCuts(t *testing.T) {
	forTinies(t, 1500, func(rng *rand.Rand, m *tiny, want float64) error {
		hidden := make([]bool, len(m.rows))
		if rng.IntN(2) == 0 {
			hidden = hideHalf(rng, m)
		}
		user := func(context.Context, Candidate) (Separation, error) {
			return Separation{Cuts: validCuts(rng, m, want)}, nil
		}
		res, err := hiding(m, hidden, exact(), Hooks{User: user})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})
}

func TestTinyStartsAndPoints(t *testing.T) {
	forTinies(t, 1500, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := exact()
		random := func() []float64 {
			x := make([]float64, len(m.cost))
			for j := range x {
				x[j] = float64(rng.IntN(5) - 2)
			}
			return x
		}
		for range rng.IntN(3) {
			opt.Start = append(opt.Start, random())
		}
		points := func(context.Context, Candidate) (Separation, error) {
			return Separation{Points: [][]float64{random(), random()}}, nil
		}
		res, err := hiding(m, hideHalf(rng, m), opt, Hooks{Heuristic: points, User: points})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})
}

func TestTinyLimits(t *testing.T) {
	forTinies(t, 1500, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := exact()
		opt.RootRounds, opt.NodeRounds = rng.IntN(3), rng.IntN(2)
		var hooks Hooks
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		switch rng.IntN(3) {
		case 0:
			opt.MaxNodes = rng.IntN(4)
		case 1:
			opt.MaxWork = float64(rng.IntN(2000))
		default:
			left := rng.IntN(4)
			hooks.Node = func(Candidate) {
				if left--; left <= 0 {
					cancel()
				}
			}
		}
		res, err := Solve(ctx, m.model(nil), opt, hooks)
		if err != nil {
			return err
		}
		return m.bounded(res, want)
	})
}

func TestTinyCutoff(t *testing.T) {
	forTinies(t, 1000, func(rng *rand.Rand, m *tiny, want float64) error {
		if math.IsNaN(want) {
			return nil
		}
		opt := exact()
		opt.HasCutoff = true
		sense := 1.0
		if m.maximize {
			sense = -1
		}
		opt.Cutoff = want + sense*float64(rng.IntN(5)-2)*0.75
		res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
		if err != nil {
			return err
		}
		tie := math.Abs(want-opt.Cutoff) < 1e-9 // either answer is right to the tolerances
		if sense*want < sense*opt.Cutoff && !tie || tie && res.Status == lp.Optimal {
			return m.verify(res, want)
		}
		if res.Status != lp.ObjectiveLimit || res.X != nil || sense*res.Bound > sense*want+1e-6 {
			return fmt.Errorf("status %v, bound %g with cutoff %g and optimum %g", res.Status, res.Bound, opt.Cutoff, want)
		}
		return nil
	})
}
