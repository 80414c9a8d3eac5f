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
// is a valid cut (paper, Appendix A.1), and with the costs dropped 0 >= sum_i lambda_i - sum_j kappa_j y_j is one
// for feasibility. The recourse is feasible at y in [0,1]^n exactly if the two rows of the master hold there:
// x_ij = y_j min(s_j, D) / D then serves every client; conversely lambda = d is a certificate.
//
// The package reads and writes OR-Library files, generates and perturbs instances, solves the recourse exactly at
// any point, certifies predicted duals, and has the primal and dual heuristics that shrink the master.
package cap

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

// maxDim bounds the number of facilities and of clients: indices are int32, and the bounds of round.go hold for
// sums of up to 2^26 terms.
const maxDim = 1 << 26

// Instance is a capacitated facility location problem with nonnegative finite data. Cost is m x n row-major:
// Cost[i*Facilities+j] is what serving all of client i from facility j costs. It must not be changed, nor copied
// by value, once a solver has seen it: the columns of the costs are cached.
type Instance struct {
	Name       string
	Facilities int       // n
	Clients    int       // m
	Capacity   []float64 // s_j
	Fixed      []float64 // f_j
	Demand     []float64 // d_i
	Cost       []float64

	Labels *families.Labels // of a table file; nil for numbers from 1

	columns atomic.Pointer[[]float64]
}

// Row returns the costs of client i, one a facility. It is a view.
func (in *Instance) Row(i int) []float64 {
	n := in.Facilities
	return in.Cost[i*n : (i+1)*n : (i+1)*n]
}

// Column returns the costs of facility j, one a client. It is a view of a transposed copy, made at the first call.
func (in *Instance) Column(j int) []float64 {
	c := in.columns.Load()
	if c == nil {
		t := make([]float64, len(in.Cost))
		for i := range in.Clients {
			for k, v := range in.Row(i) {
				t[k*in.Clients+i] = v
			}
		}
		c = &t
		in.columns.Store(c)
	}
	m := in.Clients
	return (*c)[j*m : (j+1)*m : (j+1)*m]
}

// Clone returns a deep copy without the cache, for a caller who wants to change it.
func (in *Instance) Clone() *Instance {
	clone := func(v []float64) []float64 { return append([]float64(nil), v...) }
	return &Instance{Name: in.Name, Facilities: in.Facilities, Clients: in.Clients, Capacity: clone(in.Capacity),
		Fixed: clone(in.Fixed), Demand: clone(in.Demand), Cost: clone(in.Cost)}
}

// Validate reports the first thing that makes the instance unusable: no facility or client, lengths that
// differ, a number that is negative, NaN or infinite, a demand below 1e-100 that is not 0, or numbers so large that
// sums of them leave the range of float64. Capacities that do not suffice are no error: such an instance is infeasible.
func (in *Instance) Validate() error {
	n, m := in.Facilities, in.Clients
	if n < 1 || m < 1 || n > maxDim || m > maxDim {
		return fmt.Errorf("cap: %w: %d facilities and %d clients", ErrInstance, n, m)
	}
	if len(in.Cost)%n != 0 || len(in.Cost)/n != m {
		return fmt.Errorf("cap: %w: %d costs for %d clients and %d facilities", ErrInstance, len(in.Cost), m, n)
	}
	for _, part := range []struct {
		name, of string
		values   []float64
		want     int
	}{{"capacity", "facility", in.Capacity, n}, {"fixed cost", "facility", in.Fixed, n}, {"demand", "client", in.Demand,
		m}} {
		if len(part.values) != part.want {
			have := len(part.values)
			return fmt.Errorf("cap: %w: %d numbers for the %s of %d", ErrInstance, have, part.name, part.want)
		}
		total := 0.0
		for k, v := range part.values {
			if !validNumber(v) {
				return fmt.Errorf("cap: %w: %s %g of %s %d", ErrInstance, part.name, v, part.of, k)
			}
			total += v
		}
		if !(total < tooLarge) {
			return fmt.Errorf("cap: %w: the sum over each %s is %g, beyond what sums in float64 can hold", ErrInstance,
				part.name, total)
		}
	}
	for i, d := range in.Demand {
		if d > 0 && d < tooSmall {
			return fmt.Errorf("cap: %w: demand %g of client %d, below %g", ErrInstance, d, i, tooSmall)
		}
	}
	total := 0.0
	for k, c := range in.Cost {
		if !validNumber(c) {
			return fmt.Errorf("cap: %w: cost %g of client %d at facility %d", ErrInstance, c, k/n, k%n)
		}
		total += c
	}
	if !(total < tooLarge) {
		return fmt.Errorf("cap: %w: the costs add up to %g, beyond what sums in float64 can hold", ErrInstance, total)
	}
	return nil
}

// tooLarge and tooSmall leave room for products, quotients and sums of what Validate accepts.
const (
	tooLarge = 1e100
	tooSmall = 1e-100
)

func validNumber(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }

// TotalDemand returns D, rounded to nearest.
func (in *Instance) TotalDemand() float64 { return outward.Total(in.Demand) }

// Feasible reports whether the recourse is feasible at y in [0,1]^n: whether min(s_j, D) y_j covers D, and y at
// least one facility, each to the relative tolerance of coverTolerance.
func (in *Instance) Feasible(y []float64) bool {
	total := in.TotalDemand()
	mass, cover := 0.0, 0.0
	for j, v := range y {
		mass += v
		cover += v * min(in.Capacity[j], total)
	}
	return mass >= 1-coverTolerance && cover >= total*(1-coverTolerance)
}

// coverTolerance is how far below D, relative, an open capacity counts as covering it: points of the master
// satisfy its rows only to the tolerance of the simplex. What is missing is served by no facility, at no cost.
const coverTolerance = 1e-8

// Design returns the 0-1 vector that opens the facilities listed.
func (in *Instance) Design(open []int32) []float64 { return families.Design(in.Facilities, open) }

// Hash returns the SHA-256 of the content in hexadecimal; the name does not enter.
func (in *Instance) Hash() string {
	return families.Content{Tag: "cap", Sizes: []int{in.Facilities, in.Clients},
		Numbers: [][]float64{in.Capacity, in.Fixed, in.Demand, in.Cost}}.Hash()
}
