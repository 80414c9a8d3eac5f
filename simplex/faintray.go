package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

const (
	faintCost  = 1e-9  // a cost of a basic variable below it, and
	faintShare = 1e-14 // below this share of the largest reduced cost, may be lost in the reduced costs
	faintLooks = 4     // most variables that are tried at an optimum
	faintTol   = 1e-12 // what such a ray may violate the recession cone by: little, as little is gained along it
)

// faintRay looks at an optimum for a ray of the model that reduced costs do not show: where a basic variable has a
// cost that rounding of large ones hides, or that a solve with the basis drops as next to nothing. The columns of a
// few variables that have no bound to stop at are tried, and the ray is checked on the model.
func (s *Solver) faintRay() bool {
	// Without a faint cost the reduced costs show all there is.
	limit := s.faintLimit()
	if limit == 0 || !s.factor.ok {
		return false
	}

	looked := 0
	for v := range s.duals.d {
		if s.basis.where[v] >= 0 || !isInf(s.up[v]-s.lo[v]) || math.Abs(s.duals.d[v]) > limit {
			continue
		}

		// Each look costs a solve with the basis.
		if looked++; looked > faintLooks {
			return false
		}
		if s.isFaintRay(int32(v)) {
			return true
		}
	}
	return false
}

// faintLimit is the size below which costs are faint, 0 where no basic variable has such a cost.
func (s *basicSolution) faintLimit() float64 {
	// Rounding of the reduced costs is in proportion to the largest of them.
	limit := faintCost + faintShare*sparse.Largest(s.duals.d)
	for _, v := range s.basis.head {
		if c := math.Abs(s.cost[v]); c > 0 && c <= limit {
			return limit
		}
	}
	return 0
}

// isFaintRay reports whether the objective falls without bound as the nonbasic variable q moves.
func (s *Solver) isFaintRay(q int32) bool {
	// The reduced cost is computed from the column, where small costs are not lost.
	s.computeColumn(q)
	d := s.exactDual(q)
	dir := -math.Copysign(1, d) // the direction in which the objective falls
	if d == 0 || leavesCone(dir, s.lo[q], s.up[q], 0) {
		return false
	}

	// Nothing may stop the variable, whatever the size of the entry.
	if _, step := s.primalRatio(q, dir, alphaTolLast); !math.IsInf(step, 1) {
		return false
	}
	s.rays.follow(q, dir)
	return s.storePrimalRay(rayTol) && s.isPrimalRay(s.rays.ray, faintTol)
}

// exactDual returns the reduced cost of q by its column, zero if it is no more than the rounding error of its terms.
func (s *basicSolution) exactDual(q int32) float64 {
	d, size := s.columnDual(q)
	if math.Abs(d) <= polishNoise*size {
		return 0
	}
	return d
}
