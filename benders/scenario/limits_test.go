package scenario_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
)

// TestStartIsPricedOnce asks for the price of the relaxation's design after the time is up: it is known.
func TestStartIsPricedOnce(t *testing.T) {
	q, err := scenario.New(plants(150, false))
	if err != nil {
		t.Fatal(err)
	}
	p := q.Program()
	start, err := p.Preparation.Start(t.Context(), decompose.StartOptions{Gap: 1e-4, Report: func(float64, float64, bool) {}})
	if err != nil || start.Design == nil {
		t.Fatalf("%+v, %v", start, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := p.Recourse.Problem(over, false)
	if err != nil {
		t.Fatal(err)
	}
	costs := make([]float64, b.Epigraphs)
	y := append([]float64(nil), start.Design...)
	y[0] = 1 - y[0]
	total := func(y []float64) float64 {
		cost := b.Master.Evaluate(y)
		for _, v := range costs {
			cost += v
		}
		return cost
	}
	if _, err := b.Recourse(over, y, costs); err == nil && total(y) <= start.Cost {
		t.Error("another design is priced without time, and cheaper")
	}
	feasible, err := b.Recourse(over, start.Design, costs)
	cost := total(start.Design)
	if err != nil || !feasible || math.Abs(cost-start.Cost) > 1e-6*math.Abs(cost) {
		t.Errorf("%v, %v, %v, the start has %v", cost, feasible, err, start.Cost)
	}
}

// TestBoundOutlivesLimit ends a run after its relaxation: the result has the relaxation's bound, also without a design.
func TestBoundOutlivesLimit(t *testing.T) {
	q, err := scenario.New(plants(20, false))
	if err != nil {
		t.Fatal(err)
	}
	p := q.Program()
	p.Preparation.Start = func(context.Context, decompose.StartOptions) (decompose.Start, error) {
		s := decompose.NoStart()
		s.Bound = 7
		return s, nil
	}
	o := decompose.DefaultOptions()
	o.Benders.TimeLimit = 0
	r, err := decompose.Solve(t.Context(), p, o)
	if err != nil || r.Status != lp.TimeLimit || r.Bound != 7 || r.Design != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRoundsAreTold reads the lines of a run's relaxation: rounds count up, and bounds never fall or pass the optimum.
func TestRoundsAreTold(t *testing.T) {
	p := plants(270, true)
	o := decompose.DefaultOptions()
	o.Benders.LogEvery = 0
	rounds, last := 0, math.Inf(-1)
	var bounds []float64
	o.Log = func(line string) {
		var round int
		var bound float64
		if n, _ := fmt.Sscanf(line, "relaxation: round %d, bound %g,", &round, &bound); n == 2 {
			if rounds++; round != rounds || bound < last {
				t.Errorf("line %d: %q after a bound of %g", rounds, line, last)
			}
			last = bound
			bounds = append(bounds, bound)
		}
	}
	r, err := scenario.Solve(t.Context(), p, o)
	if err != nil || rounds == 0 || last > r.Objective+1e-6*math.Abs(r.Objective) {
		t.Errorf("%+v, %v: %d rounds, %v", r, err, rounds, bounds)
	}
}
