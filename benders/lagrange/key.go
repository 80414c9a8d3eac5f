package lagrange

import "math/rand/v2"

// key tells designs apart: the keys of the open columns, random numbers, added bit by bit.
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

func (s *LocalSearch) keyOf(y []float64) (k key) {
	for j, v := range y {
		if v == 1 {
			k[0] ^= s.keys[j][0]
			k[1] ^= s.keys[j][1]
		}
	}
	return k
}
