package mcndp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
)

// errCertificate is wrapped by the errors of the certifier.
var errCertificate = errors.New("invalid certificate")

// certifier turns any multipliers into a cut. It keeps scratch memory; it is for one goroutine.
type certifier struct {
	in       *Instance
	penalty  float64   // P: a unit of flow is worth no more; it bounds what Project lets through
	profit   []float64 // of each commodity in the last knapsack
	row      []float64 // one commodity's multipliers, one a node
	knapsack lagrange.Knapsack
	slack    float64   // bounds the sum of the errors of the profits
	taken    []float64 // of each commodity: what the last knapsack takes
	plain    bool      // the paper's projections, and no more
}

// penaltyOf returns the price per unit that no routing exceeds in general: all arcs but one at the greatest cost, and
// the greatest fixed cost for a unit of capacity.
func penaltyOf(in *Instance) float64 {
	var cost, share float64

	// A path has at most one arc less than there are nodes.
	for j, c := range in.Cost {
		cost = max(cost, c)
		if in.Capacity[j] > 0 {
			share = max(share, in.Fixed[j]/in.Capacity[j])
		}
	}
	return max(tooSmall, min(float64(in.Nodes-1)*cost+share, tooLarge))
}

// newCertifier returns the certifier of a valid instance.
func newCertifier(in *Instance) *certifier {
	// The memory serves one arc or one commodity at a time.
	m := in.commodities()
	return &certifier{
		in:      in,
		penalty: penaltyOf(in),
		profit:  make([]float64, m),
		taken:   make([]float64, m),
		row:     make([]float64, in.Nodes),
	}
}

// size returns the length of a vector of multipliers.
func (in *Instance) size() int { return in.Nodes * in.commodities() }

// Project maps any multipliers of the optimality head in place to useful ones and returns how many entries were not
// finite; NaN counts as 0. Negative entries become 0 and those of a commodity at most P d_i; then the difference from
// destination to origin is at most P d_i too, by lowering the origin. Last, the other nodes are brought between the
// two: a profit of an arc is not raised by that where it is positive, so the cut is at least as strong everywhere.
func (c *certifier) Project(u []float64) (notFinite int) {
	m := c.in.commodities()
	notFinite = clean(u)
	if c.plain {
		c.penalise(u)
		return notFinite
	}

	// A multiplier above P d_i would price a unit higher than any routing costs.
	for v := range c.in.Nodes {
		for i, d := range c.in.Demand {
			u[v*m+i] = min(u[v*m+i], c.penalty*d)
		}
	}
	c.straighten(u)
	return notFinite
}

// clean makes what is negative or NaN 0 and limits the rest to tooLarge; it returns how many entries were not finite.
func clean(u []float64) (notFinite int) {
	for k, x := range u {
		// An infinity is limited as every large number is, and NaN becomes 0.
		if math.IsNaN(x) || math.IsInf(x, 0) {
			notFinite++
		}
		u[k] = 0
		if x > 0 {
			u[k] = min(x, tooLarge)
		}
	}
	return notFinite
}

// penalise lowers the multipliers of origins so that none exceeds its destination's by more than P d_i (paper,
// section 5.3).
func (c *certifier) penalise(u []float64) {
	m := c.in.commodities()
	for i, d := range c.in.Demand {
		// The difference of the two is what routing a unit of the commodity is worth.
		o := int(c.in.Origin[i])*m + i
		u[o] = min(u[o], u[int(c.in.Destination[i])*m+i]+c.penalty*d)
	}
}

// straighten brings the multipliers of every commodity between those of its destination and its origin. A commodity
// whose origin has less than its destination gets none, which is stronger.
func (c *certifier) straighten(u []float64) {
	m := c.in.commodities()
	for i := range m {
		// Only differences count, so that the destination gets zero.
		low := u[int(c.in.Destination[i])*m+i]
		high := max(low, u[int(c.in.Origin[i])*m+i])
		for k := i; k < len(u); k += m {
			u[k] = min(max(u[k], low), high) - low
		}
	}
}

