package scenario

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// separator makes a cut for each group of scenarios, or feasibility cuts. It implements benders.Separator; it is for
// one goroutine, and uses more itself.
type separator struct {
	*engine
	groups [][]int   // scenarios of each epigraph
	weight []float64 // of each scenario
	depth  float64   // by how much the cuts of all linear programs cut the last point off
}

// Source implements benders.Separator.
func (s *separator) Source() benders.Source { return benders.FromExact }

// Separate implements benders.Separator. Cuts of the pool are enough where they cut the point off by a good part of the
// depth of the last cuts of linear programs; so are those of some waves with the pool for the other scenarios.
func (s *separator) Separate(ctx context.Context, pt benders.Point) (benders.Separation, error) {
	if len(pt.Y) != len(s.p.master.Cols) {
		return benders.Separation{}, fmt.Errorf("scenario: %w: a point with %d columns", twostage.ErrProblem, len(pt.Y))
	}

	// The master's point is kept for the local search, which rounds it.
	s.point = append(s.point[:0], pt.Target()...)

	// Rays of other points are tried first: they cost no linear program.
	s.move(pt.Y)
	if cuts := s.refute(); len(cuts) > 0 {
		return benders.Separation{Infeasible: true, Value: math.Inf(-1), Cuts: cuts}, nil
	}

	// The pool first, which is enough where its cuts are deep.
	var out benders.Separation
	enough := func() bool { return s.byPool() && s.cuts(ctx, pt, &out) >= params.depthShare*s.depth && s.depth > 0 }
	if s.open == s.active() && enough() {
		s.counts.Pool += s.open
		return out, nil
	}

	// Then linear programs, a wave at a time, until cuts are deep or all scenarios are solved.
	failed, err := s.solve(ctx, enough)
	switch {
	case err != nil:
		return benders.Separation{}, err
	case len(failed) > 0:
		return s.infeasible(failed), nil
	case s.open > 0:
		return out, nil
	}

	// All are solved: the cuts are exact, and their depth is the measure for those to come.
	depth := s.cuts(ctx, pt, &out)
	if err := ctx.Err(); err != nil {
		return benders.Separation{}, err
	}
	s.depth = depth
	s.keep(s.p.master.Evaluate(pt.Y) + s.sum(nil))
	return out, nil
}

// cuts makes the cuts of all groups from what is known at the point, and returns their depth: the sum of the violations
// at the master's point of those that clearly cut it off. Where the context ends before, that is 0.
func (s *separator) cuts(ctx context.Context, pt benders.Point, out *benders.Separation) (depth float64) {
	*out = benders.Separation{Exact: s.open == 0}
	parts := make([]groupCut, len(s.groups))
	s.p.share(s.threads, len(s.groups), func(g int) {
		if ctx.Err() == nil {
			parts[g] = s.group(g, pt.Y)
		}
	})
	if ctx.Err() != nil {
		return 0
	}

	// The groups are collected in their order. One without a cut has no bound, and neither has the sum.
	from := pt.Target()
	for g := range parts {
		one := &parts[g]
		out.Value += one.value
		out.Exact = out.Exact && one.exact
		if math.IsInf(one.value, -1) {
			continue
		}
		out.Cuts = append(out.Cuts, one.cut)

		// A point without epigraphs has none to violate.
		if g < len(pt.Theta) {
			t := pt.Theta[g]
			if v := one.cut.Value(from) - t; v > params.minViolation*max(1, math.Abs(t), one.cut.Scale(from, t)) {
				depth += v
			}
		}
	}
	return depth
}

// Certificate is that of a cut of several scenarios: it has the certificate of each scenario's own cut, which is not
// weighted by its probability. That of a feasibility cut has one scenario.
type Certificate struct {
	Scenarios []int                 // numbers in the program without scenarios of probability 0
	Parts     []benders.Certificate // of each of these
}

// Kind implements benders.Certificate.
func (c *Certificate) Kind() benders.Kind { return c.Parts[0].Kind() }

// Vector returns the multipliers of the recourse rows, scenario by scenario.
func (c *Certificate) Vector() (v []float64) {
	for _, p := range c.Parts {
		v = append(v, p.Vector()...)
	}
	return v
}

// certify gives a cut of scenarios its certificate, in a run that keeps these.
func (e *engine) certify(cut *benders.Cut, scenarios []int, parts ...benders.Certificate) {
	// A certificate of one scenario's own form has no number of its scenario.
	cut.Certificate = nil
	if e.certified {
		cut.Certificate = &Certificate{scenarios, parts}
	}
}

