package mcndp

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// merged is the recourse at designs. There x_ij <= d_i y_j says no more than that closed arcs carry nothing, and a unit
// costs the same whatever it is of, so that all commodities of one origin are one flow: the linear program has a row an
// origin and node in place of a row a commodity and node. Its capacity prices make the multipliers of all commodities,
// by shortest paths. It is for one goroutine.
type merged struct {
	in     *Instance
	solver *simplex.Solver
	column [][]int32 // of each arc: the columns of its flows
	row    []int32   // of the flow of an origin at a node, at origin*nodes+node; -1 where there is none
	supply []float64 // what leaves the nodes less what arrives, in the same order
	wanted []float64 // the same, of the demands to come
	open   []bool
	price  []float64
	lifter *lifter
}

// newMerged returns the program with all arcs closed.
func newMerged(in *Instance) (*merged, error) {
	n := in.arcs()

	// A flow for each origin and a row for each node: more pairs than are used.
	pairs := in.Nodes * in.Nodes
	p := &merged{
		in:     in,
		column: make([][]int32, n),
		row:    slices.Repeat([]int32{-1}, pairs),
		supply: make([]float64, pairs),
		wanted: make([]float64, pairs),
		open:   make([]bool, n),
		price:  make([]float64, n),
		lifter: newLifter(in),
	}
	p.lifter.potentials.ceiling = tooLarge // what no capacity carries is infeasible, not expensive
	p.leave(p.supply, in.Demand)

	// A row for the capacity of each arc, and the flow of every origin.
	begins := make([]bool, in.Nodes)
	for _, o := range in.Origin {
		begins[o] = true
	}
	model := &lp.Model{Name: in.Name}
	for range n {
		model.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, nil, nil)
	}

	// Nodes where no commodity begins have no flow.
	for o, some := range begins {
		if some {
			p.addOrigin(model, int32(o))
		}
	}

	var err error
	p.solver, err = in.newSolver(model)
	return p, err
}

// leave fills supply with what leaves each node of each origin's flow, less what arrives.
func (p *merged) leave(supply, demand []float64) {
	clear(supply)
	for i, d := range demand {
		// The flow of an origin has a supply there and a demand at each destination.
		flow := supply[int(p.in.Origin[i])*p.in.Nodes:][:p.in.Nodes]
		flow[p.in.Origin[i]] += d
		flow[p.in.Destination[i]] -= d
	}
}

// demand changes the demands of the commodities.
func (p *merged) demand(d []float64) {
	p.leave(p.wanted, d)
	for k, v := range p.wanted {
		if r := p.row[k]; r >= 0 && v != p.supply[k] {
			p.solver.SetRowBounds(lp.Con(r), v, v)
		}
	}

	// The old supplies become the memory of the next change.
	p.supply, p.wanted = p.wanted, p.supply
}

// addOrigin adds the flow of all commodities of an origin. Its own row follows from the others, and nothing returns to
// it.
func (p *merged) addOrigin(model *lp.Model, origin int32) {
	in := p.in
	row := p.row[int(origin)*in.Nodes:][:in.Nodes]
	for v, s := range p.supply[int(origin)*in.Nodes:][:in.Nodes] {
		// A node other than the origin takes what its commodities want there, which is negative.
		if int32(v) != origin {
			row[v] = int32(model.AddRow(lp.Row{Lower: s, Upper: s}, nil, nil))
		}
	}

	// A column for each arc that the flow may take: its capacity, and the rows of its two ends.
	for j, tail := range in.Tail {
		if in.Head[j] == origin {
			continue
		}
		c := model.AddCol(lp.Col{Cost: in.Cost[j]})
		model.AddEntry(lp.Con(j), c, 1)
		if tail != origin {
			model.AddEntry(lp.Con(row[tail]), c, 1)
		}
		model.AddEntry(lp.Con(row[in.Head[j]]), c, -1)
		p.column[j] = append(p.column[j], int32(c))
	}
}

// isDesign reports whether the program has the recourse at y.
func isDesign(y []float64) bool {
	return !slices.ContainsFunc(y, func(v float64) bool { return v > none && v < 1 })
}

// move opens and closes arcs.
func (p *merged) move(y []float64) {
	for j, v := range y {
		if p.open[j] == (v > none) {
			continue
		}

		// A closed arc has bounds of zero twice, of its flows and of its capacity.
		p.open[j] = !p.open[j]
		upper, capacity := 0.0, 0.0
		if p.open[j] {
			upper, capacity = lp.Inf, p.in.Capacity[j]
		}
		for _, c := range p.column[j] {
			p.solver.SetColBounds(lp.Var(c), 0, upper)
		}
		p.solver.SetRowBounds(lp.Con(j), -lp.Inf, capacity)
	}
}

// solve solves the program of the last move.
func (p *merged) solve(ctx context.Context) (simplex.Result, error) {
	r, err := p.solver.Solve(ctx, simplex.NoLimits())
	return r, p.in.recourseError(err)
}

// loads fills load with the flow on each arc at the last solution.
func (p *merged) loads(load []float64) {
	x := p.solver.X()
	for j, columns := range p.column {
		load[j] = 0

		// An arc has a column for every origin.
		for _, c := range columns {
			load[j] += x[c]
		}
	}
}

// duals fills u with the multipliers of the capacity prices at the last solution.
func (p *merged) duals(u []float64) {
	p.lift()
	p.lifter.potentials.fill(u)
}

// lift computes the shortest paths at the capacity prices of the last solution.
func (p *merged) lift() {
	dual := p.solver.RowDual() // of a row with an upper bound in a minimisation: not positive up to rounding
	for j := range p.price {
		p.price[j] = max(0, -dual[j])
	}
	p.lifter.lift(p.in.Cost, p.price, func(j int) bool { return p.open[j] })
}
