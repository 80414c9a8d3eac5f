package twostage

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// errEmptyDual is returned where no dual feasible multipliers exist: the recourse is then unbounded wherever it is
// feasible.
var errEmptyDual = fmt.Errorf("twostage: %w: no multipliers are dual feasible", ErrUnbounded)

// CompletionOptions select the block of the dual that is predicted. The zero value is the default.
type CompletionOptions struct {
	// Predicted selects the predicted rows of Compact; nil predicts those with a first-stage column. Any block may be
	// predicted, and either may depend on y (section 2.1, remark).
	Predicted func(row int) bool
	// Feasibility adds a second head: predictions have as many entries again, for feasibility certificates, and Complete
	// tries these first (section 3.2).
	Feasibility bool
	// V1 projects feasibility predictions onto V1(B) in the sense of least squares, where the other rows have no part in
	// it (section 3.2). The default is the nearest certificate of all rows jointly, in the sum of absolute differences,
	// since V1(B) is {0} where B >= 0.
	V1 bool
	// Normalisation is that of feasibility predictions (default Slice).
	Normalisation Normalisation
}

// Certifier completes predicted multipliers in the strongest way, by a linear program that is warm-started from the
// last completion or, where the other rows are none and the bounds suffice, in closed form. A prediction that cannot be
// completed is first moved to the nearest one that can. It implements proxy.Certifier; it is for one goroutine.
type Certifier struct {
	p        *Problem
	opt      CompletionOptions
	pieces   []*completion
	rows     []int32 // predicted rows of Compact, component by component
	scale    float64 // largest magnitude of a projected multiplier
	repaired int     // predictions of a component that could not be completed as they were
	dropped  int     // cuts without an exact certificate
}

// completion is the part of a certifier for one component.
type completion struct {
	p         *Problem
	c         *component
	certify   *certifying
	predicted []int       // positions of the predicted rows in c.rows
	others    []int       // and of the others
	offset    int         // of its predictions in a prediction of all components
	closed    bool        // no other rows, and every column is bounded on both sides
	program   *warm       // the other rows and the columns
	repair    [2]*nearest // by the kind of certificate; nil until a prediction needs it
	v1        *euclidean  // the projection onto V1(B); nil until a prediction needs it
	opt       *CompletionOptions
	x         []float64 // the completion's primal solution
	z         []float64 // scratch: reduced costs
	fallback  *part     // a certificate that always holds
}

// NewCertifier returns a certifier.
func NewCertifier(p *Problem, o CompletionOptions) (*Certifier, error) {
	c := &Certifier{p: p, opt: o, scale: 1}

	// Predictions of the components come one after the other. The largest cost is what multipliers are measured by.
	for k := range p.parts {
		q, err := newCompletion(p, k, &c.opt)
		if err != nil {
			return nil, err
		}
		q.offset = len(c.rows)
		for _, i := range q.predicted {
			c.rows = append(c.rows, q.c.rows[i])
		}
		for _, j := range q.c.cols {
			c.scale = max(c.scale, math.Abs(p.Compact.Cols[j].Cost))
		}
		c.pieces = append(c.pieces, q)
	}
	c.scale *= 1e6
	return c, nil
}

// newCompletion returns the completion of component k, whose offset the caller sets.
func newCompletion(p *Problem, k int, o *CompletionOptions) (*completion, error) {
	c := &p.parts[k]
	q := &completion{
		p:       p,
		c:       c,
		certify: newCertifying(p, k),
		opt:     o,
		x:       make([]float64, len(c.cols)),
		z:       make([]float64, len(c.cols)),
	}

	// The completion program has the columns of the component and the rows that are not predicted. The costs of its
	// columns are reduced costs, which each prediction sets.
	m := p.columnModel(benders.Feasibility, c)
	for i, row := range c.rows {
		chosen := len(c.at[i].index) > 0
		if o.Predicted != nil {
			chosen = o.Predicted(int(row))
		}
		if chosen {
			q.predicted = append(q.predicted, i)
			continue
		}
		q.others = append(q.others, i)
		r := p.Compact.Rows[row]
		m.AddRow(lp.Row{Lower: r.Lower, Upper: r.Upper}, c.recourse[i].index, c.recourse[i].value)
	}

	// Without other rows, and with both bounds of every column, the completion is a sum: each reduced cost is priced at a
	// bound.
	q.closed = len(q.others) == 0 && len(q.certify.constrained()) == 0
	var err error
	q.program, err = newWarm(m)
	return q, err
}

// Dim implements proxy.Certifier.
func (c *Certifier) Dim() int {
	if c.opt.Feasibility {
		return 2 * len(c.rows)
	}
	return len(c.rows)
}

