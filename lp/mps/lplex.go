package mps

import "bytes"

// tokenKind is the kind of a token of the LP format.
type tokenKind uint8

const (
	// endToken stands behind the last token of the file.
	endToken tokenKind = iota
	// nameToken is a word: a name or a keyword.
	nameToken
	// numberToken is a number without a sign.
	numberToken
	// relation is <=, >= or =; token.text begins with the character that decides: '<', '>' or '='.
	relation
	// symbolToken is any other character, such as + - : *
	symbolToken
)

// token is a piece of an LP file.
type token struct {
	kind tokenKind
	// text is the token as the file has it, a view of the file.
	text []byte
	// value is the number of a numberToken, infinite where it is beyond the range of float64.
	value float64
	// line is the number of the line, from 1.
	line int
	// first says that the token is the first of its line: only such a word can be a keyword.
	first bool
}

// symbol reports whether the token is the given character.
func (t *token) symbol(c byte) bool { return t.kind == symbolToken && t.text[0] == c }

// lexer cuts an LP file into tokens.
type lexer struct {
	data []byte
	// pos is the place in data of what next has not returned yet.
	pos int
	// line is the number of the line of pos, from 1.
	line int
	// last is the line of the token before; 0 before the first token.
	last int
}

// next returns the next token; a kind of endToken at the end of the file.
func (l *lexer) next() token {
	l.skip()
	t := token{line: l.line, first: l.line != l.last}
	l.last = l.line
	rest := l.data[l.pos:]
	if len(rest) == 0 {
		return t
	}

	// n is the length of the token. A token of one character is the default.
	n := 1
	switch c := rest[0]; {
	// HiGHS and SCIP write rows whose names are numbers, so a word before a colon is a label whatever it begins with.
	case isDigit(rest, 0) && labelLength(rest) > 0:
		t.kind = nameToken
		n = labelLength(rest)

	case isDigit(rest, 0) || c == '.' && isDigit(rest, 1):
		t.kind = numberToken
		n = numberLength(rest)
		t.value, _ = parseNumber(rest[:n])

	case c == '<' || c == '>' || c == '=':
		// =< and => are the same as <= and >=. The text begins with the character that decides.
		t.kind = relation
		t.text = rest[:1]
		if len(rest) > 1 {
			switch second := rest[1]; {
			case second == '=':
				t.text = rest[:2]
				n = 2
			case c == '=' && (second == '<' || second == '>'):
				t.text = rest[1:2]
				n = 2
			}
		}
		l.pos += n
		return t

	// All other characters that no name holds are tokens of their own.
	case !nameByte(c):
		t.kind = symbolToken
	default:
		t.kind = nameToken
		n = nameLength(rest)
	}
	t.text = rest[:n]
	l.pos += n
	return t
}

// isDigit reports whether s has a digit at k.
func isDigit(s []byte, k int) bool { return k < len(s) && s[k] >= '0' && s[k] <= '9' }

// lpOperators are the characters that no name begins with, in addition to blanks; names that are written have none.
var lpOperators = []byte("+-:*/^[]\\|<>=")

// nameByte reports whether a name may hold the character in every place. Bytes of letters beyond ASCII are above 0x7f,
// so they may.
func nameByte(c byte) bool { return c > ' ' && c != 0x7f && bytes.IndexByte(lpOperators, c) < 0 }

// insideName are the characters that a name may hold from its second one on. At the beginning of a word a bracket opens
// a quadratic expression, and a slash divides one.
var insideName = []byte("/[]|")

// nameLength returns the length of the word that s begins with: a name such as x[0,1] or flow/a|b.
func nameLength(s []byte) int {
	for n, c := range s {
		inside := n > 0 && bytes.IndexByte(insideName, c) >= 0
		if !nameByte(c) && !inside {
			return n
		}
	}
	return len(s)
}

// labelLength returns the length of the word that s begins with where one colon follows on the same line, else 0. Two
// colons end the type of a set.
func labelLength(s []byte) int {
	n := nameLength(s)
	k := n
	for k < len(s) && blank(s[k]) {
		k++
	}
	if bytes.HasPrefix(s[k:], []byte(":")) && !bytes.HasPrefix(s[k:], []byte("::")) {
		return n
	}
	return 0
}

// skip moves past blanks and comments, which begin with a backslash.
func (l *lexer) skip() {
	for ; l.pos < len(l.data); l.pos++ {
		switch c := l.data[l.pos]; {
		case c == '\n':
			l.line++
		case c == '\\':
			// The newline itself remains, so that it is counted.
			k := bytes.IndexByte(l.data[l.pos:], '\n')
			if k < 0 {
				l.pos = len(l.data)
				return
			}
			l.pos += k - 1
		case !blank(c):
			return
		}
	}
}

// numberLength returns the length of the number that s begins with. An e that no digits follow belongs to a name.
func numberLength(s []byte) int {
	n := 0
	point := false
	for ; n < len(s); n++ {
		if s[n] == '.' && !point {
			point = true
		} else if !isDigit(s, n) {
			break
		}
	}
	if n == len(s) || s[n]|0x20 != 'e' {
		return n
	}

	// The exponent: a sign perhaps, and at least one digit.
	k := n + 1
	if k < len(s) && (s[k] == '+' || s[k] == '-') {
		k++
	}
	if !isDigit(s, k) {
		return n
	}
	for isDigit(s, k) {
		k++
	}
	return k
}
