package integer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// binaryProgram returns a small program with a 0-1 first stage, capacities that it opens, and integer recourse.
func binaryProgram(rng *rand.Rand) *stoch.Program {
	var b stoch.Builder
	y := make([]lp.Var, 3)
	for j := range y {
		y[j] = b.First(b.Binary("y", float64(1+rng.IntN(9))))
	}
	cover := []lp.Expr{}
	load := make([][]lp.Expr, len(y))
	for range 4 {
		j := rng.IntN(len(y))
		x := b.Integer("x", float64(1+rng.IntN(7)), 0, float64(1+rng.IntN(2)))
		cover = append(cover, x.Times(float64(1+rng.IntN(3))))
		load[j] = append(load[j], x.Times(float64(1+rng.IntN(5))))
	}
	miss := b.Nonnegative("miss", float64(8+rng.IntN(9)))
	need := b.AtLeast(3, append(cover, miss.Times(1))...)
	for j := range y {
		b.AtMost(float64(rng.IntN(2)), append(load[j], y[j].Times(-float64(3+rng.IntN(5))))...)
	}
	for s := range 3 {
		b.Scenario("", 1.0/3, stoch.SetRowLower(need, float64(1+s+rng.IntN(4))))
	}
	p, err := b.Program()
	if err != nil {
		panic(err)
	}
	return p
}

// prepared returns a program that is ready to be solved, and what prices its designs.
func prepared(t *testing.T, program *stoch.Program) (*Problem, *pricer) {
	t.Helper()
	p, err := New(program)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newPricer(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// designs lists all 0-1 vectors of a length.
func designs(n int) (list [][]float64) {
	for k := range 1 << n {
		y := make([]float64, n)
		for j := range y {
			y[j] = float64(k >> j & 1)
		}
		list = append(list, y)
	}
	return list
}

// TestLagrangianCutsHoldForAnyMultipliers makes the cuts of random multipliers, some of them NaN or infinite, in random
// boxes, and holds them against the cost of every design of the box by enumeration.
func TestLagrangianCutsHoldForAnyMultipliers(t *testing.T) {
	cuts, tight := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, r := prepared(t, binaryProgram(rng))
		d := newLagrangian(r)
		n := len(p.master.Cols)
		in := box{make([]float64, n), make([]float64, n)}
		at := make([]float64, n)
		for j := range n {
			in.upper[j] = 1
			if rng.IntN(4) == 0 {
				in.lower[j] = float64(rng.IntN(2))
				in.upper[j] = in.lower[j]
			}
			at[j] = in.lower[j] + rng.Float64()*(in.upper[j]-in.lower[j])
		}
		slopes := make([][]float64, len(p.weight))
		for s := range slopes {
			d.ascents[s].last = make([]float64, n)
			for j := range n {
				d.ascents[s].last[j] = []float64{rng.NormFloat64() * 5, 1e6 * rng.NormFloat64(), math.NaN(), math.Inf(1)}[min(3, rng.IntN(8))]
			}
		}
		planes, err := d.planes(t.Context(), in, at, slopes, 1+rng.IntN(4))
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range designs(n) {
			if !in.holds(y) {
				continue
			}
			complete, feasible, err := r.price(t.Context(), y, math.Inf(1))
			if err != nil || !complete || !feasible {
				t.Fatalf("seed %d: %v %v %v", seed, complete, feasible, err)
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
	if tight == 0 || tight == cuts {
		t.Errorf("%d of %d cuts are tight", tight, cuts)
	}
}

// TestRaisedCutsHold raises valid cuts at every design of random programs, and holds them against the cost of all.
func TestRaisedCutsHold(t *testing.T) {
	raised := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		p, r := prepared(t, binaryProgram(rng))
		s := &separator{pricer: r}
		group := []int{0, 1, 2}
		costs := map[int]float64{}
		all := designs(len(p.master.Cols))
		lowest := math.Inf(1)
		for k, y := range all {
			if _, _, err := r.price(t.Context(), y, math.Inf(1)); err != nil {
				t.Fatal(err)
			}
			q := []float64{0}
			r.collect([][]int{group}, q)
			costs[k] = q[0]
			lowest = min(lowest, q[0])
		}
		for k, y := range all {
			cut, ok := s.bump(benders.Cut{Alpha: lowest}, y, costs[k])
			if !ok {
				continue
			}
			raised++
			for i, other := range all {
				v := cut.Value(other)
				if v > costs[i]+1e-7 || i == k && v < costs[k]-1e-6*max(1, math.Abs(costs[k])) {
					t.Errorf("seed %d: raised at %v, the cut is %v at %v, and the cost %v", seed, y, v, other, costs[i])
				}
			}
		}
	}
	if raised < 60 {
		t.Errorf("only %d cuts were raised", raised)
	}
}

// TestAddedRowsHold checks that the rows of split.go cut off no point with an integer first stage: the value of every
// design is the same without them.
func TestAddedRowsHold(t *testing.T) {
	added := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		program := binaryProgram(rng)
		p, r := prepared(t, program)
		added += len(p.sources)
		for _, y := range designs(program.First) {
			if _, _, err := r.price(t.Context(), y, math.Inf(1)); err != nil {
				t.Fatal(err)
			}
			err := Outcomes(t.Context(), program, y, func(s int, cost float64, x []float64) error {
				if x == nil || math.Abs(cost-r.values[s].high) > 1e-6*max(1, math.Abs(cost)) {
					t.Errorf("seed %d: scenario %d costs %v at %v, and %v with the rows", seed, s, cost, y, r.values[s].high)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if added == 0 {
		t.Error("no row was added")
	}
}
