package nl

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// source gives the numbers and words behind the header, from text or from binary data. After an error all that is read
// is zero.
type source interface {
	key() byte    // that begins a segment or a node of an expression, 0 at the end
	integer() int // a whole number
	short() int   // a whole number that a binary file keeps in two bytes
	number() float64
	kind() byte   // of a bound: a digit
	text() string // a name

	// place is where the last item stands, and fail keeps an error there, if it is the first.
	place() Error
	fail(msg string)
	failed() *Error
}

// firstError keeps the first error of a source.
type firstError struct{ bad *Error }

// failed is the error, nil for none.
func (f *firstError) failed() *Error { return f.bad }

// keep sets the error, if it is the first.
func (f *firstError) keep(at Error, msg string) {
	if f.bad == nil {
		at.Msg = msg
		at.Kind = ErrFormat
		f.bad = &at
	}
}

// textSource reads tokens. A # begins a comment that ends with the line.
type textSource struct {
	firstError
	data []byte
	at   int
	line int
}

// skip moves to the next token.
func (s *textSource) skip() {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '\n':
			s.line++
			s.at++
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case c == '#':
			end := bytes.IndexByte(s.data[s.at:], '\n')
			if end < 0 {
				s.at = len(s.data)
				return
			}
			s.at += end
		default:
			return
		}
	}
}

func (s *textSource) key() byte {
	s.skip()
	if s.bad != nil || s.at == len(s.data) {
		return 0
	}
	s.at++
	return s.data[s.at-1]
}

// token is the next token, empty at the end.
func (s *textSource) token() string {
	s.skip()
	from := s.at
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n', '#':
			return string(s.data[from:s.at])
		}
		s.at++
	}
	return string(s.data[from:])
}

func (s *textSource) integer() int {
	t := s.token()
	v, err := strconv.Atoi(t)
	if err != nil {
		s.fail(quoted(t) + " is not a whole number")
	}
	return v
}

func (s *textSource) short() int { return s.integer() }

func (s *textSource) number() float64 {
	t := s.token()
	v, err := strconv.ParseFloat(t, 64)
	if err != nil && !math.IsInf(v, 0) || math.IsNaN(v) {
		s.fail(quoted(t) + " is not a number")
	}
	return v
}

func (s *textSource) kind() byte {
	t := s.token()
	if len(t) != 1 {
		s.fail(quoted(t) + " is not a kind of bound")
		return 0
	}
	return t[0]
}

func (s *textSource) text() string { return s.token() }

func (s *textSource) fail(msg string) { s.keep(s.place(), msg) }
func (s *textSource) place() Error    { return Error{Line: s.line} }

// binarySource reads the layout with numbers of fixed length.
type binarySource struct {
	firstError
	data  []byte // the whole file, so that places are those of the file
	at    int
	order binary.ByteOrder
}

// take returns the next bytes, zeros beyond the end.
func (s *binarySource) take(n int) []byte {
	if s.bad == nil && n > len(s.data)-s.at {
		s.fail("the file ends too early")
	}
	if s.bad != nil {
		return make([]byte, min(n, 8))
	}
	s.at += n
	return s.data[s.at-n : s.at]
}

func (s *binarySource) key() byte {
	if s.bad != nil || s.at == len(s.data) {
		return 0
	}
	return s.take(1)[0]
}

func (s *binarySource) integer() int { return int(int32(s.order.Uint32(s.take(4)))) }

func (s *binarySource) short() int { return int(int16(s.order.Uint16(s.take(2)))) }

func (s *binarySource) number() float64 {
	v := math.Float64frombits(s.order.Uint64(s.take(8)))
	if math.IsNaN(v) {
		s.fail("a number is NaN")
	}
	return v
}

func (s *binarySource) kind() byte { return s.take(1)[0] }

func (s *binarySource) text() string {
	n := count(s)
	if n > len(s.data)-s.at {
		s.fail("the file ends within a name")
		return ""
	}
	return string(s.take(n))
}

func (s *binarySource) fail(msg string) { s.keep(s.place(), msg) }
func (s *binarySource) place() Error    { return Error{Byte: s.at} }

// count reads a whole number that is not negative.
func count(s source) int {
	v := s.integer()
	if v < 0 {
		s.fail(strconv.Itoa(v) + " is not a count")
		return 0
	}
	return v
}

// quoted returns a token for a message, cut to a length that fits a line.
func quoted(t string) string {
	const longest = 40
	if t == "" {
		return "the end of the file"
	}
	if len(t) > longest {
		t = t[:longest] + "..."
	}
	return strconv.Quote(t)
}
