package mps

import "bytes"

// tokenKind is the kind of a token of the LP format.
type tokenKind uint8

const (
	endToken    tokenKind = iota
	nameToken             // a word: a name or a keyword
	numberToken           // an unsigned number
	relation              // <=, >= or =; token.text is its first character that decides: '<', '>' or '='
	symbolToken           // any other character, such as + - : *
)

// token is a piece of an LP file.
type token struct {
	kind  tokenKind
	text  []byte
	value float64
	line  int
	first bool // first of its line
}

func (t *token) symbol(c byte) bool { return t.kind == symbolToken && t.text[0] == c }

// lexer cuts an LP file into tokens.
type lexer struct {
	data []byte
	pos  int
	line int
	last int // line of the token before
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

	n := 1
	switch c := rest[0]; {
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

	case !nameByte(c):
		t.kind = symbolToken
	default:
		t.kind = nameToken
		for n < len(rest) && nameByte(rest[n]) {
			n++
		}
	}
	t.text = rest[:n]
	l.pos += n
	return t
}

// isDigit reports whether s has a digit at k.
func isDigit(s []byte, k int) bool { return k < len(s) && s[k] >= '0' && s[k] <= '9' }

// lpOperators are the characters that no name holds, in addition to blanks.
var lpOperators = []byte("+-:*/^[]\\|<>=")

func nameByte(c byte) bool { return c > ' ' && c != 0x7f && bytes.IndexByte(lpOperators, c) < 0 }

// skip moves past blanks and comments, which begin with a backslash.
func (l *lexer) skip() {
	for ; l.pos < len(l.data); l.pos++ {
		switch c := l.data[l.pos]; {
		case c == '\n':
			l.line++
		case c == '\\':
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
