package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/farkas"
	"github.com/proxybd/proxybd/internal/sparse"
)

// rays are the certificate of a Solve: a Farkas ray or a primal one.
type rays struct {
	ray       []float64
	ok        bool      // ray is a certificate
	along     int32     // the entering variable that nothing stops, ...
	dir       float64   // ... and the direction in which it moves
	recession []float64 // a primal ray that phase 1 of this Solve has found; nil for none
	z, size   []float64 // scratch of farkasGap
}

// reset removes the rays of the last Solve.
func (r *rays) reset() {
	r.ok = false
	r.recession = nil
}

// follow keeps variable q and direction dir, in which nothing stops it.
func (r *rays) follow(q int32, dir float64) {
	r.along = q
	r.dir = dir
}

// keepRecession keeps the ray that phase 1 has found.
func (r *rays) keepRecession(ray []float64) { r.recession = ray }

// zero stores the ray of m zeros, for bounds that exclude one another.
func (r *rays) zero(m int) {
	r.ray = resize(r.ray, m)
	r.ok = true
	clear(r.ray)
}

// farkasHolds takes rho, signed so that the row proves infeasibility, as a Farkas ray, cleans it and checks it
// on the rows as given. It stores the ray.
func (s *Solver) farkasHolds(sign float64) bool {
	// First the row as it is, then without small entries, which may be rounding.
	s.rays.ray = resize(s.rays.ray, s.m)
	s.rays.ok = s.tryFarkas(sign, 0) || s.tryFarkas(sign, cleanRayDrop)
	return s.rays.ok
}

// tryFarkas is farkasHolds with the entries below drop, relative to the largest one, left out.
func (s *Solver) tryFarkas(sign, drop float64) bool {
	ray := s.rays.ray

	// The ray is in the units of the rows of the model.
	for i := range ray {
		ray[i] = sign * s.row.rho.Value[i] * s.rowScale[i]
	}
	largest := sparse.Largest(ray)

	for i := range ray {
		if math.Abs(ray[i]) <= drop*largest {
			ray[i] = 0
		}
		ray[i] /= largest
	}

	// Plain sums first; doubled precision where they cannot separate a contradiction from rounding.
	return s.farkasGap(ray) > 0 || s.usesDoubled() && s.Proves(ray)
}

// mustDecide reports whether a contradiction that rounding might refute is added up in doubled precision: in the last
// attempts, and where the model needs scaled tolerances tighter than usual.
func (s *Solver) mustDecide() bool { return s.ctl.last || s.primals.tol < s.opt.Tolerances.Primal }

// Proves reports whether a Farkas ray (one entry a row) proves that the model is infeasible, in doubled precision:
// where large numbers cancel, plain sums could not separate a small contradiction from rounding. Where the weighted
// rows leave a column, by rounding, that has no bound there, the bound that the rows imply takes its place.
func (s *Solver) Proves(ray []float64) bool {
	if len(ray) != s.m {
		return false
	}

	f := farkas.New(s.n)
	for i, r := range ray {
		lo, up := s.rowBounds(i)
		index, value := s.rows.Vec(i)
		f.Add(r, lo, up, index, value)
		s.factor.charge(len(index))
	}

	// Implied bounds are computed once, where a column needs them; they are known to rounding and move outward.
	var lower, upper []float64 // scaled
	return f.Proves(func(j int) (float64, float64) {
		lo, up := s.colBounds(j)
		if !isInf(lo) && !isInf(up) {
			return lo, up
		}
		if lower == nil {
			var work int
			lower, upper, work = s.impliedBounds()
			s.factor.charge(work)
		}
		if isInf(lo) {
			lo = lower[j]*s.colScale[j] - impliedPad*(1+math.Abs(lower[j]*s.colScale[j]))
		}
		if isInf(up) {
			up = upper[j]*s.colScale[j] + impliedPad*(1+math.Abs(upper[j]*s.colScale[j]))
		}
		return lo, up
	})
}

// impliedPad is what an implied bound is moved outward by in a proof, relative.
const impliedPad = 1e-6

