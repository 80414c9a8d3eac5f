package mpsmodel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// randomModel draws a small two-stage model: free, bounded, one-sided, fixed and fractionally bounded columns on both
// sides, integer ones in the first stage, rows of all kinds, ranges and free rows among them. Half of the models are
// built around a point and feasible; the others may be infeasible or unbounded. The patterns name the first stage where
// it is not the integer columns.
func randomModel(rng *rand.Rand) (m *lp.Model, patterns []string) {
	m = &lp.Model{Name: "random", Maximize: rng.IntN(4) == 0}
	first, second := 1+rng.IntN(5), 1+rng.IntN(7)
	mixed := rng.IntN(2) == 0
	point := make([]float64, first+second)
	for j := range point {
		integer := j < first && (!mixed || j == 0 || rng.IntN(2) == 0)
		c := randomColumn(rng, integer)
		c.Name = fmt.Sprintf("x%d", j)
		if mixed && j < first {
			c.Name = fmt.Sprintf("y%d", j)
		}
		point[j] = inside(rng, c)
		m.AddCol(c)
	}
	if mixed {
		patterns = []string{"y*"}
	}
	around := rng.IntN(2) == 0
	for range 1 + rng.IntN(9) {
		randomRow(rng, m, point, around)
	}
	if rng.IntN(8) == 0 {
		m.Offset = float64(rng.IntN(41) - 20)
	}
	return m, patterns
}

// randomNumber draws a coefficient: mostly small integers, sometimes decimals, seldom larger or smaller by orders.
func randomNumber(rng *rand.Rand) float64 {
	v := float64(1 + rng.IntN(9))
	if rng.IntN(2) == 0 {
		v = -v
	}
	switch rng.IntN(20) {
	case 0, 1:
		v /= 10
	case 2:
		v += math.Round(1e4*rng.Float64()) / 1e4
	case 3:
		v *= math.Pow(10, float64(rng.IntN(5)-2))
	}
	return v
}

func randomColumn(rng *rand.Rand, integer bool) lp.Col {
	c := lp.Col{Integer: integer, Upper: lp.Inf}
	if rng.IntN(3) > 0 {
		c.Cost = randomNumber(rng)
	}
	if rng.IntN(3) > 0 && c.Cost < 0 {
		c.Cost = -c.Cost
	}
	switch rng.IntN(12) {
	case 0, 1:
		c.Lower = math.Inf(-1)
	case 2:
		c.Lower, c.Upper = math.Inf(-1), float64(rng.IntN(21)-10)
	case 3:
		c.Lower = float64(rng.IntN(31) - 20)
	case 4:
		c.Lower = float64(rng.IntN(9) - 4)
		c.Upper = c.Lower
	case 5, 6:
		c.Lower = float64(rng.IntN(200)-100) / 8
		c.Upper = c.Lower + float64(8+rng.IntN(100))/8
	case 7, 8, 9:
		c.Upper = float64(1 + rng.IntN(20))
	case 10:
		c.Upper = 1
	}
	return c
}

// inside draws a point within the bounds.
func inside(rng *rand.Rand, c lp.Col) float64 {
	v := float64(rng.IntN(13) - 4)
	if !c.Integer && rng.IntN(2) == 0 {
		v += float64(rng.IntN(8)) / 8
	}
	lower, upper := c.Lower, c.Upper
	if c.Integer {
		lower, upper = math.Ceil(lower), math.Floor(upper)
	}
	return min(max(v, lower), upper)
}

// randomRow adds a row; with around it holds at the point.
func randomRow(rng *rand.Rand, m *lp.Model, point []float64, around bool) {
	var index []int32
	var value []float64
	activity := 0.0
	dense := 1 + rng.IntN(4)
	for j := range m.Cols {
		if rng.IntN(4) < dense {
			v := randomNumber(rng)
			index, value = append(index, int32(j)), append(value, v)
			activity += v * point[j]
		}
	}
	if len(index) == 0 {
		return
	}
	side := float64(rng.IntN(121) - 60)
	if around {
		side = activity
	}
	room := 0.0
	if rng.IntN(3) > 0 {
		room = float64(rng.IntN(40)) / 2
	}
	row := lp.Row{Name: fmt.Sprintf("r%d", len(m.Rows)), Lower: math.Inf(-1), Upper: lp.Inf}
	switch rng.IntN(10) {
	case 0:
	case 1, 2:
		row.Lower, row.Upper = side, side
	case 3:
		row.Lower, row.Upper = side-room, side+room+1
	case 4, 5, 6:
		row.Lower = side - room
	default:
		row.Upper = side + room
	}
	m.AddRow(row, index, value)
}
