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
// is a valid cut for every pi_i (paper, Appendix A.2 and A.3). The package reads and writes UflLib
// files, generates instances, separates exactly, certifies predicted duals, and has the dual and
// primal heuristics that shrink the master before the tree starts.
package ufl

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// ErrInstance is wrapped by every error that Validate returns.
var ErrInstance = errors.New("invalid instance")

// maxDim bounds the number of facilities and of clients: indices are int32, and the rounding bounds of
// round.go hold for sums of up to 2^26 terms.
const maxDim = 1 << 26

// Instance is an uncapacitated facility location problem with nonnegative finite costs. Cost is
// m x n row-major: Cost[i*Facilities+j] is what serving all of client i from facility j costs. It must
// not be changed, nor copied by value, once a solver has seen it: the sorted rows are cached.
type Instance struct {
	Name       string
	Facilities int // n
	Clients    int // m
	Fixed      []float64
	Cost       []float64

	Labels *families.Labels // of a table file; nil for numbers from 1

	sorted atomic.Pointer[sortedRows]
}

// Row returns the costs of client i, one a facility. It is a view.
func (in *Instance) Row(i int) []float64 {
	n := in.Facilities
	return in.Cost[i*n : (i+1)*n : (i+1)*n]
}

// Clone returns a deep copy without the cached sorted rows, for a caller who wants to change it.
func (in *Instance) Clone() *Instance {
	return &Instance{Name: in.Name, Facilities: in.Facilities, Clients: in.Clients,
		Fixed: append([]float64(nil), in.Fixed...), Cost: append([]float64(nil), in.Cost...)}
}

// Validate reports the first thing that makes the instance unusable: no facility or client, lengths
// that differ, a cost that is negative, NaN or infinite, or costs so large that the total cost of a
// design can exceed half the range of float64.
func (in *Instance) Validate() error {
	n, m := in.Facilities, in.Clients
	if n < 1 || m < 1 || n > maxDim || m > maxDim {
		return fmt.Errorf("ufl: %w: %d facilities and %d clients", ErrInstance, n, m)
	}
	if len(in.Fixed) != n {
		return fmt.Errorf("ufl: %w: %d fixed costs for %d facilities", ErrInstance, len(in.Fixed), n)
	}
	if len(in.Cost)%n != 0 || len(in.Cost)/n != m {
		return fmt.Errorf("ufl: %w: %d costs for %d clients and %d facilities", ErrInstance, len(in.Cost), m, n)
	}
	total := 0.0
	for j, f := range in.Fixed {
		if !validCost(f) {
			return fmt.Errorf("ufl: %w: fixed cost %g of facility %d", ErrInstance, f, j)
		}
		total += f
	}
	for i := range m {
		top := 0.0
		for j, c := range in.Row(i) {
			if !validCost(c) {
				return fmt.Errorf("ufl: %w: cost %g of client %d at facility %d", ErrInstance, c, i, j)
			}
			top = max(top, c)
		}
		total += top
	}
	if !(total < math.MaxFloat64/2) {
		return fmt.Errorf("ufl: %w: the costs add up to %g, beyond the range of float64", ErrInstance, total)
	}
	return nil
}

func validCost(c float64) bool { return c >= 0 && c <= math.MaxFloat64 }

// Design returns the 0-1 vector that opens the facilities listed.
func (in *Instance) Design(open []int32) []float64 { return families.Design(in.Facilities, open) }

// Recourse fills q (length m) with Q_i(y), the cost of the nearest facility that the design y opens,
// and returns false if it opens none. The entries are exact: they are costs of the instance.
func (in *Instance) Recourse(y, q []float64) bool {
	open := families.Open(y)
	if len(open) == 0 {
		return false
	}
	for i := range q {
		q[i] = nearest(in.Row(i), open)
	}
	return true
}

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
	return families.Content{Sizes: []int{in.Facilities, in.Clients}, Numbers: [][]float64{in.Fixed, in.Cost}}.Hash()
}
