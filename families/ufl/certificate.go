package ufl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// errCertificate is wrapped by the errors of the certifier and of Check.
var errCertificate = errors.New("invalid certificate")

// certifier turns any prediction into cuts. It has no state that a call changes; it may be used from
// several goroutines.
type certifier struct {
	in         *Instance
	rows       *location.Ranking // the facilities of each client by cost
	aggregated bool              // one cut on the sum of the epigraphs
	plain      bool              // the paper's projection, (pi)+, and no more
}

// newCertifier returns the certifier of an instance. The instance must be valid.
func newCertifier(in *Instance, aggregated bool) *certifier {
	return &certifier{in: in, rows: in.Ranked(), aggregated: aggregated}
}

// Dim returns the number of predicted multipliers: one a client.
func (c *certifier) Dim() int { return c.in.Clients }

// tooLarge is the largest dual that the paper's projection lets through, so that sums stay finite.
const tooLarge = 1e100

// Project maps any pi (one entry a client) in place to duals that can be completed, NaN counting as 0, and returns how
// many entries were not finite. The paper's projection (Appendix B, UFL) is (pi)+, for every nonnegative pi is dual
// feasible. Ours is the box [min_j c_ij, max_j c_ij], in which no strength is lost. With V(pi, y) = pi -
// sum_j (pi - c_ij)+ y_j, C = max_j c_ij and c = min_j c_ij:
//
//   - For pi >= C, V(pi, y) = pi (1 - sum_j y_j) + sum_j c_ij y_j, which does not increase in pi as soon as
//     sum_j y_j >= 1. So V(C, y) >= V(pi, y) at every point of the master, fractional ones included.
//   - For 0 <= pi <= c, V(pi, y) = pi <= c = V(c, y) for every y.
func (c *certifier) Project(pi []float64) (notFinite int) {
	for i, v := range pi {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			notFinite++
		}
		low, high := c.box(i)
		pi[i] = location.Clamp(v, low, high)
	}
	return notFinite
}

// box returns the range of the duals of client i.
func (c *certifier) box(i int) (low, high float64) {
	if c.plain {
		return 0, tooLarge
	}

	// The costs of a row ascend.
	_, cost := c.rows.Row(i)
	return cost[0], cost[len(cost)-1]
}

// Value returns sum_i V(pi_i, y), the dual objective of a projected pi at y, rounded to nearest.
func (c *certifier) Value(pi, y []float64) float64 {
	var s outward.Sum
	for i, p := range pi {
		v, _ := c.Row(i, p, y)
		s.Add(v)
	}
	return s.Value()
}

// Row returns V(pi, y) for client i and its slope in pi from the left, in time linear in the number of
// facilities that are cheaper than pi.
func (c *certifier) Row(i int, pi float64, y []float64) (value, slope float64) {
	order, cost := c.rows.Row(i)
	value = pi
	slope = 1
	for t, v := range cost {
		// The costs ascend: what follows has no profit.
		if v >= pi {
			break
		}
		w := y[order[t]]
		value -= (pi - v) * w
		slope -= w
	}
	return value, slope
}

// Complete completes a projected pi: at a design one cut for each client whose cut is violated there, at a
// fractional point one for every client with a cut that is stronger than theta_i >= min_j c_ij (a stabilised driver
// separates at another point than the master's, so a violation at p.Y decides nothing), or the one aggregated cut.
// Value is sum_i V(pi_i, y) rounded down. Cuts do not share memory with pi.
func (c *certifier) Complete(pi []float64, p benders.Point) (benders.Separation, error) {
	if err := c.checkDuals(pi); err != nil {
		return benders.Separation{}, err
	}
	if err := c.checkPoint(p); err != nil {
		return benders.Separation{}, err
	}

	// The terms of V(pi_i, y) are pi_i and what is subtracted from it, so their magnitude is 2 pi_i - V(pi_i, y).
	var total, magnitude float64
	values := make([]float64, len(pi))
	for i, v := range pi {
		values[i], _ = c.Row(i, v, p.Y)
		total += values[i]
		magnitude += 2*v - values[i]
	}
	return benders.Separation{
		Cuts:  c.cuts(pi, values, p, nil),
		Value: outward.ProductsDown(total, magnitude, c.in.Facilities, c.in.Clients),
	}, nil
}

// checkPoint returns an error unless a point has the instance's columns and, if it has any, the right epigraphs.
func (c *certifier) checkPoint(p benders.Point) error {
	thetaFits := c.aggregated || p.Theta == nil || len(p.Theta) == c.in.Clients
	if len(p.Y) != c.in.Facilities || !thetaFits {
		return fmt.Errorf("ufl: %w: a point with %d columns and %d epigraphs", instance.ErrInstance, len(p.Y), len(p.Theta))
	}
	return nil
}

