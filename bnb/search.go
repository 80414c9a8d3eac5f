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

// ErrNumerical means that the search ended with nodes that could be neither solved nor branched on, so
// that the gap is not proven. The result holds the incumbent and a bound that is still valid.
var ErrNumerical = errors.New("numerical failure")

// ErrRange is wrapped by the errors about integer columns whose values are too large for float64.
var ErrRange = errors.New("integer out of range")

// search is one run of branch and cut. What changes while it runs belongs to owners, one for each maintained quantity:
// others read their fields, and only their methods write them (see owners_test.go).
type search struct {
	job
	p        *problem
	original *presolved     // the caller's model, where presolve has made p from it; else nil
	facts    presolve.Facts // that presolve has found

	// The tree.
	tree     tree
	plunge   plunge
	closed   closed
	inc      incumbent
	progress treeProgress

	// The current node.
	dom   *domain
	lp    *relaxation
	point nodePoint

	// What holds in the whole tree.
	pool    *pool
	costs   *pseudoCosts
	root    rootFixing
	learnt  conflicts
	clauses clauses
	orbits  orbits

	graph      analysis
	prop       *propagator
	gen        rootCuts
	heuristics heuristicList

	// What has been spent, when the search stops, and what is reported.
	effort    effort
	limits    limits
	clock     clock
	solutions solutions
	report    reporter
}

// verdict is what follows from a step of the processing of a node.
type verdict uint8

const (
	again    verdict = iota // the LP has changed: it is solved once more
	proceed                 // the next step follows
	fathomed                // nothing better is below: the node is dropped
	stopped                 // a limit is reached: the node goes back to the queue
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

	// A start has a value for every column, NaN for one that is left open.
	for k, x := range opt.Start {
		if len(x) != len(m.Cols) {
			return failed(), fmt.Errorf("bnb: %w: start %d has %d values for %d columns", ErrOptions, k, len(x), len(m.Cols))
		}
	}
	res, err := job{model: m, opt: opt, hooks: hooks, start: start}.solve(ctx)
	if opt.HasCutoff {
		res.dropFromPool(m.Maximize, opt.Cutoff)
	}
	return res, err
}

// solve is Solve for a model and options that are valid, inside another search or not.
func (j job) solve(ctx context.Context) (Result, error) {
	// A model whose equations have large coefficients may be solved in other coordinates.
	if r, ok := j.solveOverLattice(ctx); ok {
		return r, nil
	}
	return j.solvePrepared(ctx)
}

// solvePrepared is solve for a model that stays as it is, but for presolve.
func (j job) solvePrepared(ctx context.Context) (Result, error) {
	if j.opt.Presolve {
		return j.solvePresolved(ctx)
	}
	s, err := newSearch(j)
	if err != nil {
		return failed(), err
	}
	return s.solve(ctx)
}

// solve runs a search that has been set up.
func (s *search) solve(ctx context.Context) (Result, error) {
	// The context of the search ends at the time limit too.
	ctx, cancel := s.limits.begin(ctx)
	defer cancel()
	err := s.run(ctx)
	return s.result(err)
}

// failed is the result of a search that could not begin.
func failed() Result {
	return Result{Objective: math.NaN(), Bound: math.NaN(), Gap: math.Inf(1)}
}

// newSearch sets up a search of the job's model without presolve.
func newSearch(j job) (*search, error) {
	p, err := newProblem(j.model, j.opt.Tolerances)
	if err != nil {
		return nil, err
	}
	return newSearchOf(p, j)
}

