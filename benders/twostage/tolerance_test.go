package twostage

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestPointOfNearlyFeasible takes the recourse of a continuous design that misses feasibility by what no master can
// avoid: it has a price, and a point at that price.
func TestPointOfNearlyFeasible(t *testing.T) {
	m := &lp.Model{}
	y := m.Between("", 1, 0, 10)
	x := m.Between("", 3, 0, 10)
	m.AtLeast(5, x)
	m.AtMost(0, x, y.Times(-1))
	p, err := New(m, []lp.Var{y}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExact(p, DefaultExactOptions())
	if err != nil {
		t.Fatal(err)
	}

	design := []float64{5 - 5e-7}
	q := []float64{0}
	feasible, err := e.Recourse(t.Context(), design, q)
	if err != nil || !feasible {
		t.Fatalf("no price: %v", err)
	}
	point, err := e.point(t.Context(), design)
	if err != nil || point == nil || math.Abs(3*point[x]-q[0]) > 1e-9 {
		t.Errorf("price %g, point %v, %v", q[0], point, err)
	}
}

// TestSideOfOneScenario has a row with a side in the second scenario alone. A design without a recourse in the first is
// separated, and then one that only this side forbids: it has a cut too, and a distance from what is feasible.
func TestSideOfOneScenario(t *testing.T) {
	// Every scenario has x + y >= 5 with x at most 1. The second one also has x >= y.
	m := &lp.Model{}
	y := m.Between("", 1, 0, 20)
	x := m.Between("", 1, 0, 1)
	m.AtLeast(5, x, y.Times(1))
	limit := m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: lp.Inf}, []int32{int32(x), int32(y)}, []float64{1, -1})

	p := &stoch.Program{Core: m, First: 1}
	p.Add("", 0.5)
	p.Add("", 0.5, stoch.Change{Kind: stoch.RowLower, Row: limit, Value: 0})
	s, err := NewScenarios(p)
	if err != nil {
		t.Fatal(err)
	}

	view, err := s.View()
	if err != nil {
		t.Fatal(err)
	}

	// At 0 the first scenario has no recourse, at 15 the second one has none because of its own row.
	for k, at := range []float64{0, 15} {
		if err := view.Set(k); err != nil {
			t.Fatal(err)
		}
		sep, err := view.Separate(t.Context(), []float64{at})
		if err != nil || !sep.Infeasible || len(sep.Cuts) != 1 || !(sep.Cuts[0].Value([]float64{at}) > 0.1) {
			t.Errorf("scenario %d at %g: %+v, %v", k, at, sep, err)
		}

		if _, far, err := view.e.Infeasibility(t.Context(), 0, []float64{at}); err != nil || !(far > 1) {
			t.Errorf("scenario %d at %g: a distance of %g, %v", k, at, far, err)
		}
	}
}

// TestFaintIsNotShared separates where the reduced costs of two free columns are zero at no float64: such a certificate
// belongs to its scenario alone, which accounts for the rounding.
func TestFaintIsNotShared(t *testing.T) {
	// The reduced costs of a and b would be zero at a multiplier of exactly 1/5, which no float64 is.
	m := &lp.Model{}
	y := m.Between("", 1, 0, 1)
	a := m.Between("", 0.8, math.Inf(-1), lp.Inf)
	b := m.Between("", 1, math.Inf(-1), lp.Inf)
	demand := m.Equal(1, a.Times(4), b.Times(5), y.Times(1))

	// The two scenarios differ in the demand.
	p := &stoch.Program{Core: m, First: 1}
	p.Add("", 0.5)
	p.Add("", 0.5, stoch.SetRowLower(demand, 2), stoch.Change{Kind: stoch.RowUpper, Row: demand, Value: 2})
	s, err := NewScenarios(p)
	if err != nil {
		t.Fatal(err)
	}

	view, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Set(0); err != nil {
		t.Fatal(err)
	}

	// The certificate of the first scenario is dual feasible only up to rounding.
	sep, err := view.Separate(t.Context(), []float64{0.5})
	if err != nil || len(sep.Cuts) != 1 {
		t.Fatalf("%+v, %v", sep, err)
	}
	if c := sep.Cuts[0].Certificate.(*Certificate); sep.Cuts[0].Kind != benders.Optimality || !c.parts[0].faint {
		t.Fatalf("not a faint certificate: %+v", c.parts[0])
	}

	// Such a certificate is not used for other scenarios.
	if _, shared := s.Shared(&sep.Cuts[0]); shared {
		t.Error("a faint certificate is shared")
	}
}
