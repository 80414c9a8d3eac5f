package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/internal/sparse"
)

// refinements is the number of corrections of the basic values where rounding decides.
const refinements = 2

// Rounding of the basic values that may change the objective by more than seenShare of it is corrected.
const (
	seenShare = 1e-9
	unit      = 0x1p-53 // relative rounding error of a number
)

// usesDoubled reports whether doubled precision decides where plain sums may mislead: where entries of a row are far
// apart, in the last attempts, and under tightened tolerances. Basic values are always corrected then.
func (s *Solver) usesDoubled() bool { return s.wide || s.mustDecide() }

// roundingMatters reports whether the objective is off by more than its last digits if the rows hold only to the
// rounding of their terms: each at the price of its dual. The pass is not charged: no budget depends on it.
func (s *basicSolution) roundingMatters() bool {
	// The rows are priced by their duals, which are the reduced costs of the logicals.
	duals := s.duals.d[s.n:]
	sum := 0.0
	for j := range s.n {
		t := math.Abs(s.current(j))
		if t == 0 {
			continue
		}

		// Each term of a row may be off by its rounding, at the price of the row.
		index, value := s.cols.Vec(j)
		priced := 0.0
		for k, i := range index {
			priced += math.Abs(value[k] * duals[i])
		}
		sum += t * priced
	}

	// The objective is added up only where it decides.
	return unit*sum > seenShare && unit*sum > seenShare*math.Abs(s.objectiveValue())
}

// refinePrimals corrects the basic values by the residuals of the rows, added up in doubled precision (Wilkinson,
// Rounding errors in algebraic processes, 1963): where the basis is ill-conditioned they may be wrong by far more than
// the tolerance.
func (s *basicSolution) refinePrimals() {
	sums := make([]f64.Double, s.m)
	for range refinements {
		// The residuals of the rows, with the logicals.
		clear(sums)
		for j := range s.n {
			if t := s.current(j); t != 0 {
				index, value := s.cols.Vec(j)
				for k, i := range index {
					sums[i].AddProduct(-t, value[k])
				}
			}
		}
		for i := range sums {
			sums[i].Add(s.current(s.n + i))
		}

		r := s.solveSums(sums)
		s.primals.correct(r.Value[:s.m])
		r.Clear()
		s.factor.charge(s.cols.NNZ())
	}
}

// solveSums solves B r = sums; r is the work vector, which the caller clears.
func (s *basicSolution) solveSums(sums []f64.Double) (r *sparse.Vector) {
	r = s.work
	r.Clear()
	for i := range sums {
		r.Value[i] = sums[i].Value()
	}

	s.ftranDense(r)
	return r
}

// Refined returns the values of the columns in the basis of the last Solve, corrected in doubled precision. Unlike
// those of X they are not moved onto bounds that they miss within the tolerance. It returns nil where there is no
// factored basis.
func (s *Solver) Refined() []float64 {
	// The values are those of a basis with factors, which lack rows that were added since.
	if !s.basis.ok || !s.factor.ok || s.factor.m != s.m {
		return nil
	}

	s.refinePrimals()
	s.primals.findInfeasible()
	s.vectors.invalidateValues()
	return s.unscaledValues()
}

// unscaledValues returns the values of the columns, in the units of the model.
func (s *basicSolution) unscaledValues() []float64 {
	x := make([]float64, s.n)
	for j := range x {
		x[j] = s.value(j) * s.colScale[j]
	}
	return x
}

// refineColumn corrects the column of q by residuals in doubled precision.
func (s *basicSolution) refineColumn(q int32) {
	sums := make([]f64.Double, s.m)
	for range refinements {
		// The residual of B aq = a_q.
		clear(sums)
		s.addExactly(sums, q, 1)
		for _, p := range s.aq.Index[:s.aq.N] {
			s.addExactly(sums, s.basis.head[p], -s.aq.Value[p])
		}

		r := s.solveSums(sums)
		for p, d := range r.Value[:s.m] {
			if d != 0 {
				s.aq.Add(int32(p), d)
			}
		}
		r.Clear()
	}
	s.factor.charge(s.m)
}

// addExactly adds t times the column of variable v.
func (s *basicSolution) addExactly(sums []f64.Double, v int32, t float64) {
	if int(v) >= s.n {
		sums[int(v)-s.n].Add(-t)
		return
	}

	index, value := s.cols.Vec(int(v))
	for k, i := range index {
		sums[i].AddProduct(t, value[k])
	}
	s.factor.charge(len(index))
}