// cuts returns the cuts of pi that worthCut selects, for the values V(pi_i, y) at the point; or the aggregated one.
// clients is memory that is used again.
func (c *certifier) cuts(pi, values []float64, p benders.Point, clients []int32) []benders.Cut {
	if c.aggregated {
		return []benders.Cut{c.aggregate(pi)}
	}

	// The number of slopes is counted first, so that the cuts share one array.
	size := 0
	for i, v := range values {
		if _, cost := c.rows.Row(i); worthCut(p, i, pi[i], v, cost[0]) {
			clients = append(clients, int32(i))
			size += below(cost, pi[i])
		}
	}
	return c.disaggregate(pi, clients, size)
}

// leastViolation is the least violation, relative to max(1, value), of a cut at a design.
const leastViolation = 1e-9

// worthCut reports whether the cut of client i, with dual pi and the value given at p.Y, should be made.
func worthCut(p benders.Point, i int, pi, value, low float64) bool {
	if p.Theta == nil || !p.Integer {
		return pi > low
	}
	return value > p.Theta[i]+leastViolation*max(1, value)
}

// checkDuals returns an error unless pi is projected: one dual a client, none outside its box.
func (c *certifier) checkDuals(pi []float64) error {
	if len(pi) != c.in.Clients {
		return fmt.Errorf("ufl: %w: %d duals for %d clients", errCertificate, len(pi), c.in.Clients)
	}
	for i, v := range pi {
		// A dual below the box is valid too, and only weaker.
		if _, high := c.box(i); !(v >= 0 && v <= high) {
			return fmt.Errorf("ufl: %w: the dual of client %d is %g, outside [0, %g]", errCertificate, i, v, high)
		}
	}
	return nil
}

// below returns the number of sorted costs that are less than v.
func below(cost []float64, v float64) int {
	k, _ := slices.BinarySearch(cost, v)
	return k
}

// disaggregate makes the cuts theta_i >= pi_i - sum_j (pi_i - c_ij)+ y_j of the clients listed, which have size
// nonzeros together. Alpha is exact and every slope is the float64 nearest below the exact one.
func (c *certifier) disaggregate(pi []float64, clients []int32, size int) []benders.Cut {
	cuts := make([]benders.Cut, len(clients))
	certificates := make([]benders.Multipliers, len(clients))

	// One array holds the duals, which are the certificates, and after them the slopes of all cuts.
	values := make([]float64, len(clients), len(clients)+size)
	index := make([]int32, 0, size)
	for k, i := range clients {
		values[k] = pi[i]
		certificates[k].Values = values[k : k+1 : k+1]
	}

	for k, i := range clients {
		order, cost := c.rows.Row(int(i))
		n := below(cost, pi[i])

		// The facilities that are cheaper than the dual have slopes; they come first in the row.
		index = append(index, order[:n]...)
		for _, w := range cost[:n] {
			values = append(values, -outward.SubUp(pi[i], w))
		}
		cuts[k] = benders.Cut{
			Kind:        benders.Optimality,
			Theta:       int(i),
			Alpha:       pi[i],
			Index:       slices.Clip(index[len(index)-n:]),
			Beta:        slices.Clip(values[len(values)-n:]),
			Certificate: &certificates[k],
		}
	}
	return cuts
}

// aggregate makes the cut sum_i theta_i >= sum_i pi_i - sum_j (sum_i (pi_i - c_ij)+) y_j.
func (c *certifier) aggregate(pi []float64) benders.Cut {
	// kappa_j = sum_i (pi_i - c_ij)+, rounded to nearest here and up in the cut.
	kappa := make([]float64, c.in.Facilities)
	var alpha outward.Sum
	for i, v := range pi {
		alpha.Add(v)
		order, cost := c.rows.Row(i)
		for t, w := range cost {
			if w >= v {
				break
			}
			kappa[order[t]] += v - w
		}
	}

	// A master keeps cuts for long, so that their lists are no longer than they have to be.
	size := 0
	for _, k := range kappa {
		if k > 0 {
			size++
		}
	}
	cut := benders.Cut{
		Kind:        benders.Optimality,
		Theta:       benders.AllEpigraphs,
		Alpha:       alpha.Down(),
		Index:       make([]int32, 0, size),
		Beta:        make([]float64, 0, size),
		Certificate: &benders.Multipliers{Values: slices.Clone(pi)},
	}
	for j, k := range kappa {
		if k > 0 {
			cut.Index = append(cut.Index, int32(j))
			cut.Beta = append(cut.Beta, -outward.SumUp(k, c.in.Clients))
		}
	}
	return cut
}
