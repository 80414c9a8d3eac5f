package experiment

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// littleEndian says that floats in memory look as they do in a states file.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// floats views aligned little-endian bytes as float64s, and copies where that cannot be.
func floats(b []byte) []float64 {
	n := len(b) / 8
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%8 == 0 {
		return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]float64, n)
	for k := range out {
		out[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
	}
	return out
}
