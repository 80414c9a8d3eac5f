package integer_test

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestSidesOfScenariosAlone solves a program with a linking row that has a finite side in every scenario and none in
// the skeleton. The row is disaggregated with the numbers of the scenarios.
func TestSidesOfScenariosAlone(t *testing.T) {
	var b stoch.Builder
	y := b.First(b.Integer("y", 4, 0, 3))
	x := b.Integer("x", -3, 0, 1)
	z := b.Integer("z", -2, 0, 1)
	row := b.AtMost(math.Inf(1), x.Times(3), z.Times(2), y.Times(-5))
	b.Scenario("low", 0.5, stoch.SetRowUpper(row, 1))
	b.Scenario("high", 0.5, stoch.SetRowUpper(row, 2))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}

	q, err := integer.New(p)
	if err != nil {
		t.Fatal(err)
	}
	tight := q.Disaggregated()
	if rows, before := len(tight.Core.Rows), len(p.Core.Rows); rows == before {
		t.Error("no row was disaggregated")
	}

	// With M = a U - b the row of x is 3x <= 1 + 2y in the first scenario, and 3x <= 2 + y in the second.
	for s, want := range []struct{ upper, coefficient float64 }{{1, -2}, {2, -1}} {
		m, err := tight.Model(s)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		_, value := a.Vec(int(y))
		if upper := m.Rows[row+1].Upper; upper != want.upper || len(value) < 2 || value[1] != want.coefficient {
			t.Errorf("scenario %d: the side %v and coefficients %v of y", s, upper, value)
		}
	}

	want, err := extensive(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decomposed(t.Context(), p, decompose.DefaultOptions())
	if err != nil || got.Status != lp.Optimal || math.Abs(got.Objective-want.Objective) > 1e-6 {
		t.Errorf("%+v, %v, and the optimum is %v", got, err, want.Objective)
	}
}
