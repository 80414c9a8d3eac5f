// Package instance is what the data of all instances have in common: checks of their numbers, a hash of their content,
// text files, probabilities of scenarios, and the random factors and demands that variants and classes are drawn by.
package instance

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Content is what the hash of an instance covers.
type Content struct {
	Tag     string // sets the family apart
	Sizes   []int
	Ends    [][]int32
	Numbers [][]float64
}

// Hash returns the SHA-256 in hexadecimal of the tag, the sizes and the ends as 64-bit, and the numbers as IEEE 754
// bits, all little-endian, with -0 taken as 0.
func (c Content) Hash() string {
	h := sha256.New()
	buf := append(make([]byte, 0, 8192), c.Tag...)
	put := func(v uint64) {
		if len(buf)+8 > cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = binary.LittleEndian.AppendUint64(buf, v)
	}
	for _, v := range c.Sizes {
		put(uint64(v))
	}
	for _, part := range c.Ends {
		for _, v := range part {
			put(uint64(v))
		}
	}
	for _, part := range c.Numbers {
		for _, v := range part {
			if v == 0 {
				v = 0 // -0 too
			}
			put(math.Float64bits(v))
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
