package twostage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// farmer is the farmer's problem of Birge and Louveaux, Introduction to Stochastic Programming, section 1.1: 500 acres,
// three crops, three yields with equal probability; the optimal profit is 108390.
func farmer() *lp.Model {
	m := &lp.Model{Name: "farmer"}
	crops := []string{"wheat", "corn", "beets"}
	acres := make([]int32, 3)
	for k, cost := range []float64{150, 230, 260} {
		acres[k] = int32(m.AddCol(lp.Col{Name: "acres_" + crops[k], Cost: cost, Upper: lp.Inf}))
	}
	m.AddRow(lp.Row{Name: "land", Lower: math.Inf(-1), Upper: 500}, acres, []float64{1, 1, 1})
	for s, factor := range []float64{1.2, 1, 0.8} {
		col := func(name string, cost, upper float64) int32 {
			return int32(m.AddCol(lp.Col{Name: fmt.Sprintf("%s_%d", name, s), Cost: cost / 3, Upper: upper}))
		}
		for k, crop := range crops[:2] {
			buy, sell := col("buy_"+crop, []float64{238, 210}[k], lp.Inf), col("sell_"+crop, []float64{-170, -150}[k], lp.Inf)
			m.AddRow(lp.Row{Name: fmt.Sprintf("need_%s_%d", crop, s), Lower: []float64{200, 240}[k], Upper: lp.Inf},
				[]int32{acres[k], buy, sell}, []float64{factor * []float64{2.5, 3}[k], 1, -1})
		}
		quota, more := col("sell_quota", -36, 6000), col("sell_more", -10, lp.Inf)
		m.AddRow(lp.Row{Name: fmt.Sprintf("beets_%d", s), Lower: math.Inf(-1), Upper: 0}, []int32{acres[2], quota, more},
			[]float64{-factor * 20, 1, 1})
	}
	return m
}

func named(prefix string, m *lp.Model) []lp.Var {
	list, err := Match(m, []string{prefix + "*"})
	if err != nil {
		panic(err)
	}
	return list
}

type driver struct {
	name  string
	solve func(context.Context, *benders.Problem, benders.Separator, benders.Options) (*benders.Result, error)
}

var drivers = []driver{{"outer", benders.OuterLoop}, {"bbc", benders.BranchAndCut}}

// prover is a recorder that proves every cut of a run.
type prover struct {
	t    *testing.T
	p    *Problem
	cuts int
}

func (r *prover) Separated(_ benders.Point, s *benders.Separation, _ []benders.Cut) {
	for k := range s.Cuts {
		r.cuts++
		if err := r.p.Check(&s.Cuts[k]); err != nil {
			r.t.Errorf("cut %d: %v", r.cuts, err)
		}
	}
}

// run solves a problem exactly by a driver and proves every cut, the initial ones too.
func run(t *testing.T, p *Problem, d driver, eo ExactOptions, o benders.Options) *benders.Result {
	t.Helper()
	e, err := NewExact(p, eo)
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rec := &prover{t: t, p: p}
	for k := range b.Initial {
		if err := p.Check(&b.Initial[k]); err != nil {
			t.Errorf("initial cut %d: %v", k, err)
		}
	}
	o.Recorder = rec
	r, err := d.solve(context.Background(), b, e, o)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	if e.uncertified > 0 {
		t.Errorf("%s: %d cuts without certificate", d.name, e.uncertified)
	}
	return r
}

