// Package rational moves a point until a few linear equations hold exactly.
package rational

import (
	"cmp"
	"math/big"
	"slices"
)

// Equation is sum_i Coef_i x_i = b. Lack is b less the sum at the present point. Solve changes both.
type Equation struct {
	Coef map[int32]*big.Rat
	Lack *big.Rat
}

// Solve changes x so that all equations hold, by Gaussian elimination. Each changes one entry of x, among those that
// the equations before it leave the one of the greatest room, the first of several. It reports false, with x as it was,
// if the equations contradict each other.
func Solve(equations []Equation, x []*big.Rat, room func(i int32) float64) bool {
	var done []Equation
	var pivots []int32
	for _, q := range equations {
		for k, i := range pivots { // reduce by the equations before
			if f := q.Coef[i]; f != nil && f.Sign() != 0 {
				q.subtract(&done[k], new(big.Rat).Set(f))
			}
		}
		pivot, ok := q.pivot(room)
		if !ok {
			if q.Lack.Sign() != 0 {
				return false
			}
			continue
		}
		inverse := new(big.Rat).Inv(q.Coef[pivot])
		for _, v := range q.Coef {
			v.Mul(v, inverse)
		}
		q.Lack.Mul(q.Lack, inverse)
		for k := range done { // keep the system reduced
			if f := done[k].Coef[pivot]; f != nil && f.Sign() != 0 {
				done[k].subtract(&q, new(big.Rat).Set(f))
			}
		}
		done, pivots = append(done, q), append(pivots, pivot)
	}
	for k, i := range pivots {
		x[i] = new(big.Rat).Add(x[i], done[k].Lack)
	}
	return true
}

// subtract takes a multiple of another equation off.
func (q *Equation) subtract(other *Equation, factor *big.Rat) {
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
