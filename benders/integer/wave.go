package integer

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
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

// solveAll solves scenarios at the design as mixed-integer programs, by several goroutines.
func (r *pricer) solveAll(ctx context.Context, wave []int) error {
	err := parallel.Each(r.threads, len(wave), func(k int) error { return r.solve(ctx, wave[k]) })
	if err != nil {
		return err
	}
	r.counts.mips += len(wave)
	for _, s := range wave {
		r.counts.nodes += r.nodes[s]
	}
	return nil
}

// solve solves a scenario at the design as a mixed-integer program.
func (r *pricer) solve(ctx context.Context, s int) error {
	m, err := r.model(s)
	if err != nil {
		return err
	}
	out, err := solveMIPFrom(ctx, fixed(m, r.at), math.MaxInt, r.start(s, m))
	if err != nil {
		return fmt.Errorf("integer: scenario %s: %w", r.p.tight.ScenarioName(s), err)
	}

	v := &r.values[s]
	r.nodes[s] = out.Nodes
	v.state = exact
	if out.Status == lp.Infeasible {
		v.infeasible = true
		return nil
	}

	// The bound of the linear program may be above that of the search by rounding.
	v.high = out.Objective
	v.low = min(max(v.low, out.Bound), v.high)
	r.keepPoint(s, out.X)
	r.supports.add(s, out.X)
	if r.recent != nil {
		r.recent[s] = out.X
	}
	return nil
}

// start returns the last solution of a scenario at another design as a point to begin with at this one, nil for none.
// Its continuous columns are open: they depend on the design.
func (r *pricer) start(s int, m *lp.Model) []float64 {
	if r.recent == nil || r.recent[s] == nil {
		return nil
	}
	x := slices.Clone(r.recent[s])
	copy(x, r.at)
	for j := len(r.at); j < len(x); j++ {
		if !m.Cols[j].Integer {
			x[j] = math.NaN()
		}
	}
	return x
}

// keepPoint keeps the point of a scenario at the design, where points are kept.
func (r *pricer) keepPoint(s int, x []float64) {
	if r.points != nil {
		r.points[s] = append(r.points[s][:0], x...)
	}
}
