package simplex

const (
	minWeight = 1e-4
	maxWeight = 1e100 // an infinite one would hide its row from chooseRow
	tauDrop   = 1e-9  // entries of tau below it are dropped
)

// computeTau solves B tau = rho. The weights need few digits, so small entries are dropped early; that
// keeps tau sparse where it would fill with noise.
func (s *Solver) computeTau() {
	s.tau.Copy(s.row.rho)
	s.factor.drop = tauDrop
	s.factor.ftran(s.tau, &s.factor.density.tau, false)
	s.factor.drop = dropTol
}

// updateWeights updates the dual steepest edge weights, the squared norms of the rows of the basis
// inverse, for a pivot on position r (Forrest and Goldfarb 1992). It needs tau = B^-1 rho.
func (s *Solver) updateWeights(r int32, alpha float64) {
	wr := s.weights.at[r] / (alpha * alpha)
	scale := -2 / alpha
	tau := s.tau.Value
	for _, p := range s.aq.Index[:s.aq.N] {
		if p == r {
			continue
		}
		a := s.aq.Value[p]
		s.weights.at[p] = min(max(s.weights.at[p]+a*(a*wr+scale*tau[p]), minWeight), maxWeight)
	}
	s.weights.at[r] = min(max(wr, minWeight), maxWeight)
}

// measureWeight replaces the stored weight of position r by the true one, from rho.
func (s *Solver) measureWeight(r int32) {
	w := 0.0
	for _, i := range s.row.rho.Index[:s.row.rho.N] {
		w += s.row.rho.Value[i] * s.row.rho.Value[i]
	}
	s.weights.at[r] = w
}
