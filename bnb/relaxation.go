package bnb

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// lpStatus is the answer of an LP solve.
type lpStatus uint8

const (
	lpFailed lpStatus = iota // numerical failure: nothing is known
	lpOptimal
	lpInfeasible // proven
	lpCutoff     // the dual bound proves that nothing better than the limit is inside
	lpUnbounded
	lpIterations // the iteration limit of a probe
	lpStopped    // a limit of the search or the context
)

// lpStatuses are the answers by the status of the simplex. A status that is not listed means that nothing is known.
var lpStatuses = map[lp.Status]lpStatus{
	lp.Optimal: lpOptimal, lp.Infeasible: lpInfeasible, lp.ObjectiveLimit: lpCutoff, lp.Unbounded: lpUnbounded,
	lp.IterationLimit: lpIterations, lp.WorkLimit: lpStopped, lp.TimeLimit: lpStopped, lp.MemoryLimit: lpStopped,
	lp.Interrupted: lpStopped,
}

// outcome is the answer of one LP solve.
type outcome struct {
	status     lpStatus
	objective  float64 // of the LP optimum; only for lpOptimal
	bound      float64 // proven lower bound; -Inf if none
	iterations int
}

// relaxation is the one LP of the search. It lasts from the root to the end; bounds, cut rows and
// bases change.
type relaxation struct {
	p       *problem
	s       *simplex.Solver
	lower   []float64 // column bounds in the simplex
	upper   []float64
	cuts    []*cut    // cuts[k] is row p.rows+k
	x       []float64 // of the last optimal solve
	price   []float64 // its reduced costs
	basis   simplex.Basis
	effort  *effort
	grown   int       // number of times that a row was put in or tightened
	dual    []float64 // scratch: reduced costs of a recomputed bound
	size    []float64 // scratch: sums of the sizes of their terms
	tol     float64   // to which points are verified
	slack   float64   // by which the sides of the rows of a weak proof are relaxed
	relaxed []bool    // the rows of the problem whose sides are relaxed
	rows    []lp.Con  // scratch: of a purge
	pool    *pool     // of a worker, else nil

	cutWeights []float64 // scratch of slackWeights
}

// newRelaxation has the rows of the problem and no cut.
func newRelaxation(p *problem, opt Options, e *effort) (*relaxation, error) {
	// The LP is solved to smaller tolerances than points are verified to.
	o := simplex.DefaultOptions()
	o.Seed = opt.Seed
	o.Threads = opt.Threads
	o.Watch = e.duringLP()
	o.Tolerances.Primal = math.Min(o.Tolerances.Primal, opt.Tolerances.Feasibility/lpTighter)
	s, err := simplex.New(p.relaxation(), o)
	if err != nil {
		return nil, err
	}

	// Bounds, and what a solve returns, are by column of the problem.
	return &relaxation{
		p:       p,
		s:       s,
		effort:  e,
		lower:   slices.Clone(p.lower),
		upper:   slices.Clone(p.upper),
		x:       make([]float64, p.n),
		price:   make([]float64, p.n),
		dual:    make([]float64, p.n),
		size:    make([]float64, p.n),
		tol:     opt.Tolerances.Feasibility,
		slack:   opt.Tolerances.Feasibility / weakShare,
		relaxed: make([]bool, p.rows),
	}, nil
}

// fork returns the LP of a worker: a simplex of its own, with the same cut rows, for the worker's pool and effort.
func (r *relaxation) fork(opt Options, e *effort, own *pool) (*relaxation, error) {
	// The other threads have nodes of their own.
	opt.Threads = 1
	f, err := newRelaxation(r.p, opt, e)
	if err != nil {
		return nil, err
	}
	f.pool = own

	// The new LP begins as the old one is: with the same relaxed rows and cuts, in the same order.
	for i := range r.relaxed {
		if r.relaxed[i] {
			f.relax(i)
		}
	}
	for _, c := range r.cuts {
		f.insert(own.cuts[c.id])
	}
	return f, nil
}

