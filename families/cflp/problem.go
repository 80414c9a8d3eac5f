package cflp

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// Master returns the first-stage model: y0, y1, ..., the row that the open capacity covers the demand, and the row
// of the least number of facilities that can.
func (in *Instance) Master() *lp.Model {
	model := &lp.Model{Name: in.Name, Objective: "cost"}
	index := make([]int32, in.Facilities)
	for j, f := range in.Fixed {
		model.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: f, Upper: 1, Integer: true})
		index[j] = int32(j)
	}
	for k, row := range in.coverRows() {
		need := row.need
		if k == 0 {
			need = in.TotalDemand()
		}
		model.AddRow(lp.Row{Name: [...]string{"capacity", "open"}[k], Lower: need, Upper: lp.Inf}, index, row.weight)
	}
	return model
}

// searchBudget is how many designs a local search within the tree prices at most.
const searchBudget = 12

// Problem returns the Benders problem of a valid instance: the master above, one epigraph bounded below by the sum
// of the clients' cheapest costs, the exact recourse, and local search as the primal heuristic. Solve adds a start,
// settled facilities and the cuts of a Lagrangian bound. The functions of the problem share memory: they are for one
// goroutine.
func (in *Instance) Problem() *benders.Problem {
	var low benders.Sum
	for i := range in.Clients {
		cheapest := math.Inf(1)
		for _, c := range in.Row(i) {
			cheapest = min(cheapest, c)
		}
		low.Add(cheapest)
	}
	var transport *Transport
	p := &benders.Problem{Name: in.Name, Master: in.Master(), Epigraphs: 1, ThetaLower: []float64{low.Down()}}
	p.Recourse = func(ctx context.Context, y, q []float64) (feasible bool, err error) {
		if transport == nil {
			transport = NewTransport(in)
		}
		q[0], feasible, err = transport.Solve(ctx, y)
		return feasible, notCancelled(ctx, err)
	}
	p.Improve = in.improver(nil)
	return p
}

// notCancelled drops the error of a cancelled context: for a driver that is a status.
func notCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// improver returns the local search as a function of the design. Calls that find nothing better than the best design
// so far are followed by more and more that return the design as it is.
func (in *Instance) improver(core []float64) func(context.Context, []float64) ([]float64, error) {
	const mostSkipped = 64
	var s *LocalSearch
	best, pause, skip := math.Inf(1), 1, 0
	return func(ctx context.Context, y []float64) ([]float64, error) {
		if s == nil {
			s = NewLocalSearch(in)
			s.core = core
		}
		if skip--; skip > 0 {
			return y, nil
		}
		open := s.Round(y)
		if open == nil {
			return y, nil
		}
		d, err := s.Descend(ctx, open, searchBudget)
		if err != nil || math.IsInf(d.Cost, 1) {
			return y, notCancelled(ctx, err)
		}
		if d.Cost < best*(1-1e-9) {
			best, pause = d.Cost, 1
		} else {
			pause = min(2*pause, mostSkipped)
		}
		skip = pause
		return in.Design(d.Open), nil
	}
}

// Apply sets the bounds of the columns that the fixing settles in the master of p.
func (f Fixing) Apply(p *benders.Problem) error {
	for _, part := range [][]int32{f.Closed, f.Opened} {
		for _, j := range part {
			if int(j) >= len(p.Master.Cols) {
				return fmt.Errorf("cflp: %w: facility %d is not in the master", families.ErrOptions, j)
			}
		}
	}
	for _, j := range f.Closed {
		p.Master.Cols[j].Upper = 0
	}
	for _, j := range f.Opened {
		p.Master.Cols[j].Lower = 1
	}
	return nil
}

// Reduction is an instance without the facilities that a fixing closes. Its designs cost what they cost in the
// original.
type Reduction struct {
	Instance *Instance
	Keep     []int32 // the original facility of each one left, ascending
	Opened   []int32 // facilities of the reduced instance that are open in every design of interest
	original int
}

// Reduce drops the facilities that the fixing closes. Clients stay.
func (f Fixing) Reduce(in *Instance) (*Reduction, error) {
	at := make([]int32, in.Facilities) // position in the reduced instance, or -1
	for _, j := range f.Closed {
		at[j] = -1
	}
	r := &Reduction{original: in.Facilities}
	out := &Instance{Name: in.Name, Clients: in.Clients, Demand: in.Demand}
	for j, fixed := range in.Fixed {
		if at[j] >= 0 {
			at[j] = int32(len(r.Keep))
			r.Keep = append(r.Keep, int32(j))
			out.Fixed, out.Capacity = append(out.Fixed, fixed), append(out.Capacity, in.Capacity[j])
		}
	}
	out.Facilities = len(r.Keep)
	if out.Facilities == 0 {
		return nil, fmt.Errorf("cflp: %w: every facility is closed, no design costs at most %g", ErrInstance, f.UB)
	}
	out.Cost = make([]float64, 0, out.Clients*out.Facilities)
	for i := range in.Clients {
		row := in.Row(i)
		for _, j := range r.Keep {
			out.Cost = append(out.Cost, row[j])
		}
	}
	for _, j := range f.Opened {
		r.Opened = append(r.Opened, at[j])
	}
	r.Instance = out
	return r, nil
}

// Expand returns the design of the original instance that a design of the reduced one stands for.
func (r *Reduction) Expand(y []float64) []float64 {
	full := make([]float64, r.original)
	for k, j := range r.Keep {
		full[j] = y[k]
	}
	return full
}

// Restrict returns a design of the original instance in the reduced one, and whether all that it opens is left.
func (r *Reduction) Restrict(y []float64) ([]float64, bool) {
	reduced := make([]float64, len(r.Keep))
	left := 0
	for k, j := range r.Keep {
		if reduced[k] = y[j]; y[j] > 0.5 {
			left++
		}
	}
	return reduced, left == len(Open(y))
}
