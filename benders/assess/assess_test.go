package assess_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// farmer is the farmer of Birge and Louveaux (2011, section 1.1): acres of wheat, corn and beets, and three yields. As
// a maximisation its profits are the costs of the book with the sign changed.
func farmer(maximize bool) *stoch.Program {
	m := &lp.Model{Name: "farmer", Maximize: maximize}
	sign := 1.0
	if maximize {
		sign = -1
	}
	col := func(name string, cost, upper float64) int {
		return int(m.AddCol(lp.Col{Name: name, Cost: sign * cost, Upper: upper}))
	}
	for _, c := range []struct {
		name string
		cost float64
	}{{"wheat", 150}, {"corn", 230}, {"beets", 260}} {
		col(c.name, c.cost, lp.Inf)
	}
	m.AddRow(lp.Row{Name: "land", Lower: math.Inf(-1), Upper: 500}, []int32{0, 1, 2}, []float64{1, 1, 1})
	buyWheat, buyCorn := col("buy_wheat", 238, lp.Inf), col("buy_corn", 210, lp.Inf)
	sellWheat, sellCorn := col("sell_wheat", -170, lp.Inf), col("sell_corn", -150, lp.Inf)
	sellQuota, sellMore := col("sell_quota", -36, 6000), col("sell_more", -10, lp.Inf)
	row := func(name string, lower float64, index []int, value ...float64) {
		list := make([]int32, len(index))
		for k, j := range index {
			list[k] = int32(j)
		}
		m.AddRow(lp.Row{Name: name, Lower: lower, Upper: lp.Inf}, list, value)
	}
	row("need_wheat", 200, []int{0, buyWheat, sellWheat}, 2.5, 1, -1)
	row("need_corn", 240, []int{1, buyCorn, sellCorn}, 3, 1, -1)
	row("have_beets", 0, []int{2, sellQuota, sellMore}, 20, -1, -1)
	p := &stoch.Program{Name: "farmer", Core: m, First: 3}
	for _, factor := range []float64{1.2, 1, 0.8} {
		p.Add("", 1.0/3, stoch.Change{Kind: stoch.Entry, Row: 1, Col: 0, Value: 2.5 * factor},
			stoch.Change{Kind: stoch.Entry, Row: 2, Col: 1, Value: 3 * factor},
			stoch.Change{Kind: stoch.Entry, Row: 3, Col: 2, Value: 20 * factor})
	}
	return p
}

// optimum solves the deterministic equivalent, and returns the design and its cost.
func optimum(t *testing.T, p *stoch.Program) ([]float64, float64) {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	r, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil || r.Status != lp.Optimal {
		t.Fatal(r.Status, err)
	}
	return r.X[:p.First], r.Objective
}

// TestFarmer has the numbers of the book: 108390, 115406 when waiting, 107240 with the mean yields.
func TestFarmer(t *testing.T) {
	ctx := context.Background()
	for _, maximize := range []bool{false, true} {
		p := farmer(maximize)
		sign := 1.0
		if maximize {
			sign = -1
		}
		y, best := optimum(t, p)
		if !(math.Abs(sign*best+108390) < 0.5) {
			t.Fatalf("optimum %g", best)
		}
		c, err := assess.Evaluate(ctx, p, y)
		if err != nil || !(math.Abs(c.Mean()-best) < 1e-6) || c.Infeasible != 0 || !c.Equal() {
			t.Errorf("the design costs %+v, %v", c, err)
		}
		if k := c.Worst(maximize); k != 2 {
			t.Errorf("the worst scenario is %d", k)
		}
		known := assess.Range{Low: best, High: best}
		wait, err := assess.WaitAndSee(ctx, p, bnb.DefaultOptions())
		if err != nil || wait.Reason != "" {
			t.Fatal(err, wait.Reason)
		}
		if v := assess.PerfectInformation(p, known, wait); !(math.Abs(v.Low-7015.56) < 0.01 && math.Abs(v.High-7015.56) < 0.01) {
			t.Errorf("EVPI %+v", v)
		}
		mean, err := assess.SolveMean(ctx, p, bnb.DefaultOptions())
		if err != nil || mean.Cost.Reason != "" {
			t.Fatal(err, mean.Cost.Reason)
		}
		if v := assess.StochasticSolution(p, known, mean); !(math.Abs(v.Low-1150) < 0.01 && math.Abs(v.High-1150) < 0.01) {
			t.Errorf("VSS %+v", v)
		}
	}
}

