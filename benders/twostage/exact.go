package twostage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// ExactOptions steer an exact separator. Start from DefaultExactOptions.
type ExactOptions struct {
	// Pareto selects the optimal dual whose cut is highest at a core point (Magnanti and Wong, 1981), found by one
	// more warm-started solve with the right-hand side moved towards the core point by Step (Sherali and Lunday,
	// 2013). The core point is Core or, where that is nil, the running mean of the points separated so far (Papadakos,
	// 2008), from the middle of the bounds. Default false; the runs of Program set it.
	Pareto bool
	Core   []float64
	Step   float64 // in (0, 1) (default 1e-6)

	Normalisation Normalisation // of feasibility certificates (default Slice)
}

// DefaultExactOptions returns the defaults.
func DefaultExactOptions() ExactOptions { return ExactOptions{Step: 1e-6} }

// Exact separates by linear programs, one a component, warm-started from point to point. It implements
// benders.Separator; it is for one goroutine.
type Exact struct {
	p      *Problem
	opt    ExactOptions
	pieces []*piece
	core   []float64 // the core point of ExactOptions.Pareto
	middle []float64 // scratch: the point moved towards the core
	quick  bool      // a clear cut without a recourse is enough: no second linear program for the deepest one

	// uncertified counts duals that could not be made exactly feasible; their cuts were dropped.
	uncertified int
}

// piece is what an exact separator keeps of a component.
type piece struct {
	c        *component
	recourse *recourse
	relaxed  *relaxation // nil until a point was infeasible
	certify  *certifying
	proof    *benders.Cut // the cut which proves that the last point was infeasible; nil if none could be certified
}

// NewExact returns an exact separator.
func NewExact(p *Problem, o ExactOptions) (*Exact, error) {
	coreFits := o.Core == nil || len(o.Core) == p.First
	if !(o.Step > 0 && o.Step < 1) || !coreFits {
		return nil, fmt.Errorf("twostage: %w: step %g, a core point of %d columns", ErrOptions, o.Step, len(o.Core))
	}

	// The linear programs of the components are built once; a point changes only their sides and bounds.
	e := &Exact{p: p, opt: o, middle: make([]float64, p.First)}
	for k := range p.parts {
		r, err := newRecourse(p, &p.parts[k])
		if err != nil {
			return nil, err
		}
		e.pieces = append(e.pieces, &piece{c: &p.parts[k], recourse: r, certify: newCertifying(p, k)})
	}
	if e.core = slices.Clone(o.Core); o.Core == nil {
		e.core = p.centre()
	}
	return e, nil
}

// centre returns the middle of the bounds of the first stage; a column with one bound has the value nearest to zero
// there.
func (p *Problem) centre() []float64 {
	// Columns without any bound stay at zero.
	y := make([]float64, p.First)
	for j := range y {
		switch l, u := p.lower(int32(j)), p.upper(int32(j)); {
		case !math.IsInf(l, -1) && !math.IsInf(u, 1):
			y[j] = l/2 + u/2
		case !math.IsInf(l, -1):
			y[j] = max(l, 0)
		case !math.IsInf(u, 1):
			y[j] = min(u, 0)
		}
	}
	return y
}

// Source implements benders.Separator.
func (e *Exact) Source() benders.Source { return benders.FromExact }

