package cap

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
)

// Master returns the first-stage model: y0, y1, ..., the row that the open capacity covers the demand, and the row
// of the least number of facilities that can; where facilities may not serve some client, also those that keep one open
// which may.
func (in *Instance) Master() *lp.Model { return in.master(2) }

// master is the first-stage model with the first rows of Master.
func (in *Instance) master(rows int) *lp.Model {
	model := instance.Designs(in.Name, in.Fixed)
	index := make([]int32, in.Facilities)
	for j := range index {
		index[j] = int32(j)
	}

	// The capacity row of a model asks for the whole demand; where rows are bounds, its need is within the tolerance.
	for k, row := range in.coverRows()[:rows] {
		need := row.need
		if k == 0 {
			need = in.TotalDemand()
		}
		model.AddRow(lp.Row{Name: [...]string{"capacity", "open"}[k], Lower: need, Upper: lp.Inf}, index, row.weight)
	}
	in.AddReach(model)
	return model
}

// searchBudget is the most designs that a local search within the tree prices.
const searchBudget = 12

// problem returns the Benders problem of a valid instance: the master above, one epigraph bounded below by the sum
// of the clients' cheapest costs, the exact recourse, and local search as the primal heuristic. Solve adds a start,
// fixed facilities and the cuts of a Lagrangian bound. The functions of the problem share memory: they are for one
// goroutine.
func (in *Instance) problem() *benders.Problem {
	var transport *transportProblem
	p := &benders.Problem{
		Name:       in.Name,
		Master:     in.Master(),
		Epigraphs:  1,
		ThetaLower: []float64{in.Cheapest()},
		Improve:    in.improver(nil),
	}

	// The solver is made when the first design is priced.
	p.Recourse = func(ctx context.Context, y, q []float64) (feasible bool, err error) {
		if transport == nil {
			transport = newTransport(in)
		}
		q[0], feasible, err = transport.Solve(ctx, y)
		return feasible, benders.NotCancelled(ctx, err)
	}
	return p
}

// improver returns the local search as a function of the design, with cuts near the multipliers core.
func (in *Instance) improver(core []float64) func(context.Context, []float64) ([]float64, error) {
	var improve func(context.Context, []float64) ([]float64, error)
	return func(ctx context.Context, y []float64) ([]float64, error) {
		if improve == nil {
			s, pricer := newSearch(in)
			pricer.core = core
			improve = s.Improver(searchBudget)
		}
		return improve(ctx, y)
	}
}
