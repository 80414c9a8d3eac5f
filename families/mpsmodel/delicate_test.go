package mpsmodel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// delicate is a two-stage model of integers whose rows have coefficients of 1e5 to 1e9 and sides near a multiple of
// them, so that points within every tolerance on columns break a row by 1 or more:
//
//	min  sum_j cost_j a_j + price d + weights on q and x
//	     sum_j big_ij a_j (+ small d, in row 0)  =, <=, >=  side_i
//	     a_j <= top b_j,  q >= sum_j b_j - free,  deep a_0 + x >= least,  x <= most
//
// a_j in 0..top and d in 0..wide are integer, b_j are binary, q and x >= 0 are the recourse. All data are integers below
// 2^53, so that enumeration decides it exactly.
type delicate struct {
	cost, price       int64
	big               [][]int64 // by row
	small, wide       int64
	side              []int64
	sense             []int // -1 for <=, 0 for =, 1 for >=
	top, free         int64
	deep, least, most int64 // deep is 0 where there is no such row
	columns           int   // a_j
}

func newDelicate(rng *rand.Rand) *delicate {
	d := &delicate{columns: 2 + rng.IntN(3), top: 1 + rng.Int64N(3), cost: rng.Int64N(3), price: 1 + rng.Int64N(3),
		small: []int64{0, 1, 2, 3, 100}[rng.IntN(5)], wide: []int64{2, 50, 6000000}[rng.IntN(3)], free: rng.Int64N(2)}
	unit := []int64{1e5, 1e6, 1e7, 1e8, 1e9}[rng.IntN(5)]
	near := func() int64 { return unit*(1+rng.Int64N(3)) + []int64{-100, -2, -1, 0, 0, 1, 2, 3, 100}[rng.IntN(9)] }
	for range 1 + rng.IntN(2) {
		row := make([]int64, d.columns)
		for j := range row {
			row[j] = unit * []int64{0, 1, 1, 1, 2}[rng.IntN(5)]
			if rng.IntN(6) == 0 {
				row[j] += rng.Int64N(3) - 1
			}
		}
		d.big, d.side, d.sense = append(d.big, row), append(d.side, near()), append(d.sense, []int{-1, 0, 0, 1}[rng.IntN(4)])
	}
	if rng.IntN(3) == 0 {
		d.deep, d.least, d.most = unit, near(), []int64{0, 1, 99, unit / 2}[rng.IntN(4)]
	}
	return d
}

// model writes it as a model: columns a, b, d, q, x.
func (d *delicate) model() *lp.Model {
	m := &lp.Model{Name: "delicate"}
	var a, b []lp.Var
	links := lp.Sum{}
	for j := range d.columns {
		a = append(a, m.Integer(fmt.Sprintf("a%d", j), float64(d.cost), 0, float64(d.top)))
	}
	for j := range d.columns {
		b = append(b, m.Binary(fmt.Sprintf("b%d", j), 0))
		links = append(links, b[j].Times(-1))
	}
	wide := m.Integer("d", float64(d.price), 0, float64(d.wide))
	q, x := m.Nonnegative("q", 5), m.Between("x", 1, 0, float64(d.most))
	for i, row := range d.big {
		sum := lp.Sum{}
		for j, v := range row {
			sum = append(sum, a[j].Times(float64(v)))
		}
		if i == 0 {
			sum = append(sum, wide.Times(float64(d.small)))
		}
		lower, upper := float64(d.side[i]), float64(d.side[i])
		if d.sense[i] < 0 {
			lower = math.Inf(-1)
		} else if d.sense[i] > 0 {
			upper = lp.Inf
		}
		m.Range(lower, upper, sum)
	}
	for j := range a {
		m.AtMost(0, a[j].Times(1), b[j].Times(-float64(d.top)))
	}
	m.AtLeast(-float64(d.free), q.Times(1), links)
	if d.deep > 0 {
		m.AtLeast(float64(d.least), a[0].Times(float64(d.deep)), x.Times(1))
	}
	return m
}

// exact returns the cost of a design, and false if it is none or has no recourse.
func (d *delicate) exact(a []int64, wide int64) (cost int64, ok bool) {
	open := int64(0)
	for j, v := range a {
		if v < 0 || v > d.top {
			return 0, false
		}
		open += min(v, 1)
		cost += d.cost * a[j]
	}
	for i, row := range d.big {
		sum := int64(0)
		for j, v := range row {
			sum += v * a[j]
		}
		if i == 0 {
			sum += d.small * wide
		}
		if d.sense[i] <= 0 && sum > d.side[i] || d.sense[i] >= 0 && sum < d.side[i] {
			return 0, false
		}
	}
	if d.deep > 0 {
		x := max(0, d.least-d.deep*a[0])
		if x > d.most {
			return 0, false
		}
		cost += x
	}
	return cost + d.price*wide + 5*max(0, open-d.free), wide >= 0 && wide <= d.wide
}

