package cuts

import (
	"cmp"
	"math"
	"slices"
)

// mixedCover separates lifted covers of the row that mir holds, where its integer terms are binary. With the terms
// complemented so that their coefficients a_j are positive the row reads
//
//	sum a_j z_j <= b + s,   z binary, s >= 0 the sum of the continuous terms that help.
//
// For a cover C, with sum of a_j over C = b + excess, excess > 0, every point satisfies
//
//	sum over C of min(a_j, excess) z_j + sum outside of phi(a_j) z_j <= sum over C of min(a_j, excess) - excess + s,
//
// where phi is superadditive, so that the order of lifting does not matter (Atamturk, Flow pack facets of the single
// node fixed-charge flow polytope, 2001; Marchand and Wolsey, The 0-1 knapsack problem with a single continuous
// variable, 1999). Where variable bounds have been substituted these are lifted flow covers.
type mixedCover struct {
	items  []mixedItem // literals that are not 0 at the LP point; those at 1 come first
	whole  int         // number of the literals at 1
	zeros  []mixedItem // literals at 0: they are lifted, and have no part in the violation
	reach  float64     // weight of the literals that may be in the cover
	excess float64
	steps  []float64 // partial sums of the members of the cover that are larger than the excess, largest first
	side   float64   // b, later the right-hand side of the cut without s
}

// mixedItem is a literal of the row: a binary term or its complement.
type mixedItem struct {
	term   int32   // index in the terms of mir
	a, at  float64 // coefficient and LP value of the literal
	adds   float64 // to the activity: their product
	negate bool    // the literal is the complement of the term
	cover  bool
	coef   float64 // in the cut
}

// separateCover finds the lifted cover of the terms and returns its efficacy, 0 if there is none.
func (g *mir) separateCover() float64 {
	// The row must be one over binary literals, with a cover that can be lifted.
	c := &g.cover
	if !g.literals() || !c.choose() || !c.lift() {
		return 0
	}

	// The violation is that of the cut at the LP point, without the literals at 0.
	violation := g.contSum - c.side
	norm := g.contNorm
	for k := range c.items {
		it := &c.items[k]
		violation += it.coef * it.at
		if it.coef > 0 && it.at > atBound {
			norm += it.coef * it.coef
		}
	}

	return distance(violation, norm)
}

// literals complements the integer terms so that their coefficients are positive. It returns false if one is not
// binary, or if the side is not clearly positive.
func (g *mir) literals() bool {
	// The state of the last row is dropped.
	c := &g.cover
	c.items = c.items[:0]
	c.zeros = c.zeros[:0]
	c.whole = 0
	c.reach = 0
	c.side = g.rhs
	for _, k := range g.ints {
		t := &g.terms[k]
		if t.width != 1 {
			return false
		}

		// A term with a negative coefficient is complemented, which moves its coefficient to the side.
		switch {
		case t.coef > 0:
			c.take(mixedItem{term: k, a: t.coef, at: t.at})
		case t.coef < 0:
			c.take(mixedItem{term: k, a: -t.coef, at: 1 - t.at, negate: true})
			c.side -= t.coef
		}
	}

	g.v.work += 4 * (len(c.items) + len(c.zeros))
	return c.side > mirError*g.size
}

// take lists a literal and keeps those at 1 in front.
func (c *mixedCover) take(it mixedItem) {
	if it.at == 0 {
		c.zeros = append(c.zeros, it)
		return
	}

	// Literals at 1 are swapped to the front, which keeps the two parts together.
	it.adds = it.at * it.a
	c.items = append(c.items, it)
	if it.at > atBound {
		c.reach += it.a
	}
	if last := len(c.items) - 1; it.at >= 1-atBound {
		c.items[last], c.items[c.whole] = c.items[c.whole], it
		c.whole++
	}
}

// byActivity orders literals by decreasing contribution to the activity, with the coefficient and then the term to
// break ties.
func byActivity(a, b mixedItem) int {
	return cmp.Or(cmp.Compare(b.adds, a.adds), cmp.Compare(b.a, a.a), cmp.Compare(a.term, b.term))
}

// choose takes the literals at 1, and then those that add most to the activity, until their weight exceeds the side. It
// returns false if all together do not exceed it.
func (c *mixedCover) choose() bool {
	if c.reach < c.side {
		return false
	}
	slices.SortFunc(c.items[:c.whole], byActivity)
	slices.SortFunc(c.items[c.whole:], byActivity)

	// All literals at 1 are members, even beyond the least weight of a cover.
	weight := 0.0
	full := false
	least := c.side + coverExcess*math.Max(1, c.side)
	for k := range c.items {
		it := &c.items[k]
		full = full || weight > least && it.at < 1-atBound
		if it.cover = !full && it.at > atBound; it.cover {
			weight += it.a
		}
	}

	c.excess = weight - c.side
	return weight > least
}

// lift computes the coefficients and the side. It returns false if no member of the cover is heavier than the excess.
func (c *mixedCover) lift() bool {
	// The cover inequality has the coefficients min(a_j, excess); its side is their sum less the excess.
	c.steps = c.steps[:0]
	c.side = -c.excess
	for k := range c.items {
		if it := &c.items[k]; it.cover {
			it.coef = min(it.a, c.excess)
			c.side += it.coef
			if it.a > c.excess {
				c.steps = append(c.steps, it.a)
			}
		}
	}

	if len(c.steps) == 0 {
		return false
	}

	// The steps of phi are at the partial sums of the heaviest members.
	slices.SortFunc(c.steps, func(a, b float64) int { return cmp.Compare(b, a) })
	for k := 1; k < len(c.steps); k++ {
		c.steps[k] += c.steps[k-1]
	}

	// The literals outside of the cover are lifted all at once, since phi is superadditive.
	for k := range c.items {
		if it := &c.items[k]; !it.cover {
			it.coef = c.phi(it.a)
		}
	}
	return true
}

// phi is the superadditive lifting function: it rises by the excess before every step and is constant between.
func (c *mixedCover) phi(a float64) float64 {
	for k, step := range c.steps {
		switch {
		case a <= step-c.excess:
			return float64(k) * c.excess
		case a <= step:
			return float64(k+1)*c.excess + a - step
		}
	}

	// Above the last step the function rises without bound.
	last := len(c.steps)
	return float64(last)*c.excess + a - c.steps[last-1]
}

// complete lifts the literals at 0 and sorts them in.
func (c *mixedCover) complete() {
	// The literals at 0 do not change the violation, so that they are lifted only for a cut that is kept.
	for _, it := range c.zeros {
		it.coef = c.phi(it.a)
		c.items = append(c.items, it)
	}
	slices.SortFunc(c.items[c.whole:], byActivity)
}

// buildCover returns the cut in the columns of the model, with its efficacy; false if it does not survive clean.
func (g *mir) buildCover() (Cut, float64, bool) {
	g.cover.complete()
	g.v.work += 4 * len(g.terms)
	g.clearCut()

	rhs := g.cover.side

	// The continuous terms that help are s.
	for k := range g.terms {
		if t := &g.terms[k]; !t.integer && t.coef < 0 {
			rhs += g.unsubstitute(t, t.coef)
		}
	}

	// A complemented literal is 1 minus its term: it moves its coefficient to the side.
	for k := range g.cover.items {
		it := &g.cover.items[k]
		v := it.coef
		if it.negate {
			rhs -= v
			v = -v
		}
		if v != 0 {
			rhs += g.unsubstitute(&g.terms[it.term], v)
		}
	}

	slices.Sort(g.cols)
	return g.clean(rhs, 2*roundingUnit*g.total)
}