// newSearchOf sets up a search of a problem that has been made of the job's model.
func newSearchOf(p *problem, j job) (*search, error) {
	// Ordered sets belong to the problem, and are the last of what is derived from it.
	if !j.opt.tuning.orderedSetsOff {
		p.findSets()
	}

	s := &search{
		job:        j,
		p:          p,
		effort:     effort{maxWork: j.opt.MaxWork, onWork: j.origin.onWork},
		dom:        newDomain(p),
		tree:       newTree(),
		costs:      newPseudoCosts(p.n + len(p.sets)),
		pool:       newPool(p),
		learnt:     conflicts{limit: conflictMax},
		clauses:    newClauses(p),
		closed:     newClosed(),
		progress:   newTreeProgress(j.opt.tuning.restartAfter),
		heuristics: newHeuristics(j.opt.tuning.heuristicsOff),
		inc:        newIncumbent(p, j.opt, j.origin.guide),
		solutions:  solutions{p: p, limit: j.opt.PoolSize},
	}
	var err error
	if s.lp, err = newRelaxation(p, j.opt, &s.effort); err != nil {
		return nil, err
	}

	// These owners refer to the search, to its options or to each other.
	s.limits = limits{opt: &s.opt, start: j.start}
	s.clock.start(j.start)
	s.report = reporter{s: s, last: j.start}
	s.prop = newPropagator(p, s.pool, j.opt.Tolerances.Feasibility)
	s.prop.setCutoff(s.dom, s.inc.strict)
	return s, nil
}

// splits reports whether the tree is to be shared out among workers.
func (s *search) splits() bool {
	// Sub-MIPs have one thread, and each worker needs memory for a search of its own.
	size := s.opt.workers()
	if size == 1 || s.origin.subMIP || s.mayBeUnbounded() || s.opt.MaxMemory/int64(size+1) < s.memory() {
		return false
	}
	if s.opt.tuning.minRoundWork > 0 && s.effort.nodes > 0 {
		return true
	}
	return s.effort.nodes >= sharedFrom && s.tree.len() >= size
}

// fork returns the search of a worker, without nodes, in the present state of s.
func (s *search) fork(place int, hooks Hooks, charge float64, onWork func(float64)) (*search, error) {
	w := &search{
		job:        s.job,
		p:          s.p,
		original:   s.original,
		facts:      s.facts,
		tree:       s.tree.fork(),
		closed:     newClosed(),
		inc:        s.inc,
		dom:        s.dom.fork(s.p),
		root:       s.root.fork(),
		costs:      s.costs.fork(),
		pool:       s.pool.fork(),
		effort:     s.effort.fork(s.opt.workers(), s.probing().share, charge, onWork),
		learnt:     s.learnt.fork(s.opt.workers()),
		orbits:     s.orbits.fork(),
		clauses:    s.clauses.fork(s.opt.workers()),
		heuristics: s.heuristics.fork(s, place),
		plunge:     s.plunge.fork(),
	}
	w.hooks = hooks
	var err error
	if w.lp, err = s.lp.fork(s.opt, &w.effort, w.pool); err != nil {
		return nil, err
	}

	// These owners belong to the worker alone. Its time limit is that of the whole search.
	w.limits = limits{opt: &w.opt, start: s.limits.start, parent: s.limits.parent}
	w.solutions = solutions{
		p:        s.p,
		original: s.original,
		limit:    s.opt.PoolSize,
		list:     slices.Clone(s.solutions.list),
	}
	w.report = reporter{s: w}
	w.clock.start(s.clock.began)
	w.prop = newPropagator(s.p, w.pool, s.opt.Tolerances.Feasibility)
	w.prop.setCutoff(w.dom, w.inc.strict)
	w.gen.continueFrom(w, &s.gen)
	return w, nil
}

// setOriginal records the caller's model, nil where presolve has left it as it is, and the facts that presolve found.
func (s *search) setOriginal(original *presolved, facts presolve.Facts) {
	s.original = original
	s.facts = facts
	s.solutions.compareIn(original)
}

