package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Limits of inputs.
const (
	maxLine  = 1 << 26 // bytes of a line that All reads
	maxToken = 1 << 20 // bytes of a word between blanks that All reads

	maxWindow   = 1 << 27 // of zstd, in bytes: the limit of the program zstd without an option
	firstBuffer = 1 << 30 // the largest buffer that the size of a plain file asks for before it is read
)

// errLimit is wrapped by the errors about an input that is too large, or has a line or a token that is too long.
var errLimit = errors.New("the input is too large")

// LimitError is the error of an input that has more bytes, unpacked, than SetLimit allows.
type LimitError struct{ Limit int64 }

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("it has more than %d bytes, unpacked where it is packed; --max-input allows more", e.Limit)
}

// Unwrap returns errLimit.
func (e *LimitError) Unwrap() error { return errLimit }

// limit is the argument of SetLimit; 0 until then.
var limit atomic.Int64

// SetLimit sets how many bytes, unpacked, an input may have in this process. It is for the command: a library has
// DefaultLimit.
func SetLimit(bytes int64) { limit.Store(bytes) }

// Limit returns the limit in force.
func Limit() int64 {
	// Zero stands for the default.
	if l := limit.Load(); l > 0 {
		return l
	}
	return DefaultLimit()
}

// DefaultLimit is a quarter of the memory of the machine, since a model in memory takes a few times the bytes of its
// text.
func DefaultLimit() int64 { return defaultLimit() }

// limited ends an input with an error when it exceeds the limit in force.
type limited struct {
	r    io.Reader
	read int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.read += int64(n)

	// The limit is checked after every part, whatever the file claims to be.
	if most := Limit(); l.read > most {
		return 0, &LimitError{Limit: most}
	}
	return n, err
}

// lines ends an input with an error when a line or a token is too long, to within the size of a chunk.
type lines struct {
	r      io.Reader
	line   int // the current line
	length int // bytes of the current line so far
	token  int // bytes of the current token so far, of a line that is longer than a chunk
}

// chunk is the number of bytes that lines checks in one step; it is less than both limits.
const chunk = 1 << 18

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	// A part of the input is no longer than a chunk, so that the counts below need no more precision.
	n, err := l.r.Read(p[:min(len(p), chunk)])
	text := p[:n]

	// A line break begins a new line and a new token, a blank a new token.
	if k := bytes.LastIndexByte(text, '\n'); k >= 0 {
		l.line += bytes.Count(text, []byte{'\n'})
		l.length = 0
		l.token = 0
		text = text[k+1:]
	}
	l.length += len(text)
	if k := bytes.LastIndexAny(text, " \t\r"); k >= 0 {
		l.token = 0
		text = text[k+1:]
	}
	l.token += len(text)

	// The error names the line, as far as it has been read.
	switch {
	case l.token > maxToken:
		return 0, fmt.Errorf("line %d: %w: a word has more than %d bytes", l.line, errLimit, maxToken)
	case l.length > maxLine:
		return 0, fmt.Errorf("line %d: %w: the line has more than %d bytes", l.line, errLimit, maxLine)
	}
	return n, err
}
