package twostage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// check solves a model by both drivers, with one epigraph and several, plain and with Pareto cuts, and compares with
// branch and cut on the whole model.
func check(t *testing.T, m *lp.Model, first []lp.Var) bnbResult {
	t.Helper()
	full := fullOptimum(t, m)
	for k, d := range []driver{drivers[0], drivers[1], drivers[0], drivers[1]} {
		p, err := New(m, first, Options{Single: k >= 2})
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, p, d, ExactOptions{Pareto: k%2 == 1, Step: 1e-6}, exactOptions())
		if r.Status != full.Status || full.Status == lp.Optimal && !near(r.Objective, full.Objective) {
			t.Errorf("%s %d: %v %v, the whole model %v %v", d.name, k, r.Status, r.Objective, full.Status, full.Objective)
		}
		t.Logf("%s %d: %v %.8g in %v, cuts %+v", d.name, k, r.Status, r.Objective, r.Elapsed, r.Cuts)
	}
	return bnbResult{full.Status, full.Objective}
}

type bnbResult struct {
	status    lp.Status
	objective float64
}

// bounded has a recourse whose columns are bounded on both sides, so that every completion is in closed form.
func bounded(rng *rand.Rand, n, m int) *lp.Model {
	model := &lp.Model{Name: "bounded"}
	for j := range n {
		model.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: float64(5 + rng.IntN(20)), Upper: 1, Integer: true})
	}
	for i := range m {
		model.AddCol(lp.Col{Name: fmt.Sprintf("x%d", i), Cost: float64(rng.IntN(9) - 3), Lower: -1, Upper: float64(2 + rng.IntN(4))})
	}
	for i := range m {
		index, value := []int32{int32(n + i), int32(n + (i+1)%m)}, []float64{1, 1}
		for j := range n {
			if rng.IntN(3) == 0 {
				index, value = append(index, int32(j)), append(value, float64(1+rng.IntN(5)))
			}
		}
		index, value = append(index, int32(n)+int32(m)+int32(i)), append(value, 1)
		model.AddCol(lp.Col{Name: fmt.Sprintf("short%d", i), Cost: 30, Upper: 100})
		model.AddRow(lp.Row{Name: fmt.Sprintf("r%d", i), Lower: float64(rng.IntN(8)), Upper: lp.Inf}, index, value)
	}
	return model
}

func TestBoundedRecourse(t *testing.T) {
	for seed := range uint64(5) {
		m := bounded(rand.New(rand.NewPCG(seed, 71)), 6, 8)
		if r := check(t, m, nil); r.status != lp.Optimal {
			t.Errorf("seed %d: %v", seed, r.status)
		}
	}
	p, err := New(bounded(rand.New(rand.NewPCG(1, 71)), 4, 5), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCertifier(p, CompletionOptions{Predicted: func(int) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range c.pieces {
		if !q.closed {
			t.Error("a completion of bounded columns is not in closed form")
		}
	}
}

// supply has no recourse unless enough is opened, in every period of its own.
func supply(n, periods, demand int) *lp.Model {
	m := &lp.Model{Name: "supply"}
	for j := range n {
		m.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: float64(10 + 3*j), Upper: 1, Integer: true})
	}
	for t := range periods {
		var index []int32
		for j := range n {
			x := m.AddCol(lp.Col{Name: fmt.Sprintf("x%d_%d", t, j), Cost: float64(1 + (t*3+j*2)%5), Upper: lp.Inf})
			index = append(index, int32(x))
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 0}, []int32{int32(x), int32(j)}, []float64{1, -float64(3 + j)})
		}
		value := make([]float64, n)
		for j := range value {
			value[j] = 1
		}
		m.AddRow(lp.Row{Lower: float64(demand + t), Upper: float64(demand + t)}, index, value)
	}
	return m
}

func TestInfeasibleRecourse(t *testing.T) {
	if r := check(t, supply(5, 3, 12), nil); r.status != lp.Optimal {
		t.Errorf("%v", r.status)
	}
	if r := check(t, supply(5, 3, 40), nil); r.status != lp.Infeasible { // 25 is all there is
		t.Errorf("%v", r.status)
	}
}

// TestDegenerateRecourse has components without rows that bind, without costs, without a first-stage column and without
// a solution of their own.
func TestDegenerateRecourse(t *testing.T) {
	m := supply(4, 2, 6)
	z := m.AddCol(lp.Col{Name: "z", Cost: 2, Lower: 1, Upper: lp.Inf})
	w := m.AddCol(lp.Col{Name: "w", Lower: math.Inf(-1), Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 3, Upper: 3}, []int32{int32(z), int32(w)}, []float64{1, 1})
	u := m.AddCol(lp.Col{Name: "u", Cost: -1, Upper: 7})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: lp.Inf}, []int32{int32(u), 0}, []float64{1, 1})
	m.AddCol(lp.Col{Name: "lonely", Cost: -3, Upper: 2})
	if r := check(t, m, nil); r.status != lp.Optimal {
		t.Errorf("%v", r.status)
	}
	v := m.AddCol(lp.Col{Name: "v", Upper: 1})
	m.AddRow(lp.Row{Lower: 2, Upper: lp.Inf}, []int32{int32(v)}, []float64{1})
	if r := check(t, m, nil); r.status != lp.Infeasible {
		t.Errorf("%v", r.status)
	}
}

