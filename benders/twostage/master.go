package twostage

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Benders returns the problem for the drivers of package benders, which share the exact separator's linear programs for
// pricing. Initial cuts are those of the duals of the whole linear relaxation: the master starts at its bound, and
// where the relaxation is infeasible so is the master. An unbounded relaxation is an error that wraps ErrUnbounded:
// then the program is unbounded if Feasibility of it has a solution, and infeasible otherwise (Meyer 1974: the data are
// rational).
func (e *Exact) Benders(ctx context.Context) (*benders.Problem, error) {
	p := e.p
	b := &benders.Problem{Name: p.Name, Master: p.Master(), Epigraphs: len(p.groups),
		ThetaLower: make([]float64, len(p.groups)),
		Recourse:   e.Recourse}

	// The relaxation gives the first cuts, and decides whether there is a bound at all.
	r, err := p.Relax(ctx)
	if err != nil {
		return nil, err
	}
	switch r.Status {
	case lp.Unbounded:
		return nil, fmt.Errorf("twostage: %w: so is the linear relaxation of %s", ErrUnbounded, p.Name)
	case lp.Infeasible: // no design has a recourse, and 0 is a lower bound on the cost of none
		b.Initial = e.refutations(r.Dual)
		b.Known = []benders.Cut{{Kind: benders.Feasibility, Theta: benders.AllEpigraphs, Alpha: 1}}
		return b, nil
	}
	b.Initial = e.cutsOf(r.Dual)

	// Lower bounds of the epigraphs keep the master bounded; else the value of the relaxation does.
	for g := range p.groups {
		if b.ThetaLower[g], err = e.thetaLower(ctx, g); err != nil {
			return nil, err
		}
	}
	if b.Unbounded() {
		b.Known = []benders.Cut{b.Floor(r.Value)}
	}
	return b, nil
}

// cutsOf returns the optimality cuts of the duals of all rows, as far as they can be certified.
func (e *Exact) cutsOf(dual []float64) []benders.Cut {
	var cuts []benders.Cut
	for g, group := range e.p.groups {
		var parts []part
		for _, k := range group {
			lambda := make([]float64, len(e.pieces[k].c.rows))
			for t, i := range e.pieces[k].c.rows {
				lambda[t] = dual[i]
			}
			one, err := e.pieces[k].certify.certify(benders.Optimality, lambda)
			if err != nil {
				break
			}
			parts = append(parts, one)
		}
		if len(parts) < len(group) {
			continue
		}
		if cut, err := e.p.cut(benders.Optimality, g, parts); err == nil {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// refutations returns the feasibility cuts that a Farkas ray of all rows falls into, one a component, as far as they
// can be certified. Together with the rows of the first stage they leave no design.
func (e *Exact) refutations(ray []float64) []benders.Cut {
	var cuts []benders.Cut
	for _, q := range e.pieces {
		lambda := make([]float64, len(q.c.rows))
		some := false
		for t, i := range q.c.rows {
			lambda[t] = ray[i]
			some = some || ray[i] != 0
		}
		if !some {
			continue
		}
		if cut, err := e.feasibility(q, lambda); err == nil {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// thetaLower returns a proven lower bound on the recourse cost of an epigraph over the bounds of y, -Inf if there is
// none.
func (e *Exact) thetaLower(ctx context.Context, g int) (float64, error) {
	cut, err := e.Lowest(ctx, g)
	return cut.Alpha, err
}

// Lowest returns a cut without slopes on an epigraph, with the certificate that it follows from: the least value over
// the bounds of y of the cut of the duals of the components' programs with y free in its bounds. Its Alpha is -Inf, and
// the certificate missing, if there is none.
func (e *Exact) Lowest(ctx context.Context, g int) (benders.Cut, error) {
	none := benders.Cut{Theta: g, Alpha: math.Inf(-1)}
	var parts []part
	for _, k := range e.p.groups[g] {
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
	m := &lp.Model{}
	for _, j := range c.cols {
		col := e.p.Compact.Cols[j]
		m.AddCol(lp.Col{Cost: col.Cost, Lower: col.Lower, Upper: col.Upper})
	}
	for _, i := range c.rows {
		m.AddRow(e.p.Compact.Rows[i], nil, nil)
	}
	for t := range c.rows {
		for s, j := range c.recourse[t].index {
			m.AddEntry(lp.Con(t), lp.Var(j), c.recourse[t].value[s])
		}
	}
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
