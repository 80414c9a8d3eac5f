package cuts

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestFarWalk makes 20 units in the first of many periods for the last one, at a fifth of a set-up: only a walk along
// all stocks shows that one of the periods needs a whole one. Where the gap is wide and a round has found nothing the
// next one goes so far.
func TestFarWalk(t *testing.T) {
	const periods = 2 * aggregateLen
	m := &lp.Model{}
	x := func(t int) int32 { return int32(3 * t) }
	for range periods { // production, set-up, stock
		m.AddCol(lp.Col{Upper: 100})
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
		m.AddCol(lp.Col{Upper: math.Inf(1)})
	}
	for k := range periods {
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x(k), x(k) + 1}, []float64{1, -100})
		index, value := []int32{x(k), x(k) + 2}, []float64{1, -1}
		if k > 0 {
			index, value = []int32{x(k) - 1, x(k), x(k) + 2}, []float64{1, 1, -1}
		}
		demand := 0.0
		if k == periods-1 {
			demand, index, value = 20, index[:2], value[:1]
			value = append(value, 1)
		}
		m.AddRow(lp.Row{Lower: demand, Upper: demand}, index, value)
	}
	s, err := newSmall(m)
	if err != nil {
		t.Fatal(err)
	}
	point := make([]float64, len(m.Cols))
	point[x(0)], point[x(0)+1] = 20, 0.2
	for k := range periods - 1 {
		point[x(k)+2] = 20
	}
	opt := DefaultOptions()
	opt.Off[CutSet] = true
	for _, insist := range []bool{false, true} {
		g := New(s.model, s, opt)
		for range 3 {
			var found []Cut
			found, _ = g.Separate(point, []int32{1}, Limits{Cuts: 30, Work: math.MaxInt, Insist: insist})
			s.cuts = append(s.cuts, found...)
		}
		if (len(s.cuts) > 0) != insist {
			t.Errorf("insisting is %v, cuts %v", insist, s.cuts)
		}
	}
	if err := s.verify(); err != nil {
		t.Error(err)
	}
}
