package integer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCuttingPlanesHold makes cuts from linear programs with cutting planes at random points of random boxes, and holds
// them against the cost of every design of the box by enumeration. Planes of the box of all designs are kept from point
// to point.
func TestCuttingPlanesHold(t *testing.T) {
	cuts, tight, stronger, kept := 0, 0, 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		p, r := prepared(t, binaryProgram(rng))
		n := len(p.master.Cols)
		h := newSharpener(p, r.models)
		for range 4 {
			in := box{make([]float64, n), make([]float64, n)}
			at := make([]float64, n)
			whole := rng.IntN(2) == 0
			for j := range n {
				in.upper[j] = 1
				if !whole && rng.IntN(3) == 0 {
					in.lower[j] = float64(rng.IntN(2))
					in.upper[j] = in.lower[j]
				}
				at[j] = in.lower[j] + rng.Float64()*(in.upper[j]-in.lower[j])
			}

			planes := make([]plane, len(p.weight))
			for s := range planes {
				cut, err := h.plane(t.Context(), s, in, at, whole)
				if err != nil || cut.pi == nil {
					t.Fatal(cut, err)
				}
				planes[s] = cut
				kept += len(h.rows[s])

				// Without cutting planes the value at the point is that of the linear program.
				c := r.chunks[0]
				if err := c.view.Set(s); err != nil {
					t.Fatal(err)
				}
				value, ok, err := c.view.Value(t.Context(), at)
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				if cut.at < value-1e-6*max(1, math.Abs(value)) {
					t.Errorf("seed %d, scenario %d: %v with planes, %v without", seed, s, cut.at, value)
				}
				if cut.at > value+1e-6*max(1, math.Abs(value)) {
					stronger++
				}
			}
			for _, y := range designs(n) {
				if !in.holds(y) {
					continue
				}
				if _, _, err := r.price(t.Context(), y, math.Inf(1)); err != nil {
					t.Fatal(err)
				}
				for s := range planes {
					cut := planes[s].cut()
					cuts++
					if v := cut.Value(y); v > r.values[s].high+1e-7*max(1, math.Abs(v)) {
						t.Errorf("seed %d, scenario %d: %v at %v, and the cost is %v", seed, s, v, y, r.values[s].high)
					} else if v > r.values[s].low-1e-6 {
						tight++
					}
				}
			}
		}
	}
	t.Logf("%d values, %d tight; %d cuts above the linear program; %d planes kept", cuts, tight, stronger, kept)
	if tight == 0 || stronger < 100 || kept == 0 {
		t.Error("the planes did nothing")
	}
}
