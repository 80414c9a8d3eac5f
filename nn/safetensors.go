package nn

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/proxybd/proxybd/internal/atomicfile"
)

// ErrFormat is wrapped by every error about the content of a safetensors file.
var ErrFormat = errors.New("bad safetensors file")

// maxHeader bounds the JSON header, as the reference implementation does.
const maxHeader = 100_000_000

// maxTensors bounds a file that is read into memory, in bytes.
const maxTensors = 1 << 31

// Tensor is a named array of a safetensors file: row-major, little-endian.
type Tensor struct {
	Name  string
	DType string // F64, F32, I64, ...
	Shape []int
	Bytes []byte
}

// Tensors is the content of a safetensors file: an 8-byte little-endian header length, a JSON header that
// gives each tensor's dtype, shape and byte range and an optional map of metadata, then the bytes
// (https://huggingface.co/docs/safetensors). It is what PyTorch users load and save.
type Tensors struct {
	File string // for errors
	List []Tensor
	Meta map[string]string
}

// Add appends a float64 tensor; its values are copied.
func (t *Tensors) Add(name string, shape []int, values []float64) {
	// Values are stored as bits, so that NaN and negative zero are kept.
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	t.List = append(t.List, Tensor{name, "F64", slices.Clone(shape), b})
}

// Float64 copies the named tensor into dst. The tensor must have this shape and be F64, or F32, which is
// widened exactly.
func (t *Tensors) Float64(name string, shape []int, dst []float64) error {
	at := slices.IndexFunc(t.List, func(x Tensor) bool { return x.Name == name })
	if at < 0 {
		return t.errorf("there is no tensor %q", name)
	}
	x := &t.List[at]
	// The shape is compared as a list: 4 x 1 is not 4.
	if !slices.Equal(x.Shape, shape) {
		return t.errorf("tensor %q has shape %v, want %v", name, x.Shape, shape)
	}

	// The caller may have passed a shape that its buffer does not have.
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(dst) {
		return t.errorf("tensor %q of shape %v does not fit %d values", name, x.Shape, len(dst))
	}

	// DecodeTensors has compared the number of bytes with the shape.
	switch x.DType {
	case "F64":
		for k := range dst {
			dst[k] = math.Float64frombits(binary.LittleEndian.Uint64(x.Bytes[8*k:]))
		}
	case "F32":
		// Every float32 is a float64.
		for k := range dst {
			dst[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(x.Bytes[4*k:])))
		}
	default:
		return t.errorf("tensor %q has dtype %s, want F64 or F32", name, x.DType)
	}
	return nil
}

// errorf makes an error that names the file.
func (t *Tensors) errorf(format string, args ...any) error {
	return fmt.Errorf("nn: %s: %w: %s", t.File, ErrFormat, fmt.Sprintf(format, args...))
}

// Write writes the file: header padded with spaces to a multiple of 8, tensors in the order of List.
func (t *Tensors) Write(w io.Writer) error {
	var h bytes.Buffer
	h.WriteByte('{')
	// Texts and integers are marshalled below, which cannot fail.
	if len(t.Meta) > 0 {
		m, _ := json.Marshal(t.Meta) // sorts the keys
		fmt.Fprintf(&h, `"__metadata__":%s,`, m)
	}

	// The byte ranges follow each other in the order of List.
	seen := map[string]bool{"__metadata__": true}
	at := 0
	// The name of the metadata is taken, as is every name before.
	for i := range t.List {
		x := &t.List[i]
		if seen[x.Name] {
			return t.errorf("the tensor name %q is taken", x.Name)
		}
		seen[x.Name] = true

		name, _ := json.Marshal(x.Name)
		shape, _ := json.Marshal(append([]int{}, x.Shape...))
		fmt.Fprintf(&h, `%s:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]},`, name, x.DType, shape, at, at+len(x.Bytes))
		at += len(x.Bytes)
	}

	// JSON has no comma after the last member.
	if h.Len() > 1 {
		h.Truncate(h.Len() - 1)
	}
	h.WriteByte('}')
	// The bytes after the header are aligned to 8.
	for h.Len()%8 != 0 {
		h.WriteByte(' ')
	}

	// The buffer keeps the first error of all writes.
	b := bufio.NewWriter(w)
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(h.Len())))
	b.Write(h.Bytes())
	for i := range t.List {
		b.Write(t.List[i].Bytes)
	}
	return b.Flush() // reports the first failure of all writes
}

