package nested

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// Errors that the package wraps.
var (
	// ErrUnsuited is about integer columns, or a period without a least cost.
	ErrUnsuited = errors.New("not for nested decomposition")
	// ErrNumerical is about a linear program that failed, or cuts that do not exclude what they were made to exclude.
	ErrNumerical = errors.New("numerical failure")
	// ErrOptions is about a field of Options.
	ErrOptions = errors.New("invalid options")
)

// errStopped ends a run at a limit, errBudget a complete pass that takes too many linear programs.
var (
	errStopped = errors.New("stopped")
	errBudget  = errors.New("too many linear programs")
)

// run is one solve.
type run struct {
	*layout
	o            Options
	ctx          context.Context
	began        time.Time
	pools        []*pool         // of each future
	stages       []*stage        // of each node; nodes that share a program have the same one
	bases        []simplex.Basis // of each period, to begin with
	upperHulls   []*upperHull    // of each future, nil before they are needed
	hullPrograms []*hullProgram  // of each node, nil before they are needed
	rng          *rand.Rand

	memo   map[[16]byte]float64 // of a complete pass: costs of futures at states
	budget int                  // linear programs after which a complete pass is given up

	// Counts of linear programs, of their pivots, and of the cuts of the two kinds.
	lps, pivots, optimality, feasibility int

	stopped lp.Status // the status behind errStopped
}

// newRun divides a program into periods and builds the linear programs of its nodes.
func newRun(ctx context.Context, p *stoch.Multistage, o Options) (*run, error) {
	l, err := newLayout(p, o.Parts)
	if err != nil {
		return nil, err
	}
	const stream = 0x6e657374 // of the random numbers, so that other packages draw others from the same seed
	r := &run{
		layout: l,
		o:      o,
		ctx:    ctx,
		began:  time.Now(),
		stages: make([]*stage, len(p.Nodes)),
		bases:  make([]simplex.Basis, p.Periods),
		rng:    rand.New(rand.NewPCG(o.Seed, stream)),
	}
	for f := range l.futures {
		r.pools = append(r.pools, newPool(&l.futures[f]))
	}
	return r, r.group()
}

// group builds the programs of the nodes: those that share one have the same future, and the same coefficients.
func (r *run) group() error {
	type shared struct {
		future int32
		period int32
		matrix string
	}
	members := map[shared][]int32{}
	var order []shared // in the order of the nodes, so that nothing depends on the order of a map
	for n := range r.p.Nodes {
		node := &r.p.Nodes[n]
		matrix := "" // the changed coefficients as text, in the order of the changes
		for _, c := range node.Changes {
			if c.Kind == stoch.Entry {
				matrix += fmt.Sprint(c.Row, c.Col, math.Float64bits(c.Value), ";")
			}
		}
		k := shared{r.of[n], node.Period, matrix}
		if members[k] == nil {
			order = append(order, k)
		}
		members[k] = append(members[k], int32(n))
	}

	// One program for each group, built from its first node.
	for _, k := range order {
		s, err := r.newStage(members[k], k.future)
		if err != nil {
			return err
		}
		for _, n := range members[k] {
			r.stages[n] = s
		}
	}
	return nil
}

// limits returns the limits of a linear program: what is left of the time of the run.
func (r *run) limits() (simplex.Limits, error) {
	// A cancelled context comes before an expired time, so that an interrupted run has the status of that.
	l := simplex.NoLimits()
	if r.ctx.Err() != nil {
		r.stopped = lp.Interrupted
		return l, errStopped
	}
	if r.o.TimeLimit != math.MaxInt64 {
		if l.Time = r.o.TimeLimit - time.Since(r.began); l.Time <= 0 {
			r.stopped = lp.TimeLimit
			return l, errStopped
		}
	}
	return l, nil
}

// solveNode solves a node at a state with the cuts that the pool has now. A state that makes the program infeasible
// within the tolerances is given a slack.
func (r *run) solveNode(n int32, z []float64) (outcome, error) {
	limits, err := r.limits()
	if err != nil {
		return outcome{}, err
	}

	// A Farkas cut that excludes the state by more than a slack could mend ends the tries.
	s := r.stages[n]
	var out outcome
	for _, slack := range [...]float64{0, leastSlack, mostSlack} {
		out, err = s.solve(r.ctx, n, z, slack, limits)
		r.lps++
		r.pivots += out.pivots
		if err != nil {
			return out, fmt.Errorf("nested: period %d: %w: %w", r.p.Nodes[n].Period+1, ErrNumerical, err)
		}
		if out.status != lp.Infeasible || out.lower.at(z) > leastSlack*out.lower.size(z) {
			break
		}
	}
	if out.status.Limited() {
		r.stopped = out.status
		return out, errStopped
	}
	return out, nil
}

// A state that the cuts allow to the tolerance of their rows may be infeasible by as little. It may then differ by a
// slack, relative to 1 plus its values: the policy is feasible to that tolerance, and certificates still hold.
const (
	leastSlack = 1e-7
	mostSlack  = 1e-6
)