// Rows returns the predicted rows of Compact in the order of the prediction.
func (c *Certifier) Rows() []int32 { return c.rows }

// Project implements proxy.Certifier: what is not finite becomes zero, and multipliers get a sign that their row has a
// side for and a magnitude of at most a million times the largest cost.
func (c *Certifier) Project(prediction []float64) (notFinite int) {
	for k, v := range prediction {
		r := &c.p.Compact.Rows[c.rows[k%len(c.rows)]] // a second head has the same rows again
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			notFinite++
			prediction[k] = 0
		case v > 0 && math.IsInf(r.Lower, -1), v < 0 && math.IsInf(r.Upper, 1):
			prediction[k] = 0
		default:
			prediction[k] = min(max(v, -c.scale), c.scale)
		}
	}
	return notFinite
}

// Complete implements proxy.Certifier.
func (c *Certifier) Complete(projected []float64, pt benders.Point) (benders.Separation, error) {
	ctx := context.Background()
	out := benders.Separation{}
	if len(projected) != c.Dim() || len(pt.Y) != c.p.First {
		return out, fmt.Errorf("twostage: %w: %d multipliers of %d, a point with %d columns", ErrProblem, len(projected),
			c.Dim(), len(pt.Y))
	}

	// Predicted rays come first: a design that one of them cuts off has no recourse to certify.
	if c.opt.Feasibility {
		cuts, err := c.completeFeasibility(ctx, projected[len(c.rows):], pt.Y)
		if err != nil {
			return out, err
		}
		for k := range cuts {
			if cuts[k].ValueDown(pt.Y) > 0 {
				out.Cuts, out.Infeasible = append(out.Cuts, cuts[k]), true
			}
		}
		if out.Infeasible {
			out.Value = math.Inf(-1)
			return out, nil
		}
	}

	// Each epigraph gets the sum of the certificates of its components, if all of them have one.
	for g, group := range c.p.groups {
		var parts []part
		for _, k := range group {
			one, feasible, err := c.part(ctx, c.pieces[k], projected, pt.Y)
			if err != nil {
				return out, err
			}
			if !feasible { // the completed rows alone prove it
				return c.infeasible(c.pieces[k], pt.Y), nil
			}
			if one != nil {
				parts = append(parts, *one)
			}
		}

		// An epigraph without a cut has no lower bound at the point, and so has the sum over the epigraphs.
		cut, err := c.p.epigraphCut(g, parts)
		if err != nil {
			c.dropped++
			out.Value = math.Inf(-1)
			continue
		}
		out.Value += cut.ValueDown(pt.Y)
		out.Cuts = append(out.Cuts, cut)
	}
	return out, nil
}

// infeasible returns the feasibility cut of the ray of a component's last completion program, if it can be certified.
func (c *Certifier) infeasible(q *completion, y []float64) benders.Separation {
	out := benders.Separation{Value: math.Inf(-1)}

	// Rounding may leave a valid cut that does not separate the point; it is returned without the claim.
	cut, err := q.certify.feasibilityCut(q.ray())
	if err != nil {
		c.dropped++
		return out
	}
	out.Cuts = []benders.Cut{cut}
	out.Infeasible = cut.ValueDown(y) > 0
	return out
}

// ray returns the Farkas ray of the last completion program as multipliers of all rows: the other rows contradict each
// other, whatever the predicted ones are.
func (q *completion) ray() []float64 {
	lambda := make([]float64, len(q.c.rows))
	for t, i := range q.others {
		lambda[i] = q.program.ray()[t]
	}
	return lambda
}

// part completes the prediction of a component and returns its certificate, or a weaker one that always holds where
// rounding spoils it; nil if there is none at all. It reports false where the other rows have no solution at y.
func (c *Certifier) part(ctx context.Context, q *completion, prediction, y []float64) (*part, bool, error) {
	lambda, feasible, err := c.complete(ctx, q, prediction, y)
	if err != nil || !feasible {
		return nil, feasible, err
	}
	if one, err := q.certify.certify(benders.Optimality, lambda); err == nil {
		return &one, true, nil
	}

	// The fallback is the interior point of the dual, whatever the prediction is.
	if in := q.certify.interior(benders.Optimality); q.fallback == nil && in.found {
		if one, err := q.certify.certify(benders.Optimality, slices.Clone(in.lambda)); err == nil {
			q.fallback = &one
		}
	}
	return q.fallback, true, nil
}