// ProjectFeasibility maps any multipliers of the feasibility head in place into {u >= 0, sum_v u_iv <= 1 for every i}:
// what is negative or NaN becomes 0, and the rows of commodities are projected in the sense of least squares. Then the
// nodes are brought between destination and origin, which only shrinks sums. It returns how many entries were not
// finite.
func (c *certifier) ProjectFeasibility(u []float64) (notFinite int) {
	m := c.in.commodities()
	notFinite = clean(u)
	for i := range m {
		for v := range c.row {
			c.row[v] = u[v*m+i]
		}

		// In u the nodes of a commodity are m entries apart, so that the row is projected in a copy.
		cappedSimplex(c.row)

		// The projected row goes back to its places.
		for v, x := range c.row {
			u[v*m+i] = x
		}
	}
	if !c.plain {
		c.straighten(u)
	}
	return notFinite
}

// cappedSimplex maps a nonnegative vector in place to the nearest one whose sum is at most 1 (Held, Wolfe and Crowder
// 1974): every entry is lowered by the same threshold, which is found by discarding what falls below it.
func cappedSimplex(x []float64) {
	if sumOf(x) <= 1 {
		return
	}

	// Each round keeps fewer entries than the one before, also where rounding would let one back in.
	threshold := 0.0
	for count := len(x) + 1; ; {
		above := 0.0
		left := 0
		for _, v := range x {
			if v > threshold {
				above += v
				left++
			}
		}
		if left >= count || left == 0 {
			break
		}
		count = left
		threshold = max(0, (above-1)/float64(left))
	}

	for k, v := range x {
		x[k] = max(0, v-threshold)
	}

	// Rounding may leave a sum that is a little above 1.
	if total := sumOf(x); total > 1 {
		for k := range x {
			x[k] /= total * (1 + 4*outward.UnitRoundoff)
		}
	}
}

// sumOf adds numbers up in their order.
func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Cut returns the cut of any finite u >= 0 with its strongest completion, rounded so that it is implied in exact
// arithmetic: alpha = sum_i (u_{i,o_i} - u_{i,t_i}) and beta_j = -kappa_j(u). Slopes of the size of rounding errors are
// taken off alpha instead, as if their arcs were open.
func (c *certifier) Cut(kind benders.Kind, u []float64) (benders.Cut, error) {
	if len(u) != c.in.size() {
		return benders.Cut{}, fmt.Errorf("mcndp: %w: %d multipliers for %d nodes and %d commodities", errCertificate,
			len(u), c.in.Nodes, c.in.commodities())
	}
	for k, v := range u {
		if !(v >= 0 && v <= tooLarge) {
			return benders.Cut{}, fmt.Errorf("mcndp: %w: multiplier %d is %g", errCertificate, k, v)
		}
	}

	// The knapsack of every arc, bounded from above; the small ones are paid by the constant.
	cut := benders.Cut{
		Kind:        kind,
		Theta:       benders.AllEpigraphs,
		Alpha:       c.alphaDown(u),
		Certificate: &benders.Multipliers{Of: kind, Values: slices.Clone(u)},
	}
	negligible := 1e-12 * math.Abs(cut.Alpha)
	dropped := 0.0
	for j := range c.in.arcs() {
		c.solve(kind, u, j)
		switch up := c.up(); {
		case up > negligible:
			cut.Index = append(cut.Index, int32(j))
			cut.Beta = append(cut.Beta, -up)
		case up > 0:
			dropped = outward.AddUp(dropped, up)
		}
	}
	if dropped > 0 {
		cut.Alpha = outward.AddDown(cut.Alpha, -dropped)
	}
	return cut, nil
}

// alphaDown returns a lower bound on the exact sum_i (u_{i,o_i} - u_{i,t_i}).
func (c *certifier) alphaDown(u []float64) float64 {
	// The two sums are compensated, and rounded once each.
	var plus, minus outward.Sum
	m := c.in.commodities()
	for i, o := range c.in.Origin {
		plus.Add(u[int(o)*m+i])
		minus.Add(u[int(c.in.Destination[i])*m+i])
	}

	// Where the destinations have zero, a second rounding would only lower the bound.
	if minus.Value() == 0 {
		return plus.Down()
	}
	return outward.AddDown(plus.Down(), -minus.Up())
}