// Separate implements benders.Separator: an optimality cut for each epigraph if the recourse is feasible at p.Y, else a
// feasibility cut for each component that is not. An unbounded recourse is an error that wraps ErrUnbounded.
func (e *Exact) Separate(ctx context.Context, pt benders.Point) (benders.Separation, error) {
	if len(pt.Y) != e.p.First {
		return benders.Separation{}, fmt.Errorf("twostage: %w: a point with %d columns", ErrProblem, len(pt.Y))
	}

	// Every component is solved even after one is infeasible, so that each of them gives its cut.
	var out benders.Separation
	feasible := true
	for _, q := range e.pieces {
		status, err := e.solve(ctx, q, pt.Y)
		if err != nil {
			return out, err
		}
		feasible = feasible && status != lp.Infeasible
		if status == lp.Infeasible && q.proof != nil {
			out.Infeasible = true
			out.Cuts = append(out.Cuts, *q.proof)
		}
	}
	if !feasible {
		out.Value = math.Inf(-1)
		return out, nil
	}

	// With a recourse everywhere, each epigraph gets its cut.
	err := e.optimality(ctx, pt, &out)
	e.moveCore(pt.Y)
	return out, err
}

// moveCore updates the running mean of the points separated so far, each of which halves the weights of those before.
func (e *Exact) moveCore(y []float64) {
	if e.opt.Pareto && e.opt.Core == nil {
		for j, v := range y {
			e.core[j] += 0.5 * (v - e.core[j])
		}
	}
}

// nearlyFeasible is the violation of a feasibility cut, relative to its scale as a master measures it and with a
// largest slope of about one, up to which a component is called feasible. No master can keep a point with continuous
// columns from missing by that much.
const nearlyFeasible = 1e-6

// clearlyInfeasible is the violation, relative in the same way, from which on a quick separator takes the ray with
// which the simplex method ended.
const clearlyInfeasible = 1e-3

// farFromFeasible is the value of the normalised certificate, a distance in the units of the rows, above which a
// component is infeasible by more than the tolerance of a linear program, whatever its cut looks like to a master.
const farFromFeasible = 1e-4

// solve solves a component at y. Where it is infeasible the piece holds the cut that proves it, nil if none could be
// certified; where it misses feasibility by a tolerance only, its rows are moved by that. So they are after a numerical
// failure, unless the component is farther from feasible: then a certificate proves it infeasible, or the failure is
// returned.
func (e *Exact) solve(ctx context.Context, q *piece, y []float64) (lp.Status, error) {
	q.proof = nil
	status, err := q.recourse.solve(ctx, y)
	failed := errors.Is(err, simplex.ErrNumerical)
	failure := err
	if !failed && (err != nil || status != lp.Infeasible) {
		return status, err
	}

	// The Farkas ray of the simplex method is enough where it cuts y off clearly and a quick answer is wanted.
	farkas := slices.Clone(q.recourse.ray())
	if e.quick && !failed && len(farkas) > 0 {
		cut, err := q.certify.feasibilityCut(farkas)
		if err == nil && cut.Value(y) > clearlyInfeasible*cut.Scale(y, 0) {
			q.proof = &cut
			return lp.Infeasible, nil
		}
	}

	// Else the strongest normalised ray, and of what is barely infeasible the simplex method's own.
	lambda, value, err := e.ray(ctx, q, y)
	if err != nil {
		return status, err
	}
	for _, ray := range [][]float64{lambda, farkas} {
		if len(ray) == 0 {
			continue
		}
		cut, err := q.certify.feasibilityCut(ray)
		if err == nil && cut.Value(y) > nearlyFeasible*cut.Scale(y, 0) {
			q.proof = &cut
			return status, nil
		}
	}

	// Far from feasible, but the cut is too small for the master in these units, or no ray can be certified.
	if value > farFromFeasible {
		if q.proof = e.magnified(q, lambda, y); q.proof != nil {
			return lp.Infeasible, nil
		}
		if failed {
			return status, failure
		}
		e.uncertified++
		return status, nil
	}

	// The component misses feasibility by a tolerance: its rows are moved by that and a little more, as little as the
	// solver needs to find a solution.
	for _, room := range []float64{1e-8, 1e-7, 1e-6} {
		status, err = q.recourse.solveWithin(ctx, y, 2*value+room)
		if err != nil || status == lp.Optimal {
			break
		}
	}
	return status, err
}

