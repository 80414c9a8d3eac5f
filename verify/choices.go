package verify

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// choices are the choices of carriers that suffice in several cases. A bound on their costs is proven by enumeration.
// The float64 data is rounded to integers such that more choices suffice and each of them costs less.
type choices struct {
	// The room of each case and carrier, none more than the need, and the need of each case.
	room [][]int64
	need []int64

	// The cost of each carrier, and the cost that a choice must not be below.
	cost []int64
	side int64

	// Of each place in the order and each case, the room from there on, and a lower bound on the cost of a unit of it.
	suffix [][]int64
	rate   [][]float64

	// Of each depth and case, the need that the chosen carriers leave.
	left [][]int64

	// Nodes of the enumeration so far.
	nodes int
}

const (
	fine       = 50      // bits of a need, and of the side
	maxArcs    = 1 << 10 // carriers, so that sums stay far below 2^63
	maxChoices = 1 << 18 // nodes of an enumeration

	// roundingMargin is below 1 by more than the relative rounding errors of a product and a quotient.
	roundingMargin = 1 - 1e-12
)

// require adds the case that the capacities of the choice add up to the demand at least.
func (c *choices) require(capacity []float64, demand *num) {
	// A case without demand is satisfied by every choice.
	if demand.sign() <= 0 {
		return
	}

	// Needs are rounded down and capacities up.
	d := roundDown(demand.rat())
	// The need has fine bits, and the exponent e is the scale of the case.
	_, e := math.Frexp(d)
	need := int64(math.Ldexp(d, fine-e))
	room := make([]int64, len(capacity))
	for j, s := range capacity {
		// The bound on the room keeps sums of many carriers far below 2^63.
		switch {
		case s >= d:
			room[j] = need
		case s > 0:
			room[j] = min(need, 1+int64(math.Ldexp(s, fine-e)))
		}
	}
	c.room = append(c.room, room)
	c.need = append(c.need, need)
}

// prove proves a'y >= b for the carriers y of every choice that suffices in all cases.
func (c *choices) prove(a []float64, b float64) error {
	// The bound on the number of carriers keeps sums of their costs far below 2^63.
	if len(a) > maxArcs {
		return errors.New("too many arcs")
	}

	// Costs are rounded down and the side up. A carrier at the side proves it alone.
	// The exponent of the side is the scale of all costs.
	_, e := math.Frexp(b)
	for _, v := range a {
		switch {
		case v < 0:
			return errors.New("a negative coefficient")
		case b > 0 && v >= b:
			c.cost = append(c.cost, int64(math.Ldexp(b, fine-e))+1)
		case b > 0:
			c.cost = append(c.cost, int64(math.Ldexp(v, fine-e)))
		}
	}

	// Costs are not negative, and so are at least a side that is not positive.
	if b <= 0 {
		return nil
	}

	c.side = int64(math.Ldexp(b, fine-e)) + 1
	c.sort()
	// The enumeration begins with no carrier chosen.
	return c.walk(0, 0, 0)
}

// sort chooses the carriers that cost nothing, puts those first that cost least for their room, and sums up the room
// behind each place.
func (c *choices) sort() {
	var order []int
	// The value of a carrier is its cost divided by the room that it gives, as a part of the needs.
	value := make([]float64, len(c.cost))
	for j := range c.cost {
		// A room counts as a part of the need of its case, so that the cases can be added up.
		room := 0.0
		for i, n := range c.need {
			room += float64(c.room[i][j]) / float64(n)
		}
		value[j] = float64(c.cost[j]) / max(room, 1e-9)
		// Carriers without a cost are chosen at once, and reduce the needs.
		if c.cost[j] > 0 {
			order = append(order, j)
			continue
		}
		for i := range c.need {
			c.need[i] -= c.room[i][j]
		}
	}

	// The order decides how many nodes the enumeration takes, not what it proves.
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(value[i], value[j]) })

	// From here on the lists have the carriers in this order, without those that are chosen.
	n := len(order)
	cases := len(c.room)
	cost := make([]int64, n)
	room := make([][]int64, cases)
	for at, j := range order {
		cost[at] = c.cost[j]
		for i := range room {
			room[i] = append(room[i], c.room[i][j])
		}
	}
	c.cost = cost
	c.room = room

	// Sums from the last place to the first. The factor covers the rounding of the quotient.
	c.suffix = make([][]int64, n+1)
	c.rate = make([][]float64, n+1)
	c.left = make([][]int64, n+1)
	for at := n; at >= 0; at-- {
		c.suffix[at] = make([]int64, cases)
		c.rate[at] = slices.Repeat([]float64{math.Inf(1)}, cases)
		c.left[at] = make([]int64, cases)
		// Behind the last place there is no room, at an infinite rate.
		if at == n {
			continue
		}
		for i := range cases {
			// The rate is the least cost of a unit over all carriers from the place on.
			r := room[i][at]
			c.suffix[at][i] = c.suffix[at+1][i] + r
			c.rate[at][i] = c.rate[at+1][i]
			if r > 0 {
				c.rate[at][i] = min(c.rate[at][i], float64(cost[at])/float64(r)*roundingMargin)
			}
		}
	}

	// At depth 0 no carrier has been chosen.
	copy(c.left[0], c.need)
}

// walk proves that every choice among the carriers from a place on, together with those chosen before at the given
// cost, does not suffice or costs the side at least. depth is the number of those chosen before.
func (c *choices) walk(at, depth int, cost int64) error {
	// The number of nodes is limited, so that every record is decided in a short time.
	if c.nodes++; c.nodes > maxChoices {
		return errors.New("there are too many choices to prove it")
	}

	// The most expensive need among the cases is a bound.
	bound := cost
	enough := true
	for i, v := range c.left[depth] {
		if v <= 0 {
			continue
		}

		// All carriers that are left do not suffice: there is nothing to prove.
		if v > c.suffix[at][i] {
			return nil
		}
		enough = false
		// The need times the least cost of a unit is a lower bound on what its carriers cost.
		more := float64(v) * c.rate[at][i] * roundingMargin
		if !(more < 1<<(fine+1)) { // above every side
			return nil
		}
		bound = max(bound, cost+int64(more))
	}

	// A choice that suffices and costs less disproves the inequality.
	switch {
	case bound >= c.side:
		return nil
	case enough:
		return errors.New("a choice that suffices costs less")
	}

	// With the next carrier, and without it.
	for i, v := range c.left[depth] {
		c.left[depth+1][i] = v - c.room[i][at]
	}
	if err := c.walk(at+1, depth+1, cost+c.cost[at]); err != nil {
		return err
	}

	// Without the carrier the needs stay those of this depth.
	return c.walk(at+1, depth, cost)
}
