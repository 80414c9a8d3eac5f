package ufl

import (
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
)

// ErrCertificate is wrapped by the errors of the certifier and of Check.
var ErrCertificate = errors.New("invalid certificate")

// Certificate is the dual pi of one client, or of all of them for an aggregated cut. Its completion
// nu_ij = (pi_i - c_ij)+ follows from the instance.
type Certificate struct {
	Client int // the client, or benders.AllEpigraphs
	pi     []float64
}

// Kind is Optimality: with a facility open the recourse is always feasible.
func (c *Certificate) Kind() benders.Kind { return benders.Optimality }

// Vector returns pi: one entry, or one for every client. It must not be changed.
func (c *Certificate) Vector() []float64 { return c.pi }

// Projection counts what Project changed.
type Projection struct {
	NonFinite int // NaN and infinite entries
	Above     int // finite entries above the dearest cost of the client's row
	Below     int // finite entries below the cheapest one, negative ones among them
}

// Certifier turns any prediction into cuts. It has no state that a call changes; it may be used from
// several goroutines.
type Certifier struct {
	in         *Instance
	rows       *Sorted
	aggregated bool
}

// NewCertifier returns the certifier of an instance. The instance must be valid.
func NewCertifier(in *Instance, aggregated bool) *Certifier {
	return &Certifier{in: in, rows: in.Sorted(), aggregated: aggregated}
}

// Project maps any pi (one entry a client) in place into the box [min_j c_ij, max_j c_ij]; NaN counts as 0.
// Every nonnegative pi is dual feasible, so this is about strength alone, and nothing is lost. With
// V(pi, y) = pi - sum_j (pi - c_ij)+ y_j, C = max_j c_ij and c = min_j c_ij:
//
//   - For pi >= C, V(pi, y) = pi (1 - sum_j y_j) + sum_j c_ij y_j, which does not increase in pi as soon as
//     sum_j y_j >= 1. So V(C, y) >= V(pi, y) at every point of the master, fractional ones included.
//   - For pi <= c, V(pi, y) = pi <= c = V(c, y) for every y.
func (c *Certifier) Project(pi []float64) Projection {
	var p Projection
	for i, v := range pi {
		_, cost := c.rows.Row(i)
		low, high := cost[0], cost[len(cost)-1]
		switch {
		case math.IsNaN(v):
			p.NonFinite++
			pi[i] = low
		case v > high:
			p.count(v, &p.Above)
			pi[i] = high
		case v < low:
			p.count(v, &p.Below)
			pi[i] = low
		}
	}
	return p
}

func (p *Projection) count(v float64, finite *int) {
	if math.IsInf(v, 0) {
		p.NonFinite++
	} else {
		*finite++
	}
}

// Value returns sum_i V(pi_i, y), the dual objective of a projected pi at y, rounded to nearest.
func (c *Certifier) Value(pi, y []float64) float64 {
	var s compensated
	for i, p := range pi {
		v, _ := c.Row(i, p, y)
		s.add(v)
	}
	return s.value()
}

// Supergradient fills dst with 1 - sum_j y_j [pi_i > c_ij] for every client: a supergradient of Value in
// pi, and at a kink the right-hand end of the interval's left limit, that is the slope to the left. It
// returns Value.
func (c *Certifier) Supergradient(dst, pi, y []float64) float64 {
	var s compensated
	for i, p := range pi {
		v, g := c.Row(i, p, y)
		dst[i] = g
		s.add(v)
	}
	return s.value()
}

// Row returns V(pi, y) for client i and its slope in pi from the left, in time linear in the number of
// facilities that are cheaper than pi.
func (c *Certifier) Row(i int, pi float64, y []float64) (value, slope float64) {
	order, cost := c.rows.Row(i)
	value, slope = pi, 1
	for t, v := range cost {
		if v >= pi {
			break
		}
		w := y[order[t]]
		value -= (pi - v) * w
		slope -= w
	}
	return value, slope
}

