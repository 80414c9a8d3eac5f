package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	float := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1:
			return math.SmallestNonzeroFloat64 * float64(rng.IntN(100))
		case 2:
			return math.MaxFloat64 * rng.Float64()
		}
		return (rng.Float64() - 0.5) * math.Pow(2, float64(rng.IntN(200)-100))
	}
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 2000 {
		a, b, c := float(), float(), float()
		got := product(a, b)
		got.add(of(c)).sub(of(a))
		want := new(big.Rat).Mul(rat(a), rat(b))
		want.Add(want, rat(c)).Sub(want, rat(a))
		if got.rat().Cmp(want) != 0 {
			t.Fatalf("%g*%g+%g-%g: got %v, want %v", a, b, c, a, got.rat(), want)
		}
		if got.sign() != want.Sign() || of(a).cmp(of(b)) != rat(a).Cmp(rat(b)) || of(a).float() != a {
			t.Fatalf("signs of %g, %g, %g", a, b, c)
		}
	}
}