func exactOptions() benders.Options {
	o := benders.DefaultOptions()
	o.Gap = 1e-9
	return o
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

func TestFarmer(t *testing.T) {
	m := farmer()
	for _, single := range []bool{false, true} {
		for _, pareto := range []bool{false, true} {
			p, err := New(m, named("acres", m), Options{Single: single})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{false: 9, true: 1}[single]; p.Epigraphs() != want || p.Components() != 9 {
				t.Errorf("%d epigraphs, %d components", p.Epigraphs(), p.Components())
			}
			for _, d := range drivers {
				eo := DefaultExactOptions()
				eo.Pareto = pareto
				r := run(t, p, d, eo, exactOptions())
				if r.Status != lp.Optimal || !near(r.Objective, -108390) || !near(r.Design[0], 170) || !near(r.Design[1], 80) || !near(r.Design[2], 250) {
					t.Errorf("%s single %v pareto %v: %v %v at %v", d.name, single, pareto, r.Status, r.Objective, r.Design)
				}
				t.Logf("%s single %v pareto %v: %+v", d.name, single, pareto, r.Cuts)
			}
		}
	}
}

// example2 is Example 2 of the paper, B = -I, with y giving the right-hand side: d(y) = y.
func example2() *lp.Model {
	m := &lp.Model{Name: "example2"}
	for k := range 2 {
		m.AddCol(lp.Col{Name: fmt.Sprintf("y%d", k), Lower: -2, Upper: 2, Integer: true})
	}
	x0, x1 := m.AddCol(lp.Col{Name: "x0", Upper: lp.Inf}), m.AddCol(lp.Col{Name: "x1", Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{0, int32(x0)}, []float64{-1, -1})
	m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{1, int32(x1)}, []float64{-1, -1})
	m.AddRow(lp.Row{Lower: -1000, Upper: 1000}, []int32{int32(x0), int32(x1)}, []float64{1, 1}) // ties the two together
	return m
}

// TestExample2 compares the slice with the box of Appendix A: a certificate of the slice is an extreme ray of the cone,
// that of the box a mixture of two, whose cut keeps designs that have no recourse.
func TestExample2(t *testing.T) {
	p, err := New(example2(), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{1, 0.5}
	e, err := NewExact(p, DefaultExactOptions())
	if err != nil {
		t.Fatal(err)
	}
	lambda, v, err := e.Infeasibility(context.Background(), 0, y)
	if err != nil || v != 1 || lambda[0] != 1 || lambda[1] != 0 {
		t.Errorf("slice: value %v at %v, %v; want 1 at 1, 0", v, lambda, err)
	}
	s, err := e.Separate(context.Background(), benders.Point{Y: y})
	if err != nil || !s.Infeasible || len(s.Cuts) != 1 || p.Check(&s.Cuts[0]) != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	box := &lp.Model{Maximize: true} // max d(y)'lambda, B'lambda <= 0, lambda <= 1, with d(y) = y and B = -I
	for _, d := range y {
		box.AddCol(lp.Col{Cost: d, Upper: 1})
	}
	for i := range y {
		box.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, []int32{int32(i)}, []float64{-1})
	}
	mixed, err := simplex.Solve(context.Background(), box, simplex.DefaultOptions())
	if err != nil || mixed.Objective != 1.5 || mixed.X[0] != 1 || mixed.X[1] != 1 {
		t.Fatalf("box: %v at %v, %v; want 1.5 at 1, 1", mixed.Objective, mixed.X, err)
	}
	boxed := DefaultExactOptions()
	boxed.Normalisation = Box
	b, err := NewExact(p, boxed)
	if err != nil {
		t.Fatal(err)
	}
	lambda, v, err = b.Infeasibility(context.Background(), 0, y)
	if err != nil || v != 1.5 || lambda[0] != 1 || lambda[1] != 1 {
		t.Errorf("box: value %v at %v, %v; want 1.5 at 1, 1", v, lambda, err)
	}
	none := []float64{1, -1} // y0 + y1 <= 0, the box's cut, keeps it
	if mixed.X[0]*none[0]+mixed.X[1]*none[1] > 0 || !(s.Cuts[0].Value(none) > 0) {
		t.Errorf("the cut of the slice is no stronger than that of the box: %+v", s.Cuts[0])
	}
	if s, err := e.Separate(context.Background(), benders.Point{Y: none}); err != nil || !s.Infeasible {
		t.Errorf("%v has recourse: %+v, %v", none, s, err)
	}
}

func TestNewRefuses(t *testing.T) {
	m := farmer()
	m.Cols[5].Integer = true
	if _, err := New(m, named("acres", m), Options{}); !errors.Is(err, ErrProblem) || !strings.Contains(err.Error(), m.Cols[5].Name) {
		t.Errorf("an integer recourse column: %v", err)
	}
	m = farmer()
	if _, err := New(m, nil, Options{}); !errors.Is(err, ErrProblem) {
		t.Errorf("no first stage: %v", err)
	}
	if _, err := New(m, named("", m), Options{}); !errors.Is(err, ErrProblem) {
		t.Errorf("no recourse: %v", err)
	}
	m.Cols[0].Cost = math.NaN()
	if _, err := New(m, named("acres", m), Options{}); !errors.Is(err, lp.ErrModel) {
		t.Errorf("a NaN cost: %v", err)
	}
}

// randomModel is a small two-stage program with rows and columns of every kind. Its recourse may be infeasible, and is
// bounded: costs of columns that a side leaves open push the other way.
func randomModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "random"}
	n, blocks := 2+rng.IntN(4), 1+rng.IntN(3)
	for j := range n {
		c := lp.Col{Name: fmt.Sprintf("y%d", j), Cost: float64(rng.IntN(21) - 4), Upper: float64(1 + rng.IntN(3)), Integer: true}
		if rng.IntN(4) == 0 {
			c.Lower = -2
		}
		if rng.IntN(4) == 0 {
			c.Integer, c.Upper = false, 1.5
		}
		m.AddCol(c)
	}
	number := func() float64 {
		if rng.IntN(2) == 0 {
			return float64(rng.IntN(9) - 4)
		}
		return math.Round(100*rng.NormFloat64()) / 30
	}
	if rng.IntN(2) == 0 {
		var index []int32
		var value []float64
		for j := range n {
			index, value = append(index, int32(j)), append(value, 1)
		}
		m.AddRow(lp.Row{Name: "first", Lower: 1, Upper: lp.Inf}, index, value)
	}
	for b := range blocks {
		cols := 2 + rng.IntN(5)
		start := len(m.Cols)
		point := make([]float64, cols)
		for k := range cols {
			c := lp.Col{Name: fmt.Sprintf("x%d_%d", b, k), Cost: 10 * rng.Float64(), Upper: lp.Inf}
			switch rng.IntN(6) {
			case 0:
				c.Upper = 3
				c.Cost = number()
			case 1:
				c.Lower, c.Upper = math.Inf(-1), 2
				c.Cost = -c.Cost
			case 2:
				c.Lower = math.Inf(-1)
				c.Cost = 0
			}
			point[k] = max(c.Lower, min(c.Upper, math.Round(3*rng.Float64())))
			m.AddCol(c)
		}
		for i := range 2 + rng.IntN(5) {
			var index []int32
			var value []float64
			act := 0.0
			for j := range n {
				if rng.IntN(3) == 0 {
					index, value = append(index, int32(j)), append(value, number())
					act += value[len(value)-1] * float64(rng.IntN(2))
				}
			}
			for k := range cols {
				if rng.IntN(3) > 0 {
					index, value = append(index, int32(start+k)), append(value, number())
					act += value[len(value)-1] * point[k]
				}
			}
			r := lp.Row{Name: fmt.Sprintf("r%d_%d", b, i), Lower: act - 1, Upper: lp.Inf}
			switch rng.IntN(5) {
			case 0:
				r.Lower, r.Upper = math.Inf(-1), act+1
			case 1:
				r.Upper = act + 2
			case 2:
				if i < 2 {
					r.Lower, r.Upper = act, act
				}
			}
			m.AddRow(r, index, value)
		}
	}
	return m
}

