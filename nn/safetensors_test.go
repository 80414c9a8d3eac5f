package nn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/autodiff"
)

// fileOf builds the bytes of a file from the published layout: length, header, data.
func fileOf(header string, data []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

func f64s(x ...float64) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func f32s(x ...float32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// TestPublishedLayout reads a file whose bytes are put together from the format's description, as PyTorch's
// writer orders them (metadata first, offsets not in order of the keys), and checks our writer byte for byte.
func TestPublishedLayout(t *testing.T) {
	header := `{"__metadata__":{"format":"pt","n\u00e4me":"x"},"bias":{"dtype":"F64","shape":[2],"data_offsets":[12,28]},` +
		`"weight":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]},"step":{"dtype":"I64","shape":[],"data_offsets":[28,36]},` +
		`"none":{"dtype":"F64","shape":[0,4],"data_offsets":[36,36]}}   `
	data := append(append(f32s(1, -2.5, 0.1), f64s(7, math.Inf(-1))...), 1, 0, 0, 0, 0, 0, 0, 0)
	x, err := DecodeTensors("a.safetensors", fileOf(header, data))
	if err != nil {
		t.Fatal(err)
	}
	if len(x.List) != 4 || x.List[0].Name != "weight" || x.Meta["format"] != "pt" || x.Meta["näme"] != "x" {
		t.Errorf("tensors %v, metadata %v", x.List, x.Meta)
	}
	w, b := make([]float64, 3), make([]float64, 2)
	if err := x.Float64("weight", []int{1, 3}, w); err != nil || w[1] != -2.5 || w[2] != float64(float32(0.1)) {
		t.Errorf("weight %v, error %v", w, err)
	}
	if err := x.Float64("bias", []int{2}, b); err != nil || b[0] != 7 || !math.IsInf(b[1], -1) {
		t.Errorf("bias %v, error %v", b, err)
	}
	for want, err := range map[string]error{
		"dtype I64":                  x.Float64("step", []int{}, make([]float64, 1)),
		`no tensor "nothing"`:        x.Float64("nothing", []int{1}, b),
		"shape [1 3], want [3 1]":    x.Float64("weight", []int{3, 1}, w),
		"does not fit 2 values":      x.Float64("weight", []int{1, 3}, b),
		`a.safetensors: bad safeten`: x.Float64("weight", []int{3}, w),
	} {
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}

	out := Tensors{Meta: map[string]string{"b": "2", "a": "1"}}
	out.Add("w", []int{1, 2}, []float64{1, 2})
	out.Add("s", nil, []float64{3})
	var buf bytes.Buffer
	if err := out.Write(&buf); err != nil {
		t.Fatal(err)
	}
	want := `{"__metadata__":{"a":"1","b":"2"},"w":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},` +
		`"s":{"dtype":"F64","shape":[],"data_offsets":[16,24]}}`
	for len(want)%8 != 0 {
		want += " "
	}
	if !bytes.Equal(buf.Bytes(), fileOf(want, f64s(1, 2, 3))) {
		t.Errorf("wrote %q", buf.Bytes())
	}
	out.Add("w", nil, []float64{3})
	if err := out.Write(&buf); !errors.Is(err, ErrFormat) {
		t.Errorf("a repeated name is written: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	entry := func(dtype, shape, offsets string) string {
		return `"x":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":` + offsets + `}`
	}
	good := entry("F64", "[1]", "[0,8]")
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"0 bytes are too few", nil},
		{"7 bytes are too few", make([]byte, 7)},
		{"the header length 18446744073709551615 exceeds", bytes.Repeat([]byte{255}, 8)},
		{"the header length 100000001 exceeds", binary.LittleEndian.AppendUint64(nil, 100000001)},
		{"the header is truncated: 90 bytes announced, 1 there",
			append(binary.LittleEndian.AppendUint64(nil, 90), '{')},
		{"does not start with {", fileOf("", nil)},
		{"does not start with {", fileOf(" {}", nil)},
		{"not valid JSON", fileOf("{", nil)},
		{"not valid JSON: something follows", fileOf("{} {}", nil)},
		{"not valid JSON", fileOf(`{"x" 1}`, nil)},
		{`the key "x" is repeated`, fileOf("{"+good+","+good+"}", f64s(1))},
		{`tensor "x": not an object`, fileOf(`{"x":[]}`, nil)},
		{"the metadata: key \"a\": the value is not a string", fileOf(`{"__metadata__":{"a":1}}`, nil)},
		{"the metadata: key \"a\": the value is not a string", fileOf(`{"__metadata__":{"a":null}}`, nil)},
		{`unknown dtype "F65"`, fileOf("{"+entry("F65", "[1]", "[0,8]")+"}", f64s(1))},
		{`field "y": unknown field`, fileOf(`{"x":{"y":1}}`, nil)},
		{"the shape is missing", fileOf(`{"x":{"dtype":"F64","data_offsets":[0,8]}}`, f64s(1))},
		{"bad shape [-1]", fileOf("{"+entry("F64", "[-1]", "[0,8]")+"}", f64s(1))},
		{"bad shape", fileOf("{"+entry("F64", "[4294967296,4294967296]", "[0,8]")+"}", f64s(1))},
		{`field "shape"`, fileOf("{"+entry("F64", "[1.5]", "[0,8]")+"}", f64s(1))},
		{`field "shape"`, fileOf("{"+entry("F64", "[99999999999999999999]", "[0,8]")+"}", f64s(1))},
		{"bad data_offsets", fileOf("{"+entry("F64", "[1]", "[8]")+"}", f64s(1))},
		{"bad data_offsets", fileOf("{"+entry("F64", "[1]", "[-8,0]")+"}", f64s(1))},
		{"bad data_offsets", fileOf("{"+entry("F64", "[1]", "[8,0]")+"}", f64s(1))},
		{`tensor "x": truncated: it ends at byte 8 of 7`, fileOf("{"+good+"}", make([]byte, 7))},
		{"takes 8 bytes, not 16", fileOf("{"+entry("F64", "[1]", "[0,16]")+"}", f64s(1, 2))},
		{"the tensors end at byte 8 of 16", fileOf("{"+good+"}", f64s(1, 2))},
		{"after a gap from 0", fileOf("{"+entry("F64", "[1]", "[8,16]")+"}", f64s(1, 2))},
		{`tensor "y" starts at byte 4 and overlaps`,
			fileOf("{"+good+`,"y":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}}`, make([]byte, 12))},
	} {
		_, err := DecodeTensors("f.st", c.data)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "f.st") {
			t.Errorf("error %v, want the file and %q", err, c.want)
		}
	}
}

