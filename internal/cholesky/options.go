package cholesky

import (
	"errors"
	"fmt"
	"math"
)

// Errors of this package; those that it returns wrap one of them.
var (
	ErrPattern   = errors.New("cholesky: invalid pattern")
	ErrOptions   = errors.New("cholesky: invalid options")
	ErrMemory    = errors.New("cholesky: memory limit")
	ErrFlops     = errors.New("cholesky: limit of operations")
	ErrStopped   = errors.New("cholesky: stopped")
	ErrNotFinite = errors.New("cholesky: not a finite number")
)

// Ordering is the method that orders the rows and columns before the elimination.
type Ordering uint8

const (
	Auto             Ordering = iota // the one of the next two with fewer predicted operations
	MinimumDegree                    // approximate minimum degree
	NestedDissection                 // nested dissection, whose leaves are ordered by minimum degree
	Natural                          // the order of the given matrix
	Given                            // Options.Permutation
)

var orderingNames = [...]string{"auto", "minimum degree", "nested dissection", "natural", "given"}

// String returns the name of the ordering.
func (o Ordering) String() string {
	if int(o) < len(orderingNames) {
		return orderingNames[o]
	}
	return fmt.Sprintf("ordering %d", o)
}

// Options are the choices of the analysis.
type Options struct {
	Ordering    Ordering
	Permutation []int32 // with Given: element k is the row that is eliminated as number k, but for renumbering
	Threads     int     // goroutines at a time, 0 for one a processor; the bits of a factor do not depend on it
	MaxBytes    int64   // most memory of a factor, 0 for no limit
	MaxFlops    float64 // most operations of a factorisation, 0 for no limit

	// Called now and then by all threads, in the analysis and in each factorisation, if not nil: true ends them with
	// ErrStopped, and must stay true.
	Stop func() bool
}

// DefaultOptions chooses the ordering by the predicted operations, and has no limit of memory and operations.
func DefaultOptions() Options { return Options{} }

// Validate reports a value outside of its range, for a matrix of order n.
func (o Options) Validate(n int) error {
	switch {
	case int(o.Ordering) >= len(orderingNames):
		return fmt.Errorf("%w: %v", ErrOptions, o.Ordering)
	case o.Ordering == Given && !isPermutation(o.Permutation, n):
		return fmt.Errorf("%w: the given order is no permutation of %d rows", ErrOptions, n)
	case o.Threads < 0:
		return fmt.Errorf("%w: %d threads", ErrOptions, o.Threads)
	case o.MaxBytes < 0:
		return fmt.Errorf("%w: %d bytes", ErrOptions, o.MaxBytes)
	case !(o.MaxFlops >= 0):
		return fmt.Errorf("%w: %g operations", ErrOptions, o.MaxFlops)
	}
	return nil
}

// isPermutation reports whether each number below n occurs once.
func isPermutation(perm []int32, n int) bool {
	seen := make([]bool, n)
	for _, v := range perm {
		if uint32(v) >= uint32(n) || seen[v] {
			return false
		}
		seen[v] = true
	}
	return len(perm) == n
}

// Regularisation says which pivots are expected, and what takes the place of one that is too small. With s the sign of
// a pivot, a its entry on the diagonal of the matrix including the shift and d its value when the columns before it are
// eliminated, the pivot is tiny if
//
//	s*d <= max(Absolute, Relative*|a|, 1e-290)
//
// and is then replaced by s*Replacement. A huge replacement (1e128) makes the component of the solution zero, which is
// right for a dependent row of normal equations; a moderate one shifts the pivot, as in quasi-definite systems.
type Regularisation struct {
	Signs       []int8  // +1 or -1 for each row of the matrix as given; nil if all are +1
	Shift       float64 // s*Shift is added to each entry of the diagonal
	Absolute    float64 // at least 0, in units of the matrix
	Relative    float64 // at least 0, relative to the entry of the diagonal
	Replacement float64 // greater than 0, in units of the matrix
}

// DefaultRegularisation is for a positive semidefinite matrix: a pivot that lost all but about two digits to
// cancellation is replaced by a huge one.
func DefaultRegularisation() Regularisation {
	return Regularisation{Absolute: 1e-30, Relative: 1e-14, Replacement: 1e128}
}

// Validate reports a value outside of its range, for a matrix of order n.
func (r Regularisation) Validate(n int) error {
	if r.Signs != nil && len(r.Signs) != n {
		return fmt.Errorf("%w: %d signs of %d rows", ErrOptions, len(r.Signs), n)
	}
	for i, s := range r.Signs {
		if s != 1 && s != -1 {
			return fmt.Errorf("%w: sign of row %d is %d", ErrOptions, i, s)
		}
	}

	// A comparison with NaN is false, so each is written such that it fails.
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }
	switch {
	case !finite(r.Shift):
		return fmt.Errorf("%w: shift %g", ErrOptions, r.Shift)
	case !finite(r.Absolute) || !finite(r.Relative):
		return fmt.Errorf("%w: limits %g and %g of tiny pivots", ErrOptions, r.Absolute, r.Relative)
	case !finite(r.Replacement) || r.Replacement == 0:
		return fmt.Errorf("%w: replacement %g of tiny pivots", ErrOptions, r.Replacement)
	}
	return nil
}

// Stats describe the pivots of a factorisation.
type Stats struct {
	Tiny      int     // pivots that were replaced
	WrongSign int     // those of them whose sign was the opposite one, beyond the limit of tiny pivots
	MinPivot  float64 // least absolute value of the other pivots, +Inf if there is none
	MaxPivot  float64 // greatest absolute value of the other pivots, 0 if there is none
}
