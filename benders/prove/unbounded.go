package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// The reduced cost of a column without a bound on one side must have the sign that prices its other bound, or be
// zero, exactly: no bound absorbs its rounding. So the LP works with costs that are a little worse on that side. Its
// duals then leave the true reduced costs a margin, which costs the margin times the column. An integer column
// without any bound has one after a split.

// margin of a cost, relative to max(1, |cost|): above the dual tolerance of the LP in the columns without a bound.
const margin = 1e-8

// shifted returns the cost of column j in the LP of the present box.
func (p *prover) shifted(j int) float64 {
	// Without costs only the emptiness of the box can be proven.
	c := 0.0
	if !p.noIncumbent {
		c = p.s.Problem.Master.Cols[j].Cost
	}
	if p.plain {
		return c
	}

	// A reduced cost that is not negative for the lower cost is at least the margin for the true one. A column without
	// any bound needs a reduced cost of zero, which no shift brings closer.
	m := margin * math.Max(1, math.Abs(c))
	switch noLower, noUpper := math.IsInf(p.lower[j], -1), math.IsInf(p.upper[j], 1); {
	case noUpper && !noLower:
		return c - m
	case noLower && !noUpper:
		return c + m
	}
	return c
}

// setPlain gives the LP the costs of the model, where shifted ones leave it unbounded, or shifted costs.
func (p *prover) setPlain(plain bool) {
	p.plain = plain
	for j := range p.n {
		p.lp.SetCost(lp.Var(j), p.shifted(j))
	}
}

// restoreShift shifts the costs again, where they are plain.
func (p *prover) restoreShift() {
	if p.plain {
		p.setPlain(false)
	}
}

// halve splits an integer column without any bound at the point, or at zero: without a bound it allows hardly any
// proof.
func (p *prover) halve(x []float64) (split int, at float64) {
	for j := range p.n {
		if p.s.Problem.Master.Cols[j].Integer && math.IsInf(p.lower[j], -1) && math.IsInf(p.upper[j], 1) {
			// Near the best design both children are of use; a point far out is no better than zero.
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

// term calls take with the least value of column j over the box, whose reduced cost is within err of d, and with the
// size of the column, which its rounding is relative to. It reports false if the bound that prices d is infinite.
func (p *prover) term(q *proof, j int, d, err float64, objective bool, take func(v, size float64)) bool {
	// No finite bound absorbs the error of d where a bound is infinite, so that the sign has to be certain.
	lower, upper := p.lower[j], p.upper[j]
	if math.Abs(d) <= err && (math.IsInf(lower, -1) || math.IsInf(upper, 1)) {
		d, _ = p.reducedExactly(q, j, objective).Float64()
	}

	// Where a bound is infinite, the sign of d is exact, and the other bound is the size of the column: the rounding of
	// its term is relative to that.
	at := lower
	if d < 0 {
		at = upper
	}
	far := max(math.Abs(lower), math.Abs(upper))
	if math.IsInf(far, 0) {
		far = math.Abs(at)
	}
	switch {
	case d == 0 && math.IsInf(far, 0):
		// A column without any bound, whose term is zero.
		return true
	case math.IsInf(at, 0):
		return false
	}
	take(d*at, far)
	return true
}

// reducedExactly is the reduced cost of column j in rationals.
func (p *prover) reducedExactly(q *proof, j int, objective bool) *big.Rat {
	d := new(big.Rat)
	w := new(big.Rat)
	if objective {
		d.SetFloat64(p.s.Problem.Master.Cols[j].Cost)
	}
	for k, row := range q.rows {
		// Rows without the column add nothing.
		index, _, _ := p.recordRow(row)
		at := slices.Index(index, int32(j))
		if at < 0 {
			continue
		}

		// Slopes that cannot be read, which no family writes, count as a reduced cost of one.
		coef := p.exactRow(row)
		if coef == nil {
			return big.NewRat(1, 1)
		}
		w.SetFloat64(q.weights[k])
		d.Sub(d, w.Mul(w, coef[at]))
	}
	return d
}

// balance makes the weights on the cuts of each epigraph add up to exactly one: all of them are rounded to multiples of
// 2^-50, and the largest makes up the difference.
func (p *prover) balance(q *proof) {
	const unit = 0x1p-50
	for e := range p.s.Problem.Epigraphs {
		largest := -1
		rest := 0.0
		for k, row := range q.rows {
			on := false
			p.onEpigraphs(row, func(of int) { on = on || of == e })
			if !on {
				continue
			}

			// Multiples of the unit below eight have exact sums in float64.
			q.weights[k] = math.Round(q.weights[k]/unit) * unit
			rest += q.weights[k]
			if largest < 0 || q.weights[k] > q.weights[largest] {
				largest = k
			}
		}

		// An epigraph without a cut that has a weight stays as it is.
		if largest >= 0 {
			q.weights[largest] = math.Max(0, 1-(rest-q.weights[largest]))
		}
	}
}

// refuted makes a proof from a Farkas ray and the last duals of the LP, which have the margins that the ray alone
// lacks: the box is empty, or no point of it is as good as the target.
func (p *prover) refuted(ray, dual []float64) proof {
	if q := p.emptied(ray); q.empty() {
		return q
	}

	// The duals with more and more of the ray, which raises the bound without limit where the box is empty.
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

// maxUnbounded is the largest number of nodes that are split without a bound before the search gives up.
const maxUnbounded = 1000

// tooManyUnbounded counts a node without a bound, and reports whether there are too many of them.
func (p *prover) tooManyUnbounded(q proof) bool {
	if !math.IsInf(q.bound, -1) {
		return false
	}

	// Each split of a column without bounds may leave a child without a bound, without end.
	p.unbounded++
	return p.unbounded > maxUnbounded
}
