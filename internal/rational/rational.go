// Package rational changes a point so that a few linear equations hold exactly.
package rational

import (
	"cmp"
	"math/big"
	"slices"
)

// Equation is sum_i Coef_i x_i = b. Lack is b minus the sum at the present point. Solve changes both.
type Equation struct {
	Coef map[int32]*big.Rat
	Lack *big.Rat
}

// Solve changes x so that all equations hold, by Gauss-Jordan elimination. Each equation changes one entry of x: of
// those that the equations before it leave, the entry with the greatest room, the first of several. It reports false,
// without a change of x, if the equations contradict each other.
func Solve(equations []Equation, x []*big.Rat, room func(i int32) float64) bool {
	var done []Equation
	var pivots []int32
	for _, q := range equations {
		// The pivots of the equations before are eliminated.
		for k, i := range pivots {
			q.eliminate(i, &done[k])
		}

		// Without an entry to change the equation holds or contradicts the others.
		pivot, ok := q.pivot(room)
		if !ok {
			if q.Lack.Sign() != 0 {
				return false
			}
			continue
		}

		// The equation is divided by its pivot, so that the pivot has the coefficient one.
		inverse := new(big.Rat).Inv(q.Coef[pivot])
		for _, v := range q.Coef {
			v.Mul(v, inverse)
		}
		q.Lack.Mul(q.Lack, inverse)

		// The new pivot is eliminated from the equations before, so that each has the pivot of no other.
		for k := range done {
			done[k].eliminate(pivot, &q)
		}
		done = append(done, q)
		pivots = append(pivots, pivot)
	}

	// The pivots are the only entries that change.
	for k, i := range pivots {
		x[i] = new(big.Rat).Add(x[i], done[k].Lack)
	}
	return true
}

// eliminate subtracts the multiple of another equation, with pivot i, that makes the coefficient of x_i zero.
func (q *Equation) eliminate(pivot int32, other *Equation) {
	if f := q.Coef[pivot]; f != nil && f.Sign() != 0 {
		q.subtract(other, new(big.Rat).Set(f))
	}
}

// subtract subtracts a multiple of another equation.
func (q *Equation) subtract(other *Equation, factor *big.Rat) {
	// An entry that is missing is zero.
	for i, v := range other.Coef {
		if q.Coef[i] == nil {
			q.Coef[i] = new(big.Rat)
		}
		q.Coef[i].Sub(q.Coef[i], new(big.Rat).Mul(factor, v))
	}
	q.Lack.Sub(q.Lack, new(big.Rat).Mul(factor, other.Lack))
}

// pivot chooses the entry that the equation changes.
func (q *Equation) pivot(room func(i int32) float64) (int32, bool) {
	// The order of a map is random, so that ties are broken by the number of the entry.
	var candidates []int32
	for i, v := range q.Coef {
		if v.Sign() != 0 {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return 0, false
	}
	return slices.MinFunc(candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(room(b), room(a)), cmp.Compare(a, b))
	}), true
}