// sync gives the bounds of the integer columns to the simplex, and those that implications then give to continuous
// ones. It returns false, with some of them unchanged, if a domain is empty.
func (r *relaxation) sync(d *domain) bool {
	// Only changed bounds are passed on, since the simplex keeps track of each change.
	for _, j := range r.p.ints {
		if d.lower[j] > d.upper[j] {
			return false
		}
		if r.lower[j] != d.lower[j] || r.upper[j] != d.upper[j] {
			r.setBounds(j, d.lower[j], d.upper[j])
		}
	}
	return r.syncImplied(d.lower, d.upper)
}

// syncImplied gives the simplex the bounds of the columns that implications restrict where columns have these bounds.
// It returns false, with some of them unchanged, if one has no value left.
func (r *relaxation) syncImplied(lower, upper []float64) bool {
	return r.p.eachTarget(lower, upper, func(j int32, lo, up float64) bool {
		if lo <= up && (r.lower[j] != lo || r.upper[j] != up) {
			r.setBounds(j, lo, up)
		}
		return lo <= up
	})
}

// setBounds sets the bounds of a column of the simplex.
func (r *relaxation) setBounds(j int32, lower, upper float64) {
	r.lower[j], r.upper[j] = lower, upper
	r.s.SetColBounds(lp.Var(j), lower, upper)
}

// solve solves the LP from the current basis until it is done, its dual bound reaches cutoff, or it
// has used the iterations. A verdict that would drop a node (infeasible, cutoff) is recomputed from
// the duals; where the recomputation disagrees the LP is solved again from the slack basis. Where a proof of
// infeasibility is weak, its rows are relaxed first.
func (r *relaxation) solve(ctx context.Context, cutoff float64, iterations int) (outcome, error) {
	// Each pass with a weak proof relaxes at least one more row, so that the loop ends.
	used := 0
	for {
		out, err := r.solveSides(ctx, cutoff, iterations)
		used += out.iterations
		byRay := err == nil && out.status == lpInfeasible && !r.crossed()
		if !byRay || !r.relaxRay(r.s.Ray()) {
			out.iterations = used
			return out, err
		}
	}
}

// solveSides solves the LP with the sides that it has.
func (r *relaxation) solveSides(ctx context.Context, cutoff float64, iterations int) (outcome, error) {
	out, err := r.run(ctx, cutoff, iterations)

	// A failure, or a verdict that its duals do not prove, is tried once more from the slack basis.
	if err != nil || out.status != lpFailed && r.proven(&out, cutoff) {
		return out, err
	}
	if err := r.slackBasis(); err != nil {
		return outcome{}, err
	}
	used := out.iterations
	out, err = r.run(ctx, cutoff, math.MaxInt)
	out.iterations += used

	// What remains unproven is a failure, which decides nothing.
	if err == nil && out.status != lpFailed && !r.proven(&out, cutoff) {
		out.status = lpFailed
		out.bound = math.Inf(-1)
	}
	return out, err
}

// run is one call of the simplex. Where that has not finished nothing is claimed but a bound from a dual feasible
// basis.
func (r *relaxation) run(ctx context.Context, cutoff float64, iterations int) (outcome, error) {
	// The simplex ends where its dual bound reaches the cutoff, or the work that is left is spent.
	limits := simplex.NoLimits()
	limits.Objective = cutoff
	limits.Iterations = max(0, iterations)
	limits.Work = r.effort.left()
	res, err := r.s.Solve(ctx, limits)
	r.effort.spendAtOnce(res.Iterations, res.Work, res.Span)
	out := outcome{bound: math.Inf(-1), iterations: res.Iterations}
	if errors.Is(err, simplex.ErrNumerical) {
		return out, nil
	}
	if err != nil {
		return out, err
	}

	// A dual feasible basis proves a bound, even if the LP is not solved to its end.
	if res.Dual == lp.FeasiblePoint {
		out.bound = res.Bound
	}

	out.status = lpStatuses[res.Status]
	switch out.status {
	case lpOptimal:
		out.objective = res.Objective
		out.bound = r.atStep(res.Objective)
		copy(r.x, r.s.X())
		if r.p.implied != nil {
			r.p.implied.settle(r.x, r.lower, r.upper, r.tol)
		}
		copy(r.price, r.s.ReducedCost())
	case lpInfeasible:
		out.bound = inf
	case lpCutoff:
		if !(out.bound >= cutoff) {
			out.status = lpFailed
		}
	}
	if res.Status == lp.WorkLimit {
		r.effort.exhaust() // the limit is that of the search, whose next poll finds it
	}
	return out, nil
}

