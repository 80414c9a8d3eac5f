package instance

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/proxybd/proxybd/internal/atomicfile"
	"github.com/proxybd/proxybd/internal/fields"
)

// WriteFile writes what encode writes to a file, whole or not at all, gzipped if the path ends in .gz.
func WriteFile(path string, encode func(io.Writer) error) error {
	if !strings.HasSuffix(path, ".gz") {
		return atomicfile.Write(path, encode)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		// The packer is closed before the file is: it still holds the end.
		z := gzip.NewWriter(w)
		if err := encode(z); err != nil {
			return err
		}
		return z.Close()
	})
}

// Flush writes what a writer still holds. A bufio.Writer keeps its first error, which gets the name of the family in
// front.
func Flush(family string, b *bufio.Writer) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("%s: %w", family, err)
	}
	return nil
}

// Checked returns what a file holds if it is valid. The error of another one has the place in front, such as the family
// and the path, and wraps the format: numbers that are right each may be too large together.
func Checked[T interface{ Validate() error }](data T, place string, format error) (T, error) {
	if err := data.Validate(); err != nil {
		var none T
		return none, fmt.Errorf("%s: %w: %w", place, format, err)
	}
	return data, nil
}

// ReadText reads a text file, plain or packed, field by field. Every error names the file, and where it applies the
// line and the field on it, counted from 1; format is wrapped by those of a file that is none.
func ReadText[T any](path, family string, format error, decode func(s *fields.Scanner) (T, error)) (out T, err error) {
	f, err := fields.Open(path, family, format)
	if err != nil {
		return out, err
	}
	defer f.Close()

	// The first bytes show if the file is packed.
	s, err := fields.New(f, path, family, format)
	if err != nil {
		return out, err
	}
	return decode(s)
}
