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
	// Without a value there is no first byte to take the address of.
	if n == 0 {
		return nil
	}

	// The view shares the memory of the file, which must not be written.
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%8 == 0 {
		return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), n)
	}

	// Floats of another byte order, or at an odd address, are decoded one by one.
	out := make([]float64, n)
	for k := range out {
		out[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
	}
	return out
}
