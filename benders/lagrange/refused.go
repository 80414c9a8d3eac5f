package lagrange

import "math"

// InfeasibilityProver is a Pricer that can prove that a design has no recourse.
type InfeasibilityProver interface {
	Pricer
	// Refute fills slope with a row that is at most 0 at every design with a recourse and above that at the last one that
	// Carries refused, and returns its constant.
	Refute(slope []float64) (constant float64)
}

// maxRows is how many rows of refused designs are kept.
const maxRows = 64

// refuse keeps the row that the last design was refused by. It is not evaluated anywhere yet.
func (s *LocalSearch) refuse(n int) {
	if s.refuter == nil {
		return
	}

	// A value of -Inf at the design at hand excludes nothing until the row is evaluated.
	row := plane{slope: make([]float64, n)}
	row.constant = s.refuter.Refute(row.slope)
	row.here = math.Inf(-1)
	s.rows.add(row)
}

// evaluateNew computes the rows at y that have not been evaluated anywhere.
func (s *LocalSearch) evaluateNew(y []float64) {
	for k := range s.rows.list {
		if row := &s.rows.list[k]; math.IsInf(row.here, -1) {
			row.evaluate(y)
		}
	}
}
