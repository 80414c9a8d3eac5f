package verify

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// choices are the choices of carriers that suffice in several cases. What is proven of them is proven by enumeration,
// of integers that float64 are rounded to so that more choices suffice and each of them costs less.
type choices struct {
	room [][]int64 // of each case and carrier, none more than the need
	need []int64

	cost   []int64 // of each carrier
	side   int64
	suffix [][]int64   // of each place in the order and case, the room from there on
	rate   [][]float64 // and a lower bound on what a unit of it costs
	left   [][]int64   // of each depth and case
	nodes  int
}

const (
	fine       = 50      // bits of a need, and of the side
	maxArcs    = 1 << 10 // carriers, so that sums stay far below 2^63
	maxChoices = 1 << 18 // nodes of an enumeration
)

// require adds the case that the capacities of the choice add up to the demand at least.
func (c *choices) require(capacity []float64, demand *num) {
	if demand.sign() <= 0 {
		return
	}
	d := roundDown(demand.rat())
	_, e := math.Frexp(d)
	need := int64(math.Ldexp(d, fine-e)) // rounded down
	room := make([]int64, len(capacity))
	for j, s := range capacity {
		switch {
		case s >= d:
			room[j] = need
		case s > 0:
			room[j] = min(need, 1+int64(math.Ldexp(s, fine-e)))
		}
	}
	c.room, c.need = append(c.room, room), append(c.need, need)
}

// prove proves a'y >= b for the carriers y of every choice that suffices in all cases.
func (c *choices) prove(a []float64, b float64) error {
	if len(a) > maxArcs {
		return errors.New("too many arcs")
	}
	_, e := math.Frexp(b)
	for _, v := range a {
		switch {
		case v < 0:
			return errors.New("a negative coefficient")
		case b > 0 && v >= b:
			c.cost = append(c.cost, int64(math.Ldexp(b, fine-e))+1)
		case b > 0:
			c.cost = append(c.cost, int64(math.Ldexp(v, fine-e))) // rounded down
		}
	}
	if b <= 0 {
		return nil
	}
	c.side = int64(math.Ldexp(b, fine-e)) + 1
	c.sort()
	return c.walk(0, 0, 0)
}

// sort chooses the carriers that cost nothing, puts those that cost least for their room first, and sums up what is
// behind each place.
func (c *choices) sort() {
	var order []int
	value := make([]float64, len(c.cost))
	for j := range c.cost {
		room := 0.0
		for i, n := range c.need {
			room += float64(c.room[i][j]) / float64(n)
		}
		value[j] = float64(c.cost[j]) / max(room, 1e-9)
		if c.cost[j] > 0 {
			order = append(order, j)
			continue
		}
		for i := range c.need {
			c.need[i] -= c.room[i][j]
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(value[i], value[j]) })
	cost, room := make([]int64, len(order)), make([][]int64, len(c.room))
	for at, j := range order {
		cost[at] = c.cost[j]
		for i := range room {
			room[i] = append(room[i], c.room[i][j])
		}
	}
	c.cost, c.room = cost, room
	n, cases := len(cost), len(room)
	c.suffix, c.rate, c.left = make([][]int64, n+1), make([][]float64, n+1), make([][]int64, n+1)
	for at := n; at >= 0; at-- {
		c.suffix[at], c.rate[at], c.left[at] = make([]int64, cases), make([]float64, cases), make([]int64, cases)
		for i := range cases {
			if at == n {
				c.rate[at][i] = math.Inf(1)
				continue
			}
			c.suffix[at][i], c.rate[at][i] = c.suffix[at+1][i]+room[i][at], c.rate[at+1][i]
			if r := room[i][at]; r > 0 {
				c.rate[at][i] = min(c.rate[at][i], float64(cost[at])/float64(r)*(1-1e-12))
			}
		}
	}
	copy(c.left[0], c.need)
}

// walk proves that what goes on from a place in the order, with so many carriers chosen at their cost, suffices nowhere
// or costs the side at least.
func (c *choices) walk(at, depth int, cost int64) error {
	if c.nodes++; c.nodes > maxChoices {
		return errors.New("there are too many choices to prove it")
	}
	bound, enough := cost, true
	for i, v := range c.left[depth] {
		if v <= 0 {
			continue
		}
		if v > c.suffix[at][i] {
			return nil
		}
		enough = false
		if more := float64(v) * c.rate[at][i] * (1 - 1e-12); more < 1<<(fine+1) {
			bound = max(bound, cost+int64(more))
		} else {
			return nil
		}
	}
	switch {
	case bound >= c.side:
		return nil
	case enough:
		return errors.New("a choice that suffices costs less")
	}
	for i, v := range c.left[depth] {
		c.left[depth+1][i] = v - c.room[i][at]
	}
	if err := c.walk(at+1, depth+1, cost+c.cost[at]); err != nil {
		return err
	}
	return c.walk(at+1, depth, cost)
}
