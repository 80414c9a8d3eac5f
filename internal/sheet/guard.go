package sheet

import (
	"strconv"
	"strings"
)

// formulaStart are the characters that make a spreadsheet take a cell for a formula, or hide that it is one.
const formulaStart = "=+-@\t\r"

// Guard returns the text of a CSV cell so that a spreadsheet does not take it for a formula: a name that begins like
// one is put behind a single quote. Numbers stay numbers. Unguard takes the quote back.
func Guard(s string) string {
	if s == "" || !formula(s) && !guarded(s) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// Unguard returns the text that Guard was given.
func Unguard(s string) string {
	if guarded(s) {
		return s[1:]
	}
	return s
}

func formula(s string) bool { return strings.IndexByte(formulaStart, s[0]) >= 0 }

// guarded reports whether a text begins with a quote that Unguard takes back.
func guarded(s string) bool {
	return len(s) > 1 && s[0] == '\'' && (s[1] == '\'' || formula(s[1:]))
}
