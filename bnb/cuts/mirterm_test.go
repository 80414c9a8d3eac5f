package cuts

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every round measures the columns at its own LP point and bounds: what it keeps is what a new start gives.
func TestMeasuredAnew(t *testing.T) {
	changed := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s, err := newSmall(draw(rng))
		if err != nil {
			t.Fatal(err)
		}
		g := New(s.model, s, DefaultOptions())
		last := map[int]mirTerm{}
		for round := range 3 {
			x := make([]float64, len(s.m.Cols))
			for j := range x {
				up := math.Min(s.model.Upper[j], s.model.Lower[j]+20)
				x[j] = s.model.Lower[j] + (up-s.model.Lower[j])*rng.Float64()
			}
			g.Separate(x, nil, Limits{Cuts: 30, Work: math.MaxInt})
			fresh := newMeasured(g.v, g.vb)
			for j := range x {
				for side, c := range []float64{2, -0.5} {
					got, want := *g.mir.measured.of(int32(j), c), *fresh.of(int32(j), c)
					if got != want {
						t.Fatalf("seed %d round %d column %d coefficient %v: %+v, not %+v", seed, round, j, c, got, want)
					}
					if old, ok := last[2*j+side]; ok && old != got {
						changed++
					}
					last[2*j+side] = got
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no term ever changed: the test shows nothing")
	}
}
