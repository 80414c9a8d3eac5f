package cholesky

import (
	"fmt"
	"slices"
)

// Symbolic is the analysis of a pattern: an ordering, the structure of the factor, and predictions. It is read-only
// after Analyse, so that several factors may share it.
type Symbolic struct {
	n      int
	given  int // entries of the given pattern
	opts   Options
	perm   []int32 // perm[k] is the row of A that is row k of P A P'
	parent []int32 // elimination tree of P A P', -1 for a root
	counts []int32 // entries of each column of L, with the diagonal

	// Row k of P A P' up to the diagonal: its columns, and where their values are.
	start []int
	cols  []int32
	from  []int32

	nonZeros int64
	flops    float64
}

// Analyse orders a symmetric pattern of order n, compressed by columns (see the package comment), and predicts its
// factor. The error wraps ErrPattern, ErrOptions, or ErrMemory if the factor would need more than MaxBytes.
func Analyse(n int, colPtr, rowIdx []int32, opts Options) (*Symbolic, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if _, err := checkPattern(n, colPtr, rowIdx); err != nil {
		return nil, err
	}

	s := &Symbolic{n: n, given: len(rowIdx), opts: opts, perm: make([]int32, n)}
	for k := range s.perm {
		s.perm[k] = int32(k)
	}
	s.permute(colPtr, rowIdx)
	s.eliminate()
	if need := s.Bytes(); opts.MaxBytes > 0 && need > opts.MaxBytes {
		return nil, fmt.Errorf("%w: the factor needs %d bytes, the limit is %d", ErrMemory, need, opts.MaxBytes)
	}
	return s, nil
}

// Order returns the order of the matrix.
func (s *Symbolic) Order() int { return s.n }

// NonZeros returns the number of entries of L, its diagonal included.
func (s *Symbolic) NonZeros() int64 { return s.nonZeros }

// Flops returns the floating-point operations of a factorisation, the sum of the squares of the column counts of L.
func (s *Symbolic) Flops() float64 { return s.flops }

// Bytes returns the memory of a factor.
func (s *Symbolic) Bytes() int64 { return 12*s.nonZeros + 40*int64(s.n) }

// Permutation returns a copy of the order of elimination: element k is the row of the matrix that is eliminated as
// number k.
func (s *Symbolic) Permutation() []int32 { return slices.Clone(s.perm) }

// permute stores the rows of the lower triangle of P A P'.
func (s *Symbolic) permute(colPtr, rowIdx []int32) {
	place := make([]int32, s.n)
	for k, i := range s.perm {
		place[i] = int32(k)
	}
	s.start = make([]int, s.n+1)
	for j := range s.n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) >= j {
				s.start[max(place[i], place[j])+1]++
			}
		}
	}
	for k := range s.n {
		s.start[k+1] += s.start[k]
	}
	s.cols = make([]int32, s.start[s.n])
	s.from = make([]int32, s.start[s.n])
	next := slices.Clone(s.start[:s.n])
	for j := range s.n {
		for p := colPtr[j]; p < colPtr[j+1]; p++ {
			i := rowIdx[p]
			if int(i) < j {
				continue
			}
			row := max(place[i], place[j])
			s.cols[next[row]] = min(place[i], place[j])
			s.from[next[row]] = p
			next[row]++
		}
	}
}

// eliminate finds the elimination tree and the column counts, row by row.
func (s *Symbolic) eliminate() {
	s.parent = make([]int32, s.n)
	s.counts = make([]int32, s.n)
	mark := make([]int32, s.n)
	for k := range s.n {
		s.parent[k] = -1
		s.counts[k] = 1
		mark[k] = int32(k)
		for _, j := range s.cols[s.start[k]:s.start[k+1]] {
			for ; mark[j] != int32(k); j = s.parent[j] {
				if s.parent[j] < 0 {
					s.parent[j] = int32(k)
				}
				s.counts[j]++
				mark[j] = int32(k)
			}
		}
	}
	for _, c := range s.counts {
		s.nonZeros += int64(c)
		s.flops += float64(c) * float64(c)
	}
}
