package simplex

import "fmt"

// TableauRow computes the row of the simplex tableau that belongs to a basic variable v (k < n
// structural column k, n+i the logical of row i), in the units of the model:
//
//	x_v + sum over nonbasic columns j of cols_j x_j + sum over nonbasic rows i of rows_i s_i = 0,
//
// with s_i the activity of row i. cols and rows have one entry a column and row; entries of basic
// variables are zero. Together with the bounds that nonbasic variables sit at it is what a
// Gomory cut is made of.
func (s *Solver) TableauRow(v int, cols, rows []float64) error {
	if len(cols) != s.n || len(rows) != s.m {
		return fmt.Errorf("simplex: %w: tableau row of length %d and %d", ErrIndex, len(cols), len(rows))
	}
	unit, err := s.inverseRow(v)
	if err != nil {
		return err
	}
	clear(cols)
	clear(rows)
	s.price(s.row.rho)
	for k, j := range s.row.index {
		if int(j) < s.n {
			cols[j] = s.row.value[k] * unit / s.colScale[j]
		} else {
			rows[int(j)-s.n] = s.row.value[k] * unit * s.rowScale[int(j)-s.n]
		}
	}
	return nil
}

// BInvRow computes the multipliers y of the rows that make the tableau row of a basic variable v:
// y'(A x - s) = 0 is the equation of TableauRow.
func (s *Solver) BInvRow(v int, y []float64) error {
	if len(y) != s.m {
		return fmt.Errorf("simplex: %w: row of the basis inverse of length %d", ErrIndex, len(y))
	}
	unit, err := s.inverseRow(v)
	if err != nil {
		return err
	}
	for i := range y {
		y[i] = s.row.rho.Value[i] * unit * s.rowScale[i]
	}
	return nil
}

// inverseRow computes the row of the inverse for variable v in rho and returns the unit of v.
func (s *Solver) inverseRow(v int) (float64, error) {
	if s.changes.err == nil && !s.basis.ok {
		s.sync() // rows have been deleted
	}
	if s.changes.err != nil || !s.basis.ok || v < 0 || v >= len(s.basis.where) || s.basis.where[v] < 0 ||
		s.factor.m != s.m {
		return 0, fmt.Errorf("simplex: %w: variable %d is not basic in a solved model", ErrIndex, v)
	}
	if !s.factor.ok {
		s.refactor()
		if s.basis.where[v] < 0 {
			return 0, fmt.Errorf("simplex: %w: variable %d left a singular basis", ErrIndex, v)
		}
	}
	s.row.rho.Clear()
	s.row.rho.Add(s.basis.where[v], 1)
	s.factor.btran(s.row.rho, &s.factor.density.btran, -1)
	if v < s.n {
		return s.colScale[v], nil
	}
	return 1 / s.rowScale[v-s.n], nil
}
