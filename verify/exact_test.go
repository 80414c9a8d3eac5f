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

// TestFractionsAreExact does the same with numbers that have denominators.
func TestFractionsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func() (*num, *big.Rat) {
		r := big.NewRat(int64(rng.IntN(41)-20), int64(1+rng.IntN(12)))
		list, err := exactNumbers([]float64{0}, []string{r.RatString()})
		if err != nil {
			t.Fatal(err)
		}
		if f := math.Ldexp(1, rng.IntN(9)-4); rng.IntN(2) == 0 {
			return times(list[0], of(f)), r.Mul(r, new(big.Rat).SetFloat64(f))
		}
		return list[0], r
	}
	for range 3000 {
		a, ra := draw()
		b, rb := draw()
		c, rc := draw()
		got := times(a, b).add(c).sub(a)
		want := new(big.Rat).Mul(ra, rb)
		want.Add(want, rc).Sub(want, ra)
		if got.rat().Cmp(want) != 0 || got.sign() != want.Sign() || a.cmp(b) != ra.Cmp(rb) {
			t.Fatalf("%v*%v+%v-%v: got %v, want %v", ra, rb, rc, ra, got.rat(), want)
		}
	}
	for _, text := range []string{"1e9", "1/0", "0x1p4", "", "nan", "1/2/3", "inf"} {
		if _, err := exactNumbers([]float64{math.NaN()}, []string{text}); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
