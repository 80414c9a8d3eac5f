package sheet

import (
	"strconv"
	"strings"
)

// guardedStart are the characters at which a spreadsheet takes a cell for a formula, or that hide the start of one, and
// that at which a reader takes a line for a comment.
const guardedStart = "=+-@\t\r#"

// Guard returns the text of a CSV cell so that a spreadsheet does not take it for a formula, nor a reader its line for
// a comment: a name that begins like one gets a single quote in front. Numbers stay numbers. Unguard removes the quote.
func Guard(s string) string {
	// The empty text, and one that looks like neither, stay as they are.
	if s == "" || !special(s) && !guarded(s) {
		return s
	}

	// A negative number begins with a sign, and is no formula.
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// unguard is the inverse of Guard.
func unguard(s string) string {
	// Only the quote that Guard has put there is removed.
	if guarded(s) {
		return s[1:]
	}
	return s
}

// special reports whether a text that is not empty begins like a formula or a comment.
func special(s string) bool { return strings.IndexByte(guardedStart, s[0]) >= 0 }

// guarded reports whether a text begins with a quote that Unguard removes: one before the start of a formula or a
// comment, or before another quote.
func guarded(s string) bool {
	// A text with a quote of its own is guarded by a second one, so that Unguard is the inverse.
	rest, quoted := strings.CutPrefix(s, "'")
	if !quoted || rest == "" {
		return false
	}
	return rest[0] == '\'' || special(rest)
}
