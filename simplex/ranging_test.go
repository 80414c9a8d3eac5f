package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// rangedModel returns a random program with columns and rows of every kind; without equations it is feasible.
func rangedModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(2) == 0}
	n := 3 + rng.IntN(5)

	// The point is within the bounds of all columns.
	point := make([]float64, n)
	for j := range n {
		lower, upper := math.Round(rng.NormFloat64()*2), math.Inf(1)
		if rng.IntN(2) == 0 {
			upper = lower + 1 + rng.Float64()*6
		}
		if rng.IntN(6) == 0 {
			lower = math.Inf(-1)
		}
		point[j] = max(lower, min(upper, rng.NormFloat64()))
		m.AddCol(lp.Col{Cost: rng.NormFloat64() * 5, Lower: lower, Upper: upper})
	}

	// The sides of a row enclose its activity at the point, except those of an equation, which may miss it.
	for range 2 + rng.IntN(5) {
		var index []int32
		var value []float64
		at := 0.0
		for j := range n {
			if rng.IntN(3) > 0 {
				v := rng.NormFloat64() * 3
				index = append(index, int32(j))
				value = append(value, v)
				at += v * point[j]
			}
		}

		row := lp.Row{Lower: at - rng.Float64()*3, Upper: at + rng.Float64()*3}
		switch rng.IntN(4) {
		case 0:
			row.Lower = math.Inf(-1)
		case 1:
			row.Upper = math.Inf(1)
		case 2:
			row.Upper = row.Lower
		}
		m.AddRow(row, index, value)
	}
	return m
}

// TestRangingAgainstSolves changes every number of random programs to values inside of its range, where the objective
// has to be on the line between the ends, and to values beyond, where it has to leave that line in most cases.
func TestRangingAgainstSolves(t *testing.T) {
	inside, beyond, left := 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m := rangedModel(rng)
		sol, err := Solve(t.Context(), m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status != lp.Optimal {
			continue
		}

		ranges, err := Ranging(t.Context(), m, sol)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}

		// check solves the model with other values of the number, and compares with the line through the objective of now.
		check := func(what string, number, other *float64, r Range) {
			now := *number
			for _, side := range []bool{false, true} {
				end, objective := r.Low, r.AtLow
				if side {
					end, objective = r.High, r.AtHigh
				}

				// The slope is that of the line to the end. An infinite end has no slope, and an end very near is left out.
				step := end - now
				slope := (objective - sol.Objective) / step
				if math.IsInf(end, 0) {
					step, slope = math.Copysign(7, end), math.NaN()
				} else if math.Abs(step) < 1e-6 {
					continue
				}

				// Two values are inside of the range, and one is beyond. The number is put back after each solve.
				for _, share := range []float64{0.3, 0.95, 1.3} {
					*number = now + share*step
					if other != nil {
						*other = *number
					}
					got, err := Solve(t.Context(), m, DefaultOptions())
					*number = now
					if other != nil {
						*other = now
					}
					if err != nil {
						t.Fatal(err)
					}

					// Inside, the objective has to be on the line. Beyond, the values where it is not are counted.
					want := sol.Objective + slope*share*step
					if math.IsNaN(slope) && share < 1 {
						// An infinite end has no objective to compare with: it is enough that there is an optimum.
						if got.Status != lp.Optimal {
							t.Errorf("seed %d: %s at %v, towards %v: %v", seed, what, now, end, got.Status)
						}
						inside++
						continue
					}

					same := got.Status == lp.Optimal && math.Abs(got.Objective-want) <= 1e-6*(1+math.Abs(want))
					switch {
					case share < 1 && !same:
						t.Errorf("seed %d: %s at %v, %v of the way to %v: %v %v, want %v", seed, what, now, share, end, got.Status,
							got.Objective, want)
					case share < 1:
						inside++
					case !math.IsNaN(slope):
						beyond++
						if !same {
							left++
						}
					}
				}
			}
		}

		// Infinite bounds and sides have no value that could change.
		for j := range m.Cols {
			c := &m.Cols[j]
			check(fmt.Sprintf("cost %d", j), &c.Cost, nil, ranges.Cost[j])
			if !math.IsInf(c.Lower, 0) {
				check(fmt.Sprintf("lower bound %d", j), &c.Lower, nil, ranges.Lower[j])
			}
			if !math.IsInf(c.Upper, 0) {
				check(fmt.Sprintf("upper bound %d", j), &c.Upper, nil, ranges.Upper[j])
			}
		}

		// Both sides of an equation change together.
		for i := range m.Rows {
			row := &m.Rows[i]
			if row.Lower == row.Upper {
				check(fmt.Sprintf("equation %d", i), &row.Lower, &row.Upper, ranges.RowLower[i])
				continue
			}
			if !math.IsInf(row.Lower, 0) {
				check(fmt.Sprintf("lower side %d", i), &row.Lower, nil, ranges.RowLower[i])
			}
			if !math.IsInf(row.Upper, 0) {
				check(fmt.Sprintf("upper side %d", i), &row.Upper, nil, ranges.RowUpper[i])
			}
		}
	}

	t.Logf("%d values inside, %d beyond, of which %d leave the line", inside, beyond, left)
	if inside < 5000 || left < beyond*9/10 {
		t.Error("too few")
	}
}

// TestRangingObeysItsContext checks that a context that is over is the error, and not a basis that seems not optimal.
func TestRangingObeysItsContext(t *testing.T) {
	m := &lp.Model{}
	x := m.Between("x", 1, 0, 9)
	m.AtLeast(3, x)
	sol, err := Solve(t.Context(), m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}

	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := Ranging(over, m, sol); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}
