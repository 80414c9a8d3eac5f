package ufl

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
)

// problem returns the Benders problem of a valid instance: binary y_j at cost f_j, the row sum_j y_j >= 1, an
// epigraph for every client (one for all of them if aggregated), bounded below by the cheapest cost of the row,
// the closed-form recourse, threshold rounding and local search as the primal heuristic.
// The functions of the problem share memory: they are for one goroutine.
func (in *Instance) problem(aggregated bool) *benders.Problem {
	p := &benders.Problem{
		Name:       in.Name,
		Master:     in.master(),
		Epigraphs:  in.Clients,
		ThetaLower: make([]float64, in.Clients),
		Round:      in.round,
		Improve:    in.improver(),
		Recourse:   func(_ context.Context, y, q []float64) (bool, error) { return in.recourse(y, q), nil },
	}

	// No design serves a client at less than the cheapest cost of its row.
	for i := range p.ThetaLower {
		p.ThetaLower[i] = slices.Min(in.Row(i))
	}

	// One epigraph is the sum of all, and bounded below by the sum of the bounds.
	if aggregated {
		p.Epigraphs = 1
		p.ThetaLower = []float64{in.Cheapest()}
		parts := make([]float64, in.Clients)
		p.Recourse = func(_ context.Context, y, q []float64) (bool, error) {
			feasible := in.recourse(y, parts)
			q[0] = outward.Total(parts)
			return feasible, nil
		}
	}
	return p
}

// master returns the first-stage model: y0, y1, ..., the row that keeps one of them open and, where facilities may not
// serve some client, the rows that keep one open which may.
func (in *Instance) master() *lp.Model {
	model := instance.Designs(in.Name, in.Fixed)
	index := make([]int32, in.Facilities)
	for j := range index {
		index[j] = int32(j)
	}

	// Without a facility no client is served, so that the relaxation needs the row, too.
	ones := slices.Repeat([]float64{1}, in.Facilities)
	model.AddRow(lp.Row{Name: "open", Lower: 1, Upper: lp.Inf}, index, ones)
	in.AddReach(model)
	return model
}

// thresholds are the values from which round opens a facility.
var thresholds = []float64{0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05}

// round opens the facilities at or above a threshold, the one of thresholds whose design is cheapest (Fischetti, Ljubic
// and Sinnl 2017, section 4.3). It returns nil where no entry of y reaches one.
func (in *Instance) round(y []float64) []float64 {
	var best []int32
	cost := math.Inf(1)
	size := 0
	for _, threshold := range thresholds {
		var open []int32
		for j, v := range y {
			if v >= threshold {
				open = append(open, int32(j))
			}
		}

		// As many facilities as at the threshold before are the same ones.
		if len(open) == size {
			continue
		}
		size = len(open)
		if c := in.TotalCost(open); c < cost {
			best = open
			cost = c
		}
	}
	if best == nil {
		return nil
	}
	return in.Design(in.repaired(best))
}

// improver returns the local search as a function of the design.
func (in *Instance) improver() func(context.Context, []float64) ([]float64, error) {
	var s *localSearch
	return func(ctx context.Context, y []float64) ([]float64, error) {
		open := instance.Open(y)
		if len(open) == 0 {
			return y, nil
		}

		// The search is made when the first design comes, and keeps its memory.
		if s == nil {
			s = newLocalSearch(in)
		}
		s.Set(open)
		s.Descend(ctx)
		return in.Design(in.repaired(s.open)), nil
	}
}