// atStep returns the bound that the optimum of the LP gives on the objective, which the caller rounds up to a multiple
// of the step. The point of the optimum satisfies the rows to the tolerances of the LP only, so that its objective may
// be above that of a better point by more than the tolerance of the rounding. Where it is hardly above a multiple, and
// the duals do not prove more than that multiple, the multiple is the bound.
func (r *relaxation) atStep(optimum float64) float64 {
	above := r.p.roundUp(optimum)
	below := above - r.p.step
	if above <= optimum || optimum-below > leafTol*math.Max(1, math.Abs(optimum)) {
		return optimum
	}
	if r.p.roundUp(r.dualBound(r.s.RowDual())) >= above {
		return optimum
	}
	return below
}

// proven recomputes the proof behind a verdict that drops a node.
func (r *relaxation) proven(out *outcome, cutoff float64) bool {
	switch {
	// Crossed sides need no ray.
	case out.status == lpInfeasible:
		return r.crossed() || r.farkasHolds(r.s.Ray())
	case out.status == lpCutoff, out.status == lpOptimal && out.bound >= cutoff:
		// The bound counts only as far as the duals prove it, up to rounding.
		safe := r.dualBound(r.s.RowDual())
		return safe >= out.bound-leafTol*math.Max(1, math.Abs(out.bound))
	}
	return true
}

// row returns the coefficients and sides of a row of the LP.
func (r *relaxation) row(i int) (index []int32, value []float64, lower, upper float64) {
	if i < r.p.rows {
		index, value = r.p.byRow.Vec(i)
		lower, upper = r.p.sides(i)
		// The sides of a row of a weak proof stay relaxed for the rest of the search.
		if r.relaxed[i] {
			lower -= r.slack
			upper += r.slack
		}
		return index, value, lower, upper
	}
	c := r.cuts[i-r.p.rows]
	return c.index, c.value, c.lower, c.upper
}

// crossed reports a row whose sides exclude each other.
func (r *relaxation) crossed() bool {
	for i := range r.p.rows + len(r.cuts) {
		if _, _, lower, upper := r.row(i); lower > upper {
			return true
		}
	}
	return false
}

// combine adds up the rows with weights y, leaving out those whose weight points at an infinite side:
// it returns the least value of y'(row activity) over the sides, and leaves start + sign*A'y in r.dual
// (start nil for zero).
func (r *relaxation) combine(y, start []float64, sign float64) float64 {
	clear(r.dual)
	copy(r.dual, start)
	least := 0.0
	for i, v := range y {
		// Rows at an infinite side are left out, which keeps the sum valid.
		side, index, value, ok := r.weighted(i, v)
		if !ok {
			continue
		}
		least += v * side
		for k, j := range index {
			r.dual[j] += sign * v * value[k]
		}
	}
	return least
}

// weighted returns row i, cut or not, with the side that a weight points at; false where that is infinite or the weight
// is zero.
func (r *relaxation) weighted(i int, weight float64) (side float64, index []int32, value []float64, ok bool) {
	if weight == 0 {
		return 0, nil, nil, false
	}
	index, value, lower, upper := r.row(i)
	side = activity.Least(weight, lower, upper)
	return side, index, value, !math.IsInf(side, 0)
}

// dualBound returns the Lagrangian bound of the row duals y under the current column bounds, which is
// valid whatever y is. Where a column without bound has a reduced cost that is zero to the dual
// tolerance, its LP value takes the place of the bound.
func (r *relaxation) dualBound(y []float64) float64 {
	// The bound is the constant, the rows at their sides, and each column at the bound where its reduced cost is cheaper.
	bound := r.p.offset + r.combine(y, r.p.cost, -1)
	x := r.s.X()
	for j, d := range r.dual {
		if d == 0 {
			continue
		}
		at := activity.Least(d, r.lower[j], r.upper[j])
		if math.IsInf(at, 0) {
			if math.Abs(d) > 1e-6*math.Max(1, math.Abs(r.p.cost[j])) {
				return math.Inf(-1)
			}
			at = x[j]
		}
		bound += d * at
	}
	return bound
}

