package simplex

import "github.com/proxybd/proxybd/internal/f64"

// refinements is the number of corrections of the basic values where rounding decides.
const refinements = 2

// refinePrimal corrects the basic values by the residuals of the rows, added up in doubled precision (Wilkinson, Rounding errors in
// algebraic processes, 1963): where the basis is ill-conditioned they may be wrong by far more than the tolerance.
func (s *Solver) refinePrimal() {
	sums := make([]f64.Double, s.m)
	for range refinements {
		clear(sums)
		for j := range s.n {
			if t := s.current(j); t != 0 {
				index, value := s.cols.Vec(j)
				for k, i := range index {
					sums[i].AddProduct(-t, value[k])
				}
			}
		}
		r := s.work
		r.Clear()
		for i := range s.m {
			sums[i].Add(s.current(s.n + i))
			r.Value[i] = sums[i].Value()
		}
		r.N = -1
		dense := 1.0
		s.factor.ftran(r, &dense, false)
		for p, d := range r.Value[:s.m] {
			s.primals.basic[p] += d
		}
		r.Clear()
		s.factor.work += float64(s.cols.NNZ())
	}
}

// Refined returns the values of the columns in the basis of the last Solve, corrected in doubled precision. Unlike those of
// X they are not moved onto bounds that they miss within the tolerance. It returns nil where there is no factored basis.
func (s *Solver) Refined() []float64 {
	if !s.basis.ok || !s.factor.ok {
		return nil
	}
	s.refinePrimal()
	s.primals.infeasible.rebuild(s)
	s.outOK.x, s.outOK.activity = false, false
	x := make([]float64, s.n)
	for j := range x {
		x[j] = s.value(j) * s.colScale[j]
	}
	return x
}

// current returns the scaled value of variable v while basic values are being computed.
func (s *Solver) current(v int) float64 {
	if p := s.basis.where[v]; p >= 0 {
		return s.primals.basic[p]
	}
	return s.primals.nonbasic[v]
}
