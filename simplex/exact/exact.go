// Package exact solves small linear programs in exact arithmetic, for the few on which float64 does not decide: where
// coefficients are far apart, a certificate of infeasibility or a ray may hold to a tolerance and be wrong.
//
// The program is that of package lp: minimise or maximise c'x + offset subject to row and column bounds. Its numbers
// are taken as the float64 that they are. The method is the primal simplex method with bounds, by Bland's rule, which
// ends (Bland, New finite pivoting rules for the simplex method, 1977), on a dictionary of integers with one common
// denominator, so that pivots need no greatest common divisors (Edmonds, Systems of distinct representatives and
// linear algebra, 1967; Avis, lrs, 2000). A start near the answer saves most pivots: package simplex begins with the
// basis that float64 has led to, as Applegate, Cook, Dash and Espinoza do (Exact solutions to linear programming
// problems, 2007).
package exact

import (
	"math"
	"math/big"

	"github.com/proxybd/proxybd/lp"
)

// Start is a basis to begin with: one entry for each column and then one for each row. The zero value is the basis of
// the rows, with each column at a finite bound.
type Start struct {
	Basic   []bool // the variables that the basis should have; those that rounding made dependent are left out
	AtUpper []bool // nonbasic variables that are at their upper bounds
}

// Answer is exact but for the last rounding to float64.
type Answer struct {
	Status               lp.Status // Optimal, Infeasible or Unbounded
	Objective            float64   // in the sense of the model, with its offset; of X
	X, RowActivity       []float64 // a vertex; of an unbounded program a feasible one, of an infeasible one the last
	RowDual, ReducedCost []float64 // where the status is Optimal; signs as in package simplex

	// Ray is the certificate of a status other than Optimal, with a largest entry of one: weights of the rows that
	// contradict the bounds (Farkas), or a direction of the columns in which the objective improves without bound. It
	// is exact; rounded to float64 it need not be a proof.
	Ray []*big.Rat

	Basis Start // the last basis
}

// Solve solves m from a basis. It gives up, and returns nil, when the arithmetic takes more than the given work: the
// sum over all products of the product of the numbers of machine words of their factors. A model without a matrix
// gives nil too.
func Solve(m *lp.Model, start Start, work float64) *Answer {
	d := newDictionary(m, work)
	if d == nil {
		return nil
	}
	d.enter(start)

	// The first phase decides whether there is a point, the second one whether the objective has an optimum.
	status := lp.Optimal
	if !d.findFeasible() {
		status = lp.Infeasible
	} else if !d.minimise() {
		status = lp.Unbounded
	}
	if d.work < 0 {
		return nil
	}
	return d.answer(m, status)
}

// answer rounds the state of the dictionary.
func (d *dictionary) answer(m *lp.Model, status lp.Status) *Answer {
	n := len(m.Cols)
	out := &Answer{
		Status:      status,
		X:           make([]float64, n),
		RowActivity: make([]float64, len(m.Rows)),
		Basis:       Start{Basic: make([]bool, len(d.x)), AtUpper: make([]bool, len(d.x))},
	}

	// Values: those of rows are scaled back.
	objective := new(big.Rat).SetFloat64(m.Offset)
	for j := range n {
		objective.Add(objective, new(big.Rat).Mul(new(big.Rat).SetFloat64(m.Cols[j].Cost), d.x[j]))
		out.X[j] = rounded(d.x[j])
	}
	out.Objective = rounded(objective)
	for i := range m.Rows {
		out.RowActivity[i] = rounded(new(big.Rat).Quo(d.x[n+i], d.scale[i]))
	}

	// The basis.
	for _, v := range d.basic {
		out.Basis.Basic[v] = true
	}
	for v, x := range d.x {
		fixed := d.lower[v] != nil && d.upper[v] != nil && d.lower[v].Cmp(d.upper[v]) == 0
		reached := d.upper[v] != nil && x.Cmp(d.upper[v]) == 0
		out.Basis.AtUpper[v] = reached && !fixed && !out.Basis.Basic[v]
	}

	switch status {
	case lp.Optimal:
		d.duals(m, out)
	case lp.Infeasible:
		out.Ray = d.farkas(n)
	case lp.Unbounded:
		out.Ray = d.direction(n)
	}
	return out
}

// duals fills in the reduced costs of the columns and rows, zero for basic variables, in the sense of the model.
func (d *dictionary) duals(m *lp.Model, out *Answer) {
	n := len(m.Cols)
	out.RowDual = make([]float64, len(m.Rows))
	out.ReducedCost = make([]float64, n)
	for j, v := range d.nonbasic {
		// The costs of the dictionary are those of a minimisation, scaled.
		cost := new(big.Rat).SetFrac(d.cost[j], d.denominator)
		cost.Quo(cost, d.costScale)
		if m.Maximize {
			cost.Neg(cost)
		}
		if v < n {
			out.ReducedCost[v] = rounded(cost)
		} else {
			out.RowDual[v-n] = rounded(cost.Mul(cost, d.scale[v-n]))
		}
	}
}

// farkas returns the weights of the rows that prove the program infeasible. The basic variable of the blocked row of
// the dictionary is b = sum_j t_j x_j; as every equation of the dictionary, b - sum_j t_j x_j = 0 is a sum of the rows
// activity_i - a_i'x = 0 with the coefficients that it has for the activities. Of a crossed pair of bounds no row is
// needed, and the weights are zero.
func (d *dictionary) farkas(n int) []*big.Rat {
	// The weight of a row is the coefficient of its activity, in the scale of the row.
	weights := zeros(len(d.scale))
	if d.blocked >= 0 {
		if v := d.basic[d.blocked]; v >= n {
			weights[v-n].Set(d.scale[v-n])
		}
		for j, v := range d.nonbasic {
			if v >= n {
				t := d.entry(d.blocked, j)
				weights[v-n] = t.Neg(t.Mul(t, d.scale[v-n]))
			}
		}

		// Above its upper bound the variable proves the opposite inequality.
		if d.tooHigh {
			for _, w := range weights {
				w.Neg(w)
			}
		}
	}
	normalise(weights)
	return weights
}

// direction returns the direction of the columns as the entering variable moves without end.
func (d *dictionary) direction(n int) []*big.Rat {
	// The basic columns follow by their coefficients.
	ray := zeros(n)
	sign := big.NewRat(int64(d.sign), 1)
	if v := d.nonbasic[d.entering]; v < n {
		ray[v].Set(sign)
	}
	for i, v := range d.basic {
		if v < n {
			t := d.entry(i, d.entering)
			ray[v] = t.Mul(t, sign)
		}
	}
	normalise(ray)
	return ray
}

// normalise divides a vector by its largest entry.
func normalise(v []*big.Rat) {
	// A vector of zeros has no largest entry.
	largest := new(big.Rat)
	for _, e := range v {
		if abs := new(big.Rat).Abs(e); abs.Cmp(largest) > 0 {
			largest = abs
		}
	}
	if largest.Sign() > 0 {
		for _, e := range v {
			e.Quo(e, largest)
		}
	}
}

func zeros(n int) []*big.Rat {
	v := make([]*big.Rat, n)
	for k := range v {
		v[k] = new(big.Rat)
	}
	return v
}

// rounded returns the nearest float64.
func rounded(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// bound returns v, nil for an infinity.
func bound(v float64) *big.Rat {
	if math.IsInf(v, 0) {
		return nil
	}
	return new(big.Rat).SetFloat64(v)
}
