package simplex

import "fmt"

// BInvRow computes the multipliers y of the rows, one entry each, that make the tableau row of a basic variable v
// (k < n structural column k, n+i the logical of row i), in the units of the model: in
//
//	y'(A x - s) = 0,
//
// with s_i the activity of row i, v has the coefficient 1 and every other basic variable the coefficient 0. Together
// with the bounds that nonbasic variables sit at it is what a Gomory cut is made of.
func (s *Solver) BInvRow(v int, y []float64) error {
	if len(y) != s.m {
		return fmt.Errorf("simplex: %w: row of the basis inverse of length %d", ErrIndex, len(y))
	}
	if err := s.inverseRow(v); err != nil {
		return err
	}

	// The row of the scaled inverse, in the units of the model.
	unit := s.unit(int32(v))
	for i := range y {
		y[i] = s.row.rho.Value[i] * unit * s.rowScale[i]
	}
	return nil
}

// inverseRow computes the row of the inverse for variable v in rho.
func (s *Solver) inverseRow(v int) error {
	// Rows that have been deleted leave a basis without positions.
	if s.changes.err == nil && !s.basis.ok {
		s.sync()
	}
	current := s.changes.err == nil && s.basis.ok && s.factor.m == s.m
	if exists := v >= 0 && v < len(s.basis.where); !current || !exists || s.basis.where[v] < 0 {
		return fmt.Errorf("simplex: %w: variable %d is not basic in a solved model", ErrIndex, v)
	}
	if !s.factor.ok {
		s.refactor()
		if s.basis.where[v] < 0 {
			return fmt.Errorf("simplex: %w: variable %d left a singular basis", ErrIndex, v)
		}
	}

	// The right-hand side is the unit vector of the position.
	s.row.rho.Clear()
	s.row.rho.Add(s.basis.where[v], 1)
	s.factor.btran(s.row.rho, &s.factor.density.btran, -1)
	return nil
}
