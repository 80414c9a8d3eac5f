// Package wire turns numbers and lists into bytes and back, for messages between processes of the same build: floats as
// their bits, integers of variable length, lists behind their length. A reader keeps its first error, and allocates no
// more than the bytes that are there can hold.
package wire

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrShort means bytes that end too early, or have a length that cannot be.
var ErrShort = errors.New("a message that is damaged")

// Writer appends values to bytes.
type Writer struct{ Bytes []byte }

// Int appends an integer.
func (w *Writer) Int(v int) { w.Bytes = binary.AppendVarint(w.Bytes, int64(v)) }

// Bool appends a truth value.
func (w *Writer) Bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	w.Bytes = append(w.Bytes, b)
}

// Float appends the bits of a float.
func (w *Writer) Float(v float64) {
	w.Bytes = binary.LittleEndian.AppendUint64(w.Bytes, math.Float64bits(v))
}

// Floats appends a list of floats.
func (w *Writer) Floats(list []float64) {
	w.Int(len(list))
	for _, v := range list {
		w.Float(v)
	}
}

// Text appends bytes behind their number.
func (w *Writer) Text(list []byte) {
	w.Int(len(list))
	w.Bytes = append(w.Bytes, list...)
}

// Ints appends a list of integers.
func Ints[T ~int | ~int32](w *Writer, list []T) {
	w.Int(len(list))
	for _, v := range list {
		w.Int(int(v))
	}
}

// Octets appends a list of bytes of a type of their own.
func Octets[T ~uint8](w *Writer, list []T) {
	w.Int(len(list))
	for _, v := range list {
		w.Bytes = append(w.Bytes, byte(v))
	}
}

// Reader takes values from bytes, in the order in which they were written. After an error all values are zero.
type Reader struct {
	Bytes []byte
	Err   error
}

// fail notes the first error.
func (r *Reader) fail() {
	if r.Err == nil {
		r.Err = ErrShort
	}
	r.Bytes = nil
}

// Int takes an integer.
func (r *Reader) Int() int {
	v, n := binary.Varint(r.Bytes)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.Bytes = r.Bytes[n:]
	return int(v)
}

// Bool takes a truth value.
func (r *Reader) Bool() bool {
	if len(r.Bytes) == 0 {
		r.fail()
		return false
	}
	v := r.Bytes[0]
	r.Bytes = r.Bytes[1:]
	return v != 0
}

// Float takes a float.
func (r *Reader) Float() float64 {
	if len(r.Bytes) < 8 {
		r.fail()
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.Bytes))
	r.Bytes = r.Bytes[8:]
	return v
}

// Length takes the length of a list. least is how many bytes an entry has at least.
func (r *Reader) Length(least int) int {
	n := r.Int()
	if n < 0 || n > len(r.Bytes)/max(1, least) {
		r.fail()
		return 0
	}
	return n
}

// Floats takes a list of floats, nil for an empty one.
func (r *Reader) Floats() (list []float64) {
	n := r.Length(8)
	if n == 0 {
		return nil
	}
	list = make([]float64, n)
	for k := range list {
		list[k] = r.Float()
	}
	return list
}

// Text takes bytes, nil for none. They are a copy.
func (r *Reader) Text() []byte {
	n := r.Length(1)
	if n == 0 {
		return nil
	}
	list := append([]byte(nil), r.Bytes[:n]...)
	r.Bytes = r.Bytes[n:]
	return list
}

// IntList takes a list of integers, nil for an empty one.
func IntList[T ~int | ~int32](r *Reader) (list []T) {
	n := r.Length(1)
	if n == 0 {
		return nil
	}
	list = make([]T, n)
	for k := range list {
		list[k] = T(r.Int())
	}
	return list
}

// OctetList takes a list of bytes of a type of their own, nil for an empty one.
func OctetList[T ~uint8](r *Reader) (list []T) {
	text := r.Text()
	if text == nil {
		return nil
	}
	list = make([]T, len(text))
	for k, v := range text {
		list[k] = T(v)
	}
	return list
}

// End returns the first error, also for bytes that are left.
func (r *Reader) End() error {
	if len(r.Bytes) > 0 {
		r.fail()
	}
	return r.Err
}
