package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// illConditioned draws a small LP whose coefficients span many orders, with rows that are nearly multiples of each
// other, and finite optimum: all columns have bounds, and the rows hold at a point within them.
func illConditioned(rng *rand.Rand) *lp.Model {
	m := &lp.Model{}
	n, rows := 2+rng.IntN(5), 1+rng.IntN(5)
	size := func() float64 { return math.Pow(10, float64(rng.IntN(14)-5)) * float64(1+rng.IntN(9)) }
	point := make([]float64, n)
	for j := range n {
		scale := math.Pow(10, float64(rng.IntN(7)-2))
		lower := -scale * float64(rng.IntN(3))
		m.AddCol(lp.Col{Cost: float64(rng.IntN(19)-9) * math.Pow(10, float64(rng.IntN(5)-2)), Lower: lower,
			Upper: lower + scale*float64(1+rng.IntN(9))})
		point[j] = m.Cols[j].Lower + rng.Float64()*(m.Cols[j].Upper-m.Cols[j].Lower)
	}
	var last []float64
	for range rows {
		value := make([]float64, n)
		for j := range value {
			if rng.IntN(4) > 0 {
				value[j] = size() * float64(2*rng.IntN(2)-1)
			}
		}
		if last != nil && rng.IntN(3) == 0 { // nearly parallel to the row before
			factor := size()
			for j := range value {
				value[j] = last[j] * factor * (1 + 1e-7*rng.Float64())
			}
		}
		last = value
		var index []int32
		var entries []float64
		activity := 0.0
		for j, v := range value {
			if v != 0 {
				index, entries = append(index, int32(j)), append(entries, v)
				activity += v * point[j]
			}
		}
		row := lp.Row{Lower: activity, Upper: lp.Inf}
		if rng.IntN(3) == 0 {
			row.Upper = activity
		} else if rng.IntN(2) == 0 {
			row.Lower, row.Upper = math.Inf(-1), activity
		}
		m.AddRow(row, index, entries)
	}
	return m
}

// TestAnswersAreJudged solves ill-conditioned models with and without presolve: an optimal answer is within the
// tolerance that it names on the model as given. How often two answers differ is logged: residuals are relative to the
// terms of a row, and in some models these leave room for more than one value. PROXYBD_BULK is the number of models.
func TestAnswersAreJudged(t *testing.T) {
	count := uint64(2000)
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_BULK"), 10, 64); err == nil {
		count = v
	}
	counts := map[string]int{}
	for seed := range count {
		m := illConditioned(rand.New(rand.NewPCG(seed, 0x111c0)))
		var values []float64
		for _, presolve := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve = presolve
			sol, err := Solve(context.Background(), m, opt)
			switch {
			case errors.Is(err, ErrNumerical):
				counts["numerical failure"]++
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			case sol.Status != lp.Optimal:
				counts[fmt.Sprint(sol.Status)]++
				if sol.Status == lp.Infeasible && !sol.Exact {
					if err := CheckFarkas(m, sol.Ray); err != nil {
						t.Errorf("seed %d: infeasible: %v", seed, err)
					}
				}
			default:
				kind := "optimal"
				if sol.Tolerance > residualTol {
					kind = "optimal to a wider tolerance"
				}
				counts[kind]++
				values = append(values, sol.Objective)
				if r := Check(m, sol); !r.OK(sol.Tolerance) || sol.Tolerance > widestTolerance && !sol.Exact {
					t.Errorf("seed %d: %+v, tolerance %g", seed, r, sol.Tolerance)
				}
			}
		}
		if len(values) == 2 && !(math.Abs(values[0]-values[1]) <= 1e-5*(1+math.Abs(values[0]))) {
			counts["different"]++
			t.Logf("seed %d: %.10g and %.10g", seed, values[0], values[1])
		}
	}
	t.Logf("%d models: %v", count, counts)
}
