package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Decode reads the data of an instance into *Facilities, *Network, *ScenarioNetwork or *Model. The error wraps
// ErrFormat.
func (in *Instance) Decode(program any) error {
	if len(in.Data) == 0 {
		return fmt.Errorf("%w: an instance without data", ErrFormat)
	}
	if err := strict(in.Data, program); err != nil {
		return fmt.Errorf("%w: the instance: %w", ErrFormat, err)
	}
	return nil
}

// Hash is the SHA-256 of the program in hexadecimal. Two models with the same hash are the same program: names and what
// helps a proof are left out.
func (m *Model) Hash() string {
	// The sizes come first, so that no two programs write the same numbers; marks and positions are integers, too.
	sizes := []int{one(m.Maximize), len(m.Cost), len(m.RowLower), len(m.Index)}
	for _, v := range slices.Concat(m.Integer, m.First) {
		sizes = append(sizes, one(v))
	}
	sizes = append(sizes, m.Start...)
	for _, j := range m.Index {
		sizes = append(sizes, int(j))
	}

	// The order of the parts is that of the format, and must not change.
	return ContentHash("mps", sizes,
		[]float64{m.Offset},
		m.Cost,
		floats(m.Lower),
		floats(m.Upper),
		floats(m.RowLower),
		floats(m.RowUpper),
		m.Value)
}

// Hash is the SHA-256 of the program in hexadecimal.
func (w *ScenarioNetwork) Hash() string {
	// The sizes and the ends of the arcs, then the numbers, in the order of the fields.
	sizes := []int{w.Nodes, len(w.Tail), len(w.Probability)}
	for _, v := range slices.Concat(w.Tail, w.Head) {
		sizes = append(sizes, int(v))
	}
	return ContentHash("netdes", sizes, w.Fixed, w.Probability, w.Cost, w.Capacity, w.Demand)
}

// one is 1 for a mark and 0 for none.
func one(v bool) int {
	if v {
		return 1
	}
	return 0
}

// floats returns numbers as float64.
func floats(list []Number) []float64 {
	out := make([]float64, len(list))
	for k, v := range list {
		out[k] = float64(v)
	}
	return out
}

// ContentHash is the SHA-256 over a tag, sizes as 64-bit and floats as IEEE 754 bits, little-endian, -0 taken as 0, in
// hexadecimal.
func ContentHash(tag string, sizes []int, parts ...[]float64) string {
	h := sha256.New()
	h.Write([]byte(tag))

	// Eight bytes for each number; writing to a hash never fails.
	var b [8]byte
	for _, v := range sizes {
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		h.Write(b[:])
	}
	for _, part := range parts {
		for _, v := range part {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v+0)) // no negative zero
			h.Write(b[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// aids are the fields of Model that are no part of the program.
var aids = map[string]bool{"Block": true, "Implied": true, "Derived": true}

// Difference names the first thing in which two programs differ, such as "Cost[3] is 4, not 5" (a's number first), ""
// if they are the same. Both are of the same type.
func Difference(a, b any) string {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if v.Type() != w.Type() {
		return fmt.Sprintf("it is a %T, not a %T", a, b)
	}

	// The fields are compared in their order, so that the first difference is the same every time.
	for k := range v.NumField() {
		name := v.Type().Field(k).Name
		if aids[name] {
			continue
		}
		if d := difference(name, v.Field(k), w.Field(k)); d != "" {
			return d
		}
	}
	return ""
}

// difference names the first difference of a field, a scalar or a list of them, "" for none.
func difference(name string, v, w reflect.Value) string {
	if v.Kind() != reflect.Slice {
		if !v.Equal(w) {
			return fmt.Sprintf("%s is %v, not %v", name, v, w)
		}
		return ""
	}

	// Lists of different lengths are not compared entry by entry: an entry that is missing moves all others.
	if v.Len() != w.Len() {
		return fmt.Sprintf("%s has %d entries, not %d", name, v.Len(), w.Len())
	}
	for k := range v.Len() {
		if !v.Index(k).Equal(w.Index(k)) {
			return fmt.Sprintf("%s[%d] is %v, not %v", name, k, v.Index(k), w.Index(k))
		}
	}
	return ""
}
