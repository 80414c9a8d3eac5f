package simplex

import (
	"errors"
	"fmt"
)

// VarStatus says where a variable is.
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
// next Solve (AtLower with an infinite lower bound means the finite bound, or zero). It owes nothing to
// the solver that it came from.
type Basis struct{ Cols, Rows []VarStatus }

// CopyFrom makes b equal to src and reuses the storage of b.
func (b *Basis) CopyFrom(src *Basis) {
	b.Cols = append(b.Cols[:0], src.Cols...)
	b.Rows = append(b.Rows[:0], src.Rows...)
}

// ErrBasis is wrapped by the errors of SetBasis.
var ErrBasis = errors.New("basis does not fit the model")

// GetBasis stores the current basis in dst and reuses its storage. The solver keeps the edge weights of the last few
// bases that it has handed out, for SetBasis.
func (s *Solver) GetBasis(dst *Basis) {
	dst.Cols = append(dst.Cols[:0], s.basis.status[:s.n]...)
	dst.Rows = append(dst.Rows[:0], s.basis.status[s.n:]...)
	s.weights.kept.remember(s)
}

// SetBasis makes b the basis that the next Solve starts from. Columns and rows added since b was taken
// may be missing at the end: such rows become basic, such columns nonbasic. A basis with too few or
// too many basic variables, or a singular one, is repaired with logicals. If b has the basic
// variables that the solver has now, the factorisation is kept; if it has those of the last SetBasis,
// as in strong branching, that factorisation comes back.
func (s *Solver) SetBasis(b *Basis) error {
	if len(b.Cols) > s.n || len(b.Rows) > s.m {
		return fmt.Errorf("simplex: %w: %d columns and %d rows, the model has %d and %d", ErrBasis, len(b.Cols), len(b.Rows), s.n, s.m)
	}
	for _, part := range [2][]VarStatus{b.Cols, b.Rows} {
		for k, v := range part {
			if v > Basic {
				return fmt.Errorf("simplex: %w: status %d at position %d", ErrBasis, v, k)
			}
		}
	}
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
		from := s.basis.status[v]
		if from == to {
			continue
		}
		s.basis.status[v] = to
		if from == Basic || to == Basic {
			same = false
			continue
		}
		s.touch(v)
	}
	if same {
		return nil
	}
	s.invalidateBasis()
	s.weights.kept.recall(s)
	s.snapshot.wanted = !s.thaw()
	return nil
}

// ColStatus returns the status of column j in the current basis.
func (s *Solver) ColStatus(j int) VarStatus { return s.basis.status[j] }

// RowStatus returns the status of the logical of row i; Basic means that the row is slack.
func (s *Solver) RowStatus(i int) VarStatus { return s.basis.status[s.n+i] }

// invalidateBasis forgets everything that belongs to the old set of basic variables.
func (s *Solver) invalidateBasis() {
	s.factor.ok, s.primals.ok, s.duals.ok, s.basis.ok = false, false, false, false
}

// flushWeights keeps the edge weights by variable, so that they survive a change of basis.
func (s *Solver) flushWeights() {
	if !s.basis.ok {
		return
	}
	for p, v := range s.basis.head {
		s.weights.of[v] = s.weights.at[p]
	}
}

// refactor factors the current basis anew. Singular bases are repaired with logicals, which makes the
// primal and dual values stale; it returns the number of variables that left for that reason.
func (s *Solver) refactor() int {
	cand := s.factor.candidates[:0]
	if s.basis.ok {
		for p, v := range s.basis.head {
			s.primals.nonbasic[v] = s.primals.basic[p]
			s.weights.of[v] = s.weights.at[p]
		}
		cand = append(cand, s.basis.head...)
	} else {
		for v, st := range s.basis.status {
			if st == Basic {
				cand = append(cand, int32(v))
			}
		}
	}
	s.factor.candidates = cand
	s.factor.build(s.basis.head, cand, s.n, s.cols, s.factor.threshold)
	s.factor.refactors++
	for i := range s.basis.where {
		s.basis.where[i] = -1
	}
	for _, v := range s.factor.dropped {
		s.basis.status[v] = AtLower
		s.placeNonbasic(int(v))
	}
	for _, i := range s.factor.filled {
		s.basis.status[s.n+int(i)] = Basic
		s.weights.of[s.n+int(i)] = 1
	}
	for p, v := range s.basis.head {
		s.basis.where[v] = int32(p)
		s.primals.basic[p] = s.primals.nonbasic[v]
		s.weights.at[p] = s.weights.of[v]
		s.duals.d[v] = 0
	}
	changed := len(s.factor.dropped) + len(s.factor.filled)
	if changed > 0 || !s.basis.ok {
		s.part.follow(s)
	}
	if changed > 0 {
		s.primals.ok, s.duals.ok = false, false
	}
	s.basis.ok, s.factor.ok = true, true
	s.loadBasicBounds()
	return changed
}

// loadBasicBounds copies the working bounds of the basic variables to their positions and finds the
// infeasibilities anew.
func (s *Solver) loadBasicBounds() {
	for p, v := range s.basis.head {
		s.primals.lo[p], s.primals.up[p] = s.bounds.lo[v], s.bounds.up[v]
	}
	s.primals.infeasible.rebuild(s)
}

// placeNonbasic gives a nonbasic variable a status that its working bounds allow, near its old one,
// and the value that goes with it. The value is stored; the caller sees to the basic variables.
func (s *Solver) placeNonbasic(v int) {
	lo, up := s.bounds.lo[v], s.bounds.up[v]
	st := s.basis.status[v]
	switch {
	case isInf(lo) && isInf(up):
		st = AtZero
	case isInf(lo):
		st = AtUpper
	case isInf(up) || lo == up:
		st = AtLower
	case st == AtZero:
		st = AtLower
		if s.duals.ok && s.duals.d[v] < 0 {
			st = AtUpper
		}
	}
	s.basis.status[v] = st
	s.primals.nonbasic[v] = valueAt(st, lo, up)
}

func valueAt(st VarStatus, lo, up float64) float64 {
	switch st {
	case AtLower:
		return lo
	case AtUpper:
		return up
	}
	return 0
}
