package bnb

import "math"

// nodePoint is the LP point of the current node: the answer of the last LP that was solved for it. It stays while
// probes, dives and repairs solve other LPs.
type nodePoint struct {
	x, price   []float64
	objective  float64
	fractional []int32 // integer columns with a fractional value
	allFixed   bool    // its LP had all integer columns fixed
	blind      bool    // the LP failed: there is no point
	round      int     // separation rounds at the node before the point, for hooks
	propagated int     // version of the domain that is propagated and holds x, -1 if there is none
}

// begin is called before an LP of the node is solved.
func (pt *nodePoint) begin(round int) {
	pt.round = round
	pt.blind = false
}

// fail records that the LP of the node has no answer.
func (pt *nodePoint) fail() { pt.blind = true }

// take takes over the optimum of r.
func (pt *nodePoint) take(r *relaxation, objective float64, allFixed bool) {
	// The vectors of the LP are overwritten by the next solve, so that the point is a copy.
	pt.x = append(pt.x[:0], r.x...)
	pt.price = append(pt.price[:0], r.price...)
	pt.objective = objective
	pt.allFixed = allFixed
	pt.propagated = -1
}

// guess takes the place of a point: no column is fractional, and the objective is the bound of the node, 0 without one.
func (pt *nodePoint) guess(bound float64) {
	// The root has no finite bound before its first LP.
	pt.fractional = pt.fractional[:0]
	pt.objective = finite(bound)
}

// listFractional collects the integer columns whose value is not integral.
func (pt *nodePoint) listFractional(ints []int32, tol float64) {
	pt.fractional = pt.fractional[:0]
	for _, j := range ints {
		if v := pt.x[j]; math.Abs(v-math.Round(v)) > tol {
			pt.fractional = append(pt.fractional, j)
		}
	}
}

// upToDate reports whether everything was propagated since the domain last changed.
func (pt *nodePoint) upToDate(d *domain) bool {
	return pt.propagated == d.version && len(d.touched) == 0
}

// inDomain reports whether the integer columns of the point are in the domain, which has just been propagated, and
// notes that it was.
func (pt *nodePoint) inDomain(d *domain, ints []int32, tol float64) bool {
	// A point outside a bound, by more than the tolerance, is no longer a point of the node.
	for _, j := range ints {
		if pt.x[j] < d.lower[j]-tol || pt.x[j] > d.upper[j]+tol {
			return false
		}
	}
	pt.propagated = d.version
	return true
}
