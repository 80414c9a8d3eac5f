package cuts

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// TestSwitchBesideCapacity has a flow that an arc switches on, and a capacity that it shares with many set-up times,
// each of which bounds the flow a little. The switch must be known too, be it a row or an implication.
func TestSwitchBesideCapacity(t *testing.T) {
	const flow, arc, setups = 0, 1, 3 * maxVariable
	shared := &lp.Model{}
	shared.AddCol(lp.Col{Upper: 100})
	shared.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	index, value := []int32{flow}, []float64{1}
	for j := range int32(setups) {
		shared.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
		index, value = append(index, arc+1+j), append(value, 2)
	}
	shared.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 100}, index, value)
	asRow := shared.Clone()
	asRow.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{flow, arc}, []float64{1, -100})
	x := make([]float64, len(shared.Cols))
	x[flow], x[arc] = 10, 0.1
	for _, m := range []*lp.Model{asRow, shared} {
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}
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
