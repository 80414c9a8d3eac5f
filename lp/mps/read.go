package mps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// ReadFile reads a model from a file, packed or plain (the first bytes show gzip, bzip2 and zstd), in MPS or in the LP
// format, whichever its first line shows. Where that shows neither, a name that ends in .lp makes it LP.
func ReadFile(path string) (*lp.Model, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a directory, not a model file", path)
	}
	return ReadModel(f, path)
}

// ReadModel reads a model as ReadFile does. The name stands for the input in warnings and errors.
func ReadModel(r io.Reader, name string) (*lp.Model, []string, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, nil, err
	}

	layout := layoutOf(data)
	if layout == LP || layout == Unknown && strings.HasSuffix(strings.ToLower(unpack.Plain(name)), ".lp") {
		return parseLP(data, name)
	}
	return parseMPS(data, name)
}

// Layout is a format of models.
type Layout uint8

const (
	Unknown Layout = iota
	MPS
	LP
)

// LayoutOf returns the format of a model file that begins with the line. It reports false for a line that decides
// nothing: a blank one or a comment. Comments begin with * in MPS and with \ in LP.
func LayoutOf(line []byte) (l Layout, decides bool) {
	var tok [maxTokens][]byte
	if split(line, &tok) == 0 || line[0] == '*' || tok[0][0] == '\\' {
		return Unknown, false
	}

	word, _, _ := bytes.Cut(tok[0], []byte("\\"))
	switch lpKeywords[lower(word)] {
	case lpMinimize, lpMaximize:
		return LP, true
	}

	// A section of MPS begins in the first column.
	switch string(bytes.ToUpper(tok[0])) {
	case "NAME", "ROWS", "OBJSENSE", "OBJNAME":
		if !blank(line[0]) {
			return MPS, true
		}
	}
	return Unknown, true
}

// layoutOf returns the format that the first line that decides shows.
func layoutOf(data []byte) Layout {
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		if l, decides := LayoutOf(line); decides {
			return l
		}
		data = rest
	}
	return Unknown
}

// fileError puts the name in front, once.
func fileError(path string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Read reads a model in fixed or free MPS, packed or plain. It returns warnings, each a line, about
// what it had to interpret (see the package comment). The name stands for the file in warnings and errors; an
// error about the contents is an *Error.
func Read(r io.Reader, name string) (*lp.Model, []string, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, nil, err
	}
	return parseMPS(data, name)
}

// parseMPS reads the file as free MPS and, where that fails at the fields, as fixed MPS.
func parseMPS(data []byte, name string) (*lp.Model, []string, error) {
	p := newParser(data, false)
	bad := p.parse()
	if bad != nil && !p.final {
		fixed := newParser(data, true)
		errFixed := fixed.parse()
		if errFixed == nil {
			return fixed.model, fixed.warn.list(name), nil
		}

		// The reading that got further has understood more of the file.
		if errFixed.Line > bad.Line {
			bad = errFixed
		}
	}
	if bad != nil {
		bad.File = name
		return nil, nil, bad
	}
	return p.model, p.warn.list(name), nil
}

// readAll reads everything, unpacked where it is packed, without the byte order mark that some editors leave. The name
// stands in front of errors.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := unpack.All(r)
	if err != nil {
		return nil, fileError(name, err)
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}