// TestUnboundedRecourse names the columns along which the cost falls.
func TestUnboundedRecourse(t *testing.T) {
	m := supply(3, 1, 4)
	x := m.AddCol(lp.Col{Name: "gold", Cost: -1, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{0, int32(x)}, []float64{1, 1})
	p, err := New(m, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExact(p, DefaultExactOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.problem(context.Background()); !errors.Is(err, ErrUnbounded) {
		t.Errorf("the relaxation: %v", err)
	}
	if _, err := e.Separate(context.Background(), benders.Point{Y: []float64{1, 1, 1}}); !errors.Is(err, ErrUnbounded) || !strings.Contains(err.Error(), "gold") {
		t.Errorf("the recourse: %v", err)
	}
}

// capacitated reads an OR-Library file into the strong model of capacitated location.
func capacitated(t *testing.T, path string) *lp.Model {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no ../shared/data (OR-Library)")
	}
	if err != nil {
		t.Fatal(err)
	}
	next := func(fields *[]string) float64 {
		v, err := strconv.ParseFloat((*fields)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		*fields = (*fields)[1:]
		return v
	}
	f := strings.Fields(string(text))
	n, clients := int(next(&f)), int(next(&f))
	m := &lp.Model{Name: filepath.Base(path)}
	capacity := make([]float64, n)
	for j := range n {
		capacity[j] = next(&f)
		m.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: next(&f), Upper: 1, Integer: true})
	}
	for j := range n {
		m.AddRow(lp.Row{Name: fmt.Sprintf("supply%d", j), Lower: math.Inf(-1), Upper: 0}, []int32{int32(j)}, []float64{-capacity[j]})
	}
	for i := range clients {
		demand := next(&f)
		serve := m.AddRow(lp.Row{Name: fmt.Sprintf("serve%d", i), Lower: 1, Upper: lp.Inf}, nil, nil)
		for j := range n {
			x := m.AddCol(lp.Col{Name: fmt.Sprintf("x%d_%d", i, j), Cost: next(&f), Upper: 1})
			m.AddEntry(serve, x, 1)
			m.AddEntry(lp.Con(j), x, demand)
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 0}, []int32{int32(x), int32(j)}, []float64{1, -1})
		}
	}
	return m
}

// TestCapAsGeneralModel solves OR-Library's location models as general ones; the optima are published.
func TestCapAsGeneralModel(t *testing.T) {
	for name, want := range map[string]float64{"cap41": 1040444.375, "cap71": 932615.75, "cap91": 796648.4375} {
		t.Run(name, func(t *testing.T) {
			m := capacitated(t, filepath.Join("..", "..", "..", "shared", "data", "cap", name+".txt"))
			p, err := New(m, nil, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range drivers {
				r := run(t, p, d, DefaultExactOptions(), exactOptions())
				if r.Status != lp.Optimal || !near(r.Objective, want) {
					t.Errorf("%s: %v %v, want %v", d.name, r.Status, r.Objective, want)
				}
				t.Logf("%s: %.10g in %v, cuts %+v", d.name, r.Objective, r.Elapsed, r.Cuts)
			}
		})
	}
}

// TestPareto checks the promise of the option: at the core point its cuts are at least as high as the plain ones, and
// as high at the point itself.
func TestPareto(t *testing.T) {
	better := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 72))
		m := bounded(rng, 5, 6)
		p, err := New(m, nil, Options{Single: true})
		if err != nil {
			t.Fatal(err)
		}
		core := []float64{0.5, 0.5, 0.5, 0.5, 0.5}
		y := make([]float64, 5)
		for j := range y {
			y[j] = float64(rng.IntN(2))
		}
		var at, inside [2]float64
		for k := range 2 {
			e, err := NewExact(p, ExactOptions{Pareto: k == 1, Core: core, Step: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			s, err := e.Separate(context.Background(), benders.Point{Y: y, Integer: true})
			if err != nil || len(s.Cuts) != 1 {
				t.Fatal(s, err)
			}
			at[k], inside[k] = s.Cuts[0].Value(y), s.Cuts[0].Value(core)
		}
		if !near(at[0], at[1]) || inside[1] < inside[0]-1e-6 {
			t.Errorf("seed %d: plain %v and %v inside, Pareto %v and %v", seed, at[0], inside[0], at[1], inside[1])
		}
		if inside[1] > inside[0]+1e-6 {
			better++
		}
	}
	if better < 5 {
		t.Errorf("Pareto cuts were higher inside in %d of 60 cases only", better)
	}
}