// WriteFile writes the file atomically.
func (t *Tensors) WriteFile(path string) error {
	return atomicfile.Write(path, t.Write)
}

// ReadTensors reads a safetensors file.
func ReadTensors(path string) (*Tensors, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	defer f.Close()

	// The first bytes show that a file is of another kind, so that a large one is not read for nothing.
	var head [9]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("nn: %w", err)
	}

	t := &Tensors{File: path}
	if n == len(head) && binary.LittleEndian.Uint64(head[:]) > maxHeader {
		return nil, t.errorf("the header length %d exceeds %d", binary.LittleEndian.Uint64(head[:]), maxHeader)
	}
	if n == len(head) && head[8] != '{' {
		return nil, t.errorf("the header does not start with {")
	}

	// The length of a regular file is the capacity of the buffer, so that it does not grow.
	size := 0
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= maxTensors {
		size = int(info.Size())
	}
	data := bytes.NewBuffer(make([]byte, 0, max(size, n)+bytes.MinRead))
	data.Write(head[:n])
	// The rest is read up to the limit, since a file that is no regular one has no length.
	if _, err := data.ReadFrom(io.LimitReader(f, maxTensors)); err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	if data.Len() > maxTensors {
		return nil, t.errorf("it has more than %d bytes", maxTensors)
	}
	return DecodeTensors(path, data.Bytes())
}

// DecodeTensors parses the bytes of a safetensors file; file names them in errors. A truncated file, tensors that
// overlap or leave gaps, sizes that do not match, repeated names and unknown fields are errors. The tensors share the
// memory of data; they come in the order of their bytes.
func DecodeTensors(file string, data []byte) (*Tensors, error) {
	t := &Tensors{File: file}
	// The length of the header comes first.
	if len(data) < 8 {
		return nil, t.errorf("%d bytes are too few for the header length", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader {
		return nil, t.errorf("the header length %d exceeds %d", n, maxHeader)
	}

	// The comparison is of unsigned numbers, so that no length overflows.
	if n > uint64(len(data)-8) {
		return nil, t.errorf("the header is truncated: %d bytes announced, %d there", n, len(data)-8)
	}

	header := data[8 : 8+n]
	body := data[8+n:]
	if len(header) == 0 || header[0] != '{' {
		return nil, t.errorf("the header does not start with {")
	}
	fields, err := objectFields(header)
	if err != nil {
		return nil, t.errorf("the header is not valid JSON: %v", err)
	}

	// Every member of the header is a tensor, except the metadata.
	// The spans are collected with the tensors, and must cover the body.
	var spans []span
	for _, f := range fields {
		if f.key == "__metadata__" {
			if t.Meta, err = stringMap(f.raw); err != nil {
				return nil, t.errorf("the metadata: %v", err)
			}
			continue
		}
		x, s, err := decodeEntry(f, body)
		if err != nil {
			return nil, t.errorf("tensor %q: %v", f.key, err)
		}
		s.at = len(t.List)
		t.List = append(t.List, x)
		spans = append(spans, s)
	}
	return t, t.checkCover(spans, len(body))
}

// span is the byte range of tensor List[at].
type span struct{ from, to, at int }

// checkCover sorts List by byte range and returns an error unless the ranges tile the body.
func (t *Tensors) checkCover(spans []span, size int) error {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})

	// The spans follow each other from the first byte to the last one.
	end := 0
	list := make([]Tensor, 0, len(spans))
	for _, s := range spans {
		x := t.List[s.at]
		if s.from < end {
			return t.errorf("tensor %q starts at byte %d and overlaps the one that ends at %d", x.Name, s.from, end)
		}
		if s.from > end {
			return t.errorf("tensor %q starts at byte %d, after a gap from %d", x.Name, s.from, end)
		}
		end = s.to
		list = append(list, x)
	}
	if end != size {
		return t.errorf("the tensors end at byte %d of %d", end, size)
	}
	t.List = list
	return nil
}

