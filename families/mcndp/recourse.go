package mcndp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// recourseSolver solves the recourse of one instance exactly at any point y of [0,1]^n, as a linear program over arc
// flows that keeps its basis from point to point: y is in the bounds of the flows, x_ij <= d_i y_j, and of the capacity
// rows. Arcs into the origin of a commodity and out of its destination carry none of it.
//
// It holds three programs. The first is for designs (see merged). The second has a flow for each commodity; its duals
// are the multipliers of optimality cuts. The third, of the same shape, asks how far the flow is from being one: it
// adds to every flow row of commodity i a slack z_i, the same at all nodes, at the price 1 / d_i. Its duals are the
// slice-normalised certificate of infeasibility (paper, Appendix B, MCNDP): multipliers with sum_v u_iv <= 1 for every
// commodity.
//
// A recourseSolver is for one goroutine.
type recourseSolver struct {
	in       *Instance
	merged   *merged      // nil for a solver that has a flow for each commodity at designs too
	cost     *flowProgram // this and the next are made when first needed
	short    *flowProgram
	atDesign bool // the last point was one
	Pivots   int  // of all solves so far
}

// flowProgram is one of the two linear programs.
type flowProgram struct {
	in     *Instance
	solver *simplex.Solver
	column [][]int32 // of each arc: the columns of its flows
	owner  []int32   // of each column: its commodity
	row    []int32   // of the flow row of commodity i at node v, at v*m+i; -1 where there is none
	first  int       // the first capacity row
	y      []float64 // the point of the present bounds
}

// newRecourse returns the solver of a valid instance.
func newRecourse(in *Instance) (*recourseSolver, error) {
	m, err := newMerged(in)
	return &recourseSolver{in: in, merged: m}, err
}

// newFlowProgram makes the program of optimality or of feasibility, with all arcs closed.
func newFlowProgram(in *Instance, kind benders.Kind) (*flowProgram, error) {
	n := in.arcs()
	m := in.commodities()
	p := &flowProgram{in: in, column: make([][]int32, n), row: make([]int32, in.size()), y: make([]float64, n)}

	// The rows: flows at the nodes, then capacities.
	model := &lp.Model{Name: in.Name}
	for i, d := range in.Demand {
		for v := range in.Nodes {
			at := v*m + i

			// What leaves a node less what enters it: d at the origin, -d at the destination, and 0 elsewhere.
			bounds := lp.Row{Upper: lp.Inf}
			switch int32(v) {
			case in.Origin[i]:
				bounds.Lower = d
			case in.Destination[i]:
				// What arrives follows from the rows of the other nodes where these are equations.
				if kind == benders.Optimality {
					p.row[at] = -1
					continue
				}
				bounds.Lower = -d
			}

			// The slack of a feasibility program adds to a row, so that its rows need no upper bound.
			if kind == benders.Optimality {
				bounds.Upper = bounds.Lower
			}
			p.row[at] = int32(model.AddRow(bounds, nil, nil))
		}
	}
	p.first = len(model.Rows)
	for range n {
		model.AddRow(lp.Row{Lower: -lp.Inf, Upper: 0}, nil, nil)
	}
	p.addFlows(model, kind)

	// The slack z_i of each commodity, the same in all of its rows.
	if kind == benders.Feasibility {
		for i, d := range in.Demand {
			z := model.AddCol(lp.Col{Cost: 1 / d, Upper: lp.Inf})
			for v := range in.Nodes {
				model.AddEntry(lp.Con(p.row[v*m+i]), z, 1)
			}
		}
	}
	var err error
	if p.solver, err = in.newSolver(model); err != nil {
		return nil, err
	}
	return p, nil
}

// newSolver returns the solver of a program of the recourse. Its costs are not perturbed, since the duals at a point
// become the slopes of a cut.
func (in *Instance) newSolver(model *lp.Model) (*simplex.Solver, error) {
	o := simplex.DefaultOptions()
	o.Perturb = false
	s, err := simplex.New(model, o)
	return s, in.recourseError(err)
}

