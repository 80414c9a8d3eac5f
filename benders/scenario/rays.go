package scenario

import (
	"cmp"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Certificates that scenarios have no recourse are in a pool of their own: one that proves it for a scenario at a point
// may prove it for another one, or at another point, and then no linear program is solved there.

const (
	maxRays = 256  // certificates in the pool
	maxCuts = 4    // of rays at a point
	refuted = 1e-5 // violation of a ray's cut that counts, relative to its scale: more than any driver asks for
)

// rays returns an empty pool for the same scenarios.
func (q *pool) rays() *pool { return emptyPool(q.p, q.places, q.links, min(maxRays, q.limit)) }

// refute returns the feasibility cuts of the rays that clearly cut y off, each for the scenario in which it does most;
// the deepest first, and at most maxCuts. by are these scenarios.
func (q *pool) refute(y []float64) (cuts []benders.Cut, by []int) {
	// The value of a ray in a scenario at y is the violation of its feasibility cut there.
	if !q.price(y, false) {
		return nil, nil
	}

	// Of each ray the scenario in which it cuts deepest; a ray that cuts nothing off has none.
	strongest := make([]int, len(q.duals)) // of each ray: the scenario, from 1
	for s, v := range q.best {
		if k := q.by[s]; v > 0 && (strongest[k] == 0 || v > q.best[strongest[k]-1]) {
			strongest[k] = s + 1
		}
	}

	var order []int
	for _, s := range strongest {
		if s > 0 {
			order = append(order, s-1)
		}
	}

	// The deepest first: at most maxCuts whose violation is beyond rounding.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(q.best[b], q.best[a]) })
	for _, s := range order {
		// The cut is rounded outward, so that its violation may be less than the value above.
		cut, ok := q.duals[q.by[s]].Cut(s, 0)
		if ok && cut.Value(y) > refuted*max(1, cut.Scale(y, 0)) {
			if cuts, by = append(cuts, cut), append(by, s); len(cuts) == maxCuts {
				break
			}
		}
	}
	return cuts, by
}
