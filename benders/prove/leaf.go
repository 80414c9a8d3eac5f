package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/record"
)

// proof is the certificate of a leaf: nonnegative weights on rows of the record (a cut k as k, a row r as -1-r).
type proof struct {
	bound   float64 // proven, in exact arithmetic; +Inf if the weights prove that the box is empty, -Inf if there are none
	rows    []int32
	weights []float64
	exact   []*big.Rat // the weights in rationals, nil where float64 suffices
}

// empty reports a proof that the box has no feasible point.
func (q *proof) empty() bool { return math.IsInf(q.bound, 1) }

// collect reads the weights off the multipliers of the LP rows. Those of the wrong sign are rounding and are dropped.
func (p *prover) collect(y []float64, infeasible bool) proof {
	var q proof
	add := func(row int32, w float64) {
		if w > 0 && !math.IsInf(w, 0) {
			q.rows = append(q.rows, row)
			q.weights = append(q.weights, w)
		}
	}
	for i, s := range p.sides {
		if s.lower >= 0 {
			add(int32(-1-s.lower), y[i])
		}
		if s.upper >= 0 {
			add(int32(-1-s.upper), -y[i])
		}
	}
	for at, k := range p.active {
		if !infeasible || p.cuts[k].Kind == benders.Feasibility {
			add(int32(k), y[len(p.sides)+at])
		}
	}
	return q
}

// bounded makes a proof of a bound from the duals of the LP. The weights on the cuts of an epigraph must add up to at
// most one in exact arithmetic, so they are shrunk where they do not; where that is not enough because a column or an
// epigraph lacks a bound, they are made to add up to exactly one.
func (p *prover) bounded(y []float64) proof {
	if p.s.Unbounded { // The problem has no costs, so there is nothing to bound.
		return proof{bound: math.Inf(-1)}
	}
	q := p.collect(y, false)
	p.shrink(&q)
	if q.bound = p.value(&q, true); !math.IsInf(q.bound, -1) {
		return q
	}
	q = p.collect(y, false)
	for e := range p.s.Problem.Epigraphs {
		p.balance(&q, e)
	}
	if q.bound = p.value(&q, true); !math.IsInf(q.bound, -1) {
		return q
	}
	return p.exactly(p.collect(y, false), true)
}

// shrink makes the weights on the cuts of every epigraph add up to less than one.
func (p *prover) shrink(q *proof) {
	total := make([]float64, p.s.Problem.Epigraphs)
	for k, row := range q.rows {
		p.onEpigraphs(row, func(e int) { total[e] += q.weights[k] })
	}
	worst := 0.0
	for _, t := range total {
		worst = max(worst, t)
	}
	const room = 1e-12 // more than the rounding of the sums
	if factor := (1 - room) / worst; factor < 1 {
		for k, row := range q.rows {
			if row >= 0 && p.cuts[row].Kind == benders.Optimality {
				q.weights[k] *= factor
			}
		}
	}
}

// emptied makes a proof from a Farkas ray; its bound is -Inf if the ray does not prove the box empty.
func (p *prover) emptied(y []float64) proof {
	q := p.collect(y, true)
	if p.value(&q, false) > 0 {
		q.bound = math.Inf(1)
		return q
	}
	return p.exactly(q, false)
}

func (p *prover) onEpigraphs(row int32, f func(e int)) {
	if row < 0 || p.cuts[row].Kind == benders.Feasibility {
		return
	}
	if e := p.cuts[row].Theta; e >= 0 {
		f(e)
		return
	}
	for e := range p.s.Problem.Epigraphs {
		f(e)
	}
}

// value returns the Lagrangian value of the weights over the present box, less a bound on the rounding error: with
// objective the bound of the box, else the excess that proves it empty.
func (p *prover) value(q *proof, objective bool) float64 {
	const unit = 0x1p-53
	m := p.s.Problem.Master
	reduced := make([]float64, p.n)
	size := make([]float64, p.n) // sums of the absolute terms of the reduced costs
	theta := make([]float64, p.s.Problem.Epigraphs)
	value := 0.0
	magnitude := 0.0 // sum of the absolute terms of the value
	take := func(v float64) {
		value += v
		magnitude += math.Abs(v)
	}

	// The reduced costs of the columns and epigraphs: their costs less the weighted rows.
	if objective {
		take(m.Offset)
		for j := range reduced {
			reduced[j] = m.Cols[j].Cost
			size[j] = math.Abs(reduced[j])
		}
		for e := range theta {
			theta[e] = 1
		}
	}
	for k, row := range q.rows {
		w := q.weights[k]
		index, coef, at := p.recordRow(row)
		take(w * at)
		for i, j := range index {
			v := w * coef[i]
			reduced[j] -= v
			size[j] += math.Abs(v)
		}
		p.onEpigraphs(row, func(e int) { theta[e] -= w })
	}

	// Every column at the bound that makes its term least; the rounding error is relative to the size of the terms.
	rounding := 4 * float64(len(q.rows)+p.n+len(theta)+8) * unit
	for j, d := range reduced {
		if size[j] == 0 {
			continue
		}
		if !p.term(q, j, d, rounding*size[j], objective, func(v, far float64) {
			value += v
			magnitude += size[j] * far
		}) {
			return math.Inf(-1)
		}
	}

	// The epigraphs have lower bounds only, so that a negative reduced cost proves nothing.
	for e, d := range theta {
		switch low := p.s.Lower[e].Alpha; {
		case !objective:
		case d < 0:
			return math.Inf(-1)
		case !math.IsInf(low, -1):
			value += d * low
			magnitude += math.Abs(low)
		case d > 0:
			return math.Inf(-1)
		}
	}
	return value - rounding*magnitude
}

// recordRow returns a row of the record: coefficients of the first stage and the lower side.
func (p *prover) recordRow(row int32) (index []int32, coef []float64, lower float64) {
	if row < 0 {
		r := &p.rows[-1-row]
		return r.Index, r.Value, r.Lower
	}
	c := &p.cuts[row]
	coef = make([]float64, len(c.Beta))
	for k, b := range c.Beta {
		coef[k] = -b
	}
	return c.Index, coef, c.Alpha
}

// proof returns the tree in preorder and the bound that it proves.
func (p *prover) proof() ([]record.Node, float64) {
	if p.root == nil {
		return nil, math.Inf(-1)
	}
	least := math.Inf(1)
	var list []record.Node
	var walk func(nd *node)
	walk = func(nd *node) {
		if nd.split < 0 {
			least = min(least, nd.proof.bound)
			list = append(list, record.Node{Split: -1, Infeasible: nd.proof.empty(),
				Rows: slices.Clone(nd.proof.rows), Weights: nd.proof.weights, Exact: nd.proof.fractions()})
			return
		}
		list = append(list, record.Node{Split: nd.split, At: nd.at})
		walk(nd.children[0])
		walk(nd.children[1])
	}
	walk(p.root)
	if math.IsInf(least, -1) {
		return nil, least
	}
	return list, least
}
