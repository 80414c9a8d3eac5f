package families

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
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

// core adds a model: its columns, rows and coefficients.
func (c *Content) core(m *lp.Model) {
	numbers := []float64{m.Offset}
	for _, col := range m.Cols {
		kind := 0.0
		if col.Integer {
			kind = 1
		}
		numbers = append(numbers, col.Cost, col.Lower, col.Upper, kind)
	}
	for _, r := range m.Rows {
		numbers = append(numbers, r.Lower, r.Upper)
	}
	if a, err := m.Matrix(); err == nil {
		for j := range m.Cols {
			index, value := a.Vec(j)
			c.Sizes = append(c.Sizes, len(index))
			c.Ends, c.Numbers = append(c.Ends, index), append(c.Numbers, value)
		}
	}
	c.Numbers = append(c.Numbers, numbers)
}

// changes adds a probability and differences from a model.
func (c *Content) changes(probability float64, list []stoch.Change) {
	ends, values := make([]int32, 0, 3*len(list)), make([]float64, 0, 1+len(list))
	values = append(values, probability)
	for _, d := range list {
		ends, values = append(ends, int32(d.Kind), int32(d.Row), int32(d.Col)), append(values, d.Value)
	}
	c.Ends, c.Numbers = append(c.Ends, ends), append(c.Numbers, values)
}
