// Package splitmix hashes numbers, for sums and comparisons within one run: equal numbers have equal hashes on every
// machine. It is no protection against inputs that are made to collide.
package splitmix

import "math"

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014, Fast splittable pseudorandom number generators).
func Mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Floats returns the hash of a list of numbers, the same for both zeros.
func Floats(values ...float64) uint64 {
	h := uint64(0)
	for _, v := range values {
		h = Mix(h ^ math.Float64bits(v+0)) // v+0 turns -0 into 0
	}
	return h
}
