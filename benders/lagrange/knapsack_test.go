package lagrange_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/proxybd/proxybd/benders/lagrange"
)

// exactKappa solves a continuous knapsack in rationals by the greedy rule.
func exactKappa(profit, weight []float64, capacity float64) *big.Rat {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	value, room := new(big.Rat), rat(capacity)
	var item []int
	for i, r := range profit {
		if r > 0 && weight[i] == 0 {
			value.Add(value, rat(r))
		} else if r > 0 {
			item = append(item, i)
		}
	}
	density := func(i int) *big.Rat { return new(big.Rat).Quo(rat(profit[i]), rat(weight[i])) }
	sort.SliceStable(item, func(a, b int) bool { return density(item[a]).Cmp(density(item[b])) > 0 })
	for _, i := range item {
		w := rat(weight[i])
		if w.Cmp(room) > 0 {
			w = room
		}
		value.Add(value, new(big.Rat).Mul(w, density(i)))
		room = new(big.Rat).Sub(room, w)
	}
	return value
}

func randomKnapsack(rng *rand.Rand) (profit, weight []float64, capacity float64) {
	n := rng.IntN(40)
	for range n {
		w := math.Floor(rng.Float64() * 10) // zeros among them
		if rng.IntN(3) == 0 {
			w = rng.ExpFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
		}
		r := rng.NormFloat64() * 10
		if rng.IntN(3) == 0 {
			r = 2 * w // ties
		}
		profit, weight = append(profit, r), append(weight, w)
	}
	capacity = rng.Float64() * 5 * float64(n+1)
	if rng.IntN(4) == 0 {
		capacity = math.Floor(capacity / 5)
	}
	return profit, weight, capacity
}

// TestKnapsack compares with the greedy rule in rationals: the bound holds exactly and is tight.
func TestKnapsack(t *testing.T) {
	var k lagrange.Knapsack
	for seed := range uint64(5000) {
		profit, weight, capacity := randomKnapsack(rand.New(rand.NewPCG(seed, 1)))
		want := exactKappa(profit, weight, capacity)
		mu, value := k.Solve(profit, weight, capacity)
		up := k.Up(0)
		if new(big.Rat).SetFloat64(up).Cmp(want) < 0 {
			t.Fatalf("seed %d: %v is below the exact value %s", seed, up, want.FloatString(20))
		}
		exact, _ := want.Float64()
		scale := 1.0
		for _, r := range profit {
			scale += math.Abs(r)
		}
		if !(up-exact <= 1e-12*scale) || !(math.Abs(value-exact) <= 1e-12*scale) || !(mu >= 0) {
			t.Fatalf("seed %d: threshold %v, value %v, bound %v, exact %v", seed, mu, value, up, exact)
		}
		a := make([]float64, len(profit))
		k.AddSolution(a, 1)
		got, load := 0.0, 0.0
		for i, v := range a {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("seed %d: a[%d] = %v", seed, i, v)
			}
			got += v * profit[i]
			load += v * weight[i]
		}
		if !(math.Abs(got-exact) <= 1e-9*max(1, exact)) || !(load <= capacity*(1+1e-9)+1e-9) {
			t.Fatalf("seed %d: the solution is worth %v and weighs %v of %v, exact value %v", seed, got, load, capacity, exact)
		}
	}
}

// TestKnapsackOverflow has a density beyond the range of float64: the bound must stay valid and finite.
func TestKnapsackOverflow(t *testing.T) {
	var k lagrange.Knapsack
	profit, weight := []float64{1e300, 5}, []float64{5e-324, 1}
	for _, capacity := range []float64{0, 0.5} {
		k.Solve(profit, weight, capacity)
		if up := k.Up(0); math.IsInf(up, 0) || new(big.Rat).SetFloat64(up).Cmp(exactKappa(profit, weight, capacity)) < 0 {
			t.Errorf("capacity %v: bound %v", capacity, up)
		}
	}
}

func FuzzKnapsack(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.5)
	f.Add(1e-300, 1e300, 5e-324, 1.0, 0.0, 0.0, 1e-310)
	f.Fuzz(func(t *testing.T, r0, w0, r1, w1, r2, w2, s float64) {
		profit, weight := []float64{r0, r1, r2}, []float64{math.Abs(w0), math.Abs(w1), math.Abs(w2)}
		s = math.Abs(s)
		for i := range profit {
			if !(math.Abs(profit[i]) < 1e300 && weight[i] < 1e300 && s < 1e300) {
				return // outside what a certifier passes on
			}
		}
		var k lagrange.Knapsack
		k.Solve(profit, weight, s)
		if up := k.Up(0); !math.IsInf(up, 1) && new(big.Rat).SetFloat64(up).Cmp(exactKappa(profit, weight, s)) < 0 {
			t.Fatalf("bound %v is below %s", up, exactKappa(profit, weight, s).FloatString(30))
		}
	})
}

func BenchmarkKnapsack(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	profit, weight := make([]float64, 1000), make([]float64, 1000)
	for i := range profit {
		profit[i], weight[i] = rng.NormFloat64()-0.5, rng.Float64()
	}
	var k lagrange.Knapsack
	for b.Loop() {
		k.Solve(profit, weight, 50)
	}
}
