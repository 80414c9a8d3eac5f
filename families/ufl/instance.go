// Package ufl is the uncapacitated facility location family: m clients, n facilities,
//
//	min  sum_j f_j y_j + sum_i Q_i(y)   s.t.  sum_j y_j >= 1,  y binary,
//	Q_i(y) = min { sum_j c_ij x_ij : sum_j x_ij >= 1, 0 <= x_ij <= y_j },
//
// which at a design is the cost of the nearest open facility. The dual of client i is one number
// pi_i >= 0 and its completion is nu_ij = (pi_i - c_ij)+, so that
//
//	theta_i >= pi_i - sum_j (pi_i - c_ij)+ y_j
//
// is a valid cut for every pi_i (paper, Appendix B, UFL). The package reads and writes UflLib
// files, generates instances, separates exactly, certifies predicted duals, and has the dual and
// primal heuristics that shrink the master before the tree starts. A facility that may not serve a client has a cost
// there that no optimal solution pays, and the master has a row for what remains (forbidden.go).
package ufl

import (
	"math"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// Instance is an uncapacitated facility location problem: a location.Location without capacities and demands.
type Instance struct{ *location.Location }

// Clone returns a deep copy, for a caller who wants to change it.
func (in *Instance) Clone() *Instance { return &Instance{in.Location.Clone()} }

// Validate returns an error for the first defect that makes the instance unusable: no facility or client, lengths that
// differ, a cost that is negative, NaN or infinite, or costs so large that the total cost of a design can exceed half
// the range of float64.
func (in *Instance) Validate() error { return in.Check(name, math.MaxFloat64/4, false) }

// recourse fills q (length m) with Q_i(y), the cost of the nearest facility that the design y opens,
// and returns false if it opens none, or none that may serve some client. The entries are exact: they are costs of the
// instance.
func (in *Instance) recourse(y, q []float64) bool {
	open := instance.Open(y)
	if !in.served(y) {
		return false
	}

	// Without capacities a client is served by one facility.
	for i := range q {
		q[i] = nearest(in.Row(i), open)
	}
	return true
}

// nearest returns the least cost in a row of the facilities listed.
func nearest(row []float64, open []int32) float64 {
	best := math.Inf(1)
	for _, j := range open {
		best = min(best, row[j])
	}
	return best
}

// TotalCost returns f'y + Q(y) for the design that opens the facilities listed, or +Inf if there are
// none. The sum is compensated: it is within two units in the last place of the exact total.
func (in *Instance) TotalCost(open []int32) float64 {
	if len(open) == 0 {
		return math.Inf(1)
	}

	var s outward.Sum
	for _, j := range open {
		s.Add(in.Fixed[j])
	}
	for i := range in.Clients {
		s.Add(nearest(in.Row(i), open))
	}
	return s.Value()
}

// Hash returns the SHA-256 of the content in hexadecimal; the name does not enter.
func (in *Instance) Hash() string {
	return in.Content("", in.Fixed, in.Cost).Hash()
}
