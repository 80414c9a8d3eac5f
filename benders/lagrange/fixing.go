package lagrange

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Fixing says what is known of every binary first-stage column: closed (0) or open (1) in each design that costs at
// most UB. Columns are listed in ascending order.
type Fixing struct {
	Closed, Opened []int32
	UB             float64
}

// Apply sets the bounds of the columns that are fixed in the master of p. The design that gave the upper
// bound must be among the starts or the incumbents: what is cut off costs more than it.
func (f Fixing) Apply(p *benders.Problem) error {
	for _, j := range slices.Concat(f.Closed, f.Opened) {
		if int(j) >= len(p.Master.Cols) {
			return fmt.Errorf("lagrange: %w: column %d is fixed, the master of %s has %d", benders.ErrProblem, j,
				p.Name, len(p.Master.Cols))
		}
	}

	// The columns are 0-1, so that one bound fixes each.
	for _, j := range f.Closed {
		p.Master.Cols[j].Upper = 0
	}
	for _, j := range f.Opened {
		p.Master.Cols[j].Lower = 1
	}
	return nil
}

// String returns how many columns are fixed, for logs.
func (f Fixing) String() string {
	return fmt.Sprintf("%d columns closed and %d open in every design that costs at most %.10g",
		len(f.Closed), len(f.Opened), f.UB)
}

// Reduction is a problem without the columns that a fixing closes. Its designs cost what they cost in the original;
// separation on it is faster and its cuts are shorter.
type Reduction struct {
	Keep     []int32 // the original column of each one left, ascending
	Left     Fixing  // what is left of the fixing, in the columns that are left
	original int     // columns of the original
}

// Reduction drops the columns that the fixing closes, of n. It is an error if none is left.
func (f Fixing) Reduction(n int) (*Reduction, error) {
	at := make([]int32, n) // position among the columns left, or -1
	for _, j := range f.Closed {
		at[j] = -1
	}

	// The columns that are left are numbered in their order.
	r := &Reduction{Left: Fixing{UB: f.UB}, original: n}
	for j := range at {
		if at[j] >= 0 {
			at[j] = int32(len(r.Keep))
			r.Keep = append(r.Keep, int32(j))
		}
	}
	if len(r.Keep) == 0 {
		return nil, fmt.Errorf("lagrange: %w: every column is closed, no design costs at most %g",
			benders.ErrProblem, f.UB)
	}

	// Open columns stay fixed in the reduced problem.
	for _, j := range f.Opened {
		r.Left.Opened = append(r.Left.Opened, at[j])
	}
	return r, nil
}

// Columns returns the entries of the columns left of a row-major matrix with the original columns; a vector is a matrix
// of one row.
func (r *Reduction) Columns(matrix []float64) []float64 {
	out := make([]float64, 0, len(matrix)/r.original*len(r.Keep))
	for row := 0; row < len(matrix); row += r.original {
		for _, j := range r.Keep {
			out = append(out, matrix[row+int(j)])
		}
	}
	return out
}

// Expand returns the design of the original problem that a design of the reduced one stands for.
func (r *Reduction) Expand(y []float64) []float64 {
	full := make([]float64, r.original)
	for k, j := range r.Keep {
		full[j] = y[k]
	}
	return full
}

// Restrict returns a design of the original problem in the reduced one, and whether all that it opens is left.
func (r *Reduction) Restrict(y []float64) (reduced []float64, whole bool) {
	// What the original design opens in closed columns is missing in the reduced one.
	reduced = r.Columns(y)
	return reduced, opened(reduced) == opened(y)
}

// opened returns the number of columns that a design opens.
func opened(y []float64) (count float64) {
	for _, v := range y {
		count += math.Round(v)
	}
	return count
}

// Solve calls run to solve the reduced problem from a start of the original one, and returns its result in the columns
// of the original.
func (r *Reduction) Solve(start []float64,
	run func(start []float64) (*benders.Result, error)) (*benders.Result, error) {
	reduced, whole := r.Restrict(start)
	if !whole {
		return nil, fmt.Errorf("lagrange: %w: the start uses a column that is fixed at 0", benders.ErrProblem)
	}
	out, err := run(reduced)
	if err == nil && out.Design != nil {
		out.Design = r.Expand(out.Design)
	}
	return out, err
}
