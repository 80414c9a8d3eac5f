package integer

import (
	"cmp"
	"iter"
	"slices"
)

// firstWave is the number of scenarios that are solved as mixed-integer programs before their cost is compared with
// that of the best design. It does not depend on the number of threads, so that no result does.
const firstWave = 16

// waves yields the scenarios whose cost is not known at the design: first firstWave of them, then twice as many each
// time. Between two waves the pricing may end, and at the end of each a thread may wait for another: so there are few
// waves, and where it ends early it has solved at most twice the scenarios that it had to. The scenarios whose last
// search had most nodes are first in a wave, since a long search that begins last leaves the other threads idle.
func (r *pricer) waves() iter.Seq[[]int] {
	var open []int
	for s := range r.values {
		if r.values[s].state != exact {
			open = append(open, s)
		}
	}

	return func(yield func([]int) bool) {
		for size := firstWave; len(open) > 0; size *= 2 {
			wave := open[:min(size, len(open))]
			open = open[len(wave):]
			slices.SortStableFunc(wave, func(a, b int) int { return cmp.Compare(r.nodes[b], r.nodes[a]) })
			if !yield(wave) {
				return
			}
		}
	}
}
