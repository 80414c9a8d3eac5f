package scenario

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// WithoutCopy keeps the mean scenario out of the master of a tree, before the first run. It returns the problem. It is
// for programs with integer recourse, whose rows and cuts say more than the mean of their linear relaxations: with the
// mean scenario sslp_15_45-15 took twice as long.
func (p *Problem) WithoutCopy() *Problem {
	p.noCopy = true
	return p
}

// keepsMean reports whether the recourse of the mean scenario stays in the master of a tree.
//
// With the costs and the matrix of the recourse fixed, the cost of a scenario is a convex function of its right-hand
// sides and bounds, and by Jensen's inequality the cost at their mean is at most the mean of the costs. With random
// costs that does not hold. A record has no rows of a copy, and a run with proxy cuts alone has those alone.
func (r *solvers) keepsMean() bool {
	const maxEntries = 50000 // of the recourse, so that the linear programs of nodes stay small
	p := r.p
	switch {
	case r.o.Certified, r.o.Method == decompose.Proxy:
		return false
	case p.noCopy, len(p.weight) == 1, p.master.NumInteger() == 0:
		return false
	}
	return p.program.Random().FixedDual() && p.program.Core.NumEntries() <= maxEntries
}

// meanCopy returns the recourse of the mean scenario as a part of the master of a tree with a number of epigraphs.
func (p *Problem) meanCopy(epigraphs int) (*benders.Copy, error) {
	core := p.meanCore()
	for j := range core.Cols {
		core.Cols[j].Integer = false
	}
	matrix, err := core.Matrix()
	if err != nil {
		return nil, fmt.Errorf("scenario: the mean scenario of %s: %w", p.name, inner(err))
	}
	rows := matrix.Transpose()

	// The flows are the columns behind the epigraphs, and these behind the first stage.
	first := p.program.First
	flow := int32(epigraphs)
	out := &benders.Copy{}
	for _, c := range core.Cols[first:] {
		out.Cols = append(out.Cols, lp.Col{Lower: c.Lower, Upper: c.Upper})
	}

	for i, recourse := range p.scenarios.Problem().RecourseRows() {
		// The master has the rows of the first stage. Designs satisfy them, if only to a tolerance, so that the program
		// that finds the flows of a design is without.
		if !recourse {
			core.Rows[i].Lower, core.Rows[i].Upper = math.Inf(-1), lp.Inf
			continue
		}
		index, value := rows.Vec(i)
		row := benders.Row{
			Lower: core.Rows[i].Lower,
			Upper: core.Rows[i].Upper,
			Index: make([]int32, len(index)),
			Value: value,
		}
		for k, j := range index {
			row.Index[k] = j
			if int(j) >= first {
				row.Index[k] += flow
			}
		}
		out.Rows = append(out.Rows, row)
	}

	// The sum of the epigraphs is at least the cost of the flows.
	cost := benders.Row{Lower: 0, Upper: lp.Inf}
	for k := range epigraphs {
		cost.Index = append(cost.Index, int32(first+k))
		cost.Value = append(cost.Value, 1)
	}
	for j, c := range core.Cols[first:] {
		if c.Cost != 0 {
			cost.Index = append(cost.Index, int32(first+j)+flow)
			cost.Value = append(cost.Value, -c.Cost)
		}
	}
	out.Rows = append(out.Rows, cost)
	out.Complete, err = p.meanFlows(core)
	return out, err
}

// meanFlows returns a function for the cheapest flows of the mean scenario at a design, nil where it finds none.
func (p *Problem) meanFlows(core *lp.Model) (func(context.Context, []float64) ([]float64, error), error) {
	s, err := simplex.New(core, simplex.DefaultOptions())
	if err != nil {
		return nil, fmt.Errorf("scenario: the mean scenario of %s: %w", p.name, inner(err))
	}
	return func(ctx context.Context, y []float64) ([]float64, error) {
		// The basis of the last design stays dual feasible.
		for j, v := range y {
			s.SetColBounds(lp.Var(j), v, v)
		}
		r, err := s.Solve(ctx, simplex.NoLimits())
		switch {
		case err != nil:
			return nil, fmt.Errorf("scenario: the mean scenario of %s: %w", p.name, inner(err))
		case r.Status != lp.Optimal:
			return nil, nil
		}
		return s.X()[p.program.First:], nil
	}, nil
}