// widths are the bytes an element of each dtype.
var widths = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}

// decodeEntry parses a tensor's entry of the header and cuts its bytes out of the body.
func decodeEntry(f field, body []byte) (Tensor, span, error) {
	// The fields may come in any order.
	x := Tensor{Name: f.key}
	fields, err := objectFields(f.raw)
	if err != nil {
		return x, span{}, err
	}
	var offsets []int
	// An unknown field may change the meaning of the others, and so is an error.
	for _, e := range fields {
		switch e.key {
		case "dtype":
			err = json.Unmarshal(e.raw, &x.DType)
		case "shape":
			err = json.Unmarshal(e.raw, &x.Shape)
		case "data_offsets":
			err = json.Unmarshal(e.raw, &offsets)
		default:
			err = errors.New("unknown field")
		}
		if err != nil {
			return x, span{}, fmt.Errorf("field %q: %w", e.key, err)
		}
	}

	// The size in bytes is the product of the shape and the width of an element, if that does not overflow.
	size, ok := widths[x.DType]
	if !ok {
		return x, span{}, fmt.Errorf("unknown dtype %q", x.DType)
	}
	if x.Shape == nil {
		return x, span{}, errors.New("the shape is missing")
	}

	// The division shows an overflow before the product does.
	for _, d := range x.Shape {
		if d < 0 || d > 0 && size > math.MaxInt64/d {
			return x, span{}, fmt.Errorf("bad shape %v", x.Shape)
		}
		size *= d
	}

	// The bytes must be within the body, and as many as the shape says.
	if len(offsets) != 2 || offsets[0] < 0 || offsets[0] > offsets[1] {
		return x, span{}, fmt.Errorf("bad data_offsets %v", offsets)
	}
	if offsets[1] > len(body) {
		return x, span{}, fmt.Errorf("truncated: it ends at byte %d of %d", offsets[1], len(body))
	}
	if offsets[1]-offsets[0] != size {
		return x, span{}, fmt.Errorf("%s of shape %v takes %d bytes, not %d",
			x.DType, x.Shape, size, offsets[1]-offsets[0])
	}
	x.Bytes = body[offsets[0]:offsets[1]]
	return x, span{from: offsets[0], to: offsets[1]}, nil
}

// field is one member of a JSON object.
type field struct {
	key string
	raw json.RawMessage
}

// objectFields splits a JSON object, in order. Repeated keys and anything but space after the object are errors.
func objectFields(data []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("not an object")
	}

	// The standard decoder takes the last of repeated keys, so the keys are read one by one.
	var fields []field
	seen := map[string]bool{}
	// A member is a key and a value, which is kept as text.
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := tok.(string) // the decoder has made sure of that
		if seen[key] {
			return nil, fmt.Errorf("the key %q is repeated", key)
		}
		seen[key] = true
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		fields = append(fields, field{key, raw})
	}

	// The closing brace, and then nothing but the end, must follow.
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}

// stringMap parses an object whose members are all strings.
func stringMap(raw []byte) (map[string]string, error) {
	fields, err := objectFields(raw)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for _, f := range fields {
		// A value null would be left out by the decoder: the pointer shows it.
		var s *string
		if err := json.Unmarshal(f.raw, &s); err != nil || s == nil {
			return nil, fmt.Errorf("key %q: the value is not a string", f.key)
		}
		m[f.key] = *s
	}
	return m, nil
}