// firstOf marks the columns whose names start with y.
func firstOf(m *lp.Model) []lp.Var { return named("y", m) }

func fullOptimum(t *testing.T, m *lp.Model) bnb.Result {
	t.Helper()
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	r, err := bnb.Solve(context.Background(), m, o, bnb.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRandomEqualsFullModel solves random programs by both drivers and compares with branch and cut on the whole model.
// Every cut is proven.
func TestRandomEqualsFullModel(t *testing.T) {
	counts := map[lp.Status]int{}
	feasibility, free := 0, 0
	for seed := range uint64(300) {
		m := randomModel(rand.New(rand.NewPCG(seed, 51)))
		full := fullOptimum(t, m)
		p, err := New(m, firstOf(m), Options{Single: seed%3 == 0})
		if err != nil {
			if errors.Is(err, ErrProblem) && strings.Contains(err.Error(), "no recourse") {
				continue
			}
			t.Fatal(err)
		}
		d := drivers[seed%2]
		e, err := NewExact(p, ExactOptions{Pareto: seed%5 == 0, Step: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.problem(context.Background())
		if full.Status == lp.Unbounded || errors.Is(err, ErrUnbounded) {
			counts[lp.Unbounded]++
			if !errors.Is(err, ErrUnbounded) || full.Status == lp.Optimal {
				t.Errorf("seed %d: the full model is %v, the two-stage one says %v", seed, full.Status, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o := exactOptions()
		rec := &prover{t: t, p: p}
		o.Recorder = rec
		r, err := d.solve(context.Background(), b, e, o)
		if err != nil {
			t.Fatalf("seed %d %s: %v", seed, d.name, err)
		}
		counts[r.Status]++
		feasibility += r.Cuts.Feasibility
		free += e.uncertified
		if r.Status != full.Status || full.Status == lp.Optimal && (!near(r.Objective, full.Objective) || r.Bound > full.Objective+1e-6*max(1, math.Abs(full.Objective))) {
			t.Errorf("seed %d %s: %v %v bound %v, the full model %v %v", seed, d.name, r.Status, r.Objective, r.Bound, full.Status, full.Objective)
		}
	}
	t.Logf("%v, %d feasibility cuts, %d uncertified", counts, feasibility, free)
	if counts[lp.Optimal] < 50 || counts[lp.Infeasible] < 5 || feasibility < 20 {
		t.Errorf("%v, %d feasibility cuts: the test proves little", counts, feasibility)
	}
}
