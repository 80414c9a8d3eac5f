package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/record"
)

// A leaf is proven by weak duality. With weights w >= 0 on rows a_i'x >= b_i, which are rows of the master and cuts,
// every point x of the box satisfies
//
//	c'x >= sum_i w_i b_i + sum_j min { d_j x_j : l_j <= x_j <= u_j },   d = c - sum_i w_i a_i,
//
// whatever the weights are: multipliers of a linear program make the bound good, not valid. With c = 0 a positive right
// side proves the box empty. Infinite bounds are what makes this hard: there d_j must have the right sign, or be zero,
// exactly.

// proof is the certificate of a leaf: nonnegative weights on rows of the record (a cut k as k, a row r as -1-r).
type proof struct {
	bound   float64 // proven, in exact arithmetic; +Inf if the weights prove that the box is empty, -Inf if there are none
	rows    []int32 // with a weight
	weights []float64
	exact   []*big.Rat // the weights in rationals, nil where float64 suffices
}

// empty reports a proof that the box has no feasible point. Its bound is above every target.
func (q *proof) empty() bool { return math.IsInf(q.bound, 1) }

// collect reads the weights off the multipliers of the LP rows. Those of the wrong sign are rounding and are dropped.
func (p *prover) collect(y []float64, infeasible bool) proof {
	// Every row of the record is a lower side, whose multiplier is not negative in a minimisation.
	var q proof
	add := func(row int32, w float64) {
		if w > 0 && !math.IsInf(w, 0) {
			q.rows = append(q.rows, row)
			q.weights = append(q.weights, w)
		}
	}

	// A row of the master with two sides is two rows of the record, and the sign of its multiplier selects one of them.
	for i, s := range p.sides {
		if s.lower >= 0 {
			add(int32(-1-s.lower), y[i])
		}
		if s.upper >= 0 {
			add(int32(-1-s.upper), -y[i])
		}
	}

	// In a proof that the box is empty the epigraphs have no part: large values of them satisfy every optimality cut.
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
	// Without costs there is nothing to bound.
	if p.s.Unbounded {
		return proof{bound: math.Inf(-1)}
	}

	// With a lower bound on every epigraph a sum of weights below one is as good as one, up to the bound. An epigraph
	// without a lower bound needs the sum one exactly, which floats can have.
	for _, repair := range []func(*proof){p.shrink, p.balance} {
		q := p.collect(y, false)
		repair(&q)
		if q.bound = p.value(&q, true); !math.IsInf(q.bound, -1) {
			return q
		}
	}

	// Several equations that float64 weights cannot satisfy together are solved in rationals.
	return p.exactly(p.collect(y, false), true)
}

// shrink makes the weights on the cuts of every epigraph add up to less than one.
func (p *prover) shrink(q *proof) {
	if p.s.Problem.Epigraphs == 0 {
		return
	}
	total := make([]float64, p.s.Problem.Epigraphs)
	for k, row := range q.rows {
		p.onEpigraphs(row, func(e int) { total[e] += q.weights[k] })
	}

	// One factor for all weights on cuts keeps their proportions; without any such cut it is +Inf.
	const room = 1e-12 // more than the rounding of the sums
	worst := max(0, slices.Max(total))
	if factor := (1 - room) / worst; factor < 1 {
		// Feasibility cuts and rows of the master have no epigraph, and keep their weights.
		for k, row := range q.rows {
			if row >= 0 && p.cuts[row].Kind == benders.Optimality {
				q.weights[k] *= factor
			}
		}
	}
}

// emptied makes a proof from a Farkas ray; its bound is -Inf if the ray does not prove the box empty.
func (p *prover) emptied(y []float64) proof {
	// The box is empty where the sum of the weighted rows is violated by every point of it: the excess is positive.
	q := p.collect(y, true)
	if p.value(&q, false) > 0 {
		q.bound = math.Inf(1)
		return q
	}
	return p.exactly(q, false)
}

// onEpigraphs calls f with every epigraph that has the coefficient one in a row of the record.
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
	const unit = 0x1p-53 // relative rounding error of one operation
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

	// Each row adds its weighted side to the value, and takes its weighted coefficients off the reduced costs.
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

	// Every column at the bound that makes its term least; the rounding error is relative to the size of the terms. A
	// column without any term has a reduced cost of exactly zero.
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
			// No cut of an epigraph has a weight.
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

	// theta - Beta y >= Alpha, and without theta for a feasibility cut.
	c := &p.cuts[row]
	return c.Index, negated(c.Beta), c.Alpha
}

// negated returns -v.
func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = -x
	}
	return out
}

// proof returns the tree in preorder and the bound that it proves.
func (p *prover) proof() ([]record.Node, float64) {
	if p.root == nil {
		return nil, math.Inf(-1)
	}

	// The bound of the tree is the least one of its leaves, since every design is in the box of one of them.
	least := math.Inf(1)
	var list []record.Node
	var walk func(nd *node)
	walk = func(nd *node) {
		if nd.split < 0 {
			least = min(least, nd.proof.bound)

			// A leaf that a limit left open has the proof of its parent, whose rows must not be renumbered twice.
			list = append(list, record.Node{
				Split:      -1,
				Infeasible: nd.proof.empty(),
				Rows:       slices.Clone(nd.proof.rows),
				Weights:    nd.proof.weights,
				Exact:      nd.proof.fractions(),
			})
			return
		}
		list = append(list, record.Node{Split: nd.split, At: nd.at})
		walk(nd.children[0])
		walk(nd.children[1])
	}
	walk(p.root)

	// One leaf without a bound leaves the whole tree without one.
	if math.IsInf(least, -1) {
		return nil, least
	}
	return list, least
}
