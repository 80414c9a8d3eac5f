package smps

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp/mps"
)

// file is a file in memory, read line by line.
type file struct {
	path string
	// rest is the part of the file behind the current line.
	rest []byte
	// line is the number of the current line, from 1.
	line int
}

// open reads a file, unpacked if it is packed.
func open(path string) (*file, error) {
	// An error of the system has the path in front already.
	data, err := unpack.File(path)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	// Some editors leave a byte order mark in front.
	return &file{path: path, rest: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}, nil
}

// lines yields the fields of the lines that are neither blank nor comments. header says that a line starts in the first
// column.
func (f *file) lines(yield func(fields []string, header bool) bool) {
	for len(f.rest) > 0 {
		// Names have no blanks in these files, so that fields are cut at blanks alone.
		var line []byte
		line, f.rest, _ = bytes.Cut(f.rest, []byte{'\n'})
		f.line++
		fields := strings.Fields(string(line))
		if len(fields) == 0 || line[0] == '*' {
			continue
		}
		if !yield(fields, line[0] != ' ' && line[0] != '\t') {
			return
		}
	}
}

// fail makes an error at the current line about a field, whose kind may be empty.
func (f *file) fail(what, text, format string, args ...any) error {
	e := &mps.Error{File: f.path, Line: f.line, Msg: fmt.Sprintf(format, args...)}

	// An error about the whole line has no field.
	if what != "" {
		e.Field = fmt.Sprintf("%s %q", what, cut(text))
	}
	return e
}

// prefixed puts the name of this package in front of an error of a model or program.
func prefixed(err error) error {
	return fmt.Errorf("smps: %w", errname.Without(err, "lp", "mps", "stoch"))
}

// cut shortens a text for a message.
func cut(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}

// number reads a finite number. The exponent may be that of Fortran, as in 1.5D3.
func (f *file) number(what, text string) (float64, error) {
	const largest = 1e300 // what is larger counts as infinite
	v, err := strconv.ParseFloat(strings.NewReplacer("d", "e", "D", "e").Replace(text), 64)

	// The comparison is false for NaN.
	if err != nil || !(math.Abs(v) <= largest) {
		return 0, f.fail(what, text, "not a finite number")
	}
	return v, nil
}
