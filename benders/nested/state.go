package nested

import (
	"encoding/binary"
	"hash/fnv"
	"math"
)

// nextState returns the state of the next period at a point.
func (q *period) nextState(x []float64) []float64 {
	next := make([]float64, len(q.next))
	for k, j := range q.next {
		next[k] = roundState(x[j])
	}
	return next
}

// roundState rounds to 32 bits, which is far below the feasibility tolerances, so that states that differ only by the
// path of the simplex method are the same point.
func roundState(v float64) float64 {
	const (
		bits       = 32    // of the mantissa that are kept
		negligible = 1e-10 // a smaller value is zero, since relative rounding would keep it
	)
	if math.Abs(v) < negligible {
		return 0
	}

	// v = f * 2^e with |f| in [1/2, 1).
	f, e := math.Frexp(v)
	return math.Ldexp(math.Round(math.Ldexp(f, bits)), e-bits)
}

// point is a future at a state.
type point struct {
	future int32
	z      []float64
}

// key identifies the point: a hash of 128 bits, at which two points never meet in practice.
func (p point) key() [16]byte { return hashState(p.future, p.z) }

// hashState returns a hash of a number and a state.
func hashState(number int32, z []float64) (k [16]byte) {
	// The bits of the state, in a fixed byte order, so that the key is the same on every machine.
	h := fnv.New128a()
	var b [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	put(uint64(number))
	for _, v := range z {
		put(math.Float64bits(v))
	}
	h.Sum(k[:0])
	return k
}

// distinct returns the requests or points of a list that differ, in the order in which they come first, and the
// position of each of the list among them.
func distinct[T interface{ key() [16]byte }](list []T) (unique []T, at []int) {
	if len(list) == 1 {
		return list, []int{0}
	}
	known := make(map[[16]byte]int, len(list))
	at = make([]int, len(list))
	for k, t := range list {
		id := t.key()
		n, ok := known[id]
		if !ok {
			n = len(unique)
			known[id] = n
			unique = append(unique, t)
		}
		at[k] = n
	}
	return unique, at
}
