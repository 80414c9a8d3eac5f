// Package mcndp is the multicommodity capacitated network design family: a directed graph with arcs j from tail(j) to
// head(j), commodities i that want d_i units from o_i to t_i,
//
//	min  sum_j f_j y_j + Q(y)   s.t.  cut sets, y binary,
//	Q(y) = min { sum_ij d_i c_j x_ij : x_i sends one unit from o_i to t_i, sum_i d_i x_ij <= s_j y_j, 0 <= x_ij <= y_j },
//
// with c_j the cost of a unit of flow, s_j the capacity and f_j the fixed cost of arc j (Crainic, Frangioni and Gendron
// 2001). For any u >= 0, one number a commodity and node, the inequality
//
//	theta >= sum_i (u_{i,o_i} - u_{i,t_i}) - sum_j kappa_j(u) y_j,
//	kappa_j = max { sum_i (u_{i,tail(j)} - u_{i,head(j)} - d_i c_j) a_i : 0 <= a_i <= 1, sum_i d_i a_i <= s_j }
//
// is a valid cut (paper, Appendix B, MCNDP), and with the costs dropped 0 >= sum_i (u_{i,o_i} - u_{i,t_i}) - sum_j
// kappa_j y_j is one for feasibility. The best u at any y of [0,1]^n makes the cut equal to Q(y).
//
// The package reads and writes .dow files, generates and perturbs instances, solves the recourse exactly at any point,
// certifies predicted duals, and has the primal and dual heuristics that shrink the master.
package mcndp

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/outward"
)

// maxDim bounds the numbers of nodes, arcs and commodities: indices are int32, and vectors of one number a commodity
// and node or arc must have a length.
const maxDim = 1 << 24

// Instance is a network design problem with nonnegative finite data. Nodes are counted from 0.
type Instance struct {
	Name  string
	Nodes int

	// The arcs: the two ends, c_j, s_j and f_j of each.
	Tail, Head []int32
	Cost       []float64 // of a unit of flow
	Capacity   []float64
	Fixed      []float64

	// The commodities: o_i, t_i and d_i > 0 of each.
	Origin      []int32
	Destination []int32
	Demand      []float64

	Labels *tables.Labels // of a table file; nil for numbers from 1
}

// arcs returns the number of arcs, n.
func (in *Instance) arcs() int { return len(in.Tail) }

// commodities returns the number of commodities.
func (in *Instance) commodities() int { return len(in.Origin) }

// Clone returns a deep copy.
func (in *Instance) Clone() *Instance {
	out := *in

	// The labels are shared: nothing changes them.
	for _, list := range []*[]int32{&out.Tail, &out.Head, &out.Origin, &out.Destination} {
		*list = slices.Clone(*list)
	}
	for _, list := range []*[]float64{&out.Cost, &out.Capacity, &out.Fixed, &out.Demand} {
		*list = slices.Clone(*list)
	}
	return &out
}

// tooLarge and tooSmall leave room for products, quotients and sums of what Validate accepts.
const (
	tooLarge = 1e100
	tooSmall = 1e-100
)

// Validate reports the first thing that makes the instance unusable: no arc or commodity, lengths that differ, an end
// that is no node or is the other end too, a number that is negative, NaN or infinite, a demand that is not positive,
// or numbers so large that sums of their products leave the range of float64. Demand that the arcs cannot carry is no
// error: such an instance is infeasible.
func (in *Instance) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("mcndp: %w: %s", instance.ErrInstance, fmt.Sprintf(format, args...))
	}

	// A network has two nodes at least, since no arc may lead from a node to itself.
	n := in.arcs()
	m := in.commodities()
	if min(in.Nodes-1, n, m) < 1 || max(in.Nodes, n, m) > maxDim {
		return bad("%d nodes, %d arcs and %d commodities", in.Nodes, n, m)
	}

	// The ends of the arcs and of the commodities.
	for _, part := range []struct {
		name     string
		from, to []int32
		want     int
	}{
		{"arc", in.Tail, in.Head, n},
		{"commodity", in.Origin, in.Destination, m},
	} {
		if len(part.to) != part.want {
			return bad("%d ends for %d of kind %s", len(part.to), part.want, part.name)
		}
		for k, v := range part.from {
			w := part.to[k]

			// Both ends are nodes, and different ones.
			if v == w || min(v, w) < 0 || int(max(v, w)) >= in.Nodes {
				return bad("%s %d leads from node %d to node %d of %d", part.name, k, v, w, in.Nodes)
			}
		}
	}

	// The numbers. All demand over the sum of all costs bounds the cost of any flow without cycles.
	err := instance.CheckNumbers(name, tooLarge,
		instance.Numbers{Of: "cost of arc", List: in.Cost, Want: n},
		instance.Numbers{Of: "capacity of arc", List: in.Capacity, Want: n},
		instance.Numbers{Of: "fixed cost of arc", List: in.Fixed, Want: n},
		instance.Numbers{Of: "demand of commodity", List: in.Demand, Want: m})
	if err != nil {
		return err
	}
	if total := outward.Total(in.Cost) * in.totalDemand(); !(total < tooLarge) {
		return bad("costs and demands with products up to %g", total)
	}

	// A demand is a divisor, so that it must not be next to zero.
	for i, d := range in.Demand {
		if !(d >= tooSmall) {
			return bad("the demand of commodity %d is %g", i, d)
		}
	}
	return nil
}

// totalDemand returns the sum of the demands, rounded to nearest.
func (in *Instance) totalDemand() float64 { return outward.Total(in.Demand) }

// fixedCost returns the fixed costs of a design.
func (in *Instance) fixedCost(y []float64) float64 {
	var s outward.Sum

	// The sum is in doubled precision, since runs compare designs whose costs differ by little.
	for j, v := range y {
		s.Add(v * in.Fixed[j])
	}
	return s.Value()
}

// Hash returns the SHA-256 of the content in hexadecimal; the name does not enter.
func (in *Instance) Hash() string {
	// Every list has the length that the sizes give.
	return instance.Content{
		Tag:     "mcndp",
		Sizes:   []int{in.Nodes, in.arcs(), in.commodities()},
		Ends:    [][]int32{in.Tail, in.Head, in.Origin, in.Destination},
		Numbers: [][]float64{in.Cost, in.Capacity, in.Fixed, in.Demand},
	}.Hash()
}
