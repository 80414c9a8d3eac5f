// Package unpack reads files that may be packed: gzip, bzip2 and zstd are recognised by their first bytes, whatever the
// name of the file is, and all other files are read unchanged.
package unpack

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// layout is one way to pack a file.
type layout struct {
	name  string
	magic string // the bytes that every such file begins with
	open  func(io.Reader) (io.Reader, error)
}

// layouts are the known ones. Plain text may begin with BZh, so find compares more bytes of bzip2.
var layouts = []layout{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"zstd", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), // no goroutines to end
			zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// longestMagic is the number of bytes of a file that identify its layout.
const longestMagic = 10

// find returns the layout of a file that begins with head, nil for a plain one.
func find(head []byte) *layout {
	for k := range layouts {
		// Plain text may begin with the letters of bzip2.
		l := &layouts[k]
		if bytes.HasPrefix(head, []byte(l.magic)) && (l.magic != "BZh" || isBzip2(head)) {
			return l
		}
	}
	return nil
}

// isBzip2 reports whether a size digit follows the magic of bzip2, and then the mark of a block or of an empty file.
func isBzip2(head []byte) bool {
	if len(head) < longestMagic || head[3] < '1' || head[3] > '9' {
		return false
	}
	mark := string(head[4:longestMagic])
	return mark == "1AY&SY" || mark == "\x17\x72\x45\x38\x50\x90"
}

// Reader returns a reader of the content of r, unpacked if it is packed, up to the limit of SetLimit. Errors name the
// layout.
func Reader(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r) // the small default: callers have buffers of their own

	// The first bytes show the layout; a short file has fewer of them.
	head, err := b.Peek(longestMagic)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	// A plain file is read as it is.
	l := find(head)
	if l == nil {
		return &limited{r: b}, nil
	}

	// A header that cannot be read is an error of the layout.
	z, err := l.open(b)
	if err != nil {
		return nil, l.fault(err)
	}
	return &limited{r: &reader{z, l}}, nil
}

// reader adds the name of the layout to the errors of reading.
type reader struct {
	r io.Reader
	l *layout
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	// The end of the input is no fault.
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		err = r.l.fault(err)
	}
	return n, err
}

// ErrTruncated is wrapped by the errors of a packed file that ends early.
var ErrTruncated = errors.New("the file is truncated")

// fault adds the name of the layout to an error, without repeating it.
func (l *layout) fault(err error) error {
	// A packed file that ends early is truncated, whatever its layout calls that.
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", l.name, ErrTruncated)
	}

	// Some packages put the name of the layout in front already.
	if text, ok := strings.CutPrefix(err.Error(), l.name+": "); ok {
		err = errors.New(text)
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

// All reads everything, unpacked if it is packed, up to the limit of SetLimit. A line or a word between blanks that is
// too long is an error as well.
func All(r io.Reader) ([]byte, error) {
	// A file that is too large is refused before it is read.
	if size := sizeOf(r); size > Limit() {
		return nil, &LimitError{Limit: Limit()}
	}
	plain, err := Reader(r)
	if err != nil {
		return nil, err
	}

	// The size of a plain file is known, that of a packed one is not. Unlike Buffer.Grow, make does not write zeros to all
	// of the room first.
	var room []byte
	if _, packed := plain.(*limited).r.(*reader); !packed {
		room = make([]byte, 0, int(min(sizeOf(r), firstBuffer))+bytes.MinRead)
	}
	out := bytes.NewBuffer(room)
	_, err = out.ReadFrom(&lines{r: plain, line: 1})
	return out.Bytes(), err
}

// File reads a whole file, unpacked if it is packed. Its errors are those of os.Open and of All.
func File(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(f)
}

// Plain is the name of a file without the ending of a layout: model.mps of model.mps.zst.
func Plain(path string) string {
	for _, ending := range []string{".gz", ".bz2", ".zst"} {
		// An ending alone is no name of a file.
		if len(path) > len(ending) && strings.EqualFold(path[len(path)-len(ending):], ending) {
			return path[:len(path)-len(ending)]
		}
	}
	return path
}

// Stem is the name of a file without its folder and without the endings of its layout and format: model of
// dir/model.mps.zst.
func Stem(path string) string {
	base := Plain(filepath.Base(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// sizeOf returns the size of a file, 0 for any other reader.
func sizeOf(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}

	// A pipe has no size.
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
