package mps

import "bytes"

// scanner walks over the lines of a file that is in memory.
type scanner struct {
	data []byte // what next has not returned yet
	line int    // number of the line that next returned last
}

// next returns the next line that is neither blank nor a comment, without its end; nil at the end of the file.
func (s *scanner) next() []byte {
	for len(s.data) > 0 {
		line, rest, _ := bytes.Cut(s.data, []byte{'\n'})
		s.data = rest
		s.line++
		if line = trimRight(line); len(line) > 0 && line[0] != '*' {
			return line
		}
	}
	return nil
}

func blank(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\f', '\v':
		return true
	}
	return false
}

func trimRight(s []byte) []byte {
	for len(s) > 0 && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

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
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			break
		}

		start := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		dst[n] = line[start:i]
		n++
	}
	return n
}

// fields is a data line in the six fields of the MPS format; fields that are missing are empty.
type fields struct {
	code  []byte    // row or bound type
	name  []byte    // column in COLUMNS, row in ROWS, else the set
	key   [2][]byte // rows, or the column of a bound
	value [2][]byte
}

// pairs returns how many pairs of key and value the line has: one or two.
func (f *fields) pairs() int {
	if len(f.key[1]) == 0 && len(f.value[1]) == 0 {
		return 1
	}
	return 2
}

// fixedColumns are the fields of fixed MPS as half-open byte ranges. A number may extend up to the next field.
var fixedColumns = [6][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 39}, {39, 47}, {49, 1 << 30}}

// fixedWidth is the length of a name in fixed MPS.
const fixedWidth = 8

// splitFixed cuts a line by columns. It reports false where text stands between the fields.
func splitFixed(line []byte, f *fields) bool {
	var cell [6][]byte
	end := 0
	for k, r := range fixedColumns {
		lo, hi := min(r[0], len(line)), min(r[1], len(line))
		if len(trim(line[end:lo])) > 0 {
			return false
		}
		cell[k] = trim(line[lo:hi])
		end = hi
	}

	*f = fields{code: cell[0], name: cell[1], key: [2][]byte{cell[2], cell[4]}, value: [2][]byte{cell[3], cell[5]}}
	return bytes.IndexByte(line, '\t') < 0 // a tab moves what follows to another column
}