// magnified returns the feasibility cut of multipliers in the largest units in which its scale at y is still one, so
// that a violation as small as a master can enforce is beyond its tolerance; nil if it does not cut y off so either. A
// small distance in the column with the largest slope may be a large one in the others, and in the rows of the
// recourse.
func (e *Exact) magnified(q *piece, lambda, y []float64) *benders.Cut {
	cut, err := q.certify.feasibilityCut(slices.Clone(lambda))
	if err != nil || !(cut.Value(y) > 0) {
		return nil
	}

	// The largest term of the cut at y is brought to between one half and one. Factors above 2^20 would magnify rounding
	// errors as well.
	const largestExponent = 20
	_, exponent := math.Frexp(cut.Size(y))
	one := cut.Certificate.(*Certificate).parts[0]
	if exponent >= 0 || exponent < -largestExponent {
		return nil
	}
	cut, err = e.p.cut(benders.Feasibility, benders.AllEpigraphs, []part{one.times(-exponent)})
	if err != nil || !(cut.Value(y) > nearlyFeasible*cut.Scale(y, 0)) {
		return nil
	}
	return &cut
}

// exactness is how far, relative, a certified value may be below that of the linear program and still be called exact.
const exactness = 1e-6

// optimality adds the cuts of all epigraphs to out, whose components are solved at the point. A cut that cannot be
// certified is left out and counted.
func (e *Exact) optimality(ctx context.Context, pt benders.Point, out *benders.Separation) error {
	out.Exact = true
	for g, group := range e.p.groups {
		// Each component of the group is priced and certified.
		var parts []part
		q := 0.0
		for _, k := range group {
			value, lambda, err := e.duals(ctx, e.pieces[k], pt.Y)
			if err != nil {
				return err
			}
			q += value
			one, err := e.pieces[k].certify.certify(benders.Optimality, lambda)
			if err != nil {
				break
			}
			parts = append(parts, one)
		}

		// Together they are a cut, exact where rounding has cost next to nothing.
		cut, err := e.p.epigraphCut(g, parts)
		if err != nil {
			e.uncertified++
			out.Exact = false
			out.Value = math.Inf(-1)
			continue
		}

		v := cut.ValueDown(pt.Y)
		out.Value += v
		out.Exact = out.Exact && v >= q-exactness*max(1, math.Abs(q))
		out.Cuts = append(out.Cuts, cut)
	}
	return nil
}

// duals returns the value of a component's recourse, solved at y, and an optimal dual as a copy. With Options.Pareto it
// is the dual at y moved a little towards the core, if that is optimal at y too.
func (e *Exact) duals(ctx context.Context, q *piece, y []float64) (value float64, lambda []float64, err error) {
	value = q.recourse.result.Objective
	lambda = slices.Clone(q.recourse.dual())
	if e.p.cancels(q.c, lambda, value) {
		if flat, err := e.flatter(ctx, q, y, value); flat != nil || err != nil {
			return value, flat, err
		}
	}
	if !e.opt.Pareto || len(q.c.link) == 0 {
		return value, lambda, nil
	}

	// A step towards the core breaks the tie between the optimal duals at y in favour of one that is best at the core.
	for j, v := range y {
		e.middle[j] = v + e.opt.Step*(e.core[j]-v)
	}
	status, err := q.recourse.solve(ctx, e.middle)
	if errors.Is(err, simplex.ErrNumerical) {
		return value, lambda, nil
	}
	if err != nil || status != lp.Optimal {
		return value, lambda, err
	}

	// The step may have been too long: a dual that is not optimal at y would give a weaker cut there.
	moved := slices.Clone(q.recourse.dual())
	if at := e.p.dualValue(benders.Optimality, q.c, moved, y); at >= value-1e-9*max(1, math.Abs(value)) {
		return value, moved, nil
	}
	return value, lambda, nil
}

