package cuts

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestKnapsackBesideLargeTerm separates covers and cliques of rows in which one term is so large that the room of the
// others is its rounding error. A point whose literals are all true satisfies each row, in exact arithmetic.
func TestKnapsackBesideLargeTerm(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 17))
		m := &lp.Model{}
		var index []int32
		var value, x, point []float64
		add := func(c lp.Col, a, at, v float64) {
			index, value = append(index, int32(m.AddCol(c))), append(value, a)
			x, point = append(x, at), append(point, v)
		}
		for range 2 + rng.IntN(3) {
			add(lp.Col{Upper: 1, Integer: true}, rng.Float64()*4, 0.6+0.3*rng.Float64(), 1)
		}
		far := math.Round(math.Pow(10, 6+6*rng.Float64()))
		add(lp.Col{Lower: far, Upper: far + 1, Integer: true}, rng.Float64()*4, far, far)

		side := sideAt(value, point)
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: side}, index, value)
		s, err := newSmall(m)
		if err != nil {
			t.Fatal(err)
		}

		opt := DefaultOptions()
		for k := range opt.Off {
			opt.Off[k] = Kind(k) != Cover && Kind(k) != Clique
		}
		fractional := index[:len(index)-1]
		list, _ := New(s.model, s, opt).Separate(x, fractional, Limits{Cuts: 30, Work: math.MaxInt})
		for _, c := range list {
			if over := dot(c.Index, c.Value, point) - c.Upper; over > 1e-6 {
				t.Fatalf("seed %d: the %v cut %v x%v <= %g is violated by %g at %v, row %v <= %.17g", seed, c.Kind, c.Value,
					c.Index, c.Upper, over, point, value, side)
			}
		}
	}
}

// sideAt is the activity of a row at a point, rounded up.
func sideAt(value, point []float64) float64 {
	exact := new(big.Rat)
	for k, a := range value {
		term := new(big.Rat).SetFloat64(a)
		exact.Add(exact, term.Mul(term, new(big.Rat).SetFloat64(point[k])))
	}
	side, _ := exact.Float64()
	if new(big.Rat).SetFloat64(side).Cmp(exact) < 0 {
		side = math.Nextafter(side, math.Inf(1))
	}
	return side
}
