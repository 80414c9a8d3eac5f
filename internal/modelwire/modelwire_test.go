package modelwire

import (
	"errors"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
)

// sample returns a model with everything that is packed.
func sample() *lp.Model {
	m := &lp.Model{Maximize: true, Offset: 3}
	x := m.Integer("x", 1, 0, lp.Inf)
	y := m.Free("y", -2)
	m.AtMost(7.5, x.Times(2), y)
	m.AtLeast(-1, y.Times(0.1))
	m.Rows[0].Name = "room"
	return m
}

// TestModelComesBack packs a model with and without names.
func TestModelComesBack(t *testing.T) {
	for _, names := range []bool{true, false} {
		var w wire.Writer
		if err := Write(&w, sample(), names); err != nil {
			t.Fatal(err)
		}
		r := &wire.Reader{Bytes: w.Bytes}
		got, err := Read(r)
		if err := errors.Join(err, r.End()); err != nil {
			t.Fatal(err)
		}
		want := sample()
		if !names {
			for j := range want.Cols {
				want.Cols[j].Name = ""
			}
			for i := range want.Rows {
				want.Rows[i].Name = ""
			}
		}
		a, err := want.Matrix()
		b, failed := got.Matrix()
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Cols, want.Cols) || !reflect.DeepEqual(got.Rows, want.Rows) || !reflect.DeepEqual(a, b) ||
			got.Maximize != want.Maximize || got.Offset != want.Offset {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
}

// FuzzRead reads damaged models: an error, or a valid model.
func FuzzRead(f *testing.F) {
	var w wire.Writer
	if err := Write(&w, sample(), true); err != nil {
		f.Fatal(err)
	}
	f.Add(w.Bytes)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(&wire.Reader{Bytes: text})
		if err == nil && m.Validate() != nil {
			t.Error("a model that is not valid")
		}
	})
}
