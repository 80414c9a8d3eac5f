package cuts

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// TestSwitchBesideCapacity has a flow that an arc switches on, and a capacity that it shares with many set-up times,
// each of which bounds the flow a little. The switch must be known too, be it a row or an implication.
func TestSwitchBesideCapacity(t *testing.T) {
	const flow, arc, setups = 0, 1, 3 * maxVariable

	// The capacity flow + 2 (s_1 + ... + s_n) <= 100 gives the flow more bounds than its list has places for.
	shared := &lp.Model{}
	shared.AddCol(lp.Col{Upper: 100})
	shared.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	index, value := []int32{flow}, []float64{1}
	for j := range int32(setups) {
		shared.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
		index, value = append(index, arc+1+j), append(value, 2)
	}
	shared.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 100}, index, value)

	// One of the two models has the switch as a row: flow <= 100 arc.
	asRow := shared.Clone()
	asRow.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{flow, arc}, []float64{1, -100})

	// At this point the flow is at the bound that the arc gives it.
	x := make([]float64, len(shared.Cols))
	x[flow], x[arc] = 10, 0.1
	for _, m := range []*lp.Model{asRow, shared} {
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}

		// The other model has the switch as an implication: the flow is 0 where the arc is 0.
		if m == shared {
			s.model.Implications = []presolve.Implication{{Col: arc, Upper: true, Then: flow}}
		}

		v := newVariableBounds(s.model)
		v.refresh(x)
		if b := v.nearestUpper(flow); b == nil || b.col != arc {
			t.Errorf("with %d rows the nearest bound is %v of %v, not that of the arc", len(m.Rows), b, v.upper[flow])
		}
	}
}

// TestRoundedVariableBound has an integer column whose variable bound is an integer but for the rounding errors of terms
// that are far larger.
func TestRoundedVariableBound(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Lower: -123457, Upper: -123456, Integer: true})
	m.AddCol(lp.Col{Upper: 1e12, Integer: true})
	m.AddCol(lp.Col{Upper: 1, Integer: true})
	m.AddCol(lp.Col{Lower: -999999094, Upper: math.Inf(1), Integer: true})
	value := []float64{4.35511605097282, 1.7817790892752328, -1.7837498584525164, 12.353677625675722}
	point := []float64{-123456, 0, 0, -999999094}
	index := []int32{0, 1, 2, 3}
	side := dot(index, value, point)
	m.AddRow(lp.Row{Lower: side, Upper: side}, index, value)
	s, err := newSmall(m)
	if err != nil {
		t.Fatal(err)
	}
	for j, list := range newVariableBounds(s.model).upper {
		for _, b := range list {
			if b.at(point) < point[j] {
				t.Errorf("column %d is %g at a point, but has the upper bound %+v", j, point[j], b)
			}
		}
	}
}

// TestVariableBoundOfDifference has an integer column with a small coefficient, whose bound is a large number at one
// value of a binary column and, at the other value, the difference of two large numbers.
func TestVariableBoundOfDifference(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := &lp.Model{}
		m.AddCol(lp.Col{Lower: 1, Upper: math.Inf(1), Integer: true})
		m.AddCol(lp.Col{Lower: 1, Upper: math.Inf(1), Integer: true})
		m.AddCol(lp.Col{Upper: 1, Integer: true})
		index, value := []int32{0, 1, 2}, []float64{-4e-6, rng.Float64(), 1e5}
		point := []float64{float64(2 + rng.IntN(9)), 1, 1}
		side := sideAt(value, point)
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: side}, index, value)
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}
		for j, list := range newVariableBounds(s.model).lower {
			for _, b := range list {
				if b.at(point) > point[j] {
					t.Fatalf("seed %d: column %d is %g at a point, but has the lower bound %+v", seed, j, point[j], b)
				}
			}
		}
	}
}
