package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// ErrNumerical says that the search ended with nodes that could be neither solved nor branched on, so
// that the gap is not proven. The result holds the incumbent and a bound that is still valid.
var ErrNumerical = errors.New("numerical failure")

// ErrRange is wrapped by the errors about integer columns whose values are too large for float64.
var ErrRange = errors.New("integer out of range")

// search is one run of Solve. What changes while it runs belongs to owners, one for each maintained quantity: others
// read their fields, and only their methods write them (see owners_test.go).
type search struct {
	opt   Options
	hooks Hooks
	p     *problem
	given *presolved     // the caller's model, where presolve made p; else nil
	facts presolve.Facts // that presolve found

	// The tree.
	tree   tree
	plunge plunge
	closed closed
	inc    incumbent
	growth growth

	// The current node.
	dom   *domain
	lp    *relaxation
	point nodePoint

	// What is known in the whole tree.
	pool   *pool
	costs  *pseudoCosts
	root   rootFixing
	learnt conflicts

	prop       *propagator
	gen        rootCuts
	heuristics []heuristic // by their places in the table

	// What it has spent, when it stops, and what it tells.
	effort    effort
	limits    limits
	clock     clock
	solutions solutions
	report    reporter
}

// verdict says how the processing of a node goes on.
type verdict uint8

const (
	again    verdict = iota // the LP has changed: solve it once more
	goOn                    // next step
	fathomed                // nothing better below: drop the node
	stopped                 // a limit: the node goes back to the queue
)

// Solve solves the mixed-integer program m by branch and cut. Limits and cancellation are statuses of
// the result, which then holds the incumbent and a proven bound. An error means a bad model, bad
// options, a hook's error, or numerical failure (ErrNumerical); the result is filled as far as possible.
func Solve(ctx context.Context, m *lp.Model, opt Options, hooks Hooks) (Result, error) {
	start := time.Now()
	if err := opt.Validate(); err != nil {
		return failed(), err
	}
	if err := m.Validate(); err != nil {
		return failed(), err
	}
	for k, x := range opt.Start {
		if len(x) != len(m.Cols) {
			return failed(), fmt.Errorf("bnb: %w: start %d has %d values for %d columns", ErrOptions, k, len(x), len(m.Cols))
		}
	}
	if opt.Presolve {
		return solvePresolved(ctx, m, opt, hooks, start)
	}
	s, err := newSearch(m, opt, hooks, start)
	if err != nil {
		return failed(), err
	}
	return s.solve(ctx)
}

// solve runs a search that has been set up.
func (s *search) solve(ctx context.Context) (Result, error) {
	ctx, cancel := s.limits.begin(ctx)
	defer cancel()
	err := s.run(ctx)
	return s.result(err)
}

func failed() Result {
	return Result{Objective: math.NaN(), Bound: math.NaN(), Gap: math.Inf(1)}
}

func newSearch(m *lp.Model, opt Options, hooks Hooks, start time.Time) (*search, error) {
	p, err := newProblem(m, opt.Tolerances)
	if err != nil {
		return nil, err
	}
	if !opt.setsOff {
		p.findSets()
	}
	s := &search{opt: opt, hooks: hooks, p: p, effort: effort{maxWork: opt.MaxWork, tick: opt.tick}, dom: newDomain(p),
		tree: newTree(), costs: newPseudoCosts(p.n + len(p.sets)), pool: newPool(p), learnt: newConflicts(),
		closed: newClosed(), growth: newGrowth(&opt)}
	if s.lp, err = newRelaxation(p, opt, &s.effort); err != nil {
		return nil, err
	}
	s.limits = limits{opt: &s.opt, start: start}
	s.solutions = solutions{p: p, limit: opt.PoolSize}
	s.heuristics = newHeuristics(opt.heuristicsOff)
	s.clock.start(start)
	s.report = reporter{s: s, last: start}
	s.prop = newPropagator(p, s.pool, opt.Tolerances.Feasibility)
	s.inc = newIncumbent(p, opt)
	s.prop.setCutoff(s.dom, s.inc.strict)
	return s, nil
}

// splits reports whether the tree is to be shared out among workers.
func (s *search) splits() bool {
	size := s.opt.team()
	if size == 1 || s.opt.sub || s.opt.MaxMemory/int64(size+1) < s.memory() {
		return false
	}
	return s.effort.nodes >= teamNodes && s.tree.len() >= size || s.opt.hasty > 0 && s.effort.nodes > 0
}

// fork returns the search of a worker, without nodes. It knows what s knows.
func (s *search) fork(place int, hooks Hooks, charge float64, tick func(float64)) (*search, error) {
	w := &search{opt: s.opt, hooks: hooks, p: s.p, given: s.given, facts: s.facts, tree: s.tree.fork(),
		closed: newClosed(), inc: s.inc, dom: s.dom.fork(s.p), root: s.root, costs: s.costs.fork(), pool: s.pool.fork(),
		effort: s.effort.fork(s.opt.team(), s.probing().share, charge, tick), learnt: s.learnt.fork(s.opt.team()),
		heuristics: s.forkHeuristics(place), plunge: s.plunge.fork()}
	var err error
	if w.lp, err = s.lp.fork(s.opt, &w.effort, w.pool); err != nil {
		return nil, err
	}
	w.limits = limits{opt: &w.opt, start: s.limits.start, parent: s.limits.parent}
	w.solutions = solutions{p: s.p, given: s.given, limit: s.opt.PoolSize, list: slices.Clone(s.solutions.list)}
	w.report = reporter{s: w}
	w.clock.start(s.clock.began)
	w.prop = newPropagator(s.p, w.pool, s.opt.Tolerances.Feasibility)
	w.prop.setCutoff(w.dom, w.inc.strict)
	w.gen.goOn(w, &s.gen)
	return w, nil
}