// Cuts completes a projected pi to cuts: one for every client whose cut is violated at p by more than
// the tolerance (all of them if p.Theta is nil), or the aggregated one. The arrays of the cuts are fresh;
// the cuts of one call share a few large ones.
func (c *Certifier) Cuts(pi []float64, p benders.Point, tolerance float64) ([]benders.Cut, error) {
	if len(pi) != c.in.Clients {
		return nil, fmt.Errorf("ufl: %w: %d duals for %d clients", ErrCertificate, len(pi), c.in.Clients)
	}
	for i, v := range pi {
		_, cost := c.rows.Row(i)
		if !(v >= 0 && v <= cost[len(cost)-1]) {
			return nil, fmt.Errorf("ufl: %w: the dual of client %d is %g, outside [0, %g]", ErrCertificate, i, v, cost[len(cost)-1])
		}
	}
	if c.aggregated {
		return []benders.Cut{c.aggregate(pi)}, nil
	}
	clients, size := c.violated(pi, p, tolerance)
	return c.disaggregate(pi, clients, size), nil
}

// violated lists the clients whose cut p violates, and counts the nonzeros of their cuts.
func (c *Certifier) violated(pi []float64, p benders.Point, tolerance float64) (clients []int32, size int) {
	for i, v := range pi {
		if p.Theta != nil {
			value, _ := c.Row(i, v, p.Y)
			if !(value > p.Theta[i]+tolerance*max(1, math.Abs(value))) {
				continue
			}
		}
		clients = append(clients, int32(i))
		_, cost := c.rows.Row(i)
		size += below(cost, v)
	}
	return clients, size
}

// below returns the number of sorted costs that are less than v.
func below(cost []float64, v float64) int {
	lo, hi := 0, len(cost)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if cost[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// disaggregate makes the cuts theta_i >= pi_i - sum_j (pi_i - c_ij)+ y_j of the clients listed, whose
// nonzeros number size in all. Alpha is exact and every slope is the float64 nearest below the exact one.
func (c *Certifier) disaggregate(pi []float64, clients []int32, size int) []benders.Cut {
	cuts := make([]benders.Cut, len(clients))
	certificates := make([]Certificate, len(clients))
	values := make([]float64, len(clients), len(clients)+size)
	index := make([]int32, 0, size)
	for k, i := range clients {
		values[k] = pi[i]
		certificates[k] = Certificate{Client: int(i), pi: values[k : k+1 : k+1]}
	}
	for k, i := range clients {
		order, cost := c.rows.Row(int(i))
		v, lo, at := pi[i], len(index), len(values)
		for t, w := range cost {
			if w >= v {
				break
			}
			index = append(index, order[t])
			values = append(values, -subUp(v, w))
		}
		hi, end := len(index), len(values)
		cuts[k] = benders.Cut{Kind: benders.Optimality, Theta: int(i), Alpha: v,
			Index: index[lo:hi:hi], Beta: values[at:end:end], Certificate: &certificates[k]}
	}
	return cuts
}

// aggregate makes the cut sum_i theta_i >= sum_i pi_i - sum_j (sum_i (pi_i - c_ij)+) y_j.
func (c *Certifier) aggregate(pi []float64) benders.Cut {
	n, m := c.in.Facilities, c.in.Clients
	kappa := make([]float64, n)
	var alpha compensated
	for i, v := range pi {
		alpha.add(v)
		order, cost := c.rows.Row(i)
		for t, w := range cost {
			if w >= v {
				break
			}
			kappa[order[t]] += v - w
		}
	}
	cut := benders.Cut{Kind: benders.Optimality, Theta: benders.AllEpigraphs, Alpha: alpha.down(),
		Certificate: &Certificate{Client: benders.AllEpigraphs, pi: append([]float64(nil), pi...)}}
	size := 0
	for _, k := range kappa {
		if k > 0 {
			size++
		}
	}
	cut.Index, cut.Beta = make([]int32, 0, size), make([]float64, 0, size)
	for j, k := range kappa {
		if k > 0 {
			cut.Index = append(cut.Index, int32(j))
			cut.Beta = append(cut.Beta, -sumUp(k, m))
		}
	}
	return cut
}
