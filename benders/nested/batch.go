package nested

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Nodes are solved in batches: the requests of a batch do not depend on each other, and may be solved in any order, by
// several threads and processes. Cuts are added between batches, in the order of the requests.

// solveNodes solves nodes at states with the cuts that the pools have now, and returns the outcomes in the same order.
func (r *run) solveNodes(list []request) ([]outcome, error) {
	// The first program of a period begins at its slack basis, and the others at the basis where that one ended.
	var first, rest []int
	leads := make(map[int32]bool)
	for k, q := range list {
		t := r.p.Nodes[q.node].Period
		if r.bases[t] != nil || leads[t] {
			rest = append(rest, k)
			continue
		}
		leads[t] = true
		first = append(first, k)
	}

	out := make([]outcome, len(list))
	for _, part := range [][]int{first, rest} {
		tasks := make([]task, len(part))
		for i, k := range part {
			t := r.p.Nodes[list[k].node].Period
			tasks[i] = task{request: list[k], basis: r.bases[t] == nil && leads[t]}
		}
		found, err := r.do(tasks)
		if err != nil {
			return nil, err
		}
		for i, k := range part {
			out[k] = found[i]
			if t := r.p.Nodes[list[k].node].Period; r.bases[t] == nil {
				r.bases[t] = found[i].basis
			}
		}
	}
	return out, nil
}

// do has tasks done. Its error is that of the first task by number that failed, or errStopped at a limit.
func (r *run) do(tasks []task) ([]outcome, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	if r.ctx.Err() != nil {
		return nil, r.stop()
	}
	var out []outcome
	var err error
	if r.remote != nil {
		out, err = r.remote.solve(r.ctx, r.programs, tasks)
	} else {
		out, err = r.programs.solve(r.ctx, r.o.Threads, tasks)
	}
	if err != nil && r.ctx.Err() != nil {
		return nil, r.stop()
	}
	if err != nil {
		return nil, fmt.Errorf("nested: %w", err)
	}

	for k := range out {
		r.lps += out[k].lps
		r.pivots += out[k].pivots
		if out[k].status.Limited() {
			return nil, r.stop()
		}
		if why := out[k].failure; why != "" {
			period := r.p.Nodes[tasks[k].node].Period + 1
			return nil, fmt.Errorf("nested: period %d: %w: %s", period, ErrNumerical, why)
		}
	}
	return out, nil
}

// stop ends the run. A cancelled context comes before an expired time, so that an interrupted run has its status.
func (r *run) stop() error {
	r.stopped = lp.TimeLimit
	if r.caller.Err() != nil {
		r.stopped = lp.Interrupted
	}
	return errStopped
}

// maxResolves is how often a node is solved again because its decision has no future, or its program no least cost.
const maxResolves = 10000

// cycling is the error of a node that was solved too often.
func (r *run) cycling(n int32) error {
	return fmt.Errorf("nested: %w: cuts do not change the decisions of period %d", ErrNumerical, r.p.Nodes[n].Period+1)
}

// solveCertified solves nodes at states until their futures have the cuts that make the nodes' programs bounded and
// their own cuts valid. The outcomes are Optimal or Infeasible, and have certificates, but for those that are unsuited.
func (r *run) solveCertified(list []request) ([]outcome, error) {
	unique, at := distinct(list)
	found := make([]outcome, len(unique))
	open := numbers(len(unique))
	for try := 0; len(open) > 0; try++ {
		if try > maxResolves+len(unique) {
			return nil, r.cycling(unique[open[0]].node)
		}
		now, later := r.ready(unique, open)
		part, err := r.solveNodes(pick(unique, now))
		if err != nil {
			return nil, err
		}

		// A ray and a part of a future without a cut lead to new cuts. The others are done.
		var points []point
		for i, k := range now {
			found[k] = part[i]
			q := unique[k]
			switch {
			case r.stale(q.node, &part[i]):
				later = append(later, k)
			case part[i].status == lp.Unbounded:
				err := r.cutAlongRay(q, part[i].ray)
				switch {
				case errors.Is(err, ErrUnsuited):
					found[k].unsuited = err
				case err != nil:
					return nil, err
				default:
					later = append(later, k)
				}
			case !part[i].certified:
				points = append(points, point{r.of[q.node], part[i].next})
				later = append(later, k)
			}
		}
		if _, err := r.cut(points); err != nil {
			return nil, err
		}
		slices.Sort(later)
		open = later
	}
	return pick(found, at), nil
}

// stale reports whether an outcome without a certificate may have one by now, since the node's future was cut.
func (r *run) stale(n int32, out *outcome) bool {
	f := r.of[n]
	return !out.certified && f >= 0 && len(r.pools[f].cuts) > out.cutsUsed
}

// ready splits the open requests of a list into those to solve now and later. Of nodes with the same future, which has
// not all its cuts yet, only one is solved: its decision is where the future is cut first.
func (r *run) ready(list []request, open []int) (now, later []int) {
	chosen := map[int32]bool{}
	for _, k := range open {
		f := r.of[list[k].node]
		switch {
		case f < 0 || r.pools[f].complete():
			now = append(now, k)
		case chosen[f]:
			later = append(later, k)
		default:
			chosen[f] = true
			now = append(now, k)
		}
	}
	return now, later
}

