package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// The way of a partSolve that was more expensive of late is tried once in probeEvery solves, times what it costs more,
// but at least once in probeMost: that is at most a sixteenth of the cost. partRate is the weight of the newest cost in
// a running cost. The choice between the ways took stocfor3 from 0.52 to 0.36 s.
const (
	probeEvery = 16
	probeMost  = 128
	partRate   = 0.2
)

// partSolve chooses between two ways to solve B x = b where x is needed in few places only: all of it, forwards from
// the entries of b, or only what those places depend on, backwards from them. Which is cheaper changes slowly, so that
// the way that was cheaper of late is taken, and the other one tried now and then.
type partSolve struct {
	cost  [2]float64 // running work of a solve: of all, and of a part
	next  int        // solves to go until the other way is tried
	known bool       // both costs are known
}

// part chooses the way of the next solve, and reports whether it is the more expensive one, to measure its present
// cost.
func (c *partSolve) part() (part, probe bool) {
	part = c.cost[1] < c.cost[0]
	c.next--
	if c.next > 0 {
		return part, false
	}

	// At the start one solve of each kind measures the costs.
	if !c.known {
		c.known = c.cost[0] > 0
		return c.known, c.known
	}

	low := min(c.cost[0], c.cost[1])
	high := max(c.cost[0], c.cost[1])
	c.next = int(min(probeEvery*high/max(low, 1), probeMost))
	return !part, true
}

// note keeps the work of a solve and returns what the solve should have cost.
func (c *partSolve) note(part, probe bool, work float64) float64 {
	// A running cost follows slow changes, and begins with the first solve.
	k := 0
	if part {
		k = 1
	}
	if c.cost[k] == 0 {
		c.cost[k] = work
	}
	c.cost[k] += partRate * (work - c.cost[k])

	if probe {
		return min(work, c.cost[1-k])
	}
	return work
}

// ftranWhere solves B x = x in place and is right in the pattern of where, but for entries below drop; elsewhere x is
// not defined. It returns what the clock is to count for the solve (countSolve): what a trial of the other way costs
// more must not bring the next factorisation forward.
func (f *factor) ftranWhere(x, where *sparse.Vector, history *float64, drop float64) (cost float64) {
	before := f.work
	if f.inverse.valid {
		f.ftranUncounted(x, history, false)
		return f.work - before
	}

	// Both ways count their work, which is compared.
	part, probe := f.way.part()
	f.drop = drop
	if part {
		f.ftranL(x, true)
		f.ftranR(x)
		f.ftranUWhere(x, where)
	} else {
		f.ftranUncounted(x, history, false)
	}
	f.drop = dropTol
	return f.way.note(part, probe, f.work-before)
}

// partNext reports whether the next ftranWhere will look at where, and the running work of a solve of that kind; -1 for
// one by the inverse.
func (f *factor) partNext() (part bool, work float64) {
	if f.inverse.valid {
		return false, -1
	}

	// The choice is made on a copy, so that it is still to be made.
	way := f.way
	part, _ = way.part()
	if part {
		return true, way.cost[1]
	}
	return false, way.cost[0]
}

// countSolve adds the cost that ftranWhere has returned to the clock.
func (f *factor) countSolve(cost float64) { f.clock.solves += cost }

// include takes over what an ftranWhere with z, a copy of f, has counted and measured.
func (f *factor) include(z *factor, work float64) {
	f.work += work
	f.way = z.way
	f.density.tau = z.density.tau
}

// ftranUWhere is ftranU for the entries of x that those in the pattern of where depend on, by rows of U.
func (f *factor) ftranUWhere(x, where *sparse.Vector) {
	val := x.Value
	n := x.N
	touched := 0
	topo := f.reach(where, &f.ut)
	for k := len(topo) - 1; k >= 0; k-- {
		// Everything that the entry depends on comes behind it in topo, and is final.
		id := topo[k]
		index, value := f.ut.vec(id)
		old := val[id]
		t := old
		for p, j := range index {
			t -= value[p] * val[j]
		}
		touched += len(index)

		if math.Abs(t) < f.drop {
			val[id] = 0
			continue
		}
		val[id] = t / f.pivot[id]
		if old == 0 && n >= 0 {
			x.Index[n] = id
			n++
		}
	}
	f.charge(touched)
	x.N = n
}
