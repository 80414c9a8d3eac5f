package mps

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
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
	data, err := readSized(r, sizeOf(r))
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	data, err = readSized(z, unpackedSize(data))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("gzip: the file is truncated")
	case err != nil:
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return data, nil
}

// sizeOf returns the size of a file, 0 for any other reader.
func sizeOf(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// unpackedSize returns the size that the last bytes of gzipped data state, or 0 where it is hard to believe.
func unpackedSize(data []byte) int64 {
	if len(data) < 18 {
		return 0
	}
	size := int64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	const densest = 64 // models pack to a fifth or a tenth
	if size > densest*int64(len(data)) {
		return 0
	}
	return size
}

// readSized reads everything from a reader of which a size is expected, 0 for unknown.
func readSized(r io.Reader, size int64) ([]byte, error) {
	var out bytes.Buffer
	if size > 0 {
		out.Grow(int(size) + bytes.MinRead)
	}
	_, err := out.ReadFrom(r)
	return out.Bytes(), err
}