// optimum enumerates a, and for each the values of d next to where row 0 begins and ends to hold.
func (d *delicate) optimum() (best int64, found bool) {
	a := make([]int64, d.columns)
	for {
		sum := d.side[0]
		for j, v := range d.big[0] {
			sum -= v * a[j]
		}
		tries := []int64{0, d.wide}
		if d.small > 0 {
			for _, by := range []int64{-1, 0, 1} {
				tries = append(tries, min(max(sum/d.small+by, 0), d.wide))
			}
		}
		for _, wide := range tries {
			if cost, ok := d.exact(a, wide); ok && (!found || cost < best) {
				best, found = cost, true
			}
		}
		j := 0
		for ; j < d.columns && a[j] == d.top; j++ {
			a[j] = 0
		}
		if j == d.columns {
			return best, found
		}
		a[j]++
	}
}

// judge returns what is wrong with an answer: another status or value than enumeration finds, a bound above it, or a
// design that costs more than is said or is none. An answer that claims nothing is not wrong.
func (d *delicate) judge(a answer, design []float64) string {
	best, found := d.optimum()
	slack := 1e-6 * max(1, math.Abs(float64(best)))
	if a.status == lp.Optimal && (!found || math.Abs(a.objective-float64(best)) > slack+bulkGap*float64(best)) {
		return fmt.Sprintf("the optimum is %d, feasible: %v", best, found)
	}
	if found && (a.status == lp.Infeasible || a.bound > float64(best)+slack) || a.status == lp.Unbounded {
		return fmt.Sprintf("the optimum is %d", best)
	}
	if design == nil {
		return ""
	}
	ints := make([]int64, len(design))
	for j, v := range design {
		ints[j] = int64(v)
		if float64(ints[j]) != v {
			return fmt.Sprintf("the design has %g", v)
		}
	}
	b := ints[d.columns : 2*d.columns]
	extra := int64(0) // what open binaries cost that need not be open
	for j, v := range b {
		if v < min(ints[j], 1) {
			return fmt.Sprintf("a%d is %d and b%d is 0", j, ints[j], j)
		}
		extra += v - min(ints[j], 1)
	}
	cost, ok := d.exact(ints[:d.columns], ints[2*d.columns])
	if !ok || a.objective < float64(cost)-slack || a.objective > float64(cost+5*extra)+slack {
		return fmt.Sprintf("the design %v costs %d, feasible: %v", ints, cost, ok)
	}
	return ""
}

// runs solves an instance by every method and scheme that it has, and by branch and cut on the model.
func (d *delicate) runs(u *generic.Plain, report func(a answer, design []float64)) {
	ctx := context.Background()
	report(answers(u)[0], nil) // mip
	type attempt struct {
		method decompose.Method
		scheme decompose.Scheme
	}
	list := []attempt{{decompose.Exact, decompose.Auto}}
	for _, w := range ways {
		list = append(list, attempt{w.method, w.scheme})
	}
	m, _, err := pipeline.NewModel(Family, u, families.ModelOptions{Hidden: []int{2}, Seed: 1})
	if err == nil {
		for _, p := range m.Net.Params() {
			clear(p.Value)
		}
		for _, method := range []decompose.Method{decompose.Proxy, decompose.Hybrid} {
			list = append(list, attempt{method, decompose.BBC}, attempt{method, decompose.Outer}, attempt{method, decompose.Auto})
		}
	}
	for _, w := range list {
		a := answer{way: fmt.Sprintf("%s %s", w.method, w.scheme), objective: math.NaN(), bound: math.Inf(-1)}
		o := decompose.Options{Method: w.method, Scheme: w.scheme, Model: m, Benders: bulkOptions()}
		r, err := pipeline.Solve(ctx, u, o)
		var design []float64
		if a.err = err; err == nil {
			a.status, a.objective, a.bound, design = r.Status, r.Objective, r.Bound, r.Design
		}
		report(a, design)
	}
	for _, method := range []decompose.Method{decompose.Exact, decompose.Aggregated} {
		a := answer{way: fmt.Sprintf("%s recorded", method), objective: math.NaN(), bound: math.Inf(-1)}
		r, _, err := recordedRun(u, method, bulkOptions())
		var design []float64
		if a.err = err; err == nil {
			a.status, a.objective, a.bound, design = r.Status, r.Objective, r.Bound, r.Design
		}
		report(a, design)
	}
}

// TestDelicateModels solves models with large coefficients by every method and scheme, recorded and not, and judges
// statuses, values and designs by exact enumeration. PROXYBD_BULK and PROXYBD_SEED are those of TestRandomModels.
func TestDelicateModels(t *testing.T) {
	count, first := bulk(t, 100)
	counts := map[string]int{}
	for k := range uint64(count) {
		seed := first + k
		d := newDelicate(rand.New(rand.NewPCG(seed, 0xde11ca7e)))
		u, err := generic.NewPlain("mps", d.model(), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		d.runs(u, func(a answer, design []float64) {
			kind := a.status.String()
			if a.err != nil {
				kind = "failed"
				t.Logf("seed %d: %v", seed, a)
			}
			counts[kind]++
			if what := d.judge(a, design); what != "" && a.err == nil {
				counts["wrong"]++
				t.Errorf("seed %d (PROXYBD_SEED=%d PROXYBD_BULK=1 replays it): %v: %s", seed, seed, a, what)
			}
		})
	}
	t.Logf("%d models: %v", count, counts)
}
