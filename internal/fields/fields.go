// Package fields reads instance files that are numbers between white space, strictly. Every error names the file, the
// line and the field.
package fields

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
)

// Scanner splits an input at white space and counts lines and fields. Its errors have the form
// "prefix: file: line 3, field 2: sentinel: what is wrong" and wrap the sentinel.
type Scanner struct {
	prefix   string // of the package that reads, in errors
	file     string
	sentinel error
	r        *bufio.Reader
	text     []byte // the current field; empty at the end
	line     int    // of the current field
	field    int
	broke    bool // a line break was consumed after the current field
	err      error
}

// maxField is the largest size of a field, in bytes, so that an endless input without white space is not read into
// memory.
const maxField = 1 << 16

// errDirectory is wrapped by the error of Open for a folder.
var errDirectory = errors.New("it is a directory")

// Open opens a file for New. The error for a folder wraps sentinel and errDirectory.
func Open(path, prefix string, sentinel error) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", prefix, err)
	}

	// A folder can be opened, and fails only when it is read.
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: %s: %w: %w", prefix, path, sentinel, errDirectory)
	}
	return f, nil
}

// New returns a scanner of r, packed or plain (see internal/unpack). Errors begin with prefix, name the file, and wrap
// sentinel.
func New(r io.Reader, file, prefix string, sentinel error) (*Scanner, error) {
	plain, err := unpack.Reader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w: %w", prefix, file, sentinel, err)
	}
	return &Scanner{prefix: prefix, file: file, sentinel: sentinel, r: bufio.NewReaderSize(plain, 1<<16), line: 1}, nil
}

// Next moves to the next field and reports whether there is one.
func (s *Scanner) Next() bool {
	s.text = s.text[:0]
	for {
		// The line of a field ends when the next one is read, so that errors about the field name its own line.
		if s.broke {
			s.line++
			s.field = 0
			s.broke = false
		}
		b, err := s.r.ReadByte()
		if err != nil {
			s.keep(err)
			break
		}

		s.broke = b == '\n'
		// A blank ends the field, if one has begun.
		blank := b == ' ' || b == '\t' || b == '\r'
		if !s.broke && !blank {
			if s.text = append(s.text, b); len(s.text) > maxField {
				s.keep(fmt.Errorf("the field has more than %d bytes", maxField))
				break
			}
			continue
		}
		if len(s.text) > 0 {
			break
		}
	}
	s.field++
	return len(s.text) > 0
}

// NextLine moves to the rest of the current line, or to the next line where the rest is blank, and makes all of it the
// current field, without the blanks around it. It reports whether there is one. limit is the largest size of the line
// in bytes, for what is one text without white space in the file, such as a matrix.
func (s *Scanner) NextLine(limit int) bool {
	s.text = s.text[:0]
	for {
		// As with fields, the line ends when the next one is read.
		if s.broke {
			s.line++
			s.field = 0
		}
		part, err := s.r.ReadSlice('\n')
		s.broke = err == nil
		s.text = append(s.text, part...)
		if len(s.text) > limit {
			s.keep(fmt.Errorf("the line has more than %d bytes", limit))
			s.text = s.text[:0]
			break
		}

		// A line that is longer than the buffer comes in parts.
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if s.text = bytes.TrimSpace(s.text); err != nil {
			s.keep(err)
			break
		}
		if len(s.text) > 0 {
			break
		}
	}
	s.field++
	return len(s.text) > 0
}

// keep stores the first error of reading.
func (s *Scanner) keep(err error) {
	if err != io.EOF && s.err == nil {
		s.err = err
	}
}

// Text returns the current field; it is empty at the end of the input.
func (s *Scanner) Text() string { return string(s.text) }

// Line returns the line of the current field, from 1.
func (s *Scanner) Line() int { return s.line }

// RestOfLine returns the text after the current field on its line, without the blanks around it. A carriage return is a
// blank.
func (s *Scanner) RestOfLine() string {
	// After the last field of a line nothing is left of it.
	if s.broke {
		return ""
	}
	var rest []byte
	for len(rest) <= maxField {
		part, err := s.r.ReadSlice('\n')
		rest = append(rest, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			s.keep(err)
		}
		s.broke = err == nil
		return strings.TrimSpace(strings.ReplaceAll(string(rest), "\r", " "))
	}
	s.keep(fmt.Errorf("the rest of the line has more than %d bytes", maxField))
	return ""
}

// Quoted returns the current field for an error message, cut if it is long.
func (s *Scanner) Quoted() string {
	const maxLength = 24
	if len(s.text) > maxLength {
		return strconv.Quote(string(s.text[:maxLength])) + "..."
	}
	return strconv.Quote(string(s.text))
}

// Fail returns an error at the current field that wraps the scanner's sentinel. A read error comes first.
func (s *Scanner) Fail(format string, args ...any) error {
	// An error of reading is the cause of what is missing in the field.
	if s.err != nil {
		return fmt.Errorf("%s: %s: line %d, field %d: %w: %w", s.prefix, s.file, s.line, s.field, s.sentinel, s.err)
	}
	return s.FailWith(s.sentinel, format, args...)
}

// FailWith is Fail with a sentinel of its own.
func (s *Scanner) FailWith(sentinel error, format string, args ...any) error {
	return fmt.Errorf("%s: %s: line %d, field %d: %w: %s", s.prefix, s.file, s.line, s.field, sentinel,
		fmt.Sprintf(format, args...))
}

// Want moves to the next field and returns the finite number there. The format, whose %d are filled from a and b,
// describes the number in errors.
func (s *Scanner) Want(format string, a, b int) (float64, error) {
	s.Next()
	return s.Number(format, a, b)
}

// NonNegative is Want for a number that must not be negative.
func (s *Scanner) NonNegative(format string, a, b int) (float64, error) {
	v, err := s.Want(format, a, b)

	// The format is used as by Want.
	if err == nil && v < 0 {
		return 0, s.Fail("%s is negative: %s", describe(format, a, b), s.Quoted())
	}
	return v, err
}

// Number returns the current field as a finite decimal number.
func (s *Scanner) Number(format string, a, b int) (float64, error) {
	if len(s.text) == 0 {
		return 0, s.Fail("the file ends before %s", describe(format, a, b))
	}

	// Only decimal numbers are accepted: strconv would also take hexadecimal ones, infinities and NaN.
	if len(bytes.Trim(s.text, "+-.0123456789eE")) == 0 {
		if v, err := strconv.ParseFloat(string(s.text), 64); err == nil {
			return v, nil
		}
	}
	return 0, s.Fail("want %s, have %s", describe(format, a, b), s.Quoted())
}

// describe fills the %d in a format from a and b.
func describe(format string, a, b int) string {
	args := []any{a, b}
	return fmt.Sprintf(format, args[:strings.Count(format, "%d")]...)
}

// Size returns the current field as a dimension from 1 to limit.
func (s *Scanner) Size(what string, limit int) (int, error) {
	if len(s.text) == 0 {
		return 0, s.Fail("the file ends before %s", what)
	}

	// Atoi accepts a sign, which the limits exclude or which does not matter.
	v, err := strconv.Atoi(string(s.text))
	if err != nil || v < 1 || v > limit {
		return 0, s.Fail("want %s, have %s", what, s.Quoted())
	}
	return v, nil
}

// End returns an error if anything follows the last field, which the error names.
func (s *Scanner) End(last string) error {
	// The input must end here, without an error of reading.
	if s.Next() {
		return s.Fail("text after %s: %s", last, s.Quoted())
	}
	if s.err != nil {
		return s.Fail("")
	}
	return nil
}
