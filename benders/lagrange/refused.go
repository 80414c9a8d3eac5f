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
	row := plane{slope: make([]float64, n)}
	row.constant = s.refuter.Refute(row.slope)
	row.here = math.Inf(-1)
	if len(s.rows) < s.given+maxRows {
		s.rows = append(s.rows, row)
		return
	}
	s.rows[s.given+s.nextRow] = row
	s.nextRow = (s.nextRow + 1) % maxRows
}

// evaluateNew computes the rows at y that have not been evaluated anywhere.
func (s *LocalSearch) evaluateNew(y []float64) {
	for k := range s.rows {
		if math.IsInf(s.rows[k].here, -1) {
			s.rows[k].evaluate(y)
		}
	}
}