// random is a program of small integers: capacities are built before demands and costs are known, and what is short is
// bought.
func random(rng *rand.Rand, maximize bool) *stoch.Program {
	m := &lp.Model{Maximize: maximize}
	sign := 1.0
	if maximize {
		sign = -1
	}
	first, recourse := 2, 3
	for range first {
		m.AddCol(lp.Col{Cost: sign * float64(1+rng.IntN(5)), Upper: 4, Integer: true})
	}
	for range recourse {
		m.AddCol(lp.Col{Cost: sign * float64(rng.IntN(6)), Upper: 8})
	}
	m.AddCol(lp.Col{Cost: sign * 20, Upper: lp.Inf})
	for i := range 2 {
		row := m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 1}, []int32{int32(i)}, []float64{-2})
		for j := range recourse {
			if v := rng.IntN(3); v > 0 {
				m.AddEntry(row, lp.Var(first+j), float64(v))
			}
		}
	}
	need := m.AddRow(lp.Row{Lower: 4, Upper: lp.Inf}, []int32{2, 3, 4, 5}, []float64{1, 1, 1, 1})
	p := &stoch.Program{Name: "random", Core: m, First: first}
	total := 0.0
	for range 4 {
		list := []stoch.Change{{Kind: stoch.RowLower, Row: lp.Con(need), Value: float64(rng.IntN(12))}}
		if rng.IntN(2) == 0 {
			list = append(list, stoch.Change{Kind: stoch.Cost, Col: lp.Var(first + rng.IntN(recourse)), Value: sign * float64(rng.IntN(9))})
		}
		w := float64(1 + rng.IntN(4))
		total += w
		p.Add("", w, list...)
	}
	p.Normalise()
	return p
}

// designs calls do with every design of a program of random.
func designs(do func(y []float64)) {
	for a := range 5 {
		for b := range 5 {
			do([]float64{float64(a), float64(b)})
		}
	}
}