// maxResolves is how often a node is solved again because its decision has no future, or its program no least cost.
const maxResolves = 10000

// cycling is the error of a node that was solved too often.
func (r *run) cycling(n int32) error {
	return fmt.Errorf("nested: %w: cuts do not change the decisions of period %d", ErrNumerical, r.p.Nodes[n].Period+1)
}

// solveCertified solves a node at a state until its future has the cuts that make the node's program bounded and its
// own cut valid. The outcome is Optimal or Infeasible, and has a certificate.
func (r *run) solveCertified(n int32, z []float64) (outcome, error) {
	f := r.of[n]
	for try := 0; ; try++ {
		// An error, an infeasible node and an outcome that all parts of the future support end the loop. A ray and a part
		// without a cut lead to new cuts.
		out, err := r.solveNode(n, z)
		switch {
		case try > maxResolves:
			return out, r.cycling(n)
		case err != nil || out.status == lp.Infeasible:
			return out, err
		case out.status == lp.Unbounded:
			if err := r.cutAlongRay(n, z, out.ray); err != nil {
				return out, err
			}
			continue
		case f < 0 || r.pools[f].complete():
			return out, nil
		}

		// A part of the future has no cut yet.
		if _, err := r.cutFuture(f, out.next); err != nil {
			return out, err
		}
	}
}

// cutFuture adds cuts on a future at a state, and reports false where the future is infeasible there.
func (r *run) cutFuture(f int32, z []float64) (bool, error) {
	if r.pools[f].excludes(z) {
		return false, nil
	}

	// The nodes that follow, each with a cut of its own at the state. The first one that is infeasible there decides.
	arcs := r.futures[f].arcs
	list := make([]affine, len(arcs))
	for k, a := range arcs {
		out, err := r.solveCertified(a.To, z)
		if err != nil {
			return false, err
		}
		if out.status == lp.Infeasible {
			return false, r.addFeasibilityCut(f, out.lower)
		}
		list[k] = out.lower
	}
	r.addOptimalityCuts(f, list, z)
	return true, nil
}

// addFeasibilityCut adds a cut of a Farkas ray to a future, scaled by a power of two so that its slopes are below 1.
// The error of a cut that the pool has wraps ErrNumerical: the state that the cut does not exclude would come again.
func (r *run) addFeasibilityCut(f int32, a affine) error {
	// Frexp of the largest slope gives the power of two next above it, and 1 where all slopes are zero.
	_, exponent := math.Frexp(a.largestSlope())
	scale := math.Ldexp(1, -exponent)
	b := affine{alpha: a.alpha * scale, beta: make([]float64, len(a.beta))}
	for k := range b.beta {
		b.beta[k] = a.beta[k] * scale
	}

	// The solve that found the state infeasible had all cuts of the pool.
	if r.pools[f].hasFeasibilityCut(&b) {
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

// cutAlongRay cuts the future of a node with an unbounded program at states along the ray of the program, and the
// futures that follow there.
func (r *run) cutAlongRay(n int32, z, ray []float64) error {
	s, f := r.stages[n], r.of[n]
	if f < 0 || len(ray) == 0 { // no future can bound the program, or there is no direction to cut along
		return r.unbounded(n)
	}

	// The ray begins at any feasible point.
	x, err := s.feasible(r.ctx, n, z)
	if err != nil {
		return err
	}
	if x == nil {
		return nil // The next solve finds the node infeasible.
	}

	// follow memorises the states of a complete pass, which this one may interrupt. States along the ray are none of that
	// pass, and are not limited by its budget.
	memo, budget := r.memo, r.budget
	defer func() { r.memo, r.budget = memo, budget }()
	r.budget = math.MaxInt

	// A cut far out along the ray bounds the program, if the future does; near ones are more accurate.
	before := r.optimality + r.feasibility
	for step := 1.0; step <= maxRayStep; step *= 1e3 {
		at := slices.Clone(x)
		for j := range at {
			at[j] += step * ray[j]
		}
		r.memo = map[[16]byte]float64{}
		if _, err := r.follow(point{f, s.nextState(at)}); errors.Is(err, ErrNumerical) {
			break // Numbers so large leave no digits for the differences that cuts are made of.
		} else if err != nil {
			return err
		}
	}
	if r.optimality+r.feasibility == before {
		return r.unbounded(n)
	}
	return nil
}

// unbounded is the error of a node that has no least cost with the cuts of its future: the program may be unbounded, or
// infeasible elsewhere.
func (r *run) unbounded(n int32) error {
	return fmt.Errorf("nested: %w: period %d has no least cost by its own rows and the cuts of its future", ErrUnsuited,
		r.p.Nodes[n].Period+1)
}

// maxRayStep is the farthest multiple of a ray at which a future is cut.
const maxRayStep = 1e6
