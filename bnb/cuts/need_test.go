package cuts

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestNeed asks for 20 units over arcs of capacity 500, whose binary columns lie above what the flows ask of them: no
// nearest bound is a variable one.
func TestNeed(t *testing.T) {
	m := &lp.Model{}
	for range 2 {
		m.AddCol(lp.Col{Upper: 500})
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	m.AddRow(lp.Row{Lower: 20, Upper: 20}, []int32{0, 2}, []float64{1, 1})
	for x := int32(0); x < 4; x += 2 {
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x, x + 1}, []float64{1, -500})
	}
	opt := DefaultOptions()
	opt.Off[Gomory], opt.Off[Implied] = true, true
	for _, c := range []struct {
		x    []float64
		want [4]float64 // the coefficients of a row that is at least 1
	}{
		{[]float64{12, 0.3, 8, 0.2}, [4]float64{0, 1, 0, 1}},
		{[]float64{12, 0.3, 8, 0.9}, [4]float64{0, 1, 0.05, 0}},
	} {
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}
		s.cuts, _ = New(s.model, s, opt).Separate(c.x, []int32{1, 3}, Limits{Cuts: 30, Work: math.MaxInt})
		if err := s.verify(); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, cut := range s.cuts {
			row := [4]float64{}
			for k, j := range cut.Index {
				row[j] = cut.Value[k] / cut.Upper
			}
			same := cut.Upper < 0
			for j := range row {
				same = same && math.Abs(row[j]-c.want[j]) < 1e-6
			}
			found = found || same
		}
		if !found {
			t.Errorf("at %v no cut %v x >= 1 among %v", c.x, c.want, s.cuts)
		}
	}
}