// complete returns the multipliers of all rows of a component: the prediction, repaired if need be, and its strongest
// completion at y. It leaves the primal solution in q.x. Infeasible other rows are reported as such.
func (c *Certifier) complete(ctx context.Context, q *completion, prediction, y []float64) (lambda []float64,
	feasible bool, err error) {
	lambda = make([]float64, len(q.c.rows))
	for t, i := range q.predicted {
		lambda[i] = prediction[q.offset+t]
	}

	// The strongest completion fills in the multipliers of the other rows.
	status, err := q.solve(ctx, benders.Optimality, lambda, y)
	if err != nil || status == lp.Infeasible {
		return nil, false, err
	}
	if status == lp.Optimal {
		return lambda, true, nil
	}

	// There is no completion: the nearest multipliers that have one take the place of the prediction.
	c.repaired++
	if err := q.moveToNearest(ctx, benders.Optimality, lambda); err != nil {
		return nil, true, err
	}
	joint := slices.Clone(lambda)
	if status, err = q.solve(ctx, benders.Optimality, lambda, y); err != nil || status == lp.Infeasible {
		return nil, false, err
	}
	if status != lp.Optimal { // within tolerance; the repair has multipliers for all rows
		return joint, true, nil
	}
	return lambda, true, nil
}

// moveToNearest overwrites lambda by the multipliers of a certificate of the kind that are nearest to it in the
// predicted rows. The linear program for that is built at the first need.
func (q *completion) moveToNearest(ctx context.Context, kind benders.Kind, lambda []float64) error {
	if q.repair[kind] == nil {
		n, err := newNearest(q.certify, kind, q.predicted, q.opt.Normalisation)
		if err != nil {
			return err
		}
		q.repair[kind] = n
	}
	return q.repair[kind].solve(ctx, q.predicted, lambda)
}

// solve solves min { (q - B'lambda)'x : the other rows at y, bounds } for the predicted entries of lambda and fills in
// the others. Unbounded means that there is no completion.
func (q *completion) solve(ctx context.Context, kind benders.Kind, lambda, y []float64) (lp.Status, error) {
	// z is the cost of a column less what the predicted multipliers pay for it.
	for k, j := range q.c.cols {
		q.z[k] = q.p.cost(kind, j)
	}
	for _, i := range q.predicted {
		if v := lambda[i]; v != 0 {
			s := &q.c.recourse[i]
			for t, k := range s.index {
				q.z[k] -= s.value[t] * v
			}
		}
	}

	// In closed form every column is at the bound that its reduced cost prices.
	if q.closed {
		for k, j := range q.c.cols {
			q.x[k] = pick(q.z[k] > 0, q.p.lower(j), q.p.upper(j))
		}
		return lp.Optimal, nil
	}

	// The other rows at y: their first-stage part moves to their sides. The solver starts from its last basis.
	for k, v := range q.z {
		q.program.setCost(lp.Var(k), v)
	}
	for t, i := range q.others {
		r := q.p.Compact.Rows[q.c.rows[i]]
		a := q.c.at[i].dot(y)
		q.program.setRow(lp.Con(t), r.Lower-a, r.Upper-a)
	}
	r, err := q.program.solve(ctx)
	if err != nil || r.Status != lp.Optimal {
		return r.Status, err
	}

	// The duals of the other rows complete the prediction.
	copy(q.x, q.program.x())
	for t, i := range q.others {
		lambda[i] = q.program.dual()[t]
	}
	return lp.Optimal, nil
}

// Supergradient fills dst with the residual d(y) - B x of the predicted rows at the completion's primal solution x, a
// supergradient in the projected prediction of the certified value, which it returns (section 4.1). Where the
// prediction had to be repaired it is that at the repaired one. At a multiplier of zero it is the residual of least
// magnitude. Where the other rows have no solution at y the value is NaN.
func (c *Certifier) Supergradient(ctx context.Context, dst, projected, y []float64) (float64, error) {
	// The components are independent: their values add up, and each fills the entries of its own rows.
	total := 0.0
	for _, q := range c.pieces {
		lambda, feasible, err := c.complete(ctx, q, projected, y)
		if err != nil {
			return 0, err
		}
		if !feasible {
			return math.NaN(), nil
		}
		total += c.p.dualValue(benders.Optimality, q.c, lambda, y)
		q.residual(dst, lambda, y)
	}
	return total, nil
}

// residual fills the entries of dst for the predicted rows with the residuals d(y) - B x at the completion's primal
// solution.
func (q *completion) residual(dst, lambda, y []float64) {
	for t, i := range q.predicted {
		r := &q.p.Compact.Rows[q.c.rows[i]]
		activity := q.c.at[i].dot(y) + q.c.recourse[i].dot(q.x)
		// At a multiplier of zero every value between the sides gives a supergradient: that of least magnitude is taken.
		side := min(max(activity, r.Lower), r.Upper)
		if lambda[i] != 0 {
			side = pick(lambda[i] > 0, r.Lower, r.Upper)
		}
		dst[q.offset+t] = side - activity
	}
}