// recourseError puts the name of the instance in front of an error of its recourse; nil stays nil.
func (in *Instance) recourseError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mcndp: %s: the recourse: %w", in.Name, err)
}

// addFlows adds a column for each commodity and arc that may carry it, closed.
func (p *flowProgram) addFlows(model *lp.Model, kind benders.Kind) {
	in := p.in
	m := in.commodities()
	for i := range m {
		for j, tail := range in.Tail {
			head := in.Head[j]
			if head == in.Origin[i] || tail == in.Destination[i] {
				continue
			}

			// What a program of shortages minimises are the slacks alone.
			column := lp.Col{}
			if kind == benders.Optimality {
				column.Cost = in.Cost[j]
			}
			c := model.AddCol(column)

			// A unit of flow leaves its tail, enters its head and takes capacity of its arc.
			if r := p.row[int(tail)*m+i]; r >= 0 {
				model.AddEntry(lp.Con(r), c, 1)
			}
			if r := p.row[int(head)*m+i]; r >= 0 {
				model.AddEntry(lp.Con(r), c, -1)
			}
			model.AddEntry(lp.Con(p.first+j), c, 1)

			// By these the bounds of an arc are found, and the commodity of a column.
			p.column[j] = append(p.column[j], int32(c))
			p.owner = append(p.owner, int32(i))
		}
	}
}

// none is up to what y an arc is closed.
const none = 1e-12

// move sets the bounds for y. Entries above 1 count as 1.
func (p *flowProgram) move(y []float64) {
	for j, v := range y {
		if v = min(v, 1); !(v > none) {
			v = 0
		}
		if v == p.y[j] {
			continue // the basis of the last point fits the better the fewer bounds move
		}
		p.y[j] = v

		// A flow is at most the demand times y, and all of them at most the capacity times y.
		for _, c := range p.column[j] {
			p.solver.SetColBounds(lp.Var(c), 0, v*p.in.Demand[p.owner[c]])
		}
		p.solver.SetRowBounds(lp.Con(p.first+j), -lp.Inf, v*p.in.Capacity[j])
	}
}

// duals fills u with the multipliers of the flow rows, in the units of fractions of the demands.
func (p *flowProgram) duals(u, row []float64) {
	m := p.in.commodities()
	for at, r := range p.row {
		// The program is in units of flow, the multipliers are in fractions of the demand.
		if u[at] = 0; r >= 0 {
			u[at] = row[r] * p.in.Demand[at%m]
		}
	}

	// The multipliers of a commodity may be shifted, since one of its flow rows follows from the others: the least of
	// them becomes zero.
	for i := range m {
		low := math.Inf(1)
		for at := i; at < len(u); at += m {
			low = min(low, u[at])
		}
		for at := i; at < len(u); at += m {
			u[at] -= low
		}
	}
}

// Solve returns Q(y), or +Inf and false where the recourse is infeasible. It returns an error if the context was
// cancelled.
func (r *recourseSolver) Solve(ctx context.Context, y []float64) (value float64, feasible bool, err error) {
	// Without the merged program, as in the oracle of the paper, every point is solved by the other one.
	if r.atDesign = r.merged != nil && isDesign(y); !r.atDesign {
		return r.split(ctx, y)
	}
	r.merged.move(y)
	return r.run(ctx, r.merged.solver)
}

// split solves the program with a flow for each commodity.
func (r *recourseSolver) split(ctx context.Context, y []float64) (value float64, feasible bool, err error) {
	if r.cost == nil {
		if r.cost, err = newFlowProgram(r.in, benders.Optimality); err != nil {
			return 0, false, err
		}
	}

	// Only bounds move, so that the solver goes on from the basis of the last point.
	r.cost.move(y)
	return r.run(ctx, r.cost.solver)
}

