package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"testing"
)

// TestHashCoversBytesInOrder compares the hash with that of the bytes written out, and of content longer than the
// buffer with that of its parts moved, and of a zero with that of a negative one.
func TestHashCoversBytesInOrder(t *testing.T) {
	c := Content{Tag: "t", Sizes: []int{258}, Ends: [][]int32{{3}}, Numbers: [][]float64{{1}}}
	bytes := []byte{'t', 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}
	want := sha256.Sum256(bytes)
	if got := c.Hash(); got != hex.EncodeToString(want[:]) {
		t.Errorf("hash %s, want %x", got, want)
	}
	long := make([]float64, 3000)
	for k := range long {
		long[k] = float64(k)
	}
	whole := Content{Numbers: [][]float64{long}}.Hash()
	if parts := (Content{Numbers: [][]float64{long[:1100], long[1100:]}}).Hash(); parts != whole {
		t.Errorf("in two parts %s, in one %s", parts, whole)
	}
	long[0] = math.Copysign(0, -1)
	if (Content{Numbers: [][]float64{long}}).Hash() != whole {
		t.Error("-0 and 0 differ")
	}
	long[2999]++
	if (Content{Numbers: [][]float64{long}}).Hash() == whole {
		t.Error("the last number does not count")
	}
}

// TestHashOfMore gives a part of the ends and numbers by a function: the hash is that of one list of each.
func TestHashOfMore(t *testing.T) {
	whole := Content{Tag: "t", Ends: [][]int32{{3}, {4, 5}}, Numbers: [][]float64{{1}, {2, 3}}}
	parts := Content{Tag: "t", Ends: whole.Ends[:1], Numbers: whole.Numbers[:1]}
	parts.More = func(ends func([]int32), numbers func([]float64)) {
		if ends != nil {
			ends(whole.Ends[1])
		}
		if numbers != nil {
			numbers(whole.Numbers[1])
		}
	}
	if got, want := parts.Hash(), whole.Hash(); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}
