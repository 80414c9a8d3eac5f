package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// Columns without a bound on one side have no term that could absorb rounding: their reduced cost must have the other
// sign, or be zero, exactly. So the LP works with costs that are a little worse on that side. Its duals then leave the
// true reduced costs a margin, at the price of the margin times the column. A column without any bound has one after a
// split, if it is integer.

// margin is how much, relative to max(1, |cost|): above the dual tolerance of the LP in the columns that count.
const margin = 1e-8

// shifted returns the cost of column j that the LP has in the present box.
func (p *prover) shifted(j int) float64 {
	c := 0.0
	if !p.costless {
		c = p.s.Problem.Master.Cols[j].Cost
	}
	if p.plain {
		return c
	}
	m := margin * math.Max(1, math.Abs(c))
	switch noLower, noUpper := math.IsInf(p.lower[j], -1), math.IsInf(p.upper[j], 1); {
	case noUpper && !noLower:
		return c - m
	case noLower && !noUpper:
		return c + m
	}
	return c
}

// unshift gives the LP its own costs, where shifted ones leave it unbounded, and shift takes them back.
func (p *prover) unshift() {
	p.plain = true
	p.setCosts()
}

func (p *prover) shift() {
	if p.plain {
		p.plain = false
		p.setCosts()
	}
}

func (p *prover) setCosts() {
	for j := range p.n {
		p.lp.SetCost(lp.Var(j), p.shifted(j))
	}
}

// halve splits an integer column without any bound at the point, or at zero, so that proofs can be made at all.
func (p *prover) halve(x []float64) (split int, at float64) {
	for j := range p.n {
		if p.s.Problem.Master.Cols[j].Integer && math.IsInf(p.lower[j], -1) && math.IsInf(p.upper[j], 1) {
			switch {
			case p.design != nil:
				at = p.design[j]
			case x != nil && math.Abs(x[j]) < 1<<40:
				at = math.Floor(x[j])
			}
			return j, at
		}
	}
	return -1, 0
}

// term adds what column j, whose reduced cost d is known to within err, adds to the value over the box, and the size of
// its rounding. It reports false if there is no bound on the side that counts.
func (p *prover) term(q *proof, j int, d, err float64, objective bool, take func(v, size float64)) bool {
	lower, upper := p.lower[j], p.upper[j]
	if math.Abs(d) <= err && (math.IsInf(lower, -1) || math.IsInf(upper, 1)) {
		d, _ = p.reducedExactly(q, j, objective).Float64()
	}
	at, far := lower, math.Max(math.Abs(lower), math.Abs(upper))
	if d < 0 {
		at = upper
	}
	if math.IsInf(far, 0) { // the sign of d is sure
		far = math.Abs(at)
	}
	switch {
	case d == 0 && math.IsInf(far, 0):
		return true
	case math.IsInf(at, 0):
		return false
	}
	take(d*at, far)
	return true
}

// reducedExactly is the reduced cost of column j in rationals.
func (p *prover) reducedExactly(q *proof, j int, objective bool) *big.Rat {
	d, w := new(big.Rat), new(big.Rat)
	if objective {
		d.SetFloat64(p.s.Problem.Master.Cols[j].Cost)
	}
	for k, row := range q.rows {
		index, _, _ := p.recordRow(row)
		at := slices.Index(index, int32(j))
		if at < 0 {
			continue
		}
		coef := p.exactRow(row)
		if coef == nil {
			return big.NewRat(1, 1) // no proof
		}
		w.SetFloat64(q.weights[k])
		d.Sub(d, w.Mul(w, coef[at]))
	}
	return d
}

// balance makes the weights on the cuts of an epigraph without a lower bound add up to exactly one: all of them
// multiples of 2^-50, the largest what the others leave.
func (p *prover) balance(q *proof, e int) {
	const unit = 0x1p-50
	largest, rest := -1, 0.0
	for k, row := range q.rows {
		if row < 0 || p.cuts[row].Kind != benders.Optimality || p.cuts[row].Theta >= 0 && p.cuts[row].Theta != e {
			continue
		}
		q.weights[k] = math.Round(q.weights[k]/unit) * unit
		rest += q.weights[k]
		if largest < 0 || q.weights[k] > q.weights[largest] {
			largest = k
		}
	}
	if largest >= 0 {
		q.weights[largest] = math.Max(0, 1-(rest-q.weights[largest]))
	}
}

// refuted makes a proof of a Farkas ray and the duals that the LP ended with, which leave the margins that the ray
// alone lacks: that nothing is inside, or nothing as good as the target.
func (p *prover) refuted(ray, dual []float64) proof {
	if q := p.emptied(ray); q.empty() {
		return q
	}
	sum := make([]float64, len(ray))
	for _, t := range []float64{1, 1e3, 1e6} {
		for i := range sum {
			sum[i] = t * ray[i]
			if i < len(dual) {
				sum[i] += dual[i]
			}
		}
		if q := p.emptied(sum); q.empty() {
			return q
		}
		if q := p.bounded(sum); q.bound >= p.target() && !math.IsInf(q.bound, 1) {
			return q
		}
	}
	return proof{bound: math.Inf(-1)}
}

// maxUnbounded is how many nodes may be split without a bound before the rest is given up.
const maxUnbounded = 1000

// tooManyUnbounded counts a node without a bound, and reports whether that is one too many.
func (p *prover) tooManyUnbounded(q proof) bool {
	if !math.IsInf(q.bound, -1) {
		return false
	}
	p.unbounded++
	return p.unbounded > maxUnbounded
}
