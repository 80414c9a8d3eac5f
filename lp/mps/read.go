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

// ReadFile reads a model from a file, packed or plain (gzip, bzip2 and zstd are told by their first bytes), in MPS or
// in the LP format, whichever its first line says. Where that says neither, a name that ends in .lp makes it LP.
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
	data, err := readAll(r)
	if err != nil {
		return nil, nil, fileError(name, err)
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

// LayoutOf tells from a line what a model file is that begins with it. It reports false for a line that does not say:
// a blank one or a comment. Comments begin with * in MPS and with \ in LP.
func LayoutOf(line []byte) (l Layout, told bool) {
	var tok [maxTokens][]byte
	switch n := split(line, &tok); {
	case n == 0 || line[0] == '*' || tok[0][0] == '\\':
		return Unknown, false
	default:
		word, _, _ := bytes.Cut(tok[0], []byte("\\"))
		switch lpKeywords[lower(word)] {
		case lpMinimize, lpMaximize:
			return LP, true
		}
	}
	switch string(bytes.ToUpper(tok[0])) {
	case "NAME", "ROWS", "OBJSENSE", "OBJNAME":
		if !blank(line[0]) {
			return MPS, true
		}
	}
	return Unknown, true
}

// layoutOf tells what a model file is.
func layoutOf(data []byte) Layout {
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		if l, told := LayoutOf(line); told {
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
	data, err := readAll(r)
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	return parseMPS(data, name)
}

func parseMPS(data []byte, name string) (*lp.Model, []string, error) {
	p := newParser(data, false)
	errFree := p.parse()
	if errFree != nil && !p.final {
		fixed := newParser(data, true)
		errFixed := fixed.parse()
		if errFixed != nil {
			return nil, nil, located(name, errFree, errFixed)
		}
		p, errFree = fixed, nil
	}
	if errFree != nil {
		return nil, nil, located(name, errFree, errFree)
	}
	return p.model, p.warn.list(name), nil
}

// located picks the error of the reading that got further and puts the file's name in it.
func located(name string, free, fixed *Error) error {
	e := free
	if fixed.Line > free.Line {
		e = fixed
	}
	e.File = name
	return e
}

// readAll reads everything, unpacked where it is packed, without the byte order mark that some editors leave.
func readAll(r io.Reader) ([]byte, error) {
	data, err := unpack.All(r)
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), err
}