// run is the search: starts, root, tree.
func (s *search) run(ctx context.Context) error {
	if s.p.contradicts(s.opt.Tolerances.Feasibility) {
		s.closed.setInfeasible()
		return nil
	}

	// The starts come first: an incumbent helps at the root already.
	if !s.limits.poll(ctx, s) {
		if err := s.tryStarts(ctx); err != nil {
			return err
		}
	}

	s.tree.newRoot(math.Inf(-1))
	for !s.closed.unbounded && !s.limits.pollNodes(ctx, s) {
		// From here on the workers search the tree, and this search coordinates them.
		if s.splits() {
			return newCoordinator(s).run(ctx)
		}
		more, err := s.advance(ctx)
		if err != nil || !more {
			return err
		}

		// Between two nodes all of the tree is in the queue, so that another one can take its place.
		if s.tree.len() > 0 && s.restartPays() {
			if err := s.restart(ctx); err != nil {
				return err
			}
		}
		if s.rebuildDue() {
			s.rebuildTree()
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

	// A node that has neither children nor a place in the queue is done, and its memory is released.
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

	// The node that was just taken is no longer in the queue, but part of the bound.
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

	// An unbounded problem, or one without a root yet, has no bound.
	if s.closed.unbounded || s.tree.created == 0 {
		return math.Inf(-1)
	}
	b := math.Min(s.tree.bound(), s.closed.bound())
	if nd := s.plunge.current; nd != nil {
		b = math.Min(b, nd.bound)
	}

	// Without an open node the incumbent is the bound, since nothing better is left.
	return math.Min(b, s.inc.strictest())
}

// drop closes a node whose bound has reached the cutoff.
func (s *search) drop(nd *node) verdict {
	s.closed.exclude(nd.bound)
	return fathomed
}

// abandon closes a node that can be neither solved nor branched on: its bound stays in the global
// bound, so nothing is claimed about it.
func (s *search) abandon(nd *node) verdict {
	s.closed.abandon(nd.bound)
	return fathomed
}

// result assembles what Solve returns.
func (s *search) result(err error) (Result, error) {
	res := Result{
		Objective:    math.NaN(),
		Gap:          math.Inf(1),
		Nodes:        s.effort.nodes,
		LPIterations: s.effort.iterations,
		UserCuts:     s.pool.user,
		LazyCuts:     s.pool.lazy,
		Incumbents:   s.inc.accepted,
		Work:         s.effort.work,
		Span:         s.effort.span,
		Pool:         s.solutions.list,
	}

	// Points of a reduced model are tidied when they are taken back, those of a sub-MIP by the search that it serves.
	tidy := s.original == nil && !s.origin.subMIP
	bound := s.globalBound()
	if s.inc.x != nil {
		res.X = slices.Clone(s.inc.x) // not nil, not even without columns
		res.Objective = s.p.sense * s.inc.objective
		if tidy {
			res.X, res.Objective = s.p.tidy(res.X, s.opt.Tolerances)
		}

		// The bound of the tree may be above the incumbent, within the tolerances, and the tidied point a little better.
		objective := s.p.sense * res.Objective
		bound = math.Min(bound, objective)
		res.Gap = lp.RelativeGap(objective, bound)
	}
	if tidy {
		s.p.tidyAll(res.Pool, s.opt.Tolerances)
	}

	res.Bound = s.p.sense * bound
	res.Elapsed, res.Parts = s.clock.stop()
	res.Status = s.finalStatus(bound)

	// A search that ends without a status has left a node unresolved.
	if err == nil && res.Status == lp.NotSolved {
		err = fmt.Errorf("bnb: %w: an unsolved node leaves the bound at %g", ErrNumerical, res.Bound)
	}
	return res, err
}

// finalStatus is the status of a search that has ended with that bound.
func (s *search) finalStatus(bound float64) lp.Status {
	// A proof comes before a limit, and a limit before the statuses of an empty tree.
	switch {
	case s.closed.unbounded && s.limits.hit == lp.NotSolved:
		return lp.Unbounded
	case s.inc.x != nil && s.inc.closes(bound):
		return lp.Optimal
	case s.limits.hit != lp.NotSolved:
		return s.limits.hit
	case s.inc.x != nil || s.closed.unresolved < inf:
		return lp.NotSolved
	case s.opt.HasCutoff && !s.closed.infeasible:
		return lp.ObjectiveLimit
	}
	return lp.Infeasible
}
