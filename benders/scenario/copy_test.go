package scenario

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// fixedCharge draws a program of 0-1 capacities that serve random demands; what is not served has a price.
func fixedCharge(rng *rand.Rand) *stoch.Program {
	sites, clients := 2+rng.IntN(3), 1+rng.IntN(3)
	m := &lp.Model{Name: "fixed charge"}
	for range sites {
		m.Binary("", float64(1+rng.IntN(20)))
	}

	// Capacity rows first, then demand rows.
	for i := range sites {
		m.AtMost(0, lp.Var(i).Times(-float64(3+rng.IntN(8))))
	}
	for range clients {
		lost := m.Nonnegative("", 30)
		row := m.AtLeast(0, lost)
		for i := range sites {
			flow := m.Nonnegative("", float64(rng.IntN(10)))
			m.AddEntry(row, flow, 1)
			m.AddEntry(lp.Con(i), flow, 1)
		}
	}

	// Demands differ, and sometimes the capacity of a site.
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range 2 + rng.IntN(6) {
		var list []stoch.Change
		for c := range clients {
			list = append(list, stoch.SetRowLower(lp.Con(sites+c), 10*rng.Float64()))
		}
		if rng.IntN(2) == 0 {
			list = append(list, stoch.SetEntry(0, 0, -float64(rng.IntN(8))))
		}
		p.Add("", 0.1+rng.Float64(), list...)
	}
	p.Normalise()
	return p
}

// TestMeanCopyIsARelaxation prices every design of random programs, scenario by scenario: the copy in the master has
// flows for it that satisfy all rows, and none whose cost is above the expected one.
func TestMeanCopyIsARelaxation(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(60) {
		p, err := New(fixedCharge(rand.New(rand.NewPCG(seed, 39))))
		if err != nil {
			t.Fatal(err)
		}
		if !keeps(p, decompose.Exact, decompose.Auto) {
			t.Fatalf("seed %d: costs and matrix are fixed", seed)
		}
		const epigraphs = 2
		kept, err := p.meanCopy(epigraphs)
		if err != nil {
			t.Fatal(err)
		}

		n := p.frame.First
		for design := range 1 << n {
			x := make([]float64, n+epigraphs)
			for j := range n {
				x[j] = float64(design >> j & 1)
			}

			// Each design has a run of its own, because a run that has a cheaper design stops at a lower bound.
			cost, feasible, err := (&solvers{p: p}).cost(ctx, x[:n])
			if err != nil || !feasible {
				t.Fatal(feasible, err)
			}

			// The recourse cost in the epigraphs, in any shares.
			recourse := cost - p.master.Evaluate(x[:n])
			x[n] = recourse / 3
			x[n+1] = recourse - x[n]
			flows, err := kept.Complete(ctx, x[:n])
			if err != nil || len(flows) != len(kept.Cols) {
				t.Fatal(len(flows), err)
			}
			checkRows(t, kept.Cols, kept.Rows, append(x, flows...))
		}
	}
}

// checkRows holds a point of the master, whose last columns are those of the copy, against the copy.
func checkRows(t *testing.T, cols []lp.Col, rows []benders.Row, x []float64) {
	t.Helper()
	const tolerance = 1e-6
	for j, v := range x[len(x)-len(cols):] {
		if v < cols[j].Lower-tolerance || v > cols[j].Upper+tolerance {
			t.Errorf("column %d of the copy is %g", j, v)
		}
	}
	for i, r := range rows {
		sum := 0.0
		for k, j := range r.Index {
			sum += r.Value[k] * x[j]
		}
		if margin := tolerance * max(1, math.Abs(sum)); sum < r.Lower-margin || sum > r.Upper+margin {
			t.Errorf("row %d of the copy: %g in [%g, %g]", i, sum, r.Lower, r.Upper)
		}
	}
}

// TestMeanOfRoundedProbabilities has three scenarios of probability 0.3333333 and a number in the model that no scenario
// has: the mean is that of the scenarios, and the cost of the flows counts as often as the scenarios do.
func TestMeanOfRoundedProbabilities(t *testing.T) {
	m := &lp.Model{}
	build := m.Binary("", 100)
	buy := m.Nonnegative("", 2)
	row := m.AtLeast(1e6, buy, build.Times(3))
	p := &stoch.Program{Core: m, First: 1}
	for range 3 {
		p.Add("", 0.3333333, stoch.SetRowLower(row, 10))
	}
	q, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := q.meanCore().Rows[row].Lower; math.Abs(got-10) > 1e-9 {
		t.Errorf("a mean demand of %.9g, want 10", got)
	}
	made, err := q.meanCopy(1)
	if err != nil {
		t.Fatal(err)
	}
	cost := made.Rows[len(made.Rows)-1]
	if got, want := cost.Value[len(cost.Value)-1], -2*0.9999999; math.Abs(got-want) > 1e-12 {
		t.Errorf("the flows cost %.9g, want %.9g", got, want)
	}
}

// TestMeanCopyNeedsFixedCosts has costs that differ: the cost at the mean may exceed the mean cost.
func TestMeanCopyNeedsFixedCosts(t *testing.T) {
	program := fixedCharge(rand.New(rand.NewPCG(1, 39)))
	program.Scenarios[0].Changes = append(program.Scenarios[0].Changes, stoch.SetCost(lp.Var(program.First), 40))
	p, err := New(program)
	if err != nil {
		t.Fatal(err)
	}
	if keeps(p, decompose.Exact, decompose.Auto) {
		t.Error("the mean scenario is kept though costs are random")
	}
}

// keeps reports whether a run by a method and a scheme keeps the mean scenario in its master.
func keeps(p *Problem, method decompose.Method, scheme decompose.Scheme) bool {
	o := decompose.DefaultOptions()
	o.Method = method
	o.Scheme = scheme
	return (&solvers{p: p, o: o}).keepsMean()
}

// TestComparisonsHaveNoCopy has the methods and schemes by which cuts are compared.
func TestComparisonsHaveNoCopy(t *testing.T) {
	p, err := New(fixedCharge(rand.New(rand.NewPCG(1, 39))))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []decompose.Method{decompose.Aggregated, decompose.Proxy} {
		if keeps(p, method, decompose.Auto) {
			t.Errorf("%s keeps the mean scenario", method)
		}
	}
	for _, scheme := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
		if keeps(p, decompose.Exact, scheme) {
			t.Errorf("%s keeps the mean scenario", scheme)
		}
	}
}