// standFor says that presolve made the model, which stands for the caller's, and found the facts.
func (s *search) standFor(given *presolved, facts presolve.Facts) {
	s.given, s.facts = given, facts
	s.solutions.compareIn(given)
}

// restartNoMore keeps the search in the tree that it has.
func (s *search) restartNoMore() { s.opt.restarts = maxRestarts }

// run is the search: starts, root, tree.
func (s *search) run(ctx context.Context) error {
	if s.p.contradicts(s.opt.Tolerances.Feasibility) {
		s.closed.refute()
		return nil
	}
	if !s.limits.poll(ctx, s) {
		if err := s.tryStarts(ctx); err != nil {
			return err
		}
	}
	s.tree.plant(math.Inf(-1))
	for !s.closed.unbounded && !s.limits.pollNodes(ctx, s) {
		if s.splits() {
			return newTeam(s).run(ctx)
		}
		more, err := s.advance(ctx)
		if err != nil || !more {
			return err
		}
		if s.restartDue() {
			if err := s.restart(ctx); err != nil {
				return err
			}
		}
		if s.regrowDue() {
			s.regrow()
		}
	}
	return nil
}

// advance takes a node and processes it. It returns false where there is none, or the gap is closed.
func (s *search) advance(ctx context.Context) (bool, error) {
	nd := s.next()
	if nd == nil || s.gapClosed() {
		return false, nil
	}
	s.effort.begin()
	if err := s.process(ctx, nd); err != nil {
		return false, err
	}
	if !nd.queued() {
		s.tree.release(nd)
	}
	s.plunge.leave()
	s.report.line()
	return true, nil
}

// gapClosed reports whether the global bound, with the node just taken, is good enough. The node
// goes back to the queue if so.
func (s *search) gapClosed() bool {
	nd := s.plunge.current
	if !s.inc.closes(math.Min(nd.bound, s.tree.bound())) {
		return false
	}
	s.tree.push(nd)
	s.plunge.leave()
	return true
}

// globalBound returns the proven lower bound on every feasible point.
func (s *search) globalBound() float64 {
	if s.closed.infeasible {
		return inf
	}
	if s.closed.unbounded || s.tree.created == 0 {
		return math.Inf(-1)
	}
	b := math.Min(s.tree.bound(), s.closed.bound())
	if nd := s.plunge.current; nd != nil {
		b = math.Min(b, nd.bound)
	}
	return math.Min(b, s.inc.strictest())
}

// drop forgets a node whose bound has reached the cutoff.
func (s *search) drop(nd *node) verdict {
	s.closed.exclude(nd.bound)
	return fathomed
}

// lose gives up a node that can be neither solved nor branched on: its bound stays in the global
// bound, so nothing is claimed about it.
func (s *search) lose(nd *node) verdict {
	s.closed.lose(nd.bound)
	return fathomed
}

// result assembles what Solve returns.
func (s *search) result(err error) (Result, error) {
	res := Result{Objective: math.NaN(), Gap: math.Inf(1), Nodes: s.effort.nodes, LPIterations: s.effort.iterations,
		UserCuts: s.pool.user, LazyCuts: s.pool.lazy, Incumbents: s.inc.accepted, Work: s.effort.work,
		Span: s.effort.span}
	bound := s.globalBound()
	if s.inc.x != nil {
		res.X = slices.Clone(s.inc.x) // not nil, not even without columns
		res.Objective = s.p.sense * s.inc.objective
		if s.given == nil && !s.opt.sub {
			res.X, res.Objective = s.p.tidy(res.X, s.opt.Tolerances)
		}
		bound = math.Min(bound, s.inc.objective)
		res.Gap = lp.RelativeGap(s.inc.objective, bound)
	}
	res.Bound = s.p.sense * bound
	res.Elapsed, res.Parts = s.clock.stop()
	res.Pool = s.solutions.list
	if s.given == nil && !s.opt.sub {
		for k := range res.Pool {
			res.Pool[k].X, res.Pool[k].Objective = s.p.tidy(res.Pool[k].X, s.opt.Tolerances)
		}
	}
	res.Status = s.finalStatus(bound)
	if err == nil && res.Status == lp.NotSolved {
		err = fmt.Errorf("bnb: %w: an unsolved node leaves the bound at %g", ErrNumerical, res.Bound)
	}
	return res, err
}

func (s *search) finalStatus(bound float64) lp.Status {
	switch {
	case s.closed.unbounded && s.limits.hit == lp.NotSolved:
		return lp.Unbounded
	case s.inc.x != nil && s.inc.closes(bound):
		return lp.Optimal
	case s.limits.hit != lp.NotSolved:
		return s.limits.hit
	case s.inc.x != nil || s.closed.lost < inf:
		return lp.NotSolved
	case s.opt.HasCutoff && !s.closed.infeasible:
		return lp.ObjectiveLimit
	}
	return lp.Infeasible
}