// run solves a program at its present bounds. An infeasible one has the value +Inf.
func (r *recourseSolver) run(ctx context.Context, s *simplex.Solver) (value float64, feasible bool, err error) {
	result, err := s.Solve(ctx, simplex.NoLimits())
	r.Pivots += result.Iterations

	// Any other status is a limit or a numerical failure, and no answer.
	switch {
	case err != nil:
		return 0, false, r.in.recourseError(err)
	case result.Status == lp.Infeasible:
		return math.Inf(1), false, nil
	case result.Status != lp.Optimal:
		return 0, false, stopped(ctx, r.in, result.Status)
	}
	return result.Objective, true, nil
}

// stopped is the error of a program that ended without an answer: that of the context, if it was cancelled.
func stopped(ctx context.Context, in *Instance, status lp.Status) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("mcndp: %s: the recourse ended with status %v", in.Name, status)
}

// Duals fills u with optimal multipliers after a Solve that was feasible. They need not be nonnegative in the last
// digit: certifier.straighten follows.
func (r *recourseSolver) Duals(u []float64) {
	// The program that was solved last has the duals.
	if r.atDesign {
		r.merged.duals(u)
		return
	}
	r.cost.duals(u, r.cost.solver.RowDual())
}

// Flows fills x (m x n, commodity by commodity) with units of flow at y that cost Q(y), and reports whether there are
// any.
func (r *recourseSolver) Flows(ctx context.Context, y, x []float64) (feasible bool, err error) {
	if _, feasible, err = r.split(ctx, y); err != nil || !feasible {
		return false, err
	}

	// Arcs into an origin and out of a destination have no column.
	clear(x)
	values := r.cost.solver.X()
	n := r.in.arcs()
	for j, columns := range r.cost.column {
		for _, c := range columns {
			x[int(r.cost.owner[c])*n+j] = values[c]
		}
	}
	return true, nil
}

// Shortage returns the greatest value of a feasibility cut of the slice at y, and fills u with its multipliers. It is
// zero up to rounding exactly if the recourse is feasible.
func (r *recourseSolver) Shortage(ctx context.Context, y, u []float64) (float64, error) {
	if r.short == nil {
		var err error
		if r.short, err = newFlowProgram(r.in, benders.Feasibility); err != nil {
			return 0, err
		}
	}
	r.short.move(y)
	value, feasible, err := r.run(ctx, r.short.solver)
	if err == nil && !feasible { // its slacks are not bounded, so that only a numerical failure comes here
		err = stopped(ctx, r.in, lp.Infeasible)
	}
	if err != nil {
		return 0, err
	}
	r.short.duals(u, r.short.solver.RowDual())
	return value, nil
}

// congestionOf returns the least factor that, with all capacities multiplied by it, lets every arc open carry the
// demand; +Inf if the arcs do not connect all commodities.
func congestionOf(ctx context.Context, in *Instance) (float64, error) {
	p, err := newFlowProgram(in, benders.Optimality)
	if err != nil {
		return 0, err
	}
	p.move(slices.Repeat([]float64{1}, in.arcs()))

	// With y = 1 flows are bounded by the demands alone. They cost nothing, and a new column at the price 1 is the
	// factor: its unit adds the capacities to the rows.
	var index []int32
	var capacity []float64
	for j, columns := range p.column {
		// A row of the capacity has no room of its own.
		p.solver.SetRowBounds(lp.Con(p.first+j), -lp.Inf, 0)
		for _, c := range columns {
			p.solver.SetCost(lp.Var(c), 0)
		}
		if s := in.Capacity[j]; s > 0 {
			index = append(index, int32(p.first+j))
			capacity = append(capacity, -s)
		}
	}

	p.solver.AddCol(1, 0, lp.Inf, index, capacity)
	result, err := p.solver.Solve(ctx, simplex.NoLimits())
	switch {
	case err != nil:
		return 0, fmt.Errorf("mcndp: %s: the congestion: %w", in.Name, err)
	case result.Status == lp.Infeasible:
		return math.Inf(1), nil
	case result.Status != lp.Optimal:
		return 0, stopped(ctx, in, result.Status)
	}
	return result.Objective, nil
}
