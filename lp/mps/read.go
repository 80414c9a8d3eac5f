package mps

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// ReadFile reads a model from a plain or gzipped file: in the LP format where the name ends in .lp or .lp.gz (see
// ReadLP), else MPS (see Read).
func ReadFile(path string) (*lp.Model, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a directory, not a model file", path)
	}
	if name := strings.ToLower(path); strings.HasSuffix(name, ".lp") || strings.HasSuffix(name, ".lp.gz") {
		return ReadLP(f, path)
	}
	return Read(f, path)
}

// fileError puts the name in front, once.
func fileError(path string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Read reads a model in fixed or free MPS, plain or gzipped. It returns warnings, each a line, about
// what it had to interpret (see the package comment). The name stands for the file in warnings and errors; an
// error about the contents is an *Error.
func Read(r io.Reader, name string) (*lp.Model, []string, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := newParser(data, false)
	errFree := p.parse()
	if errFree != nil {
		fixed := newParser(data, true)
		errFixed := fixed.parse()
		if errFixed != nil {
			return nil, nil, located(name, errFree, errFixed)
		}
		p = fixed
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

// readAll reads everything, through gzip if the first bytes say so.
func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(r)
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	var out bytes.Buffer
	out.Grow(6 * len(data))
	if _, err := out.ReadFrom(z); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("gzip: the file is truncated")
		}
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return out.Bytes(), nil
}
