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

		// Exceeds returns true only where the exact sum is above c. It has to where the sum is far above, if c is larger than
		// a in magnitude.
		if outward.Exceeds(a, b, c) && sum.Cmp(outward.Rat(c)) <= 0 {
			t.Fatalf("%g + %g does not exceed %g", a, b, c)
		}
		far := sum.Cmp(outward.Rat(outward.Up(outward.Up(c)))) > 0
		if far && !outward.Exceeds(a, b, c) && math.Abs(c) > math.Abs(a) {
			t.Fatalf("%g + %g exceeds %g by far", a, b, c)
		}

		// A third of the sum is hardly ever a float64. Its bounds are neighbours, or the same number if it is one.
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

// TestRatBelowFloats rounds numbers around and far below the least float64: package big calls some of their float64
// exact, which are 0 or the least one.
func TestRatBelowFloats(t *testing.T) {
	for shift := uint(1060); shift < 1200; shift++ {
		unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), shift))
		for numerator := int64(-9); numerator <= 9; numerator++ {
			for _, denominator := range []int64{1, 3, 1 << 60} {
				r := new(big.Rat).Mul(unit, big.NewRat(numerator, denominator))
				around(t, r.String(), outward.RatDown(r), r, outward.RatUp(r))
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

		// Each term is a number times the sum of some products.
		for range 1 + rng.IntN(8) {
			var d outward.Dot
			one := new(big.Rat)
			for range rng.IntN(10) {
				a, b := signed(rng), signed(rng)
				d.Add(a, b)
				one.Add(one, new(big.Rat).Mul(outward.Rat(a), outward.Rat(b)))
			}

			// One more product is multiplied by the same number.
			w, b, c := signed(rng), signed(rng), signed(rng)
			total.AddTimes(w, &d)
			total.AddProduct(w, b, c)
			one.Add(one, new(big.Rat).Mul(outward.Rat(b), outward.Rat(c)))
			exact.Add(exact, one.Mul(one, outward.Rat(w)))
			bound.Add(bound, one.Abs(one))
		}

		// The interval is narrow beside the sum of the absolute terms.
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

		// Most products are followed by one that cancels them: exactly, or with a factor that is the next float64.
		for range 1 + rng.IntN(6) {
			a, b := signed(rng), signed(rng)
			add(a, b)
			if rng.IntN(4) > 0 {
				add(-b, a)
			} else if rng.IntN(2) > 0 {
				add(math.Nextafter(-a, 1), b)
			}
		}

		// The sign is not known where a product was too small. Elsewhere it is that of the exact sum.
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

	// What float64 numbers cannot hold has no known sign: the rounding error of a tiny product, and sums of infinities.
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

// TestDualBound holds the value of random dual vectors against the exact least one over the intervals of the reduced
// costs and over the bounds, which is at a corner.
func TestDualBound(t *testing.T) {
	below := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var b outward.DualBound

		// The exact bound, the sum of its absolute terms, and what the errors of the reduced costs may cost.
		exact, size, rounding := new(big.Rat), new(big.Rat), 0.0
		product := func(x, y float64) *big.Rat { return new(big.Rat).Mul(outward.Rat(x), outward.Rat(y)) }
		add := func(r *big.Rat) {
			exact.Add(exact, r)
			size.Add(size, new(big.Rat).Abs(r))
		}

		// A row has one side. A multiplier that prices the other one becomes zero.
		for range rng.IntN(6) {
			side := signed(rng)
			lower, upper := side, math.Inf(1)
			if rng.IntN(2) == 0 {
				lower, upper = math.Inf(-1), side
			}
			y := outward.Multiplier(signed(rng), lower, upper)
			if y > 0 && math.IsInf(lower, -1) || y < 0 && math.IsInf(upper, 1) {
				t.Fatalf("seed %d: the multiplier %g of a row in [%g, %g]", seed, y, lower, upper)
			}
			b.AddRow(y, lower, upper)
			add(product(y, side))
		}

		// The least product of a reduced cost in its interval and a value within the bounds is at a corner.
		for range rng.IntN(6) {
			l, v := signed(rng), signed(rng)
			u, err := l+nonnegative(rng), math.Abs(v)*rng.Float64()*1e-10
			low, high := new(big.Rat).Sub(outward.Rat(v), outward.Rat(err)), new(big.Rat).Add(outward.Rat(v), outward.Rat(err))
			var least *big.Rat
			for _, x := range [2]float64{l, u} {
				for _, z := range [2]*big.Rat{low, high} {
					if p := new(big.Rat).Mul(z, outward.Rat(x)); least == nil || p.Cmp(least) < 0 {
						least = p
					}
				}
			}
			add(least)
			rounding += 2.1 * err * max(math.Abs(l), math.Abs(u))

			// A bound that is not priced may be infinite. A free column with a reduced cost of zero adds nothing.
			switch rng.IntN(3) {
			case 0: // the sign is proven: only one bound is priced
				if v > 0 {
					u = math.Inf(1)
				} else if v < 0 {
					l = math.Inf(-1)
				}
			case 1:
				b.AddColumn(0, 0, math.Inf(-1), math.Inf(1))
			}
			b.AddColumn(v, err, l, u)
		}

		// Further losses come off the bound.
		for range rng.IntN(4) {
			loss := nonnegative(rng)
			b.Lose(loss)
			add(outward.Rat(-loss))
		}

		// The result is not above the exact bound, and below it by no more than what rounding explains.
		got := b.Below()
		if outward.Rat(got).Cmp(exact) > 0 {
			t.Fatalf("seed %d: %.17g is above %s", seed, got, exact.FloatString(40))
		}
		far, _ := exact.Sub(exact, outward.Rat(got)).Float64()
		if total, _ := size.Float64(); far > 1e-14*total+rounding+1e-280 {
			t.Fatalf("seed %d: %.17g is %g below the exact bound", seed, got, far)
		}
		if far > 0 {
			below++
		}
	}

	if below < 1000 {
		t.Errorf("only %d of the bounds were rounded", below)
	}
}
