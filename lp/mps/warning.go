package mps

import (
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// warnings collects what a reader had to interpret: one line a kind, with the first place and the number of places.
type warnings struct {
	// order has the kinds in the order of their first appearance.
	order []string
	// first is the text of the first warning of a kind, with its line.
	first map[string]string
	// count is the number of warnings of a kind.
	count map[string]int
}

// add counts a warning of a kind, and keeps the text of the first.
func (w *warnings) add(kind string, line int, format string, args ...any) {
	// Most files have no warning, and need no maps.
	if w.count == nil {
		w.first = map[string]string{}
		w.count = map[string]int{}
	}
	if w.count[kind]++; w.count[kind] > 1 {
		return
	}

	text := fmt.Sprintf(format, args...)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	w.order = append(w.order, kind)
	w.first[kind] = text
}

// list returns the warnings with the name of the file in front.
func (w *warnings) list(file string) []string {
	var out []string
	for _, kind := range w.order {
		// Only the first place of a kind is shown, and how many follow.
		text := w.first[kind]
		if file != "" {
			text = file + ": " + text
		}
		if n := w.count[kind] - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more like this)", n)
		}
		out = append(out, text)
	}
	return out
}

// restrictBinary intersects the bounds of a column, which a line makes binary, with [0, 1]. It warns of stated bounds
// that lie outside; an upper bound of +Inf is the default.
func (w *warnings) restrictBinary(c *lp.Col, line int) {
	outsideLower := c.Lower < 0 || c.Lower > 1
	outsideUpper := c.Upper < 0 || c.Upper > 1 && !math.IsInf(c.Upper, 1)
	if outsideLower || outsideUpper {
		w.add("binary", line, "column %q is binary: only the part of its bounds [%g, %g] within [0, 1] counts", c.Name,
			c.Lower, c.Upper)
	}

	c.Lower = max(0, c.Lower)
	c.Upper = min(1, c.Upper)
}
