package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb"
)

// TestFolded divides lines at blanks: no line is longer than the width where its words are not, and the words stay.
func TestFolded(t *testing.T) {
	const line = "scenarios     2753 by LP (0 without a pivot), 1792 by pool, 2914 skipped, 0 points refuted"
	for width := 30; width < 100; width++ {
		list := folded(line, width, itemWidth)
		if got := strings.Fields(strings.Join(list, " ")); !slices.Equal(got, strings.Fields(line)) {
			t.Errorf("width %d: %q", width, list)
		}
		for k, part := range list {
			indented := k == 0 || strings.HasPrefix(part, strings.Repeat(" ", itemWidth)) && part[itemWidth] != ' '
			if len(part) > width || !indented || strings.TrimRight(part, " ") != part {
				t.Errorf("width %d: %q", width, list)
			}
		}
	}
	for _, line := range []string{"", "word", strings.Repeat("x", 200), "a " + strings.Repeat("x", 200), strings.Repeat(" ", 99)} {
		if got := strings.Join(strings.Fields(strings.Join(folded(line, 80, 2), " ")), " "); got != strings.TrimSpace(line) {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// TestWiderTerminalsGetMore writes a row at several widths: it fits, and wider terminals have more columns.
func TestWiderTerminalsGetMore(t *testing.T) {
	columns := func(width int) int {
		var b bytes.Buffer
		l := &solverLog{w: &b, width: width, began: time.Now()}
		newTreeLog(l).progress(bnb.Progress{Nodes: 1000, Open: 999, LPIterations: 1 << 20, Bound: -1.0 / 3e7, Elapsed: time.Second}, 1e13/3)
		for line := range strings.Lines(b.String()) {
			if len(line) > max(narrow, width)+1 {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		return len(strings.Fields(lines[len(lines)-1]))
	}
	if a, b, c := columns(0), columns(100), columns(120); a != 8 || columns(60) != 8 || b != 10 || c != 11 {
		t.Errorf("%d, %d and %d columns", a, b, c)
	}
}
