package smps

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp/mps"
)

// file is a file in memory, read line by line.
type file struct {
	path string
	rest []byte
	line int
	text []byte // the current line
}

// open reads a file, unpacked if it is packed.
func open(path string) (*file, []byte, error) {
	data, err := unpack.File(path)
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		return nil, nil, fmt.Errorf("smps: %w", err)
	case err != nil:
		return nil, nil, fmt.Errorf("smps: %s: %w", path, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return &file{path: path, rest: data}, data, nil
}

// next goes to the next line that is neither blank nor a comment, and returns its fields. header says that it starts in
// the first column. At the end of the file there are no fields.
func (f *file) next() (fields []string, header bool) {
	for len(f.rest) > 0 {
		line := f.rest
		if k := bytes.IndexByte(f.rest, '\n'); k >= 0 {
			line, f.rest = f.rest[:k], f.rest[k+1:]
		} else {
			f.rest = nil
		}
		f.line++
		f.text = bytes.TrimRight(line, " \t\r\f\v")
		if len(f.text) == 0 || f.text[0] == '*' {
			continue
		}
		return strings.Fields(string(f.text)), f.text[0] != ' ' && f.text[0] != '\t'
	}
	return nil, false
}

// fail makes an error at the current line about a field, whose kind may be empty.
func (f *file) fail(what, text, format string, args ...any) error {
	e := &mps.Error{File: f.path, Line: f.line, Msg: fmt.Sprintf(format, args...)}
	if what != "" {
		e.Field = fmt.Sprintf("%s %q", what, cut(text))
	}
	return e
}

// cut shortens a text for a message.
func cut(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}

// number reads a finite number.
func (f *file) number(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.NewReplacer("d", "e", "D", "e").Replace(text), 64)
	if err != nil || v != v || v > 1e300 || v < -1e300 {
		return 0, f.fail(what, text, "not a finite number")
	}
	return v, nil
}
