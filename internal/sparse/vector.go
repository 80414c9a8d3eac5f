package sparse

import "math"

// Vector is a scattered vector: Value is dense, Index[:N] lists the positions that may be nonzero.
// N < 0 means that the pattern is not known and any position may be nonzero. Index has room for every
// position, so that nothing is allocated while the vector is filled.
type Vector struct {
	Value []float64
	Index []int32
	N     int
}

// NewVector returns a zero vector of length n.
func NewVector(n int) *Vector {
	return &Vector{Value: make([]float64, n), Index: make([]int32, n)}
}

// Resize gives the vector length n and makes it zero. Storage is reused where it suffices.
func (v *Vector) Resize(n int) {
	v.Clear()

	// The storage grows with room to spare.
	if cap(v.Value) < n {
		v.Value = make([]float64, n, n+n/4+8)
	}
	if cap(v.Index) < n {
		v.Index = make([]int32, n, n+n/4+8)
	}

	// Entries beyond the old length may have old values.
	old := len(v.Value)
	v.Value = v.Value[:n]
	v.Index = v.Index[:n]
	if old < n {
		clear(v.Value[old:])
	}
}

// Clear makes the vector zero, in time proportional to its pattern.
func (v *Vector) Clear() {
	if v.N < 0 || 4*v.N > len(v.Value) {
		// A sparse vector is cleared entry by entry, a dense one as a whole.
		clear(v.Value)
	} else {
		for _, i := range v.Index[:v.N] {
			v.Value[i] = 0
		}
	}
	v.N = 0
}

// Add adds x at position i. The pattern must be known.
func (v *Vector) Add(i int32, x float64) {
	// A value of zero means that the position is not in the pattern.
	old := v.Value[i]
	if old == 0 {
		v.Index[v.N] = i
		v.N++
	}
	x += old
	if x == 0 {
		x = tiny // keeps the position in the pattern once only
	}
	v.Value[i] = x
}

// tiny replaces a zero that is in the pattern; every solve drops it.
const tiny = 1e-100

// Pack finds the pattern again and sets entries of at most drop in absolute value to zero.
func (v *Vector) Pack(drop float64) {
	n := 0
	if v.N < 0 {
		// Which entries are zero is random, so no branch depends on it: the compiler selects the mask, all ones for an entry
		// that is kept, and the position is written in any case.
		index := v.Index[:len(v.Value)]
		for i, x := range v.Value {
			mask := uint64(0)
			if math.Abs(x) > drop {
				mask = math.MaxUint64
			}
			v.Value[i] = math.Float64frombits(math.Float64bits(x) & mask)
			index[n] = int32(i)
			n += int(mask & 1)
		}
		v.N = n
		return
	}

	for _, i := range v.Index[:v.N] {
		// Both comparisons are false for NaN, which stays.
		x := v.Value[i]
		if x <= drop && x >= -drop {
			v.Value[i] = 0
			continue
		}
		v.Index[n] = i
		n++
	}
	v.N = n
}

// Copy makes v equal to w, which has the same length.
func (v *Vector) Copy(w *Vector) {
	v.Clear()
	if w.N < 0 {
		copy(v.Value, w.Value)
		v.N = w.N
		return
	}

	// Only the entries of the pattern are copied.
	copy(v.Index[:w.N], w.Index[:w.N])
	for _, i := range w.Index[:w.N] {
		v.Value[i] = w.Value[i]
	}
	v.N = w.N
}

// Largest returns the largest absolute value, 0 of no values.
func Largest(values []float64) float64 {
	largest := 0.0
	for _, x := range values {
		largest = max(largest, math.Abs(x))
	}
	return largest
}