// solve solves the knapsack of arc j and returns its value, rounded to nearest. A profit of an optimality cut is a
// product subtracted from a difference, each rounded: it is off by at most 2 u of the two terms, and by a subnormal.
func (c *certifier) solve(kind benders.Kind, u []float64, j int) float64 {
	m := c.in.commodities()
	tail := u[int(c.in.Tail[j])*m:][:m]
	head := u[int(c.in.Head[j])*m:][:m]
	profit := c.profit[:m]
	demand := c.in.Demand[:m]

	// The profits, and the sum of the terms that their errors come from.
	terms := 0.0
	if kind == benders.Optimality {
		cost := c.in.Cost[j]
		for i, d := range demand {
			profit[i] = 0
			if gain := tail[i] - head[i]; gain > 0 {
				paid := float64(cost * d)
				profit[i] = gain - paid
				if both := gain + paid; profit[i] > -4*outward.UnitRoundoff*both {
					terms += both // else the exact profit is negative too
				}
			}
		}
	} else {
		for i, v := range tail {
			profit[i] = v - head[i]
			terms += math.Abs(profit[i])
		}
	}

	// Four units of roundoff of a term are twice the bound on its error; the factor covers the rounding of the sum.
	c.slack = 4*outward.UnitRoundoff*terms*(1+float64(m)*outward.UnitRoundoff) + float64(2*m)*math.SmallestNonzeroFloat64
	if terms == 0 {
		c.slack = 0
	}
	_, value := c.knapsack.Solve(profit, demand, c.in.Capacity[j])
	return value
}

// up bounds the last knapsack from above.
func (c *certifier) up() float64 { return c.knapsack.Up(c.slack) }

// Value returns sum_i (u_{i,o_i} - u_{i,t_i}) - sum_j y_j kappa_j(u), rounded to nearest.
func (c *certifier) Value(kind benders.Kind, u, y []float64) float64 {
	value := 0.0
	m := c.in.commodities()
	for i, o := range c.in.Origin {
		value += u[int(o)*m+i] - u[int(c.in.Destination[i])*m+i]
	}

	// A closed arc pays nothing, whatever its knapsack.
	for j, v := range y {
		if v != 0 {
			value -= v * c.solve(kind, u, j)
		}
	}
	return value
}

// Supergradient fills dst with b_iv - (sum_out y_j a_ij - sum_in y_j a_ij), a_j the solution of arc j's knapsack: a
// supergradient of Value in u. It returns Value.
func (c *certifier) Supergradient(kind benders.Kind, dst, u, y []float64) float64 {
	value := c.supplies(dst, u)
	for j, v := range y {
		// The knapsack of arc j is convex in u, with its solution as a subgradient.
		if v != 0 {
			value -= v * c.solve(kind, u, j)
			c.addSolution(dst, j, v)
		}
	}
	return value
}

// supplies fills dst with the b_iv and returns b'u.
func (c *certifier) supplies(dst, u []float64) float64 {
	clear(dst)
	value := 0.0
	m := c.in.commodities()
	for i, o := range c.in.Origin {
		// b is 1 at the origin of a commodity and -1 at its destination.
		from := int(o)*m + i
		to := int(c.in.Destination[i])*m + i
		dst[from] = 1
		dst[to] = -1
		value += u[from] - u[to]
	}
	return value
}

// addSolution takes scale times the flow that the last knapsack, that of arc j, sends over its arc from the supplies
// left in dst.
func (c *certifier) addSolution(dst []float64, j int, scale float64) {
	m := c.in.commodities()
	clear(c.taken)
	c.knapsack.AddSolution(c.taken, scale)

	// The multipliers of a node are those of all commodities in their order.
	tail := dst[int(c.in.Tail[j])*m:][:m]
	head := dst[int(c.in.Head[j])*m:][:m]
	for i, a := range c.taken {
		if a != 0 {
			tail[i] -= a
			head[i] += a
		}
	}
}
