package presolve

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestIsSum compares with a table of all sums.
func TestIsSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0x5a75))
	p := &problem{}
	answers := [2]int{}
	for range 2000 {
		c := &congruence{}
		for range 1 + rng.IntN(4) {
			v := 1 + rng.Int64N(30)
			if rng.IntN(2) == 0 {
				v = -v // the size alone counts
			}
			c.terms = append(c.terms, integerTerm{val: v})
		}
		const most = 400
		reached := make([]bool, most)
		reached[0] = true
		divisor := int64(0)
		for _, t := range c.terms {
			size := absolute(t.val)
			divisor = greatestCommonDivisor(divisor, size)
			for s := size; s < most; s++ {
				reached[s] = reached[s] || reached[s-size]
			}
		}
		if divisor != 1 { // equations come divided by it
			continue
		}
		for s := range int64(most) {
			if got := p.isSum(c, s); got != reached[s] {
				t.Fatalf("%d of %v: %v", s, c.terms, got)
			} else if got {
				answers[1]++
			} else {
				answers[0]++
			}
		}
		if p.isSum(c, -1) {
			t.Fatalf("-1 of %v", c.terms)
		}
	}
	if answers[0] == 0 || answers[1] == 0 {
		t.Error(answers)
	}
}

// TestEquationWithoutSolution reduces an equation that no nonnegative integers solve, 12223 x + 12224 y + 36674 z +
// 61119 u + 85569 v = 89643481 (G. Cornuejols, R. Urbaniak, R. Weismantel, L. Wolsey, Decomposition of integer
// programs and of generating sets, 1997), with all signs turned, and with some columns negative, and the same with a
// side one further, which the model may have.
func TestEquationWithoutSolution(t *testing.T) {
	const far = 9000
	coef := []float64{12223, 12224, 36674, 61119, 85569}
	for mode := range 3 {
		for _, side := range []float64{89643481, 89643482} {
			m := &lp.Model{}
			sum := lp.Sum{}
			want := side
			for k, v := range coef {
				x := m.Integer("", 0, 0, far)
				switch {
				case mode == 1:
					sum = append(sum, x.Times(-v))
				case mode == 2 && k%2 == 0:
					m.Cols[x].Lower, m.Cols[x].Upper = -far, 0
					sum = append(sum, x.Times(-v))
				default:
					sum = append(sum, x.Times(v))
				}
			}
			if mode == 1 {
				want = -side
			}
			m.Equal(want, sum)
			r, err := Reduce(context.Background(), m, DefaultOptions())
			if err != nil || (r.Status == lp.Infeasible) != (side == 89643481) {
				t.Errorf("mode %d, side %g: %v, %v", mode, side, r.Status, err)
			}
		}
	}
}