// numbers returns the numbers below n.
func numbers(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// pick returns the entries of a list at positions.
func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// following returns the nodes that follow points, all at the states of their points, one point after the other.
func (r *run) following(points []point) []request {
	var list []request
	for _, p := range points {
		for _, a := range r.futures[p.future].arcs {
			list = append(list, request{a.To, p.z})
		}
	}
	return list
}

// cut adds cuts on futures at states, and reports for each where it is feasible.
func (r *run) cut(points []point) ([]bool, error) {
	unique, at := distinct(points)
	feasible := make([]bool, len(unique))
	var open []int
	for k, p := range unique {
		if !r.pools[p.future].excludes(p.z) {
			open = append(open, k)
		}
	}
	asked := pick(unique, open)
	before := r.poolSizes(asked)
	out, err := r.solveCertified(r.following(asked))
	if err != nil {
		return nil, err
	}

	// Each of the nodes that follow has a cut of its own at the state. The first one that is infeasible there decides.
	for i, k := range open {
		arcs := len(r.futures[unique[k].future].arcs)
		if feasible[k], err = r.addCuts(unique[k], out[:arcs], before[i]); err != nil {
			return nil, err
		}
		out = out[arcs:]
	}
	return pick(feasible, at), nil
}

// poolSizes returns how many cuts the futures of points have.
func (r *run) poolSizes(points []point) []int {
	sizes := make([]int, len(points))
	for k, p := range points {
		sizes[k] = len(r.pools[p.future].cuts)
	}
	return sizes
}

// addCuts adds the cuts of a point from the outcomes of the nodes that follow: one of feasibility where a node is
// infeasible, which it reports by false. before is how many cuts the future had when the nodes were solved.
func (r *run) addCuts(p point, out []outcome, before int) (bool, error) {
	if k := slices.IndexFunc(out, infeasible); k >= 0 {
		return false, r.addFeasibilityCut(p.future, out[k].lower, before)
	}
	if err := unsuited(out); err != nil {
		return false, err
	}
	list := make([]affine, len(out))
	for k := range out {
		list[k] = out[k].lower
	}
	r.addOptimalityCuts(p.future, list, p.z)
	return true, nil
}

// unsuited returns the error of the first node without a least cost, nil for none.
func unsuited(out []outcome) error {
	for k := range out {
		if out[k].unsuited != nil {
			return out[k].unsuited
		}
	}
	return nil
}

// infeasible reports whether an outcome is that of an infeasible node.
func infeasible(o outcome) bool { return o.status == lp.Infeasible }

// addFeasibilityCut adds a cut of a Farkas ray to a future, scaled by a power of two so that its slopes are below 1.
// The error of a cut that the pool had when the state was found infeasible wraps ErrNumerical: the state that the cut
// does not exclude would come again. before is the size of the pool at that time.
func (r *run) addFeasibilityCut(f int32, a affine, before int) error {
	// Frexp of the largest slope gives the power of two next above it, and 1 where all slopes are zero.
	_, exponent := math.Frexp(a.largestSlope())
	scale := math.Ldexp(1, -exponent)
	b := affine{alpha: a.alpha * scale, beta: make([]float64, len(a.beta))}
	for k := range b.beta {
		b.beta[k] = a.beta[k] * scale
	}

	// Another state of the same batch may have led to the same cut.
	switch k := r.pools[f].feasibilityCut(&b); {
	case k >= before:
		return nil
	case k >= 0:
		return fmt.Errorf("nested: %w: a state of period %d is infeasible by no more than rounding", ErrNumerical,
			r.futures[f].period+2)
	}
	r.pools[f].add(cut{b, -1})
	r.feasibility++
	return nil
}

// addOptimalityCuts adds, for each part of a future, the mean of the functions of its arcs as a cut, where that is
// above the cuts of the pool at the state.
func (r *run) addOptimalityCuts(f int32, list []affine, z []float64) {
	q := &r.futures[f]
	p := r.pools[f]
	next := &r.periods[q.period+1]
	for part := range q.parts {
		// The functions and probabilities of the arcs of the part. Probabilities do not sum to one over a part: the
		// epigraphs of all parts add up to the expectation.
		var own []affine
		var weight []float64
		for k, of := range q.part {
			if int(of) == part {
				own = append(own, list[k])
				weight = append(weight, q.arcs[k].Probability)
			}
		}

		// Their sum, unless the pool has a cut that is as high at the state.
		a := mean(own, weight, next.stateReach())
		if v := a.at(z); v > p.value(part, z)+minCutGain*max(1, math.Abs(v)) {
			p.add(cut{a, part})
			r.optimality++
		}
	}
}

// minCutGain is by how much, relative to its value or to 1 if that is larger, a cut has to be above the others at its
// state.
const minCutGain = 1e-9