func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	m, err := NewMLP(Config{Sizes: []int{4, 5, 2}, Hidden: autodiff.ReLU, Output: autodiff.Softplus, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	m.InScale[1], m.InShift[2], m.OutScale[0], m.OutShift[1] = 2, 3, 4, 5
	if err := m.Save(path, map[string]string{"family": "ufl", "seed": "3"}); err != nil {
		t.Fatal(err)
	}
	n, meta, err := LoadMLP(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(meta) != 2 || meta["family"] != "ufl" {
		t.Errorf("metadata %v", meta)
	}
	a, b := append(weights(m), m.InScale...), append(weights(n), n.InScale...)
	a = append(append(append(a, m.InShift...), m.OutScale...), m.OutShift...)
	b = append(append(append(b, n.InShift...), n.OutScale...), n.OutShift...)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("value %d is %g, want %g", i, b[i], a[i])
		}
	}
	if err := m.Save(path, map[string]string{"nn.sizes": "x"}); err == nil {
		t.Error("a reserved key is accepted")
	}
	try := func(want string, change func(x *Tensors)) {
		t.Helper()
		x, err := ReadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		change(x)
		if _, _, err := x.MLP(); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want the file and %q", err, want)
		}
	}
	try("nn.format", func(x *Tensors) { x.Meta = nil })
	try("nn.hidden", func(x *Tensors) { x.Meta["nn.hidden"] = "tanh" })
	try("size 1 is 0", func(x *Tensors) { x.Meta["nn.sizes"] = "[4,0,2]" })
	try("too short for these sizes", func(x *Tensors) { x.Meta["nn.sizes"] = "[16777216,16777216,16777216]" })
	try("at least two sizes", func(x *Tensors) { x.Meta["nn.sizes"] = "[4]" })
	try("nn.sizes", func(x *Tensors) { x.Meta["nn.sizes"] = "4" })
	try(`no tensor "layers.0.bias"`, func(x *Tensors) { x.List[1].Name = "other" })
	try("has shape [5 4], want", func(x *Tensors) { x.Meta["nn.sizes"] = "[4,3,2]" })
	try("want 10", func(x *Tensors) { x.Meta["nn.sizes"] = "[4,3,3,2]" })
	try(`"layers.1.weight" is not finite`, func(x *Tensors) { copy(x.List[2].Bytes, f64s(math.NaN())) })
	try(`"out.scale" is not finite`, func(x *Tensors) { copy(x.List[6].Bytes, f64s(math.Inf(1))) })
	if _, _, err := LoadMLP(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for an absent file", err)
	}
}

// FuzzDecodeTensors checks that no bytes make the parser panic, and that what it accepts it writes and reads
// back.
func FuzzDecodeTensors(f *testing.F) {
	f.Add(fileOf(`{"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, f64s(1)))
	f.Add(fileOf(`{"__metadata__":{"nn.format":"proxybd.mlp.1","nn.sizes":"[1,1]","nn.hidden":"relu","nn.output":"relu"}}`, nil))
	f.Add([]byte{1, 2, 3})
	m, err := NewMLP(Config{Sizes: []int{1, 2, 1}, Hidden: autodiff.ReLU})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "m")
	if err := m.Save(path, nil); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := DecodeTensors("fuzz", data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		var buf bytes.Buffer
		if err := x.Write(&buf); err != nil {
			t.Fatal(err)
		}
		y, err := DecodeTensors("again", buf.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(x.List) != len(y.List) {
			t.Fatalf("%d tensors became %d", len(x.List), len(y.List))
		}
		for i := range x.List {
			if x.List[i].Name != y.List[i].Name || !bytes.Equal(x.List[i].Bytes, y.List[i].Bytes) {
				t.Fatalf("tensor %d changed", i)
			}
		}
		if _, _, err := x.MLP(); err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("error %v does not wrap ErrFormat", err)
		}
	})
}
