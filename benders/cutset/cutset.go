// Package cutset separates inequalities on cut sets of networks whose arcs are 0-1 columns of a master: the arcs that
// leave a set of nodes have to carry what must leave it. With some arcs set aside as if open, enough of the others are
// open to carry what is left (Chouman, Crainic and Gendron 2017, section 3), and their capacities, none counted above
// what is left, do (Carr, Fleischer, Leung and Phillips 2000). There may be several cases of capacities and demands,
// such as scenarios: a design has to suffice in each, and a third kind of inequality says what that means for a cut set
// in all of them at once.
package cutset

import (
	"cmp"
	"slices"
)

// Tolerance is how far below a demand, relative, a capacity counts as carrying it: demands and capacities are added in
// floats.
const Tolerance = 1e-9

// Least returns how many of the arcs, given by descending capacity, it takes to carry the demand; one more than there
// are where all of them do not.
func Least(arcs []int32, capacity []float64, demand float64) int {
	carried := 0.0
	for k, j := range arcs {
		if carried >= demand*(1-Tolerance) {
			return k
		}
		carried += capacity[j]
	}
	if carried >= demand*(1-Tolerance) {
		return len(arcs)
	}
	return len(arcs) + 1
}

// Sort orders arcs by descending capacity.
func Sort(arcs []int32, capacity []float64) {
	slices.SortStableFunc(arcs, func(a, b int32) int { return cmp.Compare(capacity[b], capacity[a]) })
}

// order is all arcs by descending capacity, those of the same one in ascending order.
type order struct {
	arc   []int32 // at each place
	place []int32 // of each arc
}

func newOrder(capacity []float64) *order {
	o := &order{arc: make([]int32, len(capacity)), place: make([]int32, len(capacity))}
	for j := range o.arc {
		o.arc[j] = int32(j)
	}
	Sort(o.arc, capacity)
	for k, j := range o.arc {
		o.place[j] = int32(k)
	}
	return o
}

// sort does what Sort does with arcs in ascending order: numbers sort faster than what they stand for.
func (o *order) sort(arcs []int32) {
	for k, j := range arcs {
		arcs[k] = o.place[j]
	}
	slices.Sort(arcs)
	for k, place := range arcs {
		arcs[k] = o.arc[place]
	}
}

// shortfall returns the part of the demand that the capacity at y does not carry.
func shortfall(arcs []int32, capacity, y []float64, demand float64) float64 {
	carried := 0.0
	for _, j := range arcs {
		carried += y[j] * min(capacity[j], demand)
	}
	return 1 - carried/demand
}

// inequality is an inequality over the arcs that were not set aside.
type inequality struct {
	Violation float64
	Arcs      []int32 // not set aside, by descending capacity
	Least     int     // how many of them must be open; 0 for another inequality
	Left      float64 // what they have to carry, for the inequality of their capacities

	weights []float64 // or their coefficients
	side    float64   // for these
}

// finder looks for inequalities on one cut set after the other. Its zero value is ready; it is for one goroutine.
type finder struct{ order, rest []int32 }

// Find returns the most violated inequality of either kind with the arcs that y opens most set aside: a number of arcs,
// and capacities. Violations are 0 where there is none. The arcs are given by descending capacity; the demand is
// positive.
func (w *finder) Find(arcs []int32, capacity, y []float64, demand float64) (best [2]inequality) {
	w.order = append(w.order[:0], arcs...)
	slices.SortStableFunc(w.order, func(a, b int32) int { return cmp.Compare(y[b], y[a]) })
	w.rest = append(w.rest[:0], arcs...)
	left, mass := demand, 0.0
	for _, j := range arcs {
		mass += y[j]
	}
	for aside := 0; ; aside++ {
		if least := Least(w.rest, capacity, left); float64(least)-mass > best[0].Violation {
			best[0] = inequality{Violation: float64(least) - mass, Least: least, Arcs: slices.Clone(w.rest)}
		}
		if aside > 0 {
			if v := shortfall(w.rest, capacity, y, left); v > best[1].Violation {
				best[1] = inequality{Violation: v, Left: left, Arcs: slices.Clone(w.rest)}
			}
		}
		if aside == len(w.order) || y[w.order[aside]] < 0.5 {
			return best
		}
		j := w.order[aside]
		left -= capacity[j]
		mass -= y[j]
		if left <= demand*1e-5 {
			return best
		}
		k := slices.Index(w.rest, j)
		w.rest = slices.Delete(w.rest, k, k+1)
	}
}

// Row returns the inequality as coefficients of the arcs, in ascending order, and the side that their sum has at least.
func (f *inequality) Row(capacity []float64) (arcs []int32, values []float64, side float64) {
	if f.weights != nil {
		for k, j := range f.Arcs {
			if f.weights[k] > 0 {
				arcs, values = append(arcs, j), append(values, f.weights[k])
			}
		}
		return arcs, values, f.side
	}
	arcs = slices.Clone(f.Arcs)
	slices.Sort(arcs)
	values = make([]float64, len(arcs))
	for k, j := range arcs {
		values[k] = 1
		if f.Least == 0 { // what is left was computed in floats: a relative 1e-9 covers that
			values[k] = min(1, capacity[j]/f.Left*(1+Tolerance))
		}
	}
	return arcs, values, max(1, float64(f.Least))
}
