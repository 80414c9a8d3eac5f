package f64

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums that cancel are compared with rationals.
func TestDouble(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var s, inner Double
		want, size := new(big.Rat), 0.0
		add := func(x, y float64) {
			s.AddProduct(x, y)
			p := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
			want.Add(want, p)
			size += math.Abs(x * y)
		}
		number := func() float64 { return rng.NormFloat64() * math.Ldexp(1, rng.IntN(80)-40) }
		for range 1 + rng.IntN(20) {
			add(number(), number())
		}
		inner.Add(number())
		inner.AddProduct(number(), number())
		s.AddTimes(3, &inner)
		for _, v := range []float64{inner.hi, inner.lo} {
			want.Add(want, new(big.Rat).Mul(big.NewRat(3, 1), new(big.Rat).SetFloat64(v)))
			size += 3 * math.Abs(v)
		}
		w, _ := want.Float64()
		add(-1, w) // what is left is the rounding error of w
		w, _ = want.Float64()
		if d := math.Abs(s.Value() - w); !(d <= 1e-28*size) {
			t.Fatalf("seed %d: %g, want %g, with terms of %g", seed, s.Value(), w, size)
		}
	}
}