// TestTailRiskIsMinimised compares the optimum of the program of CVaR with the best of all designs by the tail of their
// costs.
func TestTailRiskIsMinimised(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := random(rng, seed%2 == 1)
		alpha, weight := []float64{0, 0.3, 0.5, 0.9}[rng.IntN(4)], []float64{0.25, 1}[rng.IntN(2)]
		q, err := assess.CVaR(p, alpha, weight)
		if err != nil || q.Validate() != nil {
			t.Fatal(err, q.Validate())
		}
		sign := 1.0
		if p.Core.Maximize {
			sign = -1
		}
		want := math.Inf(1)
		designs(func(y []float64) {
			c, err := assess.Evaluate(context.Background(), p, y)
			if err != nil {
				t.Fatal(err)
			}
			_, _, tail := c.Tail(alpha, p.Core.Maximize)
			want = min(want, sign*((1-weight)*c.Mean()+weight*tail))
		})
		if _, got := optimum(t, q); !(math.Abs(sign*got-want) <= 2e-4*(1+math.Abs(want))) {
			t.Errorf("seed %d, level %g, weight %g: %.10g, the best design has %.10g", seed, alpha, weight, sign*got, want)
		}
	}
	for _, bad := range [][2]float64{{1, 1}, {-0.1, 1}, {0.5, 0}, {0.5, 1.1}, {math.NaN(), 1}} {
		if _, err := assess.CVaR(farmer(false), bad[0], bad[1]); !errors.Is(err, stoch.ErrProgram) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestValuesAreThoseOfEnumeration compares EVPI and VSS of random programs with what enumeration of the designs says.
func TestValuesAreThoseOfEnumeration(t *testing.T) {
	ctx := context.Background()
	exact := bnb.DefaultOptions()
	exact.Gap = 1e-9
	for seed := range uint64(30) {
		p := random(rand.New(rand.NewPCG(seed, 5)), false)
		best, wait := math.Inf(1), make([]float64, len(p.Scenarios))
		for s := range wait {
			wait[s] = math.Inf(1)
		}
		designs(func(y []float64) {
			c, err := assess.Evaluate(ctx, p, y)
			if err != nil {
				t.Fatal(err)
			}
			best = min(best, c.Mean())
			for s, v := range c.Scenario {
				wait[s] = min(wait[s], v)
			}
		})
		want := best
		for s, v := range wait {
			want -= p.Scenarios[s].Probability * v
		}
		see, err := assess.WaitAndSee(ctx, p, exact)
		if err != nil {
			t.Fatal(err)
		}
		if v := assess.PerfectInformation(p, assess.Range{Low: best, High: best}, see); !(math.Abs(v.Low-want) < 1e-5) || v.Low > v.High {
			t.Errorf("seed %d: EVPI %+v, want %g", seed, v, want)
		}
		mean, err := assess.SolveMean(ctx, p, exact)
		if err != nil || mean.Design == nil {
			t.Fatal(err, mean.Cost.Reason)
		}
		m, err := assess.MeanModel(p)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		designs(func(y []float64) { least = min(least, fixed(t, m, y)) })
		if v := fixed(t, m, mean.Design); !(v <= least+1e-6) {
			t.Errorf("seed %d: the design of the mean scenario costs %g there, another one %g", seed, v, least)
		}
		if v := assess.StochasticSolution(p, assess.Range{Low: best, High: best}, mean); !(math.Abs(v.High-(mean.Costs.Mean()-best)) < 1e-9) {
			t.Errorf("seed %d: VSS %+v", seed, v)
		}
	}
}

// fixed is what a design costs in a model.
func fixed(t *testing.T, m *lp.Model, y []float64) float64 {
	t.Helper()
	m = m.Clone()
	for j, v := range y {
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
	}
	r, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != lp.Optimal {
		return math.Inf(1)
	}
	return r.Objective
}

// TestWhatIsNotKnownHasAReason checks the reasons for values that are null.
func TestWhatIsNotKnownHasAReason(t *testing.T) {
	ctx := context.Background()
	m := &lp.Model{} // the mean demand 5 is met by y = 5, the demand 8 by no recourse
	m.AddCol(lp.Col{Name: "y", Cost: 1, Upper: 10})
	m.AddCol(lp.Col{Name: "x", Cost: 1, Upper: 1})
	m.AddRow(lp.Row{Name: "need", Lower: 5, Upper: lp.Inf}, []int32{0, 1}, []float64{1, 1})
	p := &stoch.Program{Core: m, First: 1}
	p.Add("", 0.5, stoch.Change{Kind: stoch.RowLower, Value: 2})
	p.Add("", 0.5, stoch.Change{Kind: stoch.RowLower, Value: 8})
	mean, err := assess.SolveMean(ctx, p, bnb.DefaultOptions())
	v := assess.StochasticSolution(p, assess.Range{Low: 8, High: 8}, mean)
	if err != nil || !math.IsNaN(v.Low) || !strings.Contains(v.Reason, "no recourse in 1 of 2") {
		t.Errorf("%+v, %v", v, err)
	}
	late, cancel := context.WithCancel(ctx)
	cancel()
	if v, err := assess.WaitAndSee(late, p, bnb.DefaultOptions()); err != nil || !strings.Contains(v.Reason, "the time was over after 0 of 2") {
		t.Errorf("%+v, %v", v, err)
	}
	p.Scenarios[1].Changes = append(p.Scenarios[1].Changes, stoch.Change{Kind: stoch.ColUpper, Col: 1, Value: lp.Inf})
	if mean, err := assess.SolveMean(ctx, p, bnb.DefaultOptions()); err != nil || !strings.Contains(mean.Cost.Reason, "a upper bound is infinite") {
		t.Errorf("%+v, %v", mean, err)
	}
	p.Scenarios[1].Changes = []stoch.Change{{Kind: stoch.RowLower, Value: 80}}
	if v, err := assess.WaitAndSee(ctx, p, bnb.DefaultOptions()); err != nil || !strings.Contains(v.Reason, "S00002 is infeasible") {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestDesignsAreChecked refuses points that are no designs, and rounds what is nearly one.
func TestDesignsAreChecked(t *testing.T) {
	p := farmer(false)
	p.Core.Cols[0].Integer = true
	if y, err := assess.RoundDesign(p, []float64{3 + 1e-7, 0, 0}); err != nil || y[0] != 3 {
		t.Errorf("%v, %v", y, err)
	}
	for want, y := range map[string][]float64{"2 columns": {1, 2}, "wheat is 0.5": {0.5, 0, 0}, "corn is -1": {0, -1, 0},
		"row land is 600": {600, 0, 0}} {
		if _, err := assess.RoundDesign(p, y); !errors.Is(err, assess.ErrDesign) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", y, err, want)
		}
	}
}

// TestIntervalsCover draws samples of a known mean: about 90 of 100 intervals at 90% hold it.
func TestIntervalsCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	covered := 0
	for range 1000 {
		values := make([]float64, 8)
		for k := range values {
			values[k] = 3 + 2*rng.NormFloat64()
		}
		if i := assess.Sample(values, 0.9); i.Low <= 3 && i.High >= 3 {
			covered++
		}
	}
	if covered < 870 || covered > 930 {
		t.Errorf("%d of 1000 intervals hold the mean", covered)
	}
	if i := assess.Sample([]float64{4}, 0.9); i.Mean != 4 || !math.IsNaN(i.Low) {
		t.Errorf("one value: %+v", i)
	}
	// Student's quantile for 4 degrees of freedom, from tables.
	if q := assess.Student(4, 0.95); !(math.Abs(q-2.776) < 5e-4) {
		t.Errorf("quantile %g", q)
	}
}

// TestTailOfUnequalScenarios has values by hand: costs 1 to 4 with probabilities 0.1, 0.2, 0.3 and 0.4.
func TestTailOfUnequalScenarios(t *testing.T) {
	c := assess.Costs{Scenario: []float64{2, 4, 1, 3}, Probability: []float64{0.2, 0.4, 0.1, 0.3}}
	for _, w := range []struct {
		alpha, quantile, conditional float64
		scenario                     int
		maximize                     bool
	}{{0.5, 3, (0.4*4 + 0.1*3) / 0.5, 3, false}, {0, 1, 3 - 0.1, 2, false}, {0.9, 4, 4, 1, false}, {1, 4, 4, 1, false},
		{0.8, 2, (0.1*1 + 0.1*2) / 0.2, 0, true}} {
		q, k, tail := c.Tail(w.alpha, w.maximize)
		if w.alpha == 0 {
			w.conditional = c.Mean()
		}
		if !(math.Abs(q-w.quantile) < 1e-9) || k != w.scenario || !(math.Abs(tail-w.conditional) < 1e-9) {
			t.Errorf("%+v: %g %d %g", w, q, k, tail)
		}
	}
}

// TestReplications brackets the optimum of random programs by samples of their scenarios.
func TestReplications(t *testing.T) {
	solve := func(_ context.Context, p *stoch.Program) (*benders.Result, error) {
		y, cost := optimum(t, p)
		return &benders.Result{Status: lp.Optimal, Design: y, Objective: cost, Bound: cost}, nil
	}
	covered := 0
	const programs = 20
	for seed := range uint64(programs) {
		p := random(rand.New(rand.NewPCG(seed, 9)), seed%2 == 1)
		o := assess.DefaultReplications()
		o.Count, o.Size, o.Evaluation, o.Seed = 10, 12, 300, seed
		r, err := assess.Replicate(context.Background(), assess.Resample(p), solve, o)
		if err != nil || r.Status != lp.Optimal || r.Reason != "" || r.Solved != 10 {
			t.Fatalf("%+v, %v", r, err)
		}
		_, best := optimum(t, p)
		truth, err := assess.Evaluate(context.Background(), p, r.Design)
		if err != nil {
			t.Fatal(err)
		}
		if gap := math.Abs(truth.Mean() - best); gap <= r.GapHigh && truth.Mean() >= r.Cost.Low && truth.Mean() <= r.Cost.High {
			covered++
		}
	}
	if covered < programs*8/10 {
		t.Errorf("%d of %d programs within their intervals", covered, programs)
	}
	if o := (assess.Replications{Count: 1}); !errors.Is(o.Validate(), benders.ErrOptions) {
		t.Error("one replication")
	}
}

// TestScenariosThatDoNotOccur gives the farmer a scenario of probability 0 that has no recourse, and no finite side: it
// changes no cost, no risk, no value of information and no mean.
func TestScenariosThatDoNotOccur(t *testing.T) {
	ctx := context.Background()
	for _, maximize := range []bool{false, true} {
		p, with := farmer(maximize), farmer(maximize)
		with.Scenarios = nil
		with.Add("never", 0, stoch.SetRowLower(1, 1e6), stoch.SetColUpper(3, 0))
		with.Scenarios = append(with.Scenarios, p.Scenarios...)
		y, _ := optimum(t, p)

		want, err := assess.Evaluate(ctx, p, y)
		if err != nil {
			t.Fatal(err)
		}
		got, err := assess.Evaluate(ctx, with, y)
		if err != nil {
			t.Fatal(err)
		}
		quantile, k, conditional := got.Tail(0.5, maximize)
		wantQuantile, wantK, wantConditional := want.Tail(0.5, maximize)
		same := got.Mean() == want.Mean() && got.Infeasible == 0 && math.IsNaN(got.Scenario[0]) &&
			got.Worst(maximize) == want.Worst(maximize)+1
		if tail := quantile == wantQuantile && k == wantK+1 && conditional == wantConditional; !same || !tail {
			t.Errorf("%+v, tail %g %d %g; without the scenario %+v", got, quantile, k, conditional, want)
		}

		wait, err := assess.WaitAndSee(ctx, with, bnb.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if alone, err := assess.WaitAndSee(ctx, p, bnb.DefaultOptions()); err != nil || wait != alone {
			t.Errorf("waiting costs %+v, and %+v without the scenario (%v)", wait, alone, err)
		}
		mean, err := assess.SolveMean(ctx, with, bnb.DefaultOptions())
		if err != nil || mean.Cost.Reason != "" || math.Abs(math.Abs(mean.Cost.Low)-107240) > 1 {
			t.Errorf("%+v, %v", mean, err)
		}
	}
}
