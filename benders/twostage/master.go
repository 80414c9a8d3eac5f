package twostage

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// problem returns the problem for the drivers of package benders, which share the exact separator's linear programs for
// pricing. Initial cuts are those of the duals of the whole linear relaxation: the master starts at its bound, and
// where the relaxation is infeasible so is the master. An unbounded relaxation is an error that wraps ErrUnbounded:
// then the program is unbounded if Feasibility of it has a solution, and infeasible otherwise (Meyer 1974: the data are
// rational).
func (e *Exact) problem(ctx context.Context) (*benders.Problem, error) {
	p := e.p
	b := &benders.Problem{
		Name:       p.Name,
		Master:     p.firstStage(),
		Epigraphs:  len(p.groups),
		ThetaLower: make([]float64, len(p.groups)),
		Recourse:   e.Recourse,
	}

	// The relaxation gives the first cuts, and decides whether there is a bound at all.
	r, err := p.relax(ctx)
	if err != nil {
		return nil, err
	}

	// No design has a recourse. The known cut 0 >= 1 holds even where no certificate could be made exact; the lower
	// bounds of the epigraphs may then be anything, and stay 0.
	if r.infeasible {
		b.Initial = e.refutations(r.dual)
		b.Known = []benders.Cut{{Kind: benders.Feasibility, Theta: benders.AllEpigraphs, Alpha: 1}}
		return b, nil
	}
	b.Initial = e.cutsOf(r.dual)

	// Lower bounds of the epigraphs keep the master bounded; else the value of the relaxation does.
	for g := range p.groups {
		low, err := e.lowest(ctx, g)
		if err != nil {
			return nil, err
		}
		b.ThetaLower[g] = low.Alpha
	}
	if b.Unbounded() {
		b.Known = []benders.Cut{b.Floor(r.value)}
	}
	return b, nil
}

// cutsOf returns the optimality cuts of the duals of all rows, as far as they can be certified.
func (e *Exact) cutsOf(dual []float64) []benders.Cut {
	var cuts []benders.Cut
	for g, group := range e.p.groups {
		var parts []part
		for _, k := range group {
			// One component without a certificate leaves its epigraph without a cut.
			one, err := e.pieces[k].certify.certify(benders.Optimality, e.pieces[k].c.rowsOf(dual))
			if err != nil {
				break
			}
			parts = append(parts, one)
		}
		if cut, err := e.p.epigraphCut(g, parts); err == nil {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// rowsOf returns the entries of a vector over the rows of Compact that belong to the rows of the component.
func (c *component) rowsOf(all []float64) []float64 {
	own := make([]float64, len(c.rows))
	for t, i := range c.rows {
		own[t] = all[i]
	}
	return own
}

// refutations returns the feasibility cuts that a Farkas ray of all rows falls into, one a component, as far as they
// can be certified. Together with the rows of the first stage they leave no design.
func (e *Exact) refutations(ray []float64) []benders.Cut {
	var cuts []benders.Cut
	for _, q := range e.pieces {
		lambda := q.c.rowsOf(ray)
		if !slices.ContainsFunc(lambda, func(v float64) bool { return v != 0 }) {
			continue // the component has no part in the contradiction
		}
		if cut, err := q.certify.feasibilityCut(lambda); err == nil {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// lowest returns a cut without slopes on an epigraph, with the certificate that it follows from: the least value over
// the bounds of y of the cut of the duals of the components' programs with y free in its bounds. Its Alpha is -Inf, and
// the certificate missing, if there is none.
func (e *Exact) lowest(ctx context.Context, g int) (benders.Cut, error) {
	none := benders.Cut{Theta: g, Alpha: math.Inf(-1)}
	var parts []part
	for _, k := range e.p.groups[g] {
		// The component is solved together with y, whose values may differ between components: that gives a lower value
		// than any design, and its duals are feasible for every design.
		q := e.pieces[k]
		opt := simplex.DefaultOptions()
		if len(q.c.rows) < manyRows { // making it smaller takes longer than solving it
			opt.Presolve, opt.Fold, opt.Dualize = false, false, false
		}

		sol, err := simplex.Solve(ctx, e.released(q.c), opt)
		if err != nil {
			return none, fmt.Errorf("twostage: the least recourse cost of %s: %w", e.p.Name, inner(err))
		}
		if err := ctx.Err(); err != nil {
			return none, err
		}
		if sol.Status != lp.Optimal {
			return none, nil
		}

		// The duals of all rows of the component, y's columns being part of it, are multipliers of a cut.
		one, err := q.certify.certify(benders.Optimality, sol.RowDual)
		if err != nil {
			return none, nil
		}
		parts = append(parts, one)
	}

	// The least value of the cut over the bounds of y holds for every y.
	cut, err := e.p.cut(benders.Optimality, g, parts)
	if err != nil {
		return none, nil
	}
	low := e.p.minOverBounds(&cut)
	if math.IsInf(low, 0) {
		return none, nil
	}
	return benders.Cut{Theta: g, Alpha: low, Certificate: cut.Certificate}, nil
}

// released returns the program of a component with y free in its bounds.
func (e *Exact) released(c *component) *lp.Model {
	m := e.p.columnModel(benders.Optimality, c)
	for t, i := range c.rows {
		m.AddRow(e.p.Compact.Rows[i], c.recourse[t].index, c.recourse[t].value)
	}

	// The first-stage columns in these rows follow, without a cost: theirs is not part of the recourse.
	for t, j := range c.touches {
		at := m.AddCol(lp.Col{Lower: e.p.lower(j), Upper: e.p.upper(j)})
		for s, i := range c.first[t].index {
			m.AddEntry(lp.Con(i), at, c.first[t].value[s])
		}
	}
	return m
}

// minOverBounds returns a lower bound on a cut's value over the bounds of y.
func (p *Problem) minOverBounds(cut *benders.Cut) float64 {
	// Each term is least at one bound of its column; the sum is rounded down.
	var d outward.Dot
	d.Add(cut.Alpha, 1)
	for k, j := range cut.Index {
		b := pick(cut.Beta[k] > 0, p.lower(j), p.upper(j))
		if math.IsInf(b, 0) {
			return math.Inf(-1)
		}
		d.Add(cut.Beta[k], b)
	}
	low, _ := d.Interval()
	return low
}
