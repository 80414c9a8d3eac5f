package mps

import "bytes"

// scanner walks over the lines of a file that is in memory. The lines that it returns are views of that memory.
type scanner struct {
	// data is the part of the file behind the line that was returned last.
	data []byte
	// line is the number of that line, from 1; 0 before the first one.
	line int
	// sense is the number of the line of a comment *SENSE:Maximize, 0 for none.
	sense int
}

// take returns the next line without its newline, whatever is on it; ok is false at the end of the file.
func (s *scanner) take() (line []byte, ok bool) {
	if len(s.data) == 0 {
		return nil, false
	}

	// IndexByte instead of bytes.Cut, which takes a third longer for the lines of a large file.
	line = s.data
	s.data = nil
	if k := bytes.IndexByte(line, '\n'); k >= 0 {
		s.data = line[k+1:]
		line = line[:k]
	}
	s.line++
	return line, true
}

// next returns the next line that is neither blank nor a comment, without its end; nil at the end of the file.
func (s *scanner) next() []byte {
	for line, ok := s.take(); ok; line, ok = s.take() {
		if line = trimRight(line); len(line) > 0 && line[0] != '*' {
			return line
		}
		if s.sense == 0 && lower(line) == "*sense:maximize" {
			s.sense = s.line
		}
	}
	return nil
}

// blank reports whether a character separates fields: a space, or a control character from tab to carriage return other
// than the newline.
func blank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\n' }

// trimRight cuts blanks off the end.
func trimRight(s []byte) []byte {
	// Lines end in a carriage return in files of other systems, which counts as a blank.
	for len(s) > 0 && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// trim cuts blanks off both ends.
func trim(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	return trimRight(s)
}

// maxTokens is the most that a line of any section has, and one more to notice an excess.
const maxTokens = 7

// split cuts a line at blanks into dst and returns the number of tokens, at most maxTokens.
func split(line []byte, dst *[maxTokens][]byte) int {
	n := 0
	i := 0
	for n < maxTokens {
		// Blanks in front of a token, or behind the last one.
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			break
		}

		// Here i is at the first character of a token; the loop below moves to the blank behind it.
		start := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		dst[n] = line[start:i]
		n++
	}
	return n
}

// fields is a data line in the six fields of the MPS format; fields that are missing are empty. The line
//
//	UP BND       x         4.5
//
// of BOUNDS has the code UP, the name BND, key[0] = x and value[0] = 4.5.
type fields struct {
	// code is the type of a row (field 1 of ROWS) or of a bound (field 1 of BOUNDS).
	code []byte
	// name is the column in COLUMNS, the row in ROWS, and in other sections the set that the line belongs to.
	name []byte
	// key are the rows of one or two numbers; in BOUNDS key[0] is the column.
	key [2][]byte
	// value[k] is the number that belongs to key[k].
	value [2][]byte
}

// pairs returns how many pairs of key and value the line has: one or two.
func (f *fields) pairs() int {
	if len(f.key[1]) == 0 && len(f.value[1]) == 0 {
		return 1
	}
	return 2
}

// fixedColumns are the fields of fixed MPS as half-open byte ranges from 0: columns 2-3, 5-12, 15-22, 25-36, 40-47 and
// 50-61 of the format. A number may extend up to the next field, and the last one to the end of the line.
var fixedColumns = [6][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 39}, {39, 47}, {49, 1 << 30}}

// fixedWidth is the length of a name in fixed MPS.
const fixedWidth = 8

// splitFixed cuts a line by columns. It reports false where text stands between the fields.
func splitFixed(line []byte, f *fields) bool {
	var cell [6][]byte
	end := 0
	for k, r := range fixedColumns {
		// A short line leaves its last fields empty.
		lo, hi := min(r[0], len(line)), min(r[1], len(line))

		// Nothing may stand between the end of a field and the beginning of the next.
		if len(trim(line[end:lo])) > 0 {
			return false
		}
		cell[k] = trim(line[lo:hi])
		end = hi
	}

	*f = fields{code: cell[0], name: cell[1], key: [2][]byte{cell[2], cell[4]}, value: [2][]byte{cell[3], cell[5]}}
	return bytes.IndexByte(line, '\t') < 0 // a tab moves what follows to another column
}
