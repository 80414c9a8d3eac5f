// Package cap is the capacitated facility location family, the paper's CAP: m clients, n facilities,
//
//	min  sum_j f_j y_j + Q(y)   s.t.  sum_j min(s_j, D) y_j >= D,  sum_j y_j >= 1,  y binary,
//	Q(y) = min { sum_ij c_ij x_ij : sum_j x_ij >= 1, sum_i d_i x_ij <= s_j y_j, 0 <= x_ij <= y_j },
//
// with c_ij the cost of serving all of client i from facility j (the paper's d_i c_ij) and D = sum_i d_i. Demand
// may be split. For any lambda >= 0 the inequality
//
//	theta >= sum_i lambda_i - sum_j kappa_j(lambda) y_j,
//	kappa_j = max { sum_i (lambda_i - c_ij) a_i : 0 <= a_i <= 1, sum_i d_i a_i <= s_j }
//
// is a valid cut (paper, Appendix B, CAP), and with the costs dropped 0 >= sum_i lambda_i - sum_j kappa_j y_j is one
// for feasibility. The recourse is feasible at y in [0,1]^n exactly if the two rows of the master hold there:
// x_ij = y_j min(s_j, D) / D then serves every client; conversely lambda = d is a certificate. That is different where
// facilities may not serve some client: forbidden.go.
//
// The package reads and writes OR-Library files, generates and perturbs instances, solves the recourse exactly at
// any point, certifies predicted duals, and has the primal and dual heuristics that shrink the master.
package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
)

// Instance is a capacitated facility location problem: Cost is the cost of serving all of a client.
type Instance struct{ *location.Location }

// Clone returns a deep copy, for a caller who wants to change it.
func (in *Instance) Clone() *Instance { return &Instance{in.Location.Clone()} }

// Validate returns an error for the first defect that makes the instance unusable: no facility or client, lengths that
// differ, a number that is negative, NaN or infinite, a demand below 1e-100 that is not 0, or numbers so large that
// sums of them leave the range of float64. Capacities that do not suffice are no error: such an instance is infeasible.
func (in *Instance) Validate() error {
	if err := in.Check(name, tooLarge, true); err != nil {
		return err
	}

	// A demand that is not zero is a divisor, so that it must not be next to zero.
	for i, d := range in.Demand {
		if d > 0 && d < tooSmall {
			return fmt.Errorf("cap: %w: demand %g of client %d, below %g", instance.ErrInstance, d, i, tooSmall)
		}
	}
	return nil
}

// tooLarge and tooSmall bound the numbers that Validate accepts, so that their products, quotients and sums are finite.
const (
	tooLarge = 1e100
	tooSmall = 1e-100
)

// feasible reports whether the recourse is feasible at y in [0,1]^n, all pairs allowed: whether min(s_j, D) y_j
// covers D, and y at least one facility, each to the relative tolerance of coverTolerance.
func (in *Instance) feasible(y []float64) bool {
	total := in.TotalDemand()
	var mass, cover float64

	// No facility helps by more than the whole demand.
	for j, v := range y {
		mass += v
		cover += v * min(in.Capacity[j], total)
	}
	return mass >= 1-coverTolerance && cover >= total*(1-coverTolerance)
}

// coverTolerance is the relative amount below D up to which an open capacity counts as covering it: points of the
// master satisfy its rows only to the tolerance of the simplex method. No facility serves the missing demand, at no
// cost.
const coverTolerance = 1e-8

// Hash returns the SHA-256 of the content in hexadecimal; the name does not enter.
func (in *Instance) Hash() string {
	return in.Content("cap", in.Capacity, in.Fixed, in.Demand, in.Cost).Hash()
}
