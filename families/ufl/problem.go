package ufl

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// Problem returns the Benders problem of a valid instance: binary y_j at cost f_j, the row sum_j y_j >= 1, an
// epigraph for every client (one for all of them if aggregated), bounded below by the cheapest cost of the row,
// the closed-form recourse, threshold rounding and local search as the primal heuristic, and the locally optimal greedy design as the
// start. Search finds a better start, and Dual facilities to fix; Fixing.Apply puts those into the master.
// The functions of the problem share memory: they are for one goroutine.
func (in *Instance) Problem(aggregated bool) *benders.Problem {
	p := &benders.Problem{Name: in.Name, Master: in.Master(), Epigraphs: in.Clients, Round: in.round, Improve: in.improver()}
	rows := in.Sorted()
	lower := make([]float64, in.Clients)
	var total benders.Sum
	for i := range lower {
		_, cost := rows.Row(i)
		lower[i] = cost[0]
		total.Add(cost[0])
	}
	p.ThetaLower = lower
	p.Recourse = func(_ context.Context, y, q []float64) (bool, error) { return in.Recourse(y, q), nil }
	if aggregated {
		p.Epigraphs, p.ThetaLower = 1, []float64{total.Down()}
		parts := make([]float64, in.Clients)
		p.Recourse = func(_ context.Context, y, q []float64) (bool, error) {
			feasible := in.Recourse(y, parts)
			var s benders.Sum
			for _, v := range parts {
				s.Add(v)
			}
			q[0] = s.Value()
			return feasible, nil
		}
	}
	s := NewLocalSearch(in)
	s.Set(Greedy(in))
	s.Descend(context.Background())
	p.Starts = [][]float64{in.Design(s.open)}
	return p
}

// Master returns the first-stage model: y0, y1, ... and the row that keeps one of them open.
func (in *Instance) Master() *lp.Model {
	model := &lp.Model{Name: in.Name, Objective: "cost"}
	index, value := make([]int32, in.Facilities), make([]float64, in.Facilities)
	for j, f := range in.Fixed {
		model.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: f, Upper: 1, Integer: true})
		index[j], value[j] = int32(j), 1
	}
	model.AddRow(lp.Row{Name: "open", Lower: 1, Upper: lp.Inf}, index, value)
	return model
}

// thresholds are where round cuts a point.
var thresholds = []float64{0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05}

// round opens the facilities at or above a threshold, the one of thresholds whose design is cheapest (Fischetti, Ljubic and
// Sinnl 2017, section 4.3). It returns nil where no entry of y reaches one.
func (in *Instance) round(y []float64) []float64 {
	var best []int32
	cost, size := math.Inf(1), 0
	for _, threshold := range thresholds {
		var open []int32
		for j, v := range y {
			if v >= threshold {
				open = append(open, int32(j))
			}
		}
		if len(open) == size { // as at the threshold before
			continue
		}
		size = len(open)
		if c := in.TotalCost(open); c < cost {
			best, cost = open, c
		}
	}
	if best == nil {
		return nil
	}
	return in.Design(best)
}

// improver returns the local search as a function of the design.
func (in *Instance) improver() func(context.Context, []float64) ([]float64, error) {
	var s *LocalSearch
	return func(ctx context.Context, y []float64) ([]float64, error) {
		open := Open(y)
		if len(open) == 0 {
			return y, nil
		}
		if s == nil {
			s = NewLocalSearch(in)
		}
		s.Set(open)
		s.Descend(ctx)
		return in.Design(s.open), nil
	}
}

// Apply sets the bounds of the columns that the fixing settles in the master of p. The design that gave the
// upper bound of the fixing must be among the starts or the incumbents: what is cut off costs more than it.
func (f Fixing) Apply(p *benders.Problem) error {
	for _, part := range [][]int32{f.Closed, f.Opened} {
		for _, j := range part {
			if int(j) >= len(p.Master.Cols) {
				return fmt.Errorf("ufl: %w: facility %d is not in the master", families.ErrOptions, j)
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

// String says what was settled, for logs.
func (f Fixing) String() string {
	return fmt.Sprintf("%d facilities closed and %d open in every design that costs at most %.10g", len(f.Closed), len(f.Opened), f.UB)
}

// Reduction is an instance without the facilities that a fixing closes. Its designs cost what they cost in the
// original; separation on it is faster and its cuts are shorter.
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
	out := &Instance{Name: in.Name, Clients: in.Clients}
	for j, fixed := range in.Fixed {
		if at[j] >= 0 {
			at[j] = int32(len(r.Keep))
			r.Keep = append(r.Keep, int32(j))
			out.Fixed = append(out.Fixed, fixed)
		}
	}
	out.Facilities = len(r.Keep)
	if out.Facilities == 0 {
		return nil, fmt.Errorf("ufl: %w: every facility is closed, no design costs at most %g", ErrInstance, f.UB)
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

// Fixing returns what is left of the fixing in the reduced instance: its open facilities.
func (r *Reduction) Fixing(ub float64) Fixing { return Fixing{Opened: r.Opened, UB: ub} }

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
