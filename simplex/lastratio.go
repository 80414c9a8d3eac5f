package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
)

// strictRay is what a ray may violate the recession cone by as long as something else can be tried.
const strictRay = 1e-13

// lastRatio looks for entries of the column of q that block where none of the usual size does: smaller ones, and where
// the column is no ray of the model but for rounding, all of them. It leaves the direction of the ray. What a
// pivot so small leads to may be of no use: the last attempts take a ray within the usual tolerance.
func (s *Solver) lastRatio(q int32, dir float64) (int32, float64) {
	s.rays.follow(q, dir)
	r, step := s.primalRatio(q, dir, alphaTolLast)
	if !math.IsInf(step, 1) {
		return r, step
	}

	// A direction that is a ray but for rounding is refined before smaller entries of its column count.
	if !s.ctl.last {
		s.refineColumn(q)
		if s.storePrimalRay(strictRay) {
			return r, step
		}
		s.cleanColumn(q)
	} else if s.storePrimalRay(rayTol) {
		return r, step
	}
	return s.primalRatio(q, dir, 0)
}

// cleanColumn takes the entries that are no more than rounding out of the column of q: those of rows are sums of the
// entries of columns.
func (s *basicSolution) cleanColumn(q int32) {
	// Entries are compared with the largest one of the column.
	largest := 0.0
	for _, p := range s.aq.Index[:s.aq.N] {
		largest = max(largest, math.Abs(s.aq.Value[p]))
	}

	for _, p := range s.aq.Index[:s.aq.N] {
		if v := int(s.basis.head[p]); v >= s.n {
			s.aq.Value[p] = s.movedRow(v-s.n, q)
		} else if math.Abs(s.aq.Value[p]) <= dropTol*largest {
			s.aq.Value[p] = 0
		}
	}
	s.aq.Pack(0)
}

// movedRow returns by how much the activity of row i falls as the nonbasic variable q rises by one, zero where that is
// rounding.
func (s *basicSolution) movedRow(i int, q int32) float64 {
	// The sum is made in doubled precision from the entries of the columns in the row.
	var sum f64.Double
	size := 0.0
	index, value := s.rows.Vec(i)
	for k, j := range index {
		t := 0.0
		if p := s.basis.where[j]; p >= 0 {
			t = s.aq.Value[p]
		} else if j == q {
			t = -1
		}
		if t != 0 {
			a := value[k] * s.rowScale[i] * s.colScale[j]
			sum.AddProduct(a, t)
			size = max(size, math.Abs(a*t))
		}
	}
	s.factor.charge(len(index))

	if v := sum.Value(); math.Abs(v) > dropTol*size {
		return v
	}
	return 0
}
