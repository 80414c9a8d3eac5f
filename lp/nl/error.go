package nl

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about the contents of a file.
var ErrFormat = errors.New("malformed .nl file")

// ErrNonlinear is wrapped by the error about a model that is read correctly and is not linear.
var ErrNonlinear = errors.New("not a linear model")

// Error says where a file is malformed, or what in it is not linear.
type Error struct {
	File  string // as given to Read; it may be empty
	Line  int    // from 1; 0 in a binary file
	Byte  int    // offset in a binary file
	Field string // such as "row c3"; it may be empty
	Msg   string
	Kind  error // ErrFormat or ErrNonlinear
}

// Error returns "file: line N: field: message", without the parts that are empty.
func (e *Error) Error() string {
	var parts []string
	if e.File != "" {
		parts = append(parts, e.File)
	}
	switch {
	case e.Line > 0:
		parts = append(parts, fmt.Sprintf("line %d", e.Line))
	case e.Byte > 0:
		parts = append(parts, fmt.Sprintf("byte %d", e.Byte))
	}
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	return strings.Join(append(parts, e.Msg), ": ")
}

// Unwrap returns ErrFormat or ErrNonlinear.
func (e *Error) Unwrap() error { return e.Kind }
