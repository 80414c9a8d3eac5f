package scenario

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// root is the linear relaxation of the whole program, solved by cuts: a master that is a linear program, and points
// that are priced between its optimum and the cheapest point so far (in-out separation). It solves programs whose first
// stage is continuous; for others it gives a lower bound, or proves that there is none, and the cuts with which the
// tree begins.
type root struct {
	s      *separator
	n      int // first-stage columns
	master *lp.Model
	lp     *simplex.Solver
	given  int         // rows of the first stage, before those of the cuts
	cuts   []held      // in the order of their rows
	boxed  []direction // bounds that the master has and the program has not
	box    float64     // their distance from zero

	y, theta []float64 // the master's optimum
	bound    float64   // the greatest value of the master that is a bound of the program
	best     []float64 // the cheapest point that was priced, nil for none
	cost     float64   // of best
	design   []float64 // the cheapest of these that is a design, nil for none
	price    float64   // of design
	status   lp.Status // Optimal, Infeasible, or NotSolved where it stopped before
	last     float64   // the master's value the round before
	stalls   int       // rounds in a row in which it did not rise, and no cut clearly cut its optimum off
	deep     bool      // a cut did, since the last round
	coarse   *root     // that of few scenarios, nil for none
	retired  int       // cuts that left the master
	progress func()    // is called after every round
}

// held is a cut of the master.
type held struct {
	benders.Cut
	age int // rounds for which it has been slack
}

const (
	middle   = 0.5 // weight of the master's optimum in the point that is separated, the rest is that of best
	maxStall = 30  // rounds without progress after which only rounding separates the bound from the optimum
)

// newRoot returns a relaxation that has no cuts yet; low are lower bounds on the epigraphs.
func newRoot(s *separator, low []float64) (*root, error) {
	r := &root{
		s:        s,
		n:        len(s.p.master.Cols),
		master:   s.p.masterCopy(),
		bound:    math.Inf(-1),
		cost:     math.Inf(1),
		price:    math.Inf(1),
		box:      minBox,
		last:     math.Inf(-1),
		progress: func() {},
	}
	r.given = len(r.master.Rows)
	for g := range s.groups {
		r.master.AddCol(lp.Col{Cost: 1, Lower: low[g], Upper: lp.Inf})
	}

	// Sides without a bound get that of the box; an epigraph needs none above, since it is minimised.
	for j := range r.master.Cols {
		c := &r.master.Cols[j]
		if math.IsInf(c.Lower, -1) {
			r.boxed = append(r.boxed, direction{j, false})
		}
		if math.IsInf(c.Upper, 1) && j < r.n {
			r.boxed = append(r.boxed, direction{j, true})
		}
		c.Integer = false
	}
	var err error
	if r.lp, err = simplex.New(r.master, simplex.DefaultOptions()); err != nil {
		return nil, prefixed(err)
	}
	r.setBox()
	return r, nil
}

// solve runs rounds until the relaxation is solved to the gap, at most maxRounds.
func (r *root) solve(ctx context.Context, gap float64, maxRounds int) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	for range maxRounds {
		done, err := r.round(ctx, gap)
		if err != nil || done {
			return err
		}
		r.progress()
	}
	return nil
}

