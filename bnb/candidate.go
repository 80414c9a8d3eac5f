package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// pointVerdict is the outcome of the examination of a point that was offered as incumbent.
type pointVerdict uint8

const (
	notImproving pointVerdict = iota // its objective does not improve on the incumbent
	brokenRows                       // it violates rows, bounds or integrality, and could not be completed
	cutOff                           // it violates cuts of the pool or of the lazy hook
	accepted                         // it is the incumbent now
)

// offer verifies a point whose integer columns are integral to tolerance and makes it the incumbent
// if it is better, satisfies the caller's model and the pool, and the lazy hook has no violated cut.
// Where the rounded point fails, the LP over the continuous columns is solved for it, at most repairs
// times. Points that the lazy hook hands back are tried too. The LP's basis and bounds are kept.
func (s *search) offer(ctx context.Context, x []float64, src Source, repairs int) (pointVerdict, error) {
	return s.offerBy(ctx, &examination{s: s, x: slices.Clone(x), src: src}, repairs)
}

// offerBy runs an examination, and tries the points that the lazy hook hands back.
func (s *search) offerBy(ctx context.Context, e *examination, repairs int) (pointVerdict, error) {
	v, err := e.run(ctx, repairs)
	if err != nil {
		return v, err
	}
	return v, s.offerAll(ctx, e.points)
}

// offerAll tries the points of a hook, and those that the lazy hook answers them with.
func (s *search) offerAll(ctx context.Context, points [][]float64) error {
	for k := 0; k < len(points) && k < pointDepth; k++ {
		// Points of a wrong length are ignored; the lazy hook may append points while the list is worked off.
		if len(points[k]) != s.p.n {
			continue
		}
		e := examination{s: s, x: slices.Clone(points[k]), src: FromHeuristic}
		if _, err := e.run(ctx, pointRepairs); err != nil {
			return err
		}
		points = append(points, e.points...)
	}
	return nil
}

// examination is the verification of one point.
type examination struct {
	s      *search
	x      []float64
	src    Source
	points [][]float64 // handed back by the lazy hook
	open   bool        // continuous columns were left out
	saved  *warmStart  // the basis before the first repair
	moved  float64     // largest distance that rounding moved an integer column
	asIs   bool        // continuous columns stay where they are, and rows hold to their rounding; see offerAsIs
}

// run examines the point and then puts the basis back that the repairs have changed.
func (e *examination) run(ctx context.Context, repairs int) (pointVerdict, error) {
	v, err := e.examine(ctx, repairs)

	// The first error counts, but the basis is restored in any case.
	if e.saved != nil {
		err = cmp.Or(err, e.s.lp.restore(e.saved))
	}
	return v, err
}

// examine rounds the point and checks it. While that fails and repairs are left, the LP for its integer columns gives
// the continuous ones new values.
func (e *examination) examine(ctx context.Context, repairs int) (pointVerdict, error) {
	s := e.s

	// A value that is not finite, or an integer column far from an integer, cannot be repaired.
	if !e.round() {
		return brokenRows, nil
	}

	// The continuous columns may be missing, or belong to the point before rounding.
	mixed := len(s.p.ints) < s.p.n
	stale := e.open || e.moved > roundingNoise && s.inc.improves(s.p.value(e.x))
	if stale && repairs > 0 && mixed {
		if better, err := e.complete(ctx); err != nil || !better {
			return brokenRows, err
		}
	}

	for {
		// Each pass checks the present point; a repair replaces its continuous columns.
		objective := s.p.value(e.x)
		better := s.inc.improves(objective)
		if !better && !s.solutions.admits(e.x, objective) {
			return notImproving, nil
		}
		v, err := e.check(ctx, objective, better, repairs)
		if err != nil || v == accepted || !better {
			return v, err
		}

		// A pure integer program has no columns that an LP could repair.
		if repairs == 0 || !mixed || s.limits.poll(ctx, s) {
			return v, nil
		}
		repairs--
		better, err = e.complete(ctx)
		if err != nil || !better {
			return v, err
		}
	}
}

// round puts integer columns on integers and continuous ones inside their bounds; it returns false
// for values that no point can have.
func (e *examination) round() bool {
	p := e.s.p
	for j, v := range e.x {
		if math.IsNaN(v) {
			// NaN stands for a value that is left open. Integer columns need one.
			if p.integer[j] {
				return false
			}
			v = 0
			e.open = true
		}

		if p.integer[j] {
			// Values are rounded from a little outside the tolerance: the check of the rows decides what is feasible.
			if math.Abs(v) > maxSafeInteger || math.Abs(v-math.Round(v)) > 10*e.s.opt.Tolerances.Integrality {
				return false
			}
			e.moved = math.Max(e.moved, math.Abs(v-math.Round(v)))
			v = math.Round(v) + 0 // no negative zero
		} else if !e.asIs {
			v = p.clamp(j, v)
		}
		if math.IsInf(v, 0) {
			return false
		}
		e.x[j] = v
	}
	return true
}

