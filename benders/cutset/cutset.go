// Package cutset separates inequalities on cut sets of networks whose arcs are 0-1 columns of a master: the arcs that
// leave a set of nodes have to carry the demand that must leave it. With some arcs set aside as if open, the others
// have to carry the demand that is left: enough of them must be open, a cover inequality (Chouman, Crainic and
// Gendron 2017, section 3), and their capacities, none counted above the demand that is left, must add up to it
// (Carr, Fleischer, Leung and Phillips 2000). There may be several cases of capacities and demands, such as
// scenarios: a design has to suffice in each, and a third kind of inequality is valid for a cut set in all cases at
// once.
package cutset

import (
	"cmp"
	"math/bits"
	"slices"
)

// Tolerance is the relative amount by which a capacity may be below the demand that it carries: demands and capacities
// are added in floats.
const Tolerance = 1e-9

// Least returns the least number of arcs, given by descending capacity, that carry the demand; one more than their
// number where all of them do not.
func Least(arcs []int32, capacity []float64, demand float64) int {
	// The arcs of the largest capacities carry most, so that the first ones that suffice are the fewest.
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

// Sort orders arcs by descending capacity; arcs of equal capacity stay in their order.
func Sort(arcs []int32, capacity []float64) {
	slices.SortStableFunc(arcs, func(a, b int32) int { return cmp.Compare(capacity[b], capacity[a]) })
}

// order has all arcs by descending capacity, those of equal capacity in ascending order.
type order struct {
	arc   []int32 // at each place
	place []int32 // of each arc

	marked []uint64 // scratch: a bit for each place
}

// newOrder sorts all arcs once.
func newOrder(capacity []float64) *order {
	n := len(capacity)
	o := &order{arc: ascending(n), place: make([]int32, n), marked: make([]uint64, (n+63)/64)}
	Sort(o.arc, capacity)

	// The place of an arc is its rank, which no other arc has.
	for k, j := range o.arc {
		o.place[j] = int32(k)
	}
	return o
}

// ascending returns the arcs 0 to n-1.
func ascending(n int) []int32 {
	arcs := make([]int32, n)
	for j := range arcs {
		arcs[j] = int32(j)
	}
	return arcs
}

// sort orders arcs, each given once, as Sort does those in ascending order, but faster: their places are a set of bits,
// which are met in ascending order.
func (o *order) sort(arcs []int32) {
	for _, j := range arcs {
		place := o.place[j]
		o.marked[place/64] |= 1 << (place % 64)
	}

	// Back from the places to the arcs; the words are left without a bit.
	n := 0
	for w, word := range o.marked {
		for ; word != 0; word &= word - 1 {
			arcs[n] = o.arc[64*w+bits.TrailingZeros64(word)]
			n++
		}
		o.marked[w] = 0
	}
}

// shortfall returns the part of the demand that the capacity at y does not carry; it is negative where there is more.
func shortfall(arcs []int32, capacity, y []float64, demand float64) float64 {
	// No arc counts above the demand, which makes the inequality stronger at fractional points and changes nothing at
	// designs.
	carried := 0.0
	for _, j := range arcs {
		carried += y[j] * min(capacity[j], demand)
	}
	return 1 - carried/demand
}

// inequality is an inequality over the arcs that were not set aside.
type inequality struct {
	Violation float64 // the side less the value at the point, in units of the demand that is left, or of arcs
	Arcs      []int32 // not set aside, by descending capacity
	Least     int     // of a cover inequality: how many of them must be open, else 0
	Left      float64 // of an inequality of capacities: the demand that is left
	whole     bool    // it has the whole capacity of each arc, as in the paper, not at most the demand that is left

	weights []float64 // of an inequality for all cases: the coefficients of the arcs
	side    float64   // and the least value of their sum
}

// finder looks for inequalities on one cut set after the other. Its zero value is ready; it is for one goroutine.
type finder struct {
	order []int32 // the arcs in the order in which they are set aside
	rest  []int32 // those that are not set aside yet, by descending capacity
}

// Find returns the most violated cover inequality, and the most violated inequality of capacities, with the arcs that y
// opens most set aside. Violations are 0 where there is none. The arcs are given by descending capacity; the demand is
// positive.
func (w *finder) Find(arcs []int32, capacity, y []float64, demand float64) (best [2]inequality) {
	// The arcs that y opens most are set aside first, since they lose least of the inequality.
	w.order = append(w.order[:0], arcs...)
	slices.SortStableFunc(w.order, func(a, b int32) int { return cmp.Compare(y[b], y[a]) })
	w.rest = append(w.rest[:0], arcs...)
	left := demand // that is not carried by the arcs set aside
	mass := 0.0    // sum of y over the arcs that are not set aside
	for _, j := range arcs {
		mass += y[j]
	}

	for aside := 0; ; aside++ {
		// A cover inequality: at least this number of the rest must be open.
		if least := Least(w.rest, capacity, left); float64(least)-mass > best[0].Violation {
			best[0] = inequality{Violation: float64(least) - mass, Least: least, Arcs: slices.Clone(w.rest)}
		}

		// An inequality of capacities. The caller has the one with no arc set aside.
		if v := shortfall(w.rest, capacity, y, left); aside > 0 && v > best[1].Violation {
			best[1] = inequality{Violation: v, Left: left, Arcs: slices.Clone(w.rest)}
		}

		// The next arc is set aside, while y opens it for more than half, and a demand is left without it.
		if aside == len(w.order) || y[w.order[aside]] < 0.5 {
			return best
		}
		// A rest of the demand that is small next to it would be mostly rounding.
		j := w.order[aside]
		left -= capacity[j]
		mass -= y[j]
		if left <= demand*1e-5 {
			return best
		}

		// The others stay in the order of their capacities.
		k := slices.Index(w.rest, j)
		w.rest = slices.Delete(w.rest, k, k+1)
	}
}

// Row returns the inequality as coefficients of the arcs, in ascending order, and the side that their sum has at least.
func (f *inequality) Row(capacity []float64) (arcs []int32, values []float64, side float64) {
	// An inequality for all cases has its coefficients; those of zero are left out.
	if f.weights != nil {
		for k, j := range f.Arcs {
			if f.weights[k] > 0 {
				arcs = append(arcs, j)
				values = append(values, f.weights[k])
			}
		}
		return arcs, values, f.side
	}

	// A cover inequality counts arcs, the other kind their capacities in units of the demand that is left.
	arcs = slices.Clone(f.Arcs)
	slices.Sort(arcs)
	values = make([]float64, len(arcs))
	for k, j := range arcs {
		values[k] = 1
		if f.Least == 0 { // The demand that is left was computed in floats, which the tolerance covers.
			values[k] = capacity[j] / f.Left * (1 + Tolerance)
			if !f.whole {
				values[k] = min(1, values[k])
			}
		}
	}
	return arcs, values, max(1, float64(f.Least))
}
