package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTinyLargeBounds replaces the bounds of integer columns by rows and gives the columns bounds of up to 1e18. The
// optimum is that of enumeration: what rounding makes of such bounds must not cut off a point.
func TestTinyLargeBounds(t *testing.T) {
	forTinies(t, 3000, func(rng *rand.Rand, m *tiny, want float64) error {
		large := []float64{1e15, 1 << 53, 1e17, 1e18}[rng.IntN(4)]
		for j := range m.cost {
			if !m.integer[j] {
				continue
			}
			r := row{m.lower[j], m.upper[j], make([]float64, len(m.cost))}
			r.coef[j] = 1
			if !math.IsInf(r.lower, -1) { // else a row bounds the column
				m.rows = append(m.rows, r)
			}
			m.lower[j], m.upper[j] = -large, large
			if rng.IntN(2) == 0 {
				m.lower[j], m.upper[j] = -inf, inf
			}
		}

		opt := exact()
		opt.Presolve = rng.IntN(2) == 0
		res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
		if err != nil {
			return err
		}
		return m.verify(res, want)
	})
}
