package simplex

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// VarStatus is the place of a variable: in the basis, or at which bound.
type VarStatus uint8

const (
	AtLower VarStatus = iota // nonbasic at its lower bound; a fixed variable too
	AtUpper                  // nonbasic at its upper bound
	AtZero                   // nonbasic and free, with value 0
	Basic
)

var varStatusNames = [...]string{"at_lower", "at_upper", "at_zero", "basic"}

// String returns "at_lower", "at_upper", "at_zero" or "basic".
func (v VarStatus) String() string {
	if int(v) < len(varStatusNames) {
		return varStatusNames[v]
	}
	return "unknown"
}

// Basis is a warm start: one status a variable, interpreted against the bounds at the time of the
// next Solve (AtLower with an infinite lower bound means the finite bound, or zero). It shares nothing with
// the solver that it came from.
type Basis struct {
	Cols, Rows []VarStatus

	// Weights are the dual steepest edge weights of the basic variables, columns before rows, as the solver had them:
	// estimates of squared norms in its scaled units, on which the number of iterations from the basis on depends.
	// Without any (nil) they are 1.
	Weights []float64
}

// ErrBasis is wrapped by the errors of SetBasis.
var ErrBasis = errors.New("basis does not fit the model")

// GetBasis stores the current basis in dst, with its edge weights, and reuses its storage.
func (s *Solver) GetBasis(dst *Basis) {
	copyTo(&dst.Cols, s.basis.status[:s.n])
	copyTo(&dst.Rows, s.basis.status[s.n:])
	dst.Weights = s.weights.list(dst.Weights[:0], &s.basis)
}

// SetBasis makes b the basis that the next Solve starts from. Columns and rows added since b was taken
// may be missing at the end: such rows become basic, such columns nonbasic. A basis with too few or
// too many basic variables, or a singular one, is repaired with logicals. If b has the basic
// variables that the solver has now, the factorisation is kept; if it has those of the last SetBasis,
// as in strong branching, that factorisation comes back. Weights must be positive, and as many as the basic variables
// of b.
func (s *Solver) SetBasis(b *Basis) error {
	if err := s.checkBasis(b); err != nil {
		return err
	}

	// Statuses that are missing are those of new columns and rows.
	same := true
	for v := range s.n + s.m {
		to := AtLower
		switch {
		case v < len(b.Cols):
			to = b.Cols[v]
		case v >= s.n+len(b.Rows):
			to = Basic
		case v >= s.n:
			to = b.Rows[v-s.n]
		}

		// A status that stays nonbasic moves a variable; others need another factorisation.
		from := s.basis.status[v]
		if from == to {
			continue
		}
		s.basis.set(int32(v), to)
		if from == Basic || to == Basic {
			same = false
			continue
		}
		s.primals.touch(v)
	}
	if same {
		return nil
	}

	// Other variables are basic, with the weights of b.
	s.invalidate()
	s.weights.take(b.Weights, s.basis.status)
	s.ensureSnapshot()
	return nil
}

// checkBasis checks the statuses and weights of a basis before any is changed.
func (s *Solver) checkBasis(b *Basis) error {
	if len(b.Cols) > s.n || len(b.Rows) > s.m {
		return fmt.Errorf("simplex: %w: %d columns and %d rows, the model has %d and %d", ErrBasis, len(b.Cols),
			len(b.Rows), s.n, s.m)
	}

	// Each basic variable has one weight, or none has.
	basic := 0
	for _, part := range [2][]VarStatus{b.Cols, b.Rows} {
		for k, v := range part {
			if v > Basic {
				return fmt.Errorf("simplex: %w: status %d at position %d", ErrBasis, v, k)
			}
			if v == Basic {
				basic++
			}
		}
	}
	if n := len(b.Weights); n > 0 && n != basic {
		return fmt.Errorf("simplex: %w: %d edge weights for %d basic variables", ErrBasis, n, basic)
	}
	for k, w := range b.Weights {
		if !(w > 0) {
			return fmt.Errorf("simplex: %w: edge weight %g at position %d", ErrBasis, w, k)
		}
	}
	return nil
}

// ColStatus returns the status of a column in the current basis.
func (s *Solver) ColStatus(j lp.Var) VarStatus { return s.basis.status[j] }

// RowStatus returns the status of the logical of a row; Basic means that the row is slack.
func (s *Solver) RowStatus(i lp.Con) VarStatus { return s.basis.status[s.n+int(i)] }
