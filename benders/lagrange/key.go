package lagrange

import "math/rand/v2"

// key is a hash of a design: the keys of its open columns, random numbers, combined by XOR. With 128 bits two designs
// have the same key with a probability that does not matter.
type key [2]uint64

// newKeys returns a key for each of n columns.
func newKeys(n int) []key {
	rng := rand.NewPCG(1, 0x6b6579)
	list := make([]key, n)
	for j := range list {
		list[j] = key{rng.Uint64(), rng.Uint64()}
	}
	return list
}

// keyOf returns the key of a design.
func (s *LocalSearch) keyOf(y []float64) (k key) {
	for j, v := range y {
		if v == 1 {
			k[0] ^= s.keys[j][0]
			k[1] ^= s.keys[j][1]
		}
	}
	return k
}
