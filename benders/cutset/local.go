package cutset

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// locals separates what is valid for one cut set in all cases at once: of the choices of its arcs those suffice that
// carry in every case what has to leave the set. The inequality pi y >= 1, pi >= 0, over all sufficient choices that a
// point violates most is the optimum of a linear program in pi with a row a choice (a local cut: Applegate, Bixby,
// Chvatal and Cook 2001). An enumeration finds the rows that are needed, and then lifts the arcs that the point closes,
// one after the other.
type locals struct {
	arcs    []int32
	room    [][]float64 // of each arc, in each case, in units of what has to leave
	pi      []float64   // of each arc
	choices choices
	open    []int // positions of the arcs that the point opens
	closed  []int
}

const (
	maxSupport = 18    // arcs of a set that the point opens
	maxCut     = 80    // arcs of a set
	maxChoices = 60    // rows of the linear program
	searchSize = 20000 // nodes of one enumeration
	liftSize   = 2000  // of one that lifts an arc
	sideMargin = 1e-9  // by which the side is lowered: choices are summed and compared in floats
)

// set takes over the arcs that leave a set, and what has to leave it: demand[i] in the case cases[i].
func (w *locals) set(arcs []int32, capacity [][]float64, cases []int, demand []float64) {
	w.arcs = arcs
	w.room, w.pi = w.room[:0], w.pi[:0]
	for _, j := range arcs {
		room := make([]float64, len(cases))
		for i, k := range cases {
			room[i] = capacity[k][j] / (demand[i] * (1 - Tolerance))
		}
		w.room, w.pi = append(w.room, room), append(w.pi, 0)
	}
}

// find looks for the inequality pi y >= side that y violates most, with a side of about 1, and returns by how much it
// does; 0 where there is none, or where finding it takes too long.
func (w *locals) find(ctx context.Context, y []float64) (violation, side float64) {
	w.open, w.closed = w.open[:0], w.closed[:0]
	for k, j := range w.arcs {
		if y[j] > 1e-7 {
			w.open = append(w.open, k)
		} else {
			w.closed = append(w.closed, k)
		}
	}
	if len(w.open) > maxSupport || !w.weigh(ctx, y) {
		return 0, 0
	}
	least, ok := w.choices.cheapest(w, w.open, -1, 1, searchSize)
	if side = min(1, least) - sideMargin; !ok || side < 0.9 {
		return 0, 0
	}
	counted := w.open
	for _, k := range w.closed {
		w.pi[k] = side
		if least, ok := w.choices.cheapest(w, counted, k, side, liftSize); ok {
			w.pi[k] = max(0, side-least+1e-3*sideMargin)
		}
		counted = append(counted, k)
	}
	violation = side
	for k, j := range w.arcs {
		violation -= w.pi[k] * y[j]
	}
	return violation, side
}

// weigh finds the coefficients of the arcs that y opens. It reports false where no inequality over these is violated.
func (w *locals) weigh(ctx context.Context, y []float64) bool {
	m := &lp.Model{}
	for _, k := range w.open {
		m.AddCol(lp.Col{Cost: y[w.arcs[k]], Upper: 1})
	}
	s, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		return false
	}
	for range maxChoices {
		least, ok := w.choices.cheapest(w, w.open, -1, 1-1e-7, searchSize)
		if !ok {
			return false
		}
		if least >= 1-1e-7 {
			return true
		}
		var index []int32
		var ones []float64
		for i, k := range w.open {
			if w.choices.best[k] {
				index, ones = append(index, int32(i)), append(ones, 1)
			}
		}
		s.AddRow(1, lp.Inf, index, ones)
		r, err := s.Solve(ctx, simplex.NoLimits())
		if err != nil || r.Status != lp.Optimal || r.Objective > 1-violated {
			return false
		}
		for i, v := range s.X() {
			w.pi[w.open[i]] = min(1, max(0, v))
		}
	}
	return false
}

// choices enumerates choices of arcs depth first, those with the least coefficient for their room first.
type choices struct {
	best []bool // the cheapest choice that was found, by position of the arc

	w      *locals
	order  []int
	picked []bool
	suffix [][]float64 // room of the arcs from a place in the order on, in each case
	rate   [][]float64 // and the least coefficient for a unit of it
	need   [][]float64 // what is missing at each depth, in each case
	least  float64
	size   int // nodes left
}

// cheapest returns the least sum of coefficients of a choice among some arcs that suffices, together with the arc free
// unless that is -1; the limit where there is none below it. It reports false where the enumeration had to stop.
func (c *choices) cheapest(w *locals, arcs []int, free int, limit float64, size int) (least float64, ok bool) {
	c.w, c.least, c.size = w, limit, size
	c.sort(arcs, limit)
	n, cases := len(c.order), len(w.room[0])
	c.best, c.picked = resized(c.best, len(w.arcs)), resized(c.picked, len(w.arcs))
	for len(c.suffix) <= n {
		c.suffix, c.rate, c.need = append(c.suffix, nil), append(c.rate, nil), append(c.need, nil)
	}
	for at := n; at >= 0; at-- {
		c.suffix[at], c.rate[at], c.need[at] = resized(c.suffix[at], cases), resized(c.rate[at], cases),
			resized(c.need[at], cases)
		for i := range cases {
			if at == n {
				c.rate[at][i] = math.Inf(1)
				continue
			}
			room := w.room[c.order[at]][i]
			c.suffix[at][i], c.rate[at][i] = c.suffix[at+1][i]+room, c.rate[at+1][i]
			if room > 0 {
				c.rate[at][i] = min(c.rate[at][i], w.pi[c.order[at]]/room)
			}
		}
	}
	for i := range cases {
		c.need[0][i] = 1
		if free >= 0 {
			c.need[0][i] -= w.room[free][i]
		}
	}
	c.walk(0, 0, 0)
	return c.least, c.size >= 0
}

// resized returns zeros in the place of a list.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// sort fills the order with the arcs whose coefficient is below the limit.
func (c *choices) sort(arcs []int, limit float64) {
	c.order = c.order[:0]
	value := make([]float64, len(c.w.arcs))
	for _, k := range arcs {
		if c.w.pi[k] >= limit {
			continue
		}
		room := 0.0
		for _, r := range c.w.room[k] {
			room += min(1, r)
		}
		value[k] = c.w.pi[k] / max(room, 1e-9)
		at := len(c.order)
		c.order = append(c.order, k)
		for ; at > 0 && value[c.order[at-1]] > value[k]; at-- {
			c.order[at] = c.order[at-1]
		}
		c.order[at] = k
	}
}

// walk goes on from a place in the order with so many arcs picked, at their cost.
func (c *choices) walk(at, depth int, cost float64) {
	if c.size--; c.size < 0 {
		return
	}
	bound, enough := cost, true
	for i, v := range c.need[depth] {
		if v <= 0 {
			continue
		}
		if v > c.suffix[at][i] {
			return
		}
		enough, bound = false, max(bound, cost+v*c.rate[at][i])
	}
	if bound >= c.least {
		return
	}
	if enough {
		c.least = cost
		copy(c.best, c.picked)
		return
	}
	k := c.order[at]
	for i, v := range c.need[depth] {
		c.need[depth+1][i] = v - c.w.room[k][i]
	}
	c.picked[k] = true
	c.walk(at+1, depth+1, cost+c.w.pi[k])
	c.picked[k] = false
	c.walk(at+1, depth, cost)
}
