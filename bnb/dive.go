package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// coefficientDive scores the rounding of a column at x, the smaller the better, and returns its direction: columns with
// few rows against a direction come first, in that direction. Dives towards the incumbent and by pseudo-costs in
// addition were tried and found no more points.
func (p *problem) coefficientDive(j int32, x float64) (score float64, up bool) {
	f := x - math.Floor(x)
	locksDown := p.downLocks[j]
	locksUp := p.upLocks[j]

	// With as many rows against either direction the nearer integer is taken, else the direction with fewer rows.
	if locksDown == locksUp {
		return float64(locksDown) + math.Min(f, 1-f), f >= 0.5
	}
	if locksUp < locksDown {
		return float64(locksUp) + (1 - f), true
	}
	return float64(locksDown) + f, false
}

// dives runs one dive at the root and then every diveEvery nodes, while the iterations last.
type dives struct {
	last       int // nodes done at the last dive
	iterations int // of all dives
}

// due reports whether iterations are left, at the root or after diveEvery nodes.
func (h *dives) due(s *search, nd *node, _ *rounds) bool {
	return !h.beyond(s, 1) && (nd.depth == 0 || s.effort.nodes-h.last >= diveEvery)
}

// beyond reports whether the dives have used more than a multiple of their share of the iterations.
func (h *dives) beyond(s *search, times float64) bool {
	return float64(h.iterations) > times*heuristicShare*float64(s.effort.ofNodes)+times*heuristicFree
}

// fork gives each worker its part of the iterations that dives may still use.
func (h *dives) fork(s *search) heuristic {
	// What is left of the iterations is divided among the workers: each counts the parts of the others as used.
	f := *h
	left := heuristicShare*float64(s.effort.ofNodes) + heuristicFree - float64(h.iterations)
	f.iterations += int(math.Max(0, left)) * (s.opt.workers() - 1) / s.opt.workers()
	return &f
}

// run dives from the node's LP point, and leaves the domain and the basis as they were.
func (h *dives) run(ctx context.Context, s *search, _ *node) error {
	// The dive changes the domain and the basis, which the node needs again.
	h.last = s.effort.nodes
	base := s.lp.save()
	mark := len(s.dom.stack)
	s.dom.beginProbe()
	defer s.dom.endProbe()
	d := dive{s: s, h: h, x: slices.Clone(s.point.x)}
	err := d.run(ctx)
	s.dom.undo(mark)
	return cmp.Or(err, s.lp.restore(base))
}

// dive is one descent: fix a column, propagate, solve, until the LP is integral or infeasible.
type dive struct {
	s          *search
	h          *dives
	x          []float64
	backtracks int
	lazyRounds int
}

// run fixes columns until the LP is integral or infeasible, or a limit is reached.
func (d *dive) run(ctx context.Context) error {
	s := d.s

	// A general integer column without bounds can move without bound, at no iteration a step.
	maxSteps := diveSteps + 2*len(s.p.ints)
	for step := 0; step < maxSteps && !s.limits.poll(ctx, s); step++ {
		c, found := d.pick()
		if !found {
			// An integral point is offered; only cuts let the dive go on from there.
			more, err := d.atLeaf(ctx)
			if err != nil || !more {
				return err
			}
		} else if ok, err := d.fix(ctx, c); err != nil || !ok {
			return err
		}

		// A dive may use twice the share that lets it begin, so that it is not cut off at once.
		if d.h.beyond(s, 2) {
			return nil
		}
	}
	return nil
}

// pick returns the next bound change.
func (d *dive) pick() (c change, found bool) {
	s := d.s
	var best float64
	for _, j := range s.p.ints {
		x := d.x[j]
		// Only fractional columns are fixed: the others have an integral value already.
		if math.Abs(x-math.Round(x)) <= s.opt.Tolerances.Integrality {
			continue
		}
		score, up := s.p.coefficientDive(j, x)
		if !found || score < best {
			best = score
			found = true
			// The change excludes the LP value, so that the next LP moves.
			c = change{j, !up, math.Floor(x)}
			if up {
				c.value++
			}
		}
	}
	return c, found
}

// fix applies a change; where that fails it tries the opposite one, a few times a dive.
func (d *dive) fix(ctx context.Context, c change) (bool, error) {
	for {
		// The change is kept only if propagation and the LP leave a better point.
		mark := len(d.s.dom.stack)
		if ok, err := d.apply(ctx, c); ok || err != nil {
			return ok, err
		}

		// The opposite change is tried in the same node of the dive.
		d.s.dom.undo(mark)
		if d.backtracks >= diveBacktracks || d.s.limits.poll(ctx, d.s) {
			return false, nil
		}
		d.backtracks++
		c = c.opposite(true)
	}
}

// apply makes a change, propagates it and solves the LP. It returns false if nothing better is left.
func (d *dive) apply(ctx context.Context, c change) (bool, error) {
	s := d.s
	if !s.dom.tighten(c) {
		return false, nil
	}
	if !s.prop.run(s.dom, false) {
		s.graph.analyseFailure(s, s.plunge.current)
		return false, nil
	}
	return d.solve(ctx)
}

// solve solves the LP of the dive and returns false if nothing better is left in it.
func (d *dive) solve(ctx context.Context) (bool, error) {
	s := d.s
	out, err := s.solveDomain(ctx, s.inc.cutoff, math.MaxInt)
	if err == nil {
		s.learnFrom(out.status)
	}

	// The iterations count for all dives together.
	d.h.iterations += out.iterations
	if err != nil || out.status != lpOptimal || s.p.roundUp(out.bound) >= s.inc.cutoff {
		return false, err
	}
	copy(d.x, s.lp.x)
	return true, nil
}

// atLeaf offers an integral point. It returns true if cuts have changed the LP and the dive goes on.
func (d *dive) atLeaf(ctx context.Context) (bool, error) {
	before := d.s.lp.grown
	v, err := d.s.offer(ctx, d.x, FromHeuristic, 1)

	// A dive goes on only where new cuts have cut the point off, and not for many rounds.
	stuck := d.s.lp.grown == before || d.lazyRounds >= diveLazyRounds
	if err != nil || v != cutOff || stuck {
		return false, err
	}
	d.lazyRounds++
	return d.solve(ctx)
}
