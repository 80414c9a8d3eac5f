package simplex

const minWeight = 1e-4

// updateWeights updates the dual steepest edge weights, the squared norms of the rows of the basis
// inverse, for a pivot on position r (Forrest and Goldfarb 1992). It needs tau = B^-1 rho.
func (s *Solver) updateWeights(r int32, alpha float64) {
	wr := s.weight[r] / (alpha * alpha)
	scale := -2 / alpha
	tau := s.tau.Value
	for _, p := range s.aq.Index[:s.aq.N] {
		if p == r {
			continue
		}
		a := s.aq.Value[p]
		s.weight[p] = max(s.weight[p]+a*(a*wr+scale*tau[p]), minWeight)
	}
	s.weightOf[s.head[r]] = s.weight[r]
	s.weight[r] = max(wr, minWeight)
}