// farkasHolds checks an infeasibility proof: over the column bounds, the weighted sum of the rows
// stays below what their sides ask for.
func (r *relaxation) farkasHolds(ray []float64) bool {
	if len(ray) != r.p.rows+len(r.cuts) {
		return false
	}

	// A column adds at most its larger end to the sum of the rows.
	least := r.combine(ray, nil, 1)
	largest := 0.0
	scale := math.Abs(least)
	for j, z := range r.dual {
		if z == 0 {
			continue
		}
		at := activity.Least(-z, r.lower[j], r.upper[j])
		if math.IsInf(at, 0) {
			// An infinite end spoils the proof, unless its coefficient is a rounding error.
			if math.Abs(z) > bigDual {
				return false
			}
			continue
		}
		largest += z * at
		scale = math.Max(scale, math.Abs(z*at))
	}

	// The solver checks in doubled precision where plain sums do not decide.
	return least-largest > farkasTol*scale || r.s.Proves(ray)
}

// insert puts a cut of the pool into the LP unless it is there.
func (r *relaxation) insert(c *cut) {
	if c.row < 0 {
		r.add(c)
		r.grown++
	}
}

// add puts a cut of the pool into the LP.
func (r *relaxation) add(c *cut) {
	// A new row has a basic logical, so that the basis stays complete.
	c.row = len(r.cuts)
	c.age = 0
	c.entered++
	r.cuts = append(r.cuts, c)
	r.s.AddRow(c.lower, c.upper, c.index, c.value)
}

// tightened gives the new sides of a cut that is in the LP to the simplex. Its row counts as new: the LP point may be
// outside.
func (r *relaxation) tightened(c *cut) {
	c.age = 0
	r.grown++
	r.s.SetRowBounds(lp.Con(r.p.rows+c.row), c.lower, c.upper)
}

// cutsOff reports whether the node's LP point violates a row that is in the LP.
func (r *relaxation) cutsOff(x []float64, tol float64) bool {
	// A row that was slack in the last LP has an age, and is not looked at.
	return slices.ContainsFunc(r.cuts, func(c *cut) bool { return c.age == 0 && c.violation(x) > tol })
}

// addCuts adds the cut rows to a model with the same columns.
func (r *relaxation) addCuts(m *lp.Model) {
	for _, c := range r.cuts {
		m.AddRow(lp.Row{Lower: c.lower, Upper: c.upper}, c.index, c.value)
	}
}

// age counts, for every cut row, the consecutive solves that left its logical basic.
func (r *relaxation) age() {
	for k, c := range r.cuts {
		if r.s.RowStatus(lp.Con(r.p.rows+k)) == simplex.Basic {
			c.age++
		} else {
			c.age = 0
		}
	}
}

// purge deletes the cut rows of that age if there are enough of them, or always. Their cuts stay in
// the pool.
func (r *relaxation) purge(age int, always bool) {
	// A row can be deleted without a change of the LP point where its logical is basic.
	rows := r.rows[:0]
	for k, c := range r.cuts {
		if c.age >= c.stay(age) && r.s.RowStatus(lp.Con(r.p.rows+k)) == simplex.Basic {
			rows = append(rows, lp.Con(r.p.rows+k))
		}
	}
	r.rows = rows

	// Deleting rows costs a new factorisation, so that a few old rows stay.
	few := len(rows) < purgeMin || float64(len(rows)) < purgeShare*float64(len(r.cuts))
	if len(rows) == 0 || few && !always {
		return
	}

	// The cuts that stay move up in the order in which the simplex renumbers its rows.
	r.s.DeleteRows(rows)
	for _, i := range rows {
		r.cuts[int(i)-r.p.rows].row = -1
	}
	keep := r.cuts[:0]
	for _, c := range r.cuts {
		if c.row >= 0 {
			c.row = len(keep)
			keep = append(keep, c)
		}
	}
	clear(r.cuts[len(keep):])
	r.cuts = keep
}
