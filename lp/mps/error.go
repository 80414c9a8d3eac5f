package mps

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/internal/errname"
)

// ErrFormat is wrapped by every error about the contents of a file.
var ErrFormat = errors.New("malformed model file")

// Error says where a file is malformed. It wraps ErrFormat.
type Error struct {
	// File is the name of the file as given to Read; it may be empty.
	File string
	// Line is the number of the line, from 1; 0 for the file as a whole.
	Line int
	// Field is the field at fault with its text, such as `row name "R9"`; it may be empty.
	Field string
	// Msg says what is wrong with the field or the line.
	Msg string
}

// Error returns "file: line N: field: message", without the parts that are empty.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns ErrFormat.
func (e *Error) Unwrap() error { return ErrFormat }

// failure makes an error at a line. what is the kind of the field, text its contents; what may be empty.
func failure(line int, what string, text []byte, msg string) *Error {
	e := &Error{Line: line, Msg: msg}

	// An error about the whole line has no field.
	if what != "" {
		e.Field = field(what, text)
	}
	return e
}

// field describes the text of a field for Error.Field, cut to a length that fits a line.
func field(what string, text []byte) string {
	// A name may be as long as the file.
	const longest = 60
	if len(text) > longest {
		return fmt.Sprintf("%s %q...", what, text[:longest])
	}
	return fmt.Sprintf("%s %q", what, text)
}

// invalid turns the error of a model that was read, which names its row or column, into one about the file.
func invalid(err error) *Error { return &Error{Msg: errname.Without(err, "lp").Error()} }

// prefixed puts the name of this package in front of an error of a model or a writer.
func prefixed(err error) error { return fmt.Errorf("mps: %w", errname.Without(err, "lp")) }

// flush writes what a writer still holds. It returns the first error of all its writes.
func flush(w *bufio.Writer) error {
	if err := w.Flush(); err != nil {
		return prefixed(err)
	}
	return nil
}