// groupCut is the cut of a group of scenarios with its value at the point, rounded down; -Inf where there is no cut.
// exact says that the value is that of the linear programs.
type groupCut struct {
	cut   benders.Cut
	value float64
	exact bool
}

// group makes the cut of a group of scenarios at y. Several goroutines may make those of several groups.
func (s *separator) group(g int, y []float64) groupCut {
	w := s.p.scenarios.NewWeighted()
	none := groupCut{value: math.Inf(-1)}
	var parts []benders.Certificate
	q := 0.0 // recourse cost of the group, or a lower bound on it
	for _, k := range s.groups[g] {
		// Without a certificate of one scenario there is no cut of the group, and no bound on the sum.
		part, ok := s.addTo(w, s.weight[k], k)
		if !ok {
			return none
		}
		q += s.weight[k] * s.lower(k)
		if s.certified {
			parts = append(parts, part)
		}
	}

	// The sum of the certificates is one cut. Its value, rounded down, is exact where it is that of the linear
	// programs.
	cut, ok := w.Cut(g)
	s.certify(&cut, s.groups[g], parts...)
	if !ok {
		return none
	}

	// Below q by more than rounding the certificate is weaker than the linear programs, and the cut is not exact.
	v := cut.ValueDown(y)
	return groupCut{cut: cut, value: v, exact: v >= q-exactness*max(1, math.Abs(q))}
}

// exactness is how far, relative, a certified value may be below that of the linear programs and still be called exact.
const exactness = 1e-6

// infeasible returns the feasibility cuts of scenarios, as far as they are proven, each for the scenario for which it
// is the strongest.
func (s *separator) infeasible(failed []int) benders.Separation {
	out := benders.Separation{Value: math.Inf(-1)}
	for _, k := range failed {
		a := &s.answers[k]
		if math.IsNaN(a.cut.Alpha) {
			continue
		}

		// The pool finds the scenario in which the same ray is violated most.
		out.Infeasible = true
		cut, of := a.cut, k
		if better, scenario, ok := s.pool.strongest(&a.cut, s.at); ok {
			cut, of = better, scenario
		}
		s.certify(&cut, []int{of}, cut.Certificate)
		out.Cuts = append(out.Cuts, cut)
	}
	return out
}

// recourse fills q with the recourse cost of each group at y and reports whether all scenarios have a recourse. Where
// the pool alone proves that a design costs more than one that was priced before, q is the pool's lower bound, by which
// it costs more too, unless the run needs every price in full. The cheapest design is priced once: a run that begins
// with it needs its price even where no time is left.
func (s *separator) recourse(ctx context.Context, y, q []float64) (feasible bool, err error) {
	if s.known.y != nil && slices.Equal(s.known.y, y) {
		s.collect(q, func(k int) float64 { return s.known.values[k] })
		s.best = min(s.best, s.known.cost)
		return true, nil
	}

	s.move(y)
	if len(s.refute()) > 0 {
		return false, nil
	}

	// The pool is asked first, here and after each wave: a lower bound above the best cost is enough.
	own := s.p.master.Evaluate(y)
	worse := func() bool {
		return !s.inFull && s.byPool() && own+s.sum(q) > s.best+1e-6*max(1, math.Abs(s.best))
	}
	if s.open > 0 && worse() {
		s.counts.Pool += s.open
		return true, nil
	}

	failed, err := s.solve(ctx, worse)
	if err != nil || len(failed) > 0 {
		return false, err
	}

	// All scenarios are solved, so this is the cost.
	if cost := own + s.sum(q); s.open == 0 {
		if s.keep(cost); cost < s.best && isDesign(s.p.master, y) {
			s.best = cost
		}
	}
	return true, nil
}

// sum fills q with lower bounds on the groups' costs at the point, exact where all scenarios are solved, and returns
// their sum.
func (s *separator) sum(q []float64) (total float64) { return s.collect(q, s.lower) }

// collect fills q, where it is not nil, with the costs of the groups by those of the scenarios, and returns their sum.
func (s *separator) collect(q []float64, of func(scenario int) float64) (total float64) {
	for g, group := range s.groups {
		// The sum goes by the number of the scenario, so that it is the same for any number of threads.
		cost := 0.0
		for _, k := range group {
			cost += s.weight[k] * of(k)
		}
		if q != nil {
			q[g] = cost
		}
		total += cost
	}
	return total
}
