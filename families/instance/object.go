package instance

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
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
)

// maxObject is the largest size of a file with one JSON object, in bytes.
const maxObject = 1 << 30

// Object says how errors name a JSON file of a family, and how files of other families are recognised.
type Object struct {
	// Family is the name of the family, Path that of the file.
	Family, Path string
	// Key is a key that every object of the family has, and no object of another family.
	Key string
	// Format is wrapped by the errors about the content.
	Format error
}

// ReadObject reads the data of a file, plain or packed, and the name that its path gives the instance. Every error
// names the file, and where it applies the line or the field.
func ReadObject[D any, P interface {
	*D
	Validate() error
}](o Object) (data P, name string, err error) {
	if problem := sheet.Sniff(o.Path); problem != "" {
		return nil, "", families.Foreign(fmt.Sprintf("%s: %s: tables of the problem %q", o.Family, o.Path, problem))
	}
	f, err := fields.Open(o.Path, o.Family, o.Format)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err = DecodeObject[D, P](o, f)
	return data, strings.TrimSuffix(unpack.Plain(filepath.Base(o.Path)), ".json"), err
}

// DecodeObject reads one object with the keys that D names, all of them and no other, plain or packed, and checks it.
func DecodeObject[D any, P interface {
	*D
	Validate() error
}](o Object, r io.Reader) (data P, err error) {
	data = new(D)
	if err := o.decode(r, data); err != nil {
		return nil, err
	}
	return Checked(data, o.Family+": "+o.Path, o.Format)
}

// decode reads one object into d, plain or packed. Keys that d does not name are refused. The error of a file of
// another family wraps families.ErrForeign; every other one names the path and the line.
func (o Object) decode(r io.Reader, d any) error {
	text, err := read(r)
	if err != nil {
		return fmt.Errorf("%s: %s: %w: %w", o.Family, o.Path, o.Format, err)
	}

	// A file that is no object, or an object without the key, belongs to another family, perhaps.
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return families.Foreign(fmt.Sprintf("%s: %s: %v: it does not begin with {", o.Family, o.Path, o.Format))
	}
	if !bytes.Contains(text, []byte(`"`+o.Key+`"`)) {
		return families.Foreign(fmt.Sprintf("%s: %s: %v: it has no key %q", o.Family, o.Path, o.Format, o.Key))
	}

	// A key that d does not name is an error, and so is text behind the object.
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(d); err != nil {
		return fmt.Errorf("%s: %s: %w: line %d: %w", o.Family, o.Path, o.Format, line(text, place(err, text, dec)), err)
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%s: %s: %w: line %d: text after the object: %.24q", o.Family, o.Path, o.Format,
			line(text, dec.InputOffset()), rest)
	}
	return nil
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
	text, err := io.ReadAll(io.LimitReader(first, maxObject+1))
	if err == nil && len(text) > maxObject {
		err = fmt.Errorf("more than %d bytes", maxObject)
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