// check verifies the rounded point without moving it. A point that is not better can only enter the solution pool.
// repairs is how many LPs may still be solved for it.
func (e *examination) check(ctx context.Context, objective float64, better bool, repairs int) (pointVerdict, error) {
	s := e.s
	tol := s.opt.Tolerances.Feasibility

	// The comparison is written such that a violation that is NaN fails.
	if !(e.asIs && s.p.holds(e.x, tol) || s.p.violation(e.x) <= tol) {
		return brokenRows, nil
	}

	// The point of the given model that the reduced one stands for has to be feasible as well.
	if s.original != nil {
		if _, ok := s.original.verify(ctx, e.x); !ok {
			return brokenRows, nil
		}
	}

	// To check the cuts of the pool costs less than a call of the hook.
	if s.poolViolated(e.x, repairs > 0 || e.src == FromRelaxation) {
		return cutOff, nil
	}
	if s.hooks.Lazy != nil {
		ok, err := e.askLazy(ctx, objective)
		if err != nil || !ok {
			return cutOff, err
		}
	}

	// A point that does not improve the incumbent may still enter the solution pool.
	s.solutions.add(e.x, objective)
	if !better {
		return notImproving, nil
	}

	// The point is the incumbent now, and is announced.
	s.clock.found()
	s.adoptPoint(e.x, objective, e.src)
	s.announce(objective, e.src)
	return accepted, nil
}

// lazyCuts calls the lazy hook with a candidate, counts its time as its own, and puts the cuts that the candidate
// violates into the pool and the LP. violated is their number.
func (s *search) lazyCuts(ctx context.Context, c Candidate) (sep Separation, violated int, err error) {
	back := s.clock.enter(PartLazy)
	sep, err = s.hooks.Lazy(ctx, c)
	s.clock.leave(back)
	if err == nil {
		violated, err = s.absorb(sep.Cuts, c.X, true, math.MaxInt)
	}
	return sep, violated, err
}

// askLazy calls the lazy hook and reports whether it leaves the point feasible.
func (e *examination) askLazy(ctx context.Context, objective float64) (bool, error) {
	s := e.s
	sep, violated, err := s.lazyCuts(ctx, s.candidate(e.x, objective, e.src))
	if err != nil {
		s.limits.poll(ctx, s)
		return false, s.limits.hookError(ctx, err)
	}

	// The hook may use the memory of its points again in the next call.
	for _, x := range sep.Points {
		e.points = append(e.points, slices.Clone(x))
	}
	return violated == 0, nil
}

// complete fixes the integer columns and optimises the others over the LP. It returns false if that
// gives no point that is better.
func (e *examination) complete(ctx context.Context) (bool, error) {
	s := e.s
	for _, j := range s.p.ints {
		if e.x[j] < s.dom.globalLower[j] || e.x[j] > s.dom.globalUpper[j] {
			return false, nil // proven to hold nothing better
		}
	}

	// The basis before the first repair is restored when the examination ends.
	if e.saved == nil {
		e.saved = s.lp.save()
	}
	if !s.lp.fix(e.x) {
		return false, nil
	}

	// The LP stops where nothing better than the incumbent is left.
	out, err := s.solveLP(ctx, s.inc.strict, math.MaxInt)
	if err != nil || out.status != lpOptimal {
		return false, err
	}

	// The LP holds its columns to its own tolerances: the values are put inside the bounds of the model.
	for j := range e.x {
		if !s.p.integer[j] {
			e.x[j] = s.p.clamp(j, s.lp.x[j])
		}
	}
	return true, nil
}

// fix sets the bounds of all integer columns in the LP to x, and those that implications then give to other columns;
// the next sync undoes it. It returns false if one of these has no value left.
func (r *relaxation) fix(x []float64) bool {
	for _, j := range r.p.ints {
		if r.lower[j] != x[j] || r.upper[j] != x[j] {
			r.setBounds(j, x[j], x[j])
		}
	}
	return r.syncImplied(x, x)
}

// adoptPoint makes a point the incumbent that this search or another worker has verified.
func (s *search) adoptPoint(x []float64, objective float64, src Source) {
	// The new cutoff tightens bounds in the whole tree, and closes the nodes that have reached it.
	s.inc.set(x, objective, src)
	s.effort.accepted()
	s.prop.setCutoff(s.dom, s.inc.strict)
	s.root.tighten(s.dom, s.p.ints, s.inc.strict)
	s.closed.exclude(s.tree.prune(s.inc.cutoff))
}

// announce calls the hooks for a new incumbent.
func (s *search) announce(objective float64, src Source) {
	if s.hooks.Incumbent != nil {
		s.hooks.Incumbent(s.candidate(s.inc.x, objective, src))
	}
	s.report.improved(src)
}

// candidate is the argument of a hook.
func (s *search) candidate(x []float64, objective float64, src Source) Candidate {
	c := Candidate{
		X:         x,
		Objective: s.p.sense * objective,
		Source:    src,
		Round:     s.point.round,
		Bound:     s.p.sense * s.globalBound(),
		Incumbent: s.inc.reported(),
		Values:    s.inc.x,
	}

	// Before the first node, and at starts, the candidate belongs to no node.
	if nd := s.plunge.current; nd != nil {
		c.Node = s.effort.nodes - 1
		c.Depth = nd.depth
	}
	return c
}