// cancels reports multipliers whose terms are so much larger than the value that they add up to, that in a master the
// rounding of their cut could hide its violation.
func (p *Problem) cancels(c *component, lambda []float64, value float64) bool {
	const maxRatio = 100 // of the largest term to max(1, |value|)
	size := 0.0
	for k, i := range c.rows {
		if v := lambda[k]; v != 0 {
			r := &p.Compact.Rows[i]
			size = max(size, math.Abs(v*pick(v > 0, r.Lower, r.Upper)))
		}
	}
	return size > maxRatio*max(1, math.Abs(value))
}

// flatter returns an optimal dual of small multipliers, nil if there is none. Where y is on the boundary of the points
// that have a recourse, any multiple of a feasibility certificate may be added to an optimal dual without a change of
// its value; with a little room in the rows such a multiple costs something.
func (e *Exact) flatter(ctx context.Context, q *piece, y []float64, value float64) ([]float64, error) {
	const (
		room = 1e-8 // in the units of the rows
		loss = 1e-7 // of the value at y that is accepted, relative to max(1, |value|)
	)
	status, err := q.recourse.solveWithin(ctx, y, room)
	if errors.Is(err, simplex.ErrNumerical) || err == nil && status != lp.Optimal {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	flat := slices.Clone(q.recourse.dual())
	if !(e.p.dualValue(benders.Optimality, q.c, flat, y) >= value-loss*max(1, math.Abs(value))) { // NaN is none either
		return nil, nil
	}
	return flat, nil
}

// dualValue is the dual objective of multipliers at y, with reduced costs of a wrong sign taken as zero, rounded.
func (p *Problem) dualValue(kind benders.Kind, c *component, lambda, y []float64) float64 {

	// Rows are priced at the side of the multiplier's sign, less what the first stage takes of it.
	total := 0.0
	for k, i := range c.rows {
		if v := lambda[k]; v != 0 {
			r := &p.Compact.Rows[i]
			total += v * (pick(v > 0, r.Lower, r.Upper) - c.at[k].dot(y))
		}
	}

	// Columns are priced at the bound of the reduced cost's sign, if they have it.
	for k, j := range c.cols {
		z := p.cost(kind, j) - c.columns[k].dot(lambda)
		if b := pick(z > 0, p.lower(j), p.upper(j)); !math.IsInf(b, 0) {
			total += z * b
		}
	}
	return total
}

// ray returns the normalised certificate of a component at y and its value (see relaxation.solve).
func (e *Exact) ray(ctx context.Context, q *piece, y []float64) ([]float64, float64, error) {
	if q.relaxed == nil {
		r, err := newRelaxation(e.p, q.c, e.opt.Normalisation)
		if err != nil {
			return nil, 0, err
		}
		q.relaxed = r
	}
	return q.relaxed.solve(ctx, y)
}

// Infeasibility returns the normalised certificate of component k at y, one multiplier a row, and its value: zero where
// the component is feasible, +Inf where no y helps.
func (e *Exact) Infeasibility(ctx context.Context, k int, y []float64) (lambda []float64, value float64, err error) {
	if k < 0 || k >= len(e.pieces) || len(y) != e.p.First {
		return nil, 0, fmt.Errorf("twostage: %w: component %d, a point with %d columns", ErrOptions, k, len(y))
	}
	return e.ray(ctx, e.pieces[k], y)
}

// Recourse fills q with the recourse cost of each epigraph at y and reports whether the recourse is feasible.
func (e *Exact) Recourse(ctx context.Context, y, q []float64) (feasible bool, err error) {
	// The first component without a recourse decides; its certificate is not needed here.
	for g, group := range e.p.groups {
		q[g] = 0
		for _, k := range group {
			status, err := e.solve(ctx, e.pieces[k], y)
			if err != nil {
				return false, err
			}
			if status != lp.Optimal {
				return false, nil
			}
			q[g] += e.pieces[k].recourse.result.Objective
		}
	}
	return true, nil
}
