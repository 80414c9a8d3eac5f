package scenario

import (
	"context"

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
// costs that does not hold. Records have no rows of a copy, and the other methods and schemes are there for comparisons
// of cuts, which a copy would disturb.
func (r *solvers) keepsMean() bool {
	const maxEntries = 50000 // coefficients of the program: with more, the linear programs of nodes are too large
	if r.o.Certified || r.o.Scheme != decompose.Auto {
		return false
	}
	if r.o.Method != decompose.Exact && r.o.Method != decompose.Hybrid {
		return false
	}

	// The mean of one scenario is that scenario, and without integer columns there is no tree.
	p := r.p
	if p.noCopy || len(p.weight) == 1 || p.master.NumInteger() == 0 {
		return false
	}
	return p.frame.Core.NumEntries() <= maxEntries && p.scenarios.Random().FixedDual()
}

// meanCopy returns the recourse of the mean scenario as a part of the master of a tree with a number of epigraphs.
func (p *Problem) meanCopy(epigraphs int) (*benders.Copy, error) {
	core := p.meanCore()
	matrix, err := core.Matrix()
	if err != nil {
		return nil, p.meanError(err)
	}
	byRow := matrix.Transpose()

	// The flows are the columns behind the epigraphs, and these behind the first stage.
	first := p.frame.First
	flow := int32(epigraphs)
	out := &benders.Copy{}
	for _, c := range core.Cols[first:] {
		out.Cols = append(out.Cols, lp.Col{Lower: c.Lower, Upper: c.Upper})
	}

	// The rows of the recourse are copied, with the numbers that their columns have in the master.
	for _, i := range p.onlyRecourse(core) {
		index, value := byRow.Vec(i)
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

	// The sum of the epigraphs is at least the cost of the flows times the sum of the probabilities: the recourse cost is
	// convex in the numbers of a scenario (Jensen's inequality).
	total := p.probability()
	cost := benders.Row{Lower: 0, Upper: lp.Inf}
	for k := range epigraphs {
		cost.Index = append(cost.Index, int32(first+k))
		cost.Value = append(cost.Value, 1)
	}
	for j, c := range core.Cols[first:] {
		if c.Cost != 0 {
			cost.Index = append(cost.Index, int32(first+j)+flow)
			cost.Value = append(cost.Value, -total*c.Cost)
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
		return nil, p.meanError(err)
	}
	return func(ctx context.Context, y []float64) ([]float64, error) {
		if optimal, err := solveAt(ctx, s, y); err != nil || !optimal {
			return nil, err
		}
		return s.X()[p.frame.First:], nil
	}, nil
}
