package bnb

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestActivityErrors moves bounds of all sizes, some infinite, and compares the running activities with exact sums: the
// difference is never more than the bound on the error that goes with them, and that stays small without large bounds.
func TestActivityErrors(t *testing.T) {
	// Terms of one size leave an error of few ulps of it; a bound of 1e18, though tightened since, one of more than 1.
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 31))
		large := seed%2 == 0
		p := wideProblem(t, rng, large)
		d := newDomain(p)

		for step := range 200 {
			j := rng.IntN(p.n)
			width := d.upper[j] - d.lower[j]
			value := d.lower[j] + width*rng.Float64()/4
			if math.IsInf(width, 0) {
				value = -1e6 * rng.Float64()
			}
			d.tighten(change{int32(j), rng.IntN(2) == 0, value})
			if step%10 == 9 {
				d.backtrack(rng.IntN(len(d.stack) + 1))
			}

			for i := range p.rows + 1 {
				least, largest := exactActivity(d, i)
				off := math.Max(distance(d.acts.min[i], least), distance(d.acts.max[i], largest))
				if off > d.acts.errors[i] {
					t.Fatalf("seed %d, step %d: row %d is off by %g, more than %g", seed, step, i, off, d.acts.errors[i])
				}
				if !large && d.acts.errors[i] > 1e-6 {
					t.Fatalf("seed %d, step %d: row %d has an error of %g", seed, step, i, d.acts.errors[i])
				}
			}
		}

		// A row that is added up again forgets the terms that have left.
		for i := range p.rows {
			before := d.acts.errors[i]
			d.acts.recomputeRow(int32(i), d.lower, d.upper)
			least, _ := exactActivity(d, i)
			if off := distance(d.acts.min[i], least); off > d.acts.errors[i] || d.acts.errors[i] > before {
				t.Fatalf("seed %d: row %d is off by %g, more than %g of %g", seed, i, off, d.acts.errors[i], before)
			}
		}
	}
}

// wideProblem has four dense rows over ten integer columns with bounds of up to 1000 or, where large is set, up to 1e18
// and infinite ones.
func wideProblem(t *testing.T, rng *rand.Rand, large bool) *problem {
	m := &lp.Model{}
	for range 10 {
		bound := 1000 * rng.Float64()
		if large && rng.IntN(2) == 0 {
			bound = []float64{1e12, 1e18, math.Inf(1)}[rng.IntN(3)]
		}
		m.AddCol(lp.Col{Cost: rng.NormFloat64(), Lower: -bound, Upper: bound, Integer: true})
	}
	for range 4 {
		row := m.AddRow(lp.Row{Lower: -10, Upper: 10}, nil, nil)
		for j := range m.Cols {
			m.AddEntry(row, lp.Var(j), rng.NormFloat64())
		}
	}
	p, err := newProblem(m, DefaultOptions().Tolerances)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exactActivity adds up the finite terms of a row, the objective for i = p.rows, without rounding.
func exactActivity(d *domain, i int) (least, largest *big.Rat) {
	least, largest = new(big.Rat), new(big.Rat)
	add := func(sum *big.Rat, v, x float64) {
		if !math.IsInf(x, 0) {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(v), new(big.Rat).SetFloat64(x)))
		}
	}

	// The coefficients of the row, by column.
	coef := d.acts.p.cost
	if i < d.acts.p.rows {
		coef = make([]float64, d.acts.p.n)
		index, value := d.acts.p.byRow.Vec(i)
		for k, j := range index {
			coef[j] = value[k]
		}
	}

	// A negative coefficient has its least term at the upper bound.
	for j, v := range coef {
		lo, up := d.lower[j], d.upper[j]
		if v < 0 {
			lo, up = up, lo
		}
		add(least, v, lo)
		add(largest, v, up)
	}
	return least, largest
}

// distance is how far x is from an exact value.
func distance(x float64, exact *big.Rat) float64 {
	diff := new(big.Rat).SetFloat64(x)
	d, _ := diff.Sub(diff, exact).Float64()
	return math.Abs(d)
}
