package scflp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
)

// errFormat is wrapped by the errors of Read and Decode about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic facility location")

// Read reads a file, plain or packed. The name is taken from the path. Every error names the file, and where it
// applies the line or the field.
func Read(path string) (*Instance, error) {
	if problem := sheet.Sniff(path); problem != "" {
		return nil, families.Foreign(fmt.Sprintf("scflp: %s: tables of the problem %q", path, problem))
	}
	f, err := fields.Open(path, family, errFormat)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := Decode(f, path)
	if err != nil {
		return nil, err
	}
	return New(strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ".json"), d)
}

// maxFile is the largest size of a file, in bytes.
const maxFile = 1 << 30

// Decode reads one object with the keys that Data names, all of them and no other, plain or packed. Errors name the
// path.
func Decode(r io.Reader, path string) (*Data, error) {
	text, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("scflp: %s: %w: %w", path, errFormat, err)
	}

	// A file that is no object belongs to another family, perhaps.
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, families.Foreign(fmt.Sprintf("scflp: %s: %v: it does not begin with {", path, errFormat))
	}

	// A key that Data does not name is an error, and so is text behind the object.
	d := &Data{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(d); err != nil {
		return nil, fmt.Errorf("scflp: %s: %w: line %d: %w", path, errFormat, line(text, place(err, text, dec)), err)
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("scflp: %s: %w: line %d: text after the object: %.24q", path, errFormat,
			line(text, dec.InputOffset()), rest)
	}
	return instance.Checked(d, "scflp: "+path, errFormat)
}

// read returns the whole input, unpacked if it is packed.
func read(r io.Reader) ([]byte, error) {
	plain, err := unpack.Reader(r)
	if err != nil {
		return nil, err
	}

	// The first block shows whether the file is an object.
	first := bufio.NewReader(plain)
	if head, err := first.Peek(first.Size()); err == nil || errors.Is(err, io.EOF) {
		if shown := bytes.TrimLeft(head, " \t\r\n"); len(shown) > 0 && shown[0] != '{' {
			return head, nil // a file of another kind is not read to its end
		}
	}

	// One byte more than the limit shows that a file is larger.
	text, err := io.ReadAll(io.LimitReader(first, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	return text, err
}

// place returns the offset of an error in bytes, as far as package json gives one.
func place(err error, text []byte, dec *json.Decoder) int64 {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &typed):
		return typed.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		return int64(len(text))
	}
	return dec.InputOffset()
}

// line returns the line of an offset, from 1.
func line(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }
