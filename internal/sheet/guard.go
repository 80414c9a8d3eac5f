package sheet

import (
	"strconv"
	"strings"
)

// formulaStart are the characters at which a spreadsheet takes a cell for a formula, or that hide the start of one.
const formulaStart = "=+-@\t\r"

// Guard returns the text of a CSV cell so that a spreadsheet does not take it for a formula: a name that begins like a
// formula gets a single quote in front. Numbers stay numbers. Unguard removes the quote.
func Guard(s string) string {
	if s == "" || !formula(s) && !guarded(s) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// unguard is the inverse of Guard.
func unguard(s string) string {
	if guarded(s) {
		return s[1:]
	}
	return s
}

// formula reports whether a text that is not empty begins like a formula.
func formula(s string) bool { return strings.IndexByte(formulaStart, s[0]) >= 0 }

// guarded reports whether a text begins with a quote that Unguard removes: one before the start of a formula, or before
// another quote.
func guarded(s string) bool {
	rest, quoted := strings.CutPrefix(s, "'")
	if !quoted || rest == "" {
		return false
	}
	return rest[0] == '\'' || formula(rest)
}
