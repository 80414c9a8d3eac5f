// Package sparse holds the compressed matrices and the scattered vectors that the solvers share.
package sparse

import (
	"fmt"
	"slices"
)

// Matrix is a compressed sparse matrix: Major vectors (columns, when it is stored by columns) over
// Minor positions. Vector k has the entries Start[k] to Start[k+1] of Index and Value. Indices within
// a vector are distinct; they are ascending in a matrix that Compress or Transpose built.
type Matrix struct {
	Major, Minor int
	Start        []int
	Index        []int32
	Value        []float64
}

// Triplet is one entry of a matrix in coordinate form.
type Triplet struct {
	Major, Minor int32
	Value        float64
}

// NNZ returns the number of stored entries.
func (a *Matrix) NNZ() int { return len(a.Index) }

// Vec returns views of the indices and values of vector k.
func (a *Matrix) Vec(k int) ([]int32, []float64) {
	lo := a.Start[k]
	hi := a.Start[k+1]
	return a.Index[lo:hi:hi], a.Value[lo:hi:hi]
}

// WithoutZeros returns the matrix without entries whose value is zero; a itself where there are none.
func (a *Matrix) WithoutZeros() *Matrix {
	if !slices.Contains(a.Value, 0) {
		return a
	}
	out := &Matrix{Major: a.Major, Minor: a.Minor, Start: make([]int, 1, a.Major+1)}
	for k := range a.Major {
		index, value := a.Vec(k)
		for p, v := range value {
			if v != 0 {
				out.Index = append(out.Index, index[p])
				out.Value = append(out.Value, v)
			}
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// Compress builds a matrix from entries in any order, in time linear in their number: two stable
// counting sorts, by minor and then by major index. Zero values are kept. An entry outside the
// matrix, or a second one in the same place, is an error.
func Compress(major, minor int, entries []Triplet) (*Matrix, error) {
	// Every entry must be inside the matrix.
	for _, e := range entries {
		if uint(e.Major) >= uint(major) || uint(e.Minor) >= uint(minor) { // as unsigned, a negative number is large
			return nil, fmt.Errorf("sparse: entry (%d, %d) outside a %d x %d matrix", e.Major, e.Minor, major, minor)
		}
	}
	if a := ordered(major, minor, entries); a != nil {
		return a, nil
	}

	// By minor index first, into the transpose; transposing that sorts both ways.
	t := &Matrix{
		Major: minor,
		Minor: major,
		Start: make([]int, minor+1),
		Index: make([]int32, len(entries)),
		Value: make([]float64, len(entries)),
	}
	for _, e := range entries {
		t.Start[e.Minor+1]++
	}
	prefixSum(t.Start)
	next := slices.Clone(t.Start[:minor])
	for _, e := range entries {
		p := next[e.Minor]
		t.Index[p] = e.Major
		t.Value[p] = e.Value
		next[e.Minor]++
	}
	a := t.Transpose()

	// Sorted entries in the same place are neighbours.
	for k := range a.Major {
		index, _ := a.Vec(k)
		for p := 1; p < len(index); p++ {
			if index[p] == index[p-1] {
				return nil, &DuplicateError{Major: k, Minor: int(index[p])}
			}
		}
	}
	return a, nil
}

// ordered is Compress for entries that come vector by vector with ascending indices, nil for others.
func ordered(major, minor int, entries []Triplet) *Matrix {
	// An entry must be behind the one before it.
	for k := 1; k < len(entries); k++ {
		e := &entries[k]
		last := &entries[k-1]
		if e.Major < last.Major || e.Major == last.Major && e.Minor <= last.Minor {
			return nil
		}
	}

	// The entries are the arrays of the matrix as they come.
	a := &Matrix{
		Major: major,
		Minor: minor,
		Start: make([]int, major+1),
		Index: make([]int32, len(entries)),
		Value: make([]float64, len(entries)),
	}
	for k, e := range entries {
		a.Start[e.Major+1]++
		a.Index[k] = e.Minor
		a.Value[k] = e.Value
	}
	prefixSum(a.Start)
	return a
}

// DuplicateError reports two entries in the same place.
type DuplicateError struct{ Major, Minor int }

// Error implements error.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("sparse: two entries at (%d, %d)", e.Major, e.Minor)
}

// Transpose returns the same matrix compressed the other way, with ascending indices.
func (a *Matrix) Transpose() *Matrix {
	t := &Matrix{
		Major: a.Minor,
		Minor: a.Major,
		Start: make([]int, a.Minor+1),
		Index: make([]int32, len(a.Index)),
		Value: make([]float64, len(a.Index)),
	}

	// The lengths of the vectors, each counted one place further, add up to the places where they start.
	for _, i := range a.Index {
		t.Start[i+1]++
	}
	prefixSum(t.Start)

	// Each entry goes to the next free place of its new vector, in ascending order of the old ones.
	next := slices.Clone(t.Start[:a.Minor])
	for k := range a.Major {
		for p := a.Start[k]; p < a.Start[k+1]; p++ {
			i := a.Index[p]
			q := next[i]
			t.Index[q] = int32(k)
			t.Value[q] = a.Value[p]
			next[i]++
		}
	}
	return t
}

// prefixSum replaces every entry by the sum of the entries up to it: lengths shifted by one become starts.
func prefixSum(start []int) {
	for k := 1; k < len(start); k++ {
		start[k] += start[k-1]
	}
}