// begin separates at the solution of the mean scenario, and with every column at its upper bound, where most programs
// have a recourse. Without a point that has one there is nothing to stay near to.
func (r *root) begin(ctx context.Context) error {
	// A failure comes back in the first round, which returns its error.
	result, err := r.lp.Solve(ctx, simplex.NoLimits())
	if err != nil || result.Status != lp.Optimal {
		return nil
	}
	r.takeOptimum()

	// A point of the relaxation with few scenarios replaces both.
	all := top(r.s.p.master)
	if done, err := r.afterCoarse(ctx, all); done || err != nil {
		return err
	}

	var points [][]float64
	sol, err := simplex.Solve(ctx, r.s.p.meanCore(), simplex.DefaultOptions())
	if err == nil && sol.Status == lp.Optimal {
		points = append(points, sol.X[:r.n])
	}
	// Everything at its upper bound may have been priced just now, and comes first: then its answers are there.
	for _, y := range append([][]float64{all}, points...) {
		if holds(r.s.p.master, y) {
			if _, err := r.cut(ctx, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// top is the point with every column of a model at its upper bound, or at 0 where there is none.
func top(m *lp.Model) []float64 {
	y := make([]float64, len(m.Cols))
	for j := range y {
		c := &m.Cols[j]
		if y[j] = c.Upper; math.IsInf(y[j], 1) {
			y[j] = max(c.Lower, 0)
		}
	}
	return y
}

// takeOptimum copies the optimum of the master, which its solver overwrites, and reports whether it is another point.
func (r *root) takeOptimum() (moved bool) {
	x := r.lp.X()
	moved = !slices.Equal(x[:r.n], r.y) || !slices.Equal(x[r.n:], r.theta)
	r.y = append(r.y[:0], x[:r.n]...)
	r.theta = append(r.theta[:0], x[r.n:]...)
	return moved
}

// round solves the master and separates. It reports whether the relaxation is solved, or infeasible.
func (r *root) round(ctx context.Context, gap float64) (done bool, err error) {
	result, err := r.lp.Solve(ctx, simplex.NoLimits())
	if err != nil {
		return false, fmt.Errorf("scenario: the master: %w", inner(err))
	}
	switch result.Status {
	case lp.Optimal:
	case lp.Infeasible:
		// A point of the program may lie outside the box.
		if r.grow() {
			return false, nil
		}
		return true, r.refuted(ctx)
	default:
		// A limit ended the solver, or it failed.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return false, fmt.Errorf("scenario: %w: the master ended with the status %v", simplex.ErrNumerical, result.Status)
	}

	// Many rounds in a row that do not raise the master's value end the relaxation. A deep cut is progress too, but
	// not in the largest box where the optimum stays at the point that it cuts off: a linear program cannot enforce it
	// so far out.
	stuck := !r.takeOptimum() && r.box >= maxBox
	if rose := result.Objective > r.last+1e-10*max(1, math.Abs(r.last)); rose || r.deep && !stuck {
		r.stalls = 0
		r.deep = false
	} else if r.stalls++; r.stalls > maxStall {
		if math.IsInf(r.bound, -1) {
			return true, r.unbounded(ctx)
		}
		return true, nil
	}
	r.last = result.Objective

	// A solution at the box, which only keeps the master bounded, is no bound of the program.
	outside := r.atBox()
	if !outside {
		moved := result.Objective > r.bound+1e-9*max(1, math.Abs(result.Objective))
		r.bound = max(r.bound, result.Objective)
		if lp.RelativeGap(r.cost, min(r.cost, r.bound)) <= gap {
			r.status = lp.Optimal
			return true, nil
		}
		r.retire(moved)
	}

	// Cuts are made between the master's point and the cheapest one (in-out separation, Ben-Ameur and Neto 2007), and
	// at the master's point itself where that gives none.
	added := false
	if r.best != nil && !outside {
		point := make([]float64, r.n)
		for j, v := range r.y {
			point[j] = middle*v + (1-middle)*r.best[j]
		}
		if added, err = r.cut(ctx, point); err != nil {
			return false, err
		}
	}
	if !added {
		added, err = r.cut(ctx, r.y)
	}
	if err != nil || added {
		return false, err
	}

	// No cut cuts the master's optimum off: it is that of the relaxation, or of the box.
	if outside && r.grow() {
		return false, nil
	}
	if outside {
		return true, r.unbounded(ctx)
	}
	r.status = lp.Optimal
	return true, nil
}

// cut separates at a point, notes what it costs, and adds the cuts that the master's optimum violates.
func (r *root) cut(ctx context.Context, point []float64) (added bool, err error) {
	point = r.snapped(point)
	sep, err := r.s.Separate(ctx, benders.Point{Y: point, Theta: r.theta, From: r.y})
	if err != nil {
		return false, err
	}

	// A point that is priced exactly may be the cheapest one, or the cheapest design, so far.
	if sep.Exact && !sep.Infeasible {
		cost := r.s.p.master.Evaluate(point) + sep.Value
		if cost < r.cost {
			r.cost, r.best = cost, append(r.best[:0], point...)
		}
		if cost < r.price && isDesign(r.s.p.master, point) {
			r.price, r.design = cost, append(r.design[:0], point...)
		}
	}

	// Cuts that the master's optimum does not violate are left out. After a deep one the next round counts as progress.
	for k := range sep.Cuts {
		c := &sep.Cuts[k]
		t := c.At(r.theta)
		if v := c.Value(r.y) - t; v > violation*max(1, math.Abs(t)) && v > violation*c.Scale(r.y, t) {
			r.add(*c)
			added = true
			r.deep = r.deep || v > params.minViolation*max(1, math.Abs(t), c.Scale(r.y, t))
		}
	}
	return added, nil
}

// snapped is a point whose integer columns are integer where they are but for rounding: what is priced may become a
// design. A point all of whose integer columns are within the tolerance of holds becomes one, since a design that is
// only nearly integer is none.
func (r *root) snapped(point []float64) []float64 {
	const rounding = 1e-9
	near := rounding
	if r.integral(point) {
		near = integrality
	}
	point = slices.Clone(point)
	for j, v := range point {
		if whole := math.Round(v); r.s.p.master.Cols[j].Integer && math.Abs(v-whole) <= near {
			point[j] = whole
		}
	}
	return point
}

// integral reports whether the integer columns of a point are integer to the tolerance of holds.
func (r *root) integral(point []float64) bool {
	for j, v := range point {
		if r.s.p.master.Cols[j].Integer && math.Abs(v-math.Round(v)) > integrality {
			return false
		}
	}
	return true
}

// roundUp separates at the cheapest point with its integer columns rounded up, as a first design.
func (r *root) roundUp(ctx context.Context) error {
	if r.best == nil || r.s.p.master.NumInteger() == 0 {
		return nil
	}

	y := r.roundedUp(r.best)
	if !isDesign(r.s.p.master, y) {
		return nil
	}
	_, err := r.cut(ctx, y)
	return err
}

// roundedUp returns a point with its integer columns rounded up, since most recourses stay feasible where more is
// built.
func (r *root) roundedUp(point []float64) []float64 {
	y := slices.Clone(point)
	for j := range y {
		if r.s.p.master.Cols[j].Integer {
			y[j] = math.Ceil(y[j] - 1e-6)
		}
	}
	return y
}

// priceEarly prices a design, where time is short: the cheapest point of the relaxation with few scenarios, rounded up.
func (r *root) priceEarly(ctx context.Context) error {
	if r.coarse == nil || r.coarse.best == nil {
		return nil
	}
	result, err := r.lp.Solve(ctx, simplex.NoLimits())
	if err != nil || result.Status != lp.Optimal {
		return ctx.Err() // the first round says what failed
	}
	r.takeOptimum()
	y := r.roundedUp(r.coarse.best)
	if !isDesign(r.s.p.master, y) {
		return nil
	}
	_, err = r.cut(ctx, y)
	return err
}

// violation is what the master's optimum must violate a cut by, relative to its scale there.
const violation = 1e-7

// add adds a cut to the master.
func (r *root) add(c benders.Cut) {
	row := c.Row(r.n, len(r.s.groups))
	r.lp.AddRow(row.Lower, row.Upper, row.Index, row.Value)
	r.cuts = append(r.cuts, held{Cut: c})
}

// retire takes cuts out that have been slack for long, where the bound has risen: without that the rounds could go in
// circles.
func (r *root) retire(moved bool) {
	var gone []lp.Con
	left := r.cuts[:0]
	for k, c := range r.cuts {
		// A basic row is slack, or tight by degeneracy.
		row := lp.Con(r.given + k)
		c.age++
		if r.lp.RowStatus(row) != simplex.Basic {
			c.age = 0
		}
		if moved && c.age > params.maxSlackAge {
			gone = append(gone, row)
			continue
		}
		left = append(left, c)
	}
	if len(gone) > 0 {
		r.lp.DeleteRows(gone)
		r.retired += len(gone)
	}
	r.cuts = left
}
