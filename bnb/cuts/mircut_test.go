package cuts

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestRoundingOfNoise rounds sums of two rows whose right-hand side equals the coefficients but for its rounding error:
// the rounded coefficients are the difference, and no cut. A point of the model has one column a unit off its bound.
func TestRoundingOfNoise(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Lower: math.Inf(-1), Upper: -122701, Integer: true})
	m.AddCol(lp.Col{Lower: math.Inf(-1), Upper: 1000001, Integer: true})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 877299.5}, []int32{0, 1}, []float64{1, 1})
	m.AddRow(lp.Row{Lower: 877299, Upper: 877299}, []int32{0, 1}, []float64{1, 1})
	s, err := newSmall(m)
	if err != nil {
		t.Fatal(err)
	}
	points := [][]float64{{-122701, 1000000}, {-122702, 1000001}}

	g := New(s.model, s, DefaultOptions())
	x := []float64{-122701.7, 1000000.7}
	g.v.budget = math.MaxInt
	g.v.refresh(x)
	g.vb.refresh(x)
	g.limitCuts(g.v.longest, DefaultOptions().Efficacy, true)
	for a := range 100 {
		for b := range 100 {
			y := []float64{-float64(a) / 7.3, float64(b) / 7.1}
			if !g.combine(y) {
				continue
			}
			c, _, ok := g.mir.separate(g.agg)
			for _, p := range points {
				if over := dot(c.Index, c.Value, p) - c.Upper; ok && over > 1e-6 {
					t.Fatalf("weights %v: the cut %v x%v <= %g is violated by %g at %v", y, c.Value, c.Index, c.Upper, over, p)
				}
			}
		}
	}
}
