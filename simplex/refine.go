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

// current returns the scaled value of variable v while basic values are being computed.
func (s *Solver) current(v int) float64 {
	if p := s.basis.where[v]; p >= 0 {
		return s.primals.basic[p]
	}
	return s.primals.nonbasic[v]
}
