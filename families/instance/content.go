// Package instance is what the data of all instances have in common:
//
//   - checks of their numbers, and the two errors that a family wraps: ErrInstance for data that cannot be used,
//     ErrFormat for a file that does not have its layout (check.go);
//   - a hash of their content, by which records and checkpoints see if they are of this instance (content.go);
//   - text files, plain or packed, read field by field and written whole or not at all (files.go);
//   - designs as 0-1 vectors and as lists of columns, and a first-stage model without rows (design.go);
//   - scenarios whose probabilities do not sum to one, or are 0 (scenarios.go);
//   - the random factors and demands that variants and classes are drawn by (lognormal.go, draws.go).
//
// The name of the family is an argument where it stands in front of an error.
package instance

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Content is what the hash of an instance covers.
type Content struct {
	// Tag sets the family apart: the same numbers mean something else in another one.
	Tag string
	// Sizes are the numbers of facilities, nodes, columns and so on.
	Sizes []int
	// Ends are lists of indices, such as the tails and heads of arcs.
	Ends [][]int32
	// Numbers are costs, capacities, demands and so on.
	Numbers [][]float64
	// More, nil for none, calls one of two functions with further ends and numbers, which need not be in memory at once:
	// with ends only if numbers is nil, and with numbers only if ends is nil.
	More func(ends func([]int32), numbers func([]float64))
}

// Hash returns the SHA-256 in hexadecimal of the tag, the sizes and the ends as 64-bit, and the numbers as IEEE 754
// bits, all little-endian, with -0 taken as 0.
func (c Content) Hash() string {
	h := sha256.New()

	// Numbers are hashed in blocks, not one by one.
	buf := append(make([]byte, 0, 8192), c.Tag...)
	put := func(v uint64) {
		if len(buf)+8 > cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = binary.LittleEndian.AppendUint64(buf, v)
	}

	// Lengths are not hashed: the sizes give them.
	for _, v := range c.Sizes {
		put(uint64(v))
	}
	ends := func(part []int32) {
		for _, v := range part {
			put(uint64(v))
		}
	}
	numbers := func(part []float64) {
		for _, v := range part {
			put(math.Float64bits(v + 0)) // -0 + 0 is 0
		}
	}

	// All ends come before all numbers.
	for _, part := range c.Ends {
		ends(part)
	}
	if c.More != nil {
		c.More(ends, nil)
	}
	for _, part := range c.Numbers {
		numbers(part)
	}
	if c.More != nil {
		c.More(nil, numbers)
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