// farkasGap returns by how much a ray proves infeasibility, less what the data may be wrong by; or, where it must
// decide, less what rounding may account for.
func (s *Solver) farkasGap(ray []float64) float64 {
	s.rays.z = resize(s.rays.z, s.n)
	s.rays.size = resize(s.rays.size, s.n)
	z, size := s.rays.z, s.rays.size
	clear(z)
	clear(size)

	// The least value of r'(row activity) over the sides of the rows, and z = A'r.
	var g gap
	for i, r := range ray {
		if r == 0 {
			continue
		}
		lo, up := s.rowBounds(i)
		if !g.add(r, math.Abs(r), pickBound(r > 0, lo, up)) {
			return g.sum
		}

		index, value := s.rows.Vec(i)
		for k, j := range index {
			t := r * value[k]
			z[j] += t
			size[j] = max(size[j], math.Abs(t))
		}
		s.factor.charge(len(index))
	}

	// Less the largest value of z'x over the bounds. An entry that is rounding of its terms counts where both bounds
	// are finite.
	for j, v := range z {
		lo, up := s.colBounds(j)
		isRounding := math.Abs(v) <= farkasZero*size[j] && (isInf(lo) || isInf(up))
		if v == 0 || isRounding {
			continue
		}
		if !g.add(-v, size[j], pickBound(v > 0, up, lo)) {
			return g.sum
		}
	}

	// The proof must exceed what its own terms are known to.
	margin := farkasGapTol * g.scale
	if s.mustDecide() {
		margin = min(margin, farkasRounding*g.total)
	}
	return g.sum - margin
}

const (
	farkasZero     = 1e-9  // an entry of A'r below this fraction of its largest term counts as zero
	farkasGapTol   = 1e-9  // the gap must exceed this fraction of the largest term ...
	farkasRounding = 1e-14 // ... or this one of the sum of all, where nothing else decides
)

// storePrimalRay stores the ray of phase 1, or else the direction in which the entering column moves the point, and
// checks that this is a ray of the model within tol: as it is, then without what rounding may have left of entries that
// should be zero.
func (s *Solver) storePrimalRay(tol float64) bool {
	s.rays.ray = resize(s.rays.ray, max(s.n, s.m))[:s.n]

	// The ray of phase 1 was checked when it was found.
	if s.rays.recession != nil {
		copy(s.rays.ray, s.rays.recession)
		s.rays.ok = true
		return true
	}
	s.rays.ok = s.tryPrimalRay(0, tol) || s.tryPrimalRay(cleanRayDrop, tol)
	return s.rays.ok
}

// tryPrimalRay stores the direction in which the entering column moves the point, without entries below drop, and
// reports whether it is a ray of the model within tol.
func (s *Solver) tryPrimalRay(drop, tol float64) bool {
	ray := s.rays.ray
	clear(ray)
	dir := s.rays.dir
	if q := int(s.rays.along); q < s.n {
		ray[q] = dir * s.colScale[q]
	}

	// A basic variable moves by the negative of its entry of the column.
	for _, p := range s.aq.Index[:s.aq.N] {
		if v := int(s.basis.head[p]); v < s.n {
			ray[v] = -dir * s.aq.Value[p] * s.colScale[v]
		}
	}
	return scaleRay(ray, drop) && s.isPrimalRay(ray, tol)
}

// scaleRay makes the largest entry of a ray one and drops those below drop; it returns false where all are zero.
func scaleRay(ray []float64, drop float64) bool {
	// A ray may have any length: the largest entry becomes one.
	largest := sparse.Largest(ray)
	if largest == 0 {
		return false
	}

	for j := range ray {
		ray[j] /= largest
		if math.Abs(ray[j]) < drop {
			ray[j] = 0
		}
	}
	return true
}

// isPrimalRay reports whether the objective falls along a ray that leaves the recession cone by no more than tol,
// relative to its largest entry for a column, which is set to zero then, and to the largest term for a row: an entry of
// 1e-11 that a column does not allow may be all that holds a row.
func (s *basicSolution) isPrimalRay(ray []float64, tol float64) bool {
	// The objective and the bounds are checked entry by entry.
	improve := 0.0
	for j, v := range ray {
		improve += s.cost[j] / s.colScale[j] * v
		lo, up := s.colBounds(j)
		if leavesCone(v, lo, up, tol) {
			return false
		}
		if leavesCone(v, lo, up, 0) {
			ray[j] = 0
		}
	}

	// The rows are checked for the ray without those entries.
	for i := range s.m {
		index, value := s.rows.Vec(i)
		sum, size := dotSize(index, value, ray)
		lo, up := s.rowBounds(i)
		if leavesCone(sum, lo, up, tol*size) {
			return false
		}
	}
	return improve < 0
}

// rayTol is what a primal ray may violate the recession cone by, relative to its largest entry.
const rayTol = 1e-7

// leavesCone reports whether moving by v without end violates a finite bound.
func leavesCone(v, lo, up, tol float64) bool {
	if v > tol {
		return !isInf(up)
	}
	return v < -tol && !isInf(lo)
}
