package mcndp

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// merged is the recourse at designs. There x_ij <= d_i y_j says no more than that closed arcs carry nothing, and a unit
// costs the same whatever it is of, so that all commodities of one origin are one flow: the linear program has a row an
// origin and node in place of a row a commodity and node. Its capacity prices make the multipliers of all commodities,
// by shortest paths. It is for one goroutine.
type merged struct {
	in      *Instance
	solver  *simplex.Solver
	column  [][]int32 // of each arc: the columns of its flows
	open    []bool
	charged []float64 // what a unit of flow costs on each arc
	price   []float64
	lifter  *lifter
}

// newMerged returns the program with all arcs closed.
func newMerged(in *Instance) (*merged, error) {
	n := in.Arcs()
	p := &merged{in: in, column: make([][]int32, n), open: make([]bool, n), charged: copied(in.Cost), price: make([]float64, n),
		lifter: newLifter(in)}
	p.lifter.potentials.ceiling = tooLarge // what no capacity carries is infeasible, not dear
	supply := make([][]float64, in.Nodes)  // by origin and node: what leaves it less what arrives
	for i, d := range in.Demand {
		o := in.Origin[i]
		if supply[o] == nil {
			supply[o] = make([]float64, in.Nodes)
		}
		supply[o][o] += d
		supply[o][in.Destination[i]] -= d
	}
	model := &lp.Model{Name: in.Name}
	for range n {
		model.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, nil, nil)
	}
	for o, s := range supply {
		if s != nil {
			p.addOrigin(model, int32(o), s)
		}
	}
	opt := simplex.DefaultOptions()
	opt.Perturb = false
	var err error
	if p.solver, err = simplex.New(model, opt); err != nil {
		return nil, fmt.Errorf("mcndp: %s: the recourse: %w", in.Name, err)
	}
	return p, nil
}

// addOrigin adds the flow of all commodities of an origin. Its own row follows from the others, and nothing returns to
// it.
func (p *merged) addOrigin(model *lp.Model, origin int32, supply []float64) {
	in := p.in
	row := make([]lp.Con, in.Nodes)
	for v, s := range supply {
		if int32(v) != origin {
			row[v] = model.AddRow(lp.Row{Lower: s, Upper: s}, nil, nil)
		}
	}
	for j, tail := range in.Tail {
		if in.Head[j] == origin {
			continue
		}
		c := model.AddCol(lp.Col{Cost: in.Cost[j]})
		model.AddEntry(lp.Con(j), c, 1)
		if tail != origin {
			model.AddEntry(row[tail], c, 1)
		}
		model.AddEntry(row[in.Head[j]], c, -1)
		p.column[j] = append(p.column[j], int32(c))
	}
}

// isDesign reports whether the program has the recourse at y.
func isDesign(y []float64) bool {
	for _, v := range y {
		if v > none && v < 1 {
			return false
		}
	}
	return true
}

// move opens and closes arcs.
func (p *merged) move(y []float64) {
	for j, v := range y {
		if p.open[j] == (v > none) {
			continue
		}
		p.open[j] = !p.open[j]
		most, capacity := 0.0, 0.0
		if p.open[j] {
			most, capacity = lp.Inf, p.in.Capacity[j]
		}
		for _, c := range p.column[j] {
			p.solver.SetColBounds(lp.Var(c), 0, most)
		}
		p.solver.SetRowBounds(lp.Con(j), -lp.Inf, capacity)
	}
}

// charge makes a unit of flow on arc j cost c_j + extra_j.
func (p *merged) charge(extra []float64) {
	for j, columns := range p.column {
		p.charged[j] = p.in.Cost[j] + extra[j]
		for _, c := range columns {
			p.solver.SetCost(lp.Var(c), p.charged[j])
		}
	}
}

// solve solves the program of the last move.
func (p *merged) solve(ctx context.Context) (simplex.Result, error) {
	r, err := p.solver.Solve(ctx, simplex.NoLimits())
	if err != nil {
		err = fmt.Errorf("mcndp: %s: the recourse: %w", p.in.Name, err)
	}
	return r, err
}

// loads fills load with the flow on each arc at the last solution.
func (p *merged) loads(load []float64) {
	x := p.solver.X()
	for j, columns := range p.column {
		load[j] = 0
		for _, c := range columns {
			load[j] += x[c]
		}
	}
}

// duals fills u with the multipliers of the capacity prices at the last solution.
func (p *merged) duals(u []float64) {
	dual := p.solver.RowDual()
	for j := range p.price {
		p.price[j] = max(0, -dual[j])
	}
	p.lifter.fill(u, p.charged, p.price, func(j int) bool { return p.open[j] })
}
