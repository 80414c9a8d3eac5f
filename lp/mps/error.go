package mps

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about the contents of a file.
var ErrFormat = errors.New("malformed model file")

// Error says where a file is malformed. It wraps ErrFormat.
type Error struct {
	File  string // as given to Read; may be empty
	Line  int    // from 1; 0 for the file as a whole
	Field string // the field at fault with its text, such as `row name "R9"`; may be empty
	Msg   string
}

// Error returns "file: line N: field: message", leaving out what is not known.
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

// field describes the text of a field for Error.Field, cut to a sane length.
func field(what string, text []byte) string {
	const longest = 60
	if len(text) > longest {
		return fmt.Sprintf("%s %q...", what, text[:longest])
	}
	return fmt.Sprintf("%s %q", what, text)
}
