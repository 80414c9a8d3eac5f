package cap

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// errCertificate is wrapped by the errors of the certifier and of Check.
var errCertificate = errors.New("invalid certificate")

// certifier turns any prediction into a cut. It keeps scratch memory; it is for one goroutine.
type certifier struct {
	in        *Instance
	low, high []float64 // range of useful multipliers of each client
	profit    []float64 // of each client in the last knapsack
	knapsack  lagrange.Knapsack
	plain     bool              // the paper's projection, (lambda)+, and no more
	transport *transportProblem // decides about designs where some pairs are forbidden; nil before
}

// newCertifier returns the certifier of a valid instance.
func newCertifier(in *Instance) *certifier {
	c := &certifier{in: in, profit: make([]float64, in.Clients)}
	c.low, c.high = in.multiplierRange()
	return c
}

// newPlainCertifier returns the certifier with the paper's projection.
func newPlainCertifier(in *Instance) *certifier {
	c := newCertifier(in)
	c.plain = true
	return c
}

// Dim returns the number of predicted multipliers: one a client.
func (c *certifier) Dim() int { return c.in.Clients }

// Project maps any lambda (one entry a client) in place to multipliers that can be completed, NaN counting as 0, and
// returns how many entries were not finite. The paper's projection (Appendix B, CAP) is (lambda)+, for every
// nonnegative lambda is dual feasible; here it ends at tooLarge, so that sums stay finite. Ours is the box
// [min_j c_ij, max_j c_ij + 2 d_i P], in which no strength is lost:
//
//   - Up to min_j c_ij the multiplier has no profit in any knapsack, so raising it there raises the cut everywhere.
//   - P = n max_ij (c_ij - min_k c_ik) / d_i is more than any optimal capacity price that Transport finds: a price is
//     the length of a path over the facilities, each of whose arcs moves a client from one to another. So an
//     optimal lambda is inside.
func (c *certifier) Project(lambda []float64) (notFinite int) {
	for i, v := range lambda {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			notFinite++
		}

		low, high := c.low[i], c.high[i]
		if c.plain {
			low, high = 0, tooLarge
		}
		lambda[i] = location.Clamp(v, low, high)
	}
	return notFinite
}

// ProjectFeasibility maps any lambda in place onto the slice {lambda >= 0, sum_i lambda_i = 1}, the paper's slice
// normalisation: entries that are negative or not finite become 0, and all are divided by the sum. It returns how many
// entries were not finite. If all entries are 0 it takes the demands, the certificate that decides feasibility.
func (c *certifier) ProjectFeasibility(lambda []float64) (notFinite int) {
	total := 0.0
	for i, v := range lambda {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			notFinite++
			v = 0
		}
		lambda[i] = min(max(v, 0), tooLarge)
		total += lambda[i]
	}

	// Without demand any client will do.
	if total == 0 {
		copy(lambda, c.in.Demand)
		if total = c.in.TotalDemand(); total == 0 {
			lambda[0] = 1
			total = 1
		}
	}

	for i := range lambda {
		lambda[i] /= total
	}
	return notFinite
}

// Complete completes a projected lambda in the strongest way: one optimality cut. Value is its value at p.Y, rounded
// down. The cut does not share memory with lambda. At a design without a recourse it is a feasibility cut instead.
func (c *certifier) Complete(lambda []float64, p benders.Point) (benders.Separation, error) {
	if len(p.Y) != c.in.Facilities {
		return benders.Separation{}, fmt.Errorf("cap: %w: a point with %d columns", instance.ErrInstance, len(p.Y))
	}
	cut, err := c.Cut(benders.Optimality, lambda)
	if err != nil {
		return benders.Separation{}, err
	}
	out := benders.Separation{Cuts: []benders.Cut{cut}, Value: cut.ValueDown(p.Y)}

	// Where facilities may not serve some client, the rows of the master do not decide whether a design has a recourse.
	if c.in.Forbidden == nil || !p.Integer {
		return out, nil
	}
	if c.transport == nil {
		c.transport = newTransport(c.in)
	}
	ctx := context.Background()
	_, feasible, err := c.transport.Solve(ctx, p.Y)
	if err != nil || feasible {
		return out, err
	}
	if cut, err = c.refuted(ctx, c.transport, p.Y, make([]float64, len(lambda))); err != nil {
		return out, err
	}
	return benders.Separation{Cuts: []benders.Cut{cut}, Infeasible: true}, nil
}

