package outward_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/internal/outward"
)

// nonnegative draws numbers of all sizes: alike, far apart, subnormal, whole and zero.
func nonnegative(rng *rand.Rand) float64 {
	switch rng.IntN(6) {
	case 0:
		return 0
	case 1:
		return float64(rng.IntN(1000))
	case 2:
		return rng.ExpFloat64() * math.Pow(10, float64(rng.IntN(60)-30))
	case 3:
		return math.SmallestNonzeroFloat64 * float64(rng.IntN(1000))
	}
	return rng.Float64()
}

func signed(rng *rand.Rand) float64 {
	if rng.IntN(2) == 0 {
		return -nonnegative(rng)
	}
	return nonnegative(rng)
}

// around fails unless low <= exact <= high.
func around(t *testing.T, what string, low float64, exact *big.Rat, high float64) {
	t.Helper()
	if outward.Rat(low).Cmp(exact) > 0 || outward.Rat(high).Cmp(exact) < 0 {
		t.Fatalf("%s: [%.17g, %.17g] around %s", what, low, high, exact.FloatString(40))
	}
}

func TestPairs(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a, b, c := signed(rng), signed(rng), signed(rng)
		sum := new(big.Rat).Add(outward.Rat(a), outward.Rat(b))
		around(t, "a + b", outward.AddDown(a, b), sum, outward.AddUp(a, b))
		around(t, "a b", outward.MulDown(a, b), new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)), outward.MulUp(a, b))
		if outward.Exceeds(a, b, c) && sum.Cmp(outward.Rat(c)) <= 0 {
			t.Fatalf("%g + %g does not exceed %g", a, b, c)
		}
		far := sum.Cmp(outward.Rat(outward.Up(outward.Up(c)))) > 0
		if far && !outward.Exceeds(a, b, c) && math.Abs(c) > math.Abs(a) {
			t.Fatalf("%g + %g exceeds %g by far", a, b, c)
		}
		third := new(big.Rat).Quo(sum, big.NewRat(3, 1))
		low, high := outward.RatDown(third), outward.RatUp(third)
		around(t, "a third", low, third, high)
		if high > outward.Up(low) {
			t.Fatalf("[%g, %g] is wider than needed", low, high)
		}
		if x, y := math.Abs(a), math.Abs(b); x > y {
			up, exact := outward.SubUp(x, y), new(big.Rat).Sub(outward.Rat(x), outward.Rat(y))
			if outward.Rat(up).Cmp(exact) < 0 || outward.Rat(math.Nextafter(up, 0)).Cmp(exact) >= 0 {
				t.Fatalf("%g - %g: %g is not the least bound", x, y, up)
			}
		}
	}
}

func TestSums(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 2))
		k := 1 + rng.IntN(60)
		plain, exact := 0.0, new(big.Rat)
		var sum outward.Sum
		var values []float64
		for range k {
			v := nonnegative(rng)
			values = append(values, v)
			plain += v
			sum.Add(v)
			exact.Add(exact, outward.Rat(v))
		}
		around(t, "plain sum", 0, exact, outward.SumUp(plain, k))
		around(t, "compensated sum", sum.Down(), exact, sum.Up())
		if wide := sum.Up() - sum.Down(); wide > 12*outward.Ulp(sum.Up()) {
			t.Fatalf("seed %d: the bounds of the sum %g are %g apart", seed, sum.Value(), wide)
		}
		if outward.Total(values) != sum.Value() {
			t.Fatalf("seed %d: total %g and sum %g", seed, outward.Total(values), sum.Value())
		}
	}
}

// TestPlainSumAtItsWorst has every addition round down by nearly half a unit.
func TestPlainSumAtItsWorst(t *testing.T) {
	sum, exact := 1.0, outward.Rat(1)
	tiny := math.Nextafter(0x1p-53, 0)
	for range 1 << 12 {
		sum += tiny
		exact.Add(exact, outward.Rat(tiny))
	}
	if up := outward.SumUp(sum, 1<<12+1); sum != 1 || outward.Rat(up).Cmp(exact) < 0 {
		t.Errorf("%g is below the sum", up)
	}
}

func TestProducts(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, m := 1+rng.IntN(20), 1+rng.IntN(4)
		var d outward.Dot
		dot, exact := new(big.Rat), new(big.Rat)
		value := 0.0
		for range n * m {
			a, b := signed(rng), signed(rng)
			d.Add(a, b)
			dot.Add(dot, new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)))
			a, b = math.Abs(a), math.Abs(b)
			value += a * b
			exact.Add(exact, new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)))
		}
		low, high := d.Interval()
		around(t, "products", low, dot, high)
		down := outward.ProductsDown(value, value, n, m)
		if outward.Rat(down).Cmp(exact) > 0 || down < value*(1-1e-12)-1e-300 {
			t.Fatalf("seed %d: %g of %s", seed, down, exact.FloatString(40))
		}
	}
}

// TestSumsOfSums adds sums and products of three to sums, and compares with rationals.
func TestSumsOfSums(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var total outward.Dot
		exact, bound := new(big.Rat), new(big.Rat)
		for range 1 + rng.IntN(8) {
			var d outward.Dot
			one := new(big.Rat)
			for range rng.IntN(10) {
				a, b := signed(rng), signed(rng)
				d.Add(a, b)
				one.Add(one, new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)))
			}
			w, b, c := signed(rng), signed(rng), signed(rng)
			total.AddTimes(w, &d)
			total.AddProduct(w, b, c)
			one.Add(one, new(big.Rat).Mul(outward.Rat(b), outward.Rat(c)))
			exact.Add(exact, one.Mul(one, outward.Rat(w)))
			bound.Add(bound, one.Abs(one))
		}
		low, high := total.Interval()
		around(t, "sum of sums", low, exact, high)
		if size, _ := bound.Float64(); high-low > 1e-15*size+1e-280 {
			t.Fatalf("seed %d: [%g, %g] is wide beside terms of %g", seed, low, high, size)
		}
	}
}

// TestExpansion compares signs of sums that cancel, exactly or nearly, with rationals.
func TestExpansion(t *testing.T) {
	var signs [3]int
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		var e outward.Expansion
		exact := new(big.Rat)
		add := func(a, b float64) {
			e.Add(a, b)
			exact.Add(exact, new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)))
		}
		for range 1 + rng.IntN(6) {
			a, b := signed(rng), signed(rng)
			add(a, b)
			if rng.IntN(4) > 0 {
				add(-b, a)
			} else if rng.IntN(2) > 0 {
				add(math.Nextafter(-a, 1), b)
			}
		}
		sign, ok := e.Sign()
		if !ok {
			continue
		}
		if signs[sign+1]++; sign != exact.Sign() {
			t.Fatalf("seed %d: the sign %d of %s", seed, sign, exact.FloatString(40))
		}
	}
	if signs[0] < 100 || signs[1] < 100 || signs[2] < 100 {
		t.Errorf("signs %v", signs)
	}
	var e outward.Expansion
	e.Add(1e-300, 1e-10)
	if _, ok := e.Sign(); ok {
		t.Error("a product too small to be exact has a sign")
	}
	e = outward.Expansion{}
	e.Add(math.MaxFloat64, 2)
	e.Add(-math.MaxFloat64, 2)
	if _, ok := e.Sign(); ok {
		t.Error("a sum of infinities has a sign")
	}
}
