package wire_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/internal/wire"
)

type kind uint8

// TestRoundTrip writes values of every kind and reads them again, bit for bit; every shorter text is an error.
func TestRoundTrip(t *testing.T) {
	floats := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Pi, math.SmallestNonzeroFloat64}
	var w wire.Writer
	w.Int(-300)
	w.Bool(true)
	w.Float(math.Float64frombits(0x7ff8000000000123)) // a NaN with bits of its own
	w.Floats(floats)
	w.Text([]byte("text"))
	wire.Ints(&w, []int32{5, -7, math.MaxInt32})
	wire.Octets(&w, []kind{1, 2})
	wire.Ints(&w, []int(nil))

	r := wire.Reader{Bytes: w.Bytes}
	read := func(r *wire.Reader) []any {
		return []any{r.Int(), r.Bool(), math.Float64bits(r.Float()), r.Floats(), string(r.Text()), wire.IntList[int32](r),
			wire.OctetList[kind](r), wire.IntList[int](r)}
	}
	got := read(&r)
	want := []any{-300, true, uint64(0x7ff8000000000123), floats, "text", []int32{5, -7, math.MaxInt32}, []kind{1, 2}, []int(nil)}
	if err := r.End(); err != nil || !reflect.DeepEqual(got, want) || math.Signbit(got[3].([]float64)[1]) == false {
		t.Errorf("%v, %v", got, err)
	}
	for n := range w.Bytes {
		short := wire.Reader{Bytes: w.Bytes[:n]}
		if read(&short); short.End() == nil {
			t.Errorf("%d of %d bytes are no error", n, len(w.Bytes))
		}
	}
	long := wire.Reader{Bytes: append(w.Bytes, 0)}
	if read(&long); long.End() == nil {
		t.Error("a byte too many is no error")
	}
}

// FuzzReader reads random bytes: no panic, and no list that the bytes cannot hold.
func FuzzReader(f *testing.F) {
	f.Add([]byte{200, 1, 1, 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		r := wire.Reader{Bytes: text}
		for r.Err == nil && len(r.Bytes) > 0 {
			if list := r.Floats(); 8*len(list) > len(text) {
				t.Fatal("a list of more floats than there are bytes")
			}
			wire.IntList[int32](&r)
			wire.OctetList[uint8](&r)
		}
	})
}