// Cut returns the cut of any finite lambda >= 0 with its strongest completion: alpha = sum lambda and
// beta_j = -kappa_j(lambda), rounded so that the cut is implied in exact arithmetic.
func (c *certifier) Cut(kind benders.Kind, lambda []float64) (benders.Cut, error) {
	if err := c.checkDuals(lambda); err != nil {
		return benders.Cut{}, err
	}

	// The multipliers are exact data of the cut; only their sum is rounded.
	var alpha outward.Sum
	for _, v := range lambda {
		alpha.Add(v)
	}
	cut := benders.Cut{
		Kind:        kind,
		Theta:       benders.AllEpigraphs,
		Alpha:       alpha.Down(),
		Certificate: &benders.Multipliers{Of: kind, Values: slices.Clone(lambda)},
	}

	// The completion: the dual of each facility's capacity is the value of its continuous knapsack.
	for j := range c.in.Facilities {
		c.solve(kind, lambda, j)
		if up := c.up(kind); up > 0 {
			cut.Index = append(cut.Index, int32(j))
			cut.Beta = append(cut.Beta, -up)
		}
	}
	return cut, nil
}

// checkDuals returns an error unless there is one multiplier a client, each nonnegative and at most tooLarge.
func (c *certifier) checkDuals(lambda []float64) error {
	if len(lambda) != c.in.Clients {
		return fmt.Errorf("cap: %w: %d multipliers for %d clients", errCertificate, len(lambda), c.in.Clients)
	}
	for i, v := range lambda {
		if !(v >= 0 && v <= tooLarge) {
			return fmt.Errorf("cap: %w: the multiplier of client %d is %g", errCertificate, i, v)
		}
	}
	return nil
}

// solve solves the knapsack of facility j and returns its value, rounded to nearest.
func (c *certifier) solve(kind benders.Kind, lambda []float64, j int) float64 {
	// A feasibility cut has no costs, so that its profits are the multipliers themselves.
	profit := lambda
	if kind == benders.Optimality {
		profit = c.profit
		for i, v := range c.in.Column(j) {
			profit[i] = lambda[i] - v
		}
	}

	// A facility has no profit of a client that it may not serve.
	if c.in.Forbidden != nil {
		profit = append(c.profit[:0], profit...)
		for i := range profit {
			if !c.in.Allowed(i, j) {
				profit[i] = 0
			}
		}
	}
	_, value := c.knapsack.Solve(profit, c.in.Demand, c.in.Capacity[j])
	return value
}

// up bounds the last knapsack from above. The profits of an optimality cut are differences: each positive one is off
// by at most u of itself, and the sign of a difference of floats is exact.
func (c *certifier) up(kind benders.Kind) float64 {
	if kind == benders.Feasibility {
		return c.knapsack.Up(0)
	}
	return c.knapsack.Up(2 * outward.UnitRoundoff * c.knapsack.Profit())
}

// Value returns sum_i lambda_i - sum_j y_j kappa_j(lambda), rounded to nearest.
func (c *certifier) Value(lambda, y []float64) float64 {
	return c.Supergradient(make([]float64, len(lambda)), lambda, y)
}

// Supergradient fills dst with 1 - sum_j y_j a_ij for every client, a_j the solution of facility j's knapsack: a
// supergradient of Value in lambda. It returns Value.
func (c *certifier) Supergradient(dst, lambda, y []float64) float64 {
	var s outward.Sum
	for i, v := range lambda {
		dst[i] = 1
		s.Add(v)
	}
	for j, v := range y {
		// The solution of a knapsack is a subgradient of its value in the profits.
		if v != 0 {
			s.Add(-v * c.solve(benders.Optimality, lambda, j))
			c.knapsack.AddSolution(dst, -v)
		}
	}
	return s.Value()
}