// projectV1 replaces predicted multipliers by those of their projections onto V1(B).
func projectV1(c *Certifier, prediction []float64) error {
	for _, q := range c.pieces {
		lambda := make([]float64, len(q.c.rows))
		for t, i := range q.predicted {
			lambda[i] = prediction[q.offset+t]
		}
		if err := q.ontoV1(context.Background(), lambda); err != nil {
			return err
		}
		for t, i := range q.predicted {
			prediction[q.offset+t] = lambda[i]
		}
	}
	return nil
}

// TestProjectV1 projects onto V1(B) where it is all of the simplex (the paper's Example 2) and where it is {0}.
func TestProjectV1(t *testing.T) {
	p, err := New(example2(), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCertifier(p, CompletionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct{ from, to []float64 }{
		{[]float64{0.25, 0.5}, []float64{0.25, 0.5}}, {[]float64{-1, 0.5}, []float64{0, 0.5}}, {[]float64{0, 3}, []float64{0, 1}},
	} {
		got := append([]float64(nil), v.from...)
		if err := projectV1(c, got); err != nil || math.Abs(got[0]-v.to[0])+math.Abs(got[1]-v.to[1]) > 1e-9 {
			t.Errorf("%v is projected to %v, %v; want %v", v.from, got, err, v.to)
		}
	}
	m := &lp.Model{Name: "demand"} // B >= 0, and the capacities are in G
	m.AddCol(lp.Col{Name: "y", Upper: 1, Integer: true})
	x := m.AddCol(lp.Col{Name: "x", Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 5, Upper: lp.Inf}, []int32{0, int32(x)}, []float64{2, 1})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 4}, []int32{int32(x)}, []float64{1})
	if p, err = New(m, nil, Options{}); err != nil {
		t.Fatal(err)
	}
	p.implied = implied{lower: []float64{math.Inf(-1), math.Inf(-1)}, upper: []float64{math.Inf(1), math.Inf(1)}} // as the paper has it
	if c, err = NewCertifier(p, CompletionOptions{Feasibility: true}); err != nil {
		t.Fatal(err)
	}
	lambda := []float64{0.7}
	if err := projectV1(c, lambda); err != nil || lambda[0] != 0 {
		t.Errorf("V1(B) = {0} projects to %v, %v", lambda, err)
	}
	cuts, err := c.completeFeasibility(context.Background(), []float64{0.7}, []float64{0}) // jointly: 0 >= 0.7 (5 - 2y) - 0.7 * 4
	if err != nil || len(cuts) != 1 || !(cuts[0].Value([]float64{0}) > 0) || p.Check(&cuts[0]) != nil {
		t.Errorf("the joint repair gives %+v, %v", cuts, err)
	}
}

// FuzzModel makes a tiny model of raw bytes and solves it, exactly and with multipliers from the bytes: every cut is
// proven.
func FuzzModel(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte{1, 2, 3, 250, 5, 128, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		number := func() float64 {
			if len(data) == 0 {
				return 1
			}
			v := float64(int8(data[0])) / 3
			data = data[1:]
			return v
		}
		m := &lp.Model{Name: "fuzz"}
		m.AddCol(lp.Col{Name: "y0", Cost: number(), Upper: 2, Integer: true})
		m.AddCol(lp.Col{Name: "y1", Cost: number(), Lower: -1, Upper: 1, Integer: true})
		for k := range 3 {
			c := lp.Col{Name: fmt.Sprintf("x%d", k), Cost: number(), Upper: lp.Inf}
			if v := number(); v < 0 {
				c.Lower, c.Upper = v, -v
			} else if v > 30 {
				c.Lower = math.Inf(-1)
			}
			m.AddCol(c)
		}
		for range 3 {
			r := lp.Row{Lower: number(), Upper: lp.Inf}
			if v := number(); v < 0 {
				r.Upper = r.Lower - v
			} else if v < 10 {
				r.Lower, r.Upper = math.Inf(-1), r.Lower
			}
			var value []float64
			for range 5 {
				value = append(value, number())
			}
			m.AddRow(r, []int32{0, 1, 2, 3, 4}, value)
		}
		p, err := New(m, nil, Options{})
		if err != nil {
			return
		}
		e, err := NewExact(p, DefaultExactOptions())
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.problem(context.Background())
		if err != nil {
			if !errors.Is(err, ErrUnbounded) {
				t.Fatal(err)
			}
			return
		}
		o := exactOptions()
		o.Recorder = &prover{t: t, p: p}
		if _, err := benders.BranchAndCut(context.Background(), b, e, o); err != nil && !errors.Is(err, ErrUnbounded) {
			t.Fatal(err)
		}
		c, err := NewCertifier(p, CompletionOptions{Feasibility: true})
		if err != nil {
			t.Fatal(err)
		}
		lambda := make([]float64, c.Dim())
		for k := range lambda {
			lambda[k] = number()
		}
		c.Project(lambda)
		s, err := c.Complete(lambda, benders.Point{Y: []float64{1, 0}})
		if err != nil && !errors.Is(err, ErrUnbounded) {
			t.Fatal(err)
		}
		for k := range s.Cuts {
			if err := p.Check(&s.Cuts[k]); err != nil {
				t.Error(err)
			}
		}
	})
}
