package cholesky

import (
	"fmt"
	"math"
	"slices"
)

// Factor holds L and D of one matrix. Its methods must not run at the same time as one another.
type Factor struct {
	*Symbolic
	start    []int
	rows     []int32
	values   []float64
	d        []float64
	x        []float64
	replaced []int32
}

// NewFactor allocates the memory of a factor.
func NewFactor(s *Symbolic) *Factor {
	f := &Factor{
		Symbolic: s,
		start:    make([]int, s.n+1),
		rows:     make([]int32, s.nonZeros-int64(s.n)),
		values:   make([]float64, s.nonZeros-int64(s.n)),
		d:        make([]float64, s.n),
		x:        make([]float64, s.n),
	}
	for k, c := range s.counts {
		f.start[k+1] = f.start[k] + int(c) - 1
	}
	return f
}

// Factorize computes L and D of the matrix whose values are given in the order of the pattern of Analyse. The error
// wraps ErrOptions, or ErrNotFinite if a value is no finite number or a pivot overflows; the factor is then of no use
// until another call succeeds.
func (f *Factor) Factorize(values []float64, reg Regularisation) (Stats, error) {
	stats := Stats{MinPivot: math.Inf(1)}
	if len(values) != f.given {
		return stats, fmt.Errorf("%w: %d values of %d entries", ErrOptions, len(values), f.given)
	}
	if err := reg.Validate(f.n); err != nil {
		return stats, err
	}

	f.replaced = f.replaced[:0]
	used := make([]int, f.n)
	mark := make([]int32, f.n)
	path := make([]int32, f.n)
	order := make([]int32, f.n)
	for k := range f.n {
		sign := 1.0
		if reg.Signs != nil {
			sign = float64(reg.Signs[f.perm[k]])
		}

		// The pattern of row k of L, in topological order, and the values of row k of A.
		top := f.n
		mark[k] = int32(k)
		diagonal := sign * reg.Shift
		for p := f.Symbolic.start[k]; p < f.Symbolic.start[k+1]; p++ {
			j := f.cols[p]
			if int(j) == k {
				diagonal += values[f.from[p]]
				continue
			}
			f.x[j] += values[f.from[p]]
			length := 0
			for ; mark[j] != int32(k); j = f.parent[j] {
				path[length] = j
				length++
				mark[j] = int32(k)
			}
			for length > 0 {
				length--
				top--
				order[top] = path[length]
			}
		}

		// Each entry of the row updates the ones after it.
		d := diagonal
		for _, j := range order[top:] {
			xj := f.x[j]
			f.x[j] = 0
			end := f.start[j] + used[j]
			for p := f.start[j]; p < end; p++ {
				f.x[f.rows[p]] -= f.values[p] * xj
			}
			l := xj / f.d[j]
			d -= l * xj
			f.rows[end] = int32(k)
			f.values[end] = l
			used[j]++
		}
		if math.IsNaN(d) || math.IsInf(d, 0) {
			clear(f.x)
			return stats, fmt.Errorf("%w: pivot of row %d", ErrNotFinite, f.perm[k])
		}
		limit := max(reg.Absolute, reg.Relative*math.Abs(diagonal))
		if sign*d <= limit {
			stats.Tiny++
			if sign*d < -limit {
				stats.WrongSign++
			}
			d = sign * reg.Replacement
			f.replaced = append(f.replaced, f.perm[k])
		} else {
			stats.MinPivot = min(stats.MinPivot, math.Abs(d))
			stats.MaxPivot = max(stats.MaxPivot, math.Abs(d))
		}
		f.d[k] = d
	}
	slices.Sort(f.replaced)
	return stats, nil
}

// Replaced returns the rows of the matrix whose pivots were tiny and were replaced, in ascending order, valid until the
// next Factorize.
func (f *Factor) Replaced() []int32 { return f.replaced }

// Solve replaces the right-hand side x, of length n, by the solution of L D L' (P x) = P b. It panics if the length is
// another one.
func (f *Factor) Solve(x []float64) {
	if len(x) != f.n {
		panic(fmt.Sprintf("cholesky: right-hand side of length %d for order %d", len(x), f.n))
	}
	y := f.x
	for k, i := range f.perm {
		y[k] = x[i]
	}
	for j := range f.n {
		for p := f.start[j]; p < f.start[j+1]; p++ {
			y[f.rows[p]] -= f.values[p] * y[j]
		}
	}
	for j := f.n - 1; j >= 0; j-- {
		y[j] /= f.d[j]
		for p := f.start[j]; p < f.start[j+1]; p++ {
			y[j] -= f.values[p] * y[f.rows[p]]
		}
	}
	for k, i := range f.perm {
		x[i] = y[k]
	}
	clear(y)
}

// SolveMany is Solve for each right-hand side.
func (f *Factor) SolveMany(xs [][]float64) {
	for _, x := range xs {
		f.Solve(x)
	}
}
