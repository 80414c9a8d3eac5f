package scenario

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
)

// coarse solves the relaxation with the first scenario of some chunks, which has the weight of all up to the next
// one. Its bound is not one of the program. Its certificates are, which are in the pool, and so are its proofs that
// scenarios have no recourse; its cheapest point is where the relaxation of all scenarios begins. It returns nil where
// certificates are not shared or there are few scenarios.
func (r *solvers) coarse(ctx context.Context, gap float64) (*root, error) {
	e := r.engine
	if e.pool == nil || len(e.answers) < manyScenarios || r.lower == nil { // without bounds time is up
		return nil, nil
	}

	// Each of these scenarios is a group, with the weight of all up to the next one.
	s := &separator{engine: e, weight: make([]float64, len(e.answers))}
	var low []float64
	for i, c := range e.some {
		one := c.scenarios[0]
		next := len(e.answers)
		if i+1 < len(e.some) {
			next = e.some[i+1].scenarios[0]
		}
		share := 0.0 // probability of these scenarios
		for _, p := range r.p.weight[one:next] {
			share += p
		}
		s.weight[one] = share
		s.groups = append(s.groups, []int{one})

		// A lower bound on the recourse of this scenario, with its weight, bounds the epigraph.
		low = append(low, share*r.lower[one])
	}

	// While this relaxation runs, the pool holds certificates for those scenarios alone.
	e.focus(true)
	defer e.focus(false)
	out, err := newRoot(s, low)
	if err != nil {
		return nil, err
	}

	// A rough gap is enough: what is left over are certificates and a point.
	out.progress = r.progressLogger(out, fmt.Sprintf("%d of %d scenarios", len(e.some), len(e.answers)))
	return out, out.solve(ctx, max(gap, roughGap), roughRounds)
}

// What is enough for the relaxation with few scenarios.
const (
	roughGap    = 1e-3 // relative gap
	roughRounds = 60
)

// follow makes this relaxation the successor of one with few scenarios, nil for none.
func (r *root) follow(coarse *root) {
	if r.coarse = coarse; coarse == nil {
		return
	}

	// Feasibility cuts of a scenario hold in the program; optimality cuts have weights that are not of the program.
	for k := range coarse.cuts {
		if c := &coarse.cuts[k].Cut; c.Kind == benders.Feasibility {
			r.add(*c)
		}
	}
}

// afterCoarse begins at the cheapest point of the relaxation with few scenarios: with the cuts of the pool there, and
// where scenarios that were left out have no recourse, at points on the way to top. It reports whether it has found a
// point with a recourse.
func (r *root) afterCoarse(ctx context.Context, top []float64) (done bool, err error) {
	if r.coarse == nil || r.coarse.best == nil {
		return false, nil
	}

	// The pool has certificates that are good at this point, and their cuts cost no linear program.
	r.s.move(r.coarse.best)
	var out benders.Separation
	if r.s.byPool() && r.s.cuts(ctx, benders.Point{Y: r.coarse.best, Theta: r.theta, From: r.y}, &out) > 0 {
		for k := range out.Cuts {
			r.add(out.Cuts[k])
		}
	}

	// Points on the way from there to top, until one has a recourse in all scenarios.
	for _, t := range []float64{0, 0.1, 0.3, 1} {
		y := make([]float64, r.n)
		for j, v := range r.coarse.best {
			y[j] = v + t*(top[j]-v)
		}
		if !holds(r.s.p.master, y) {
			continue
		}

		// A point that all scenarios have a recourse at becomes the best one of this relaxation.
		if _, err := r.cut(ctx, y); err != nil || r.best != nil {
			return err == nil, err
		}
	}
	return false, nil
}
