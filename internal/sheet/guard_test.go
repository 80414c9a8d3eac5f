package sheet

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestGuard keeps every name that a spreadsheet could take for a formula or a reader for a comment, and numbers as they
// are.
func TestGuard(t *testing.T) {
	for _, c := range [][2]string{{"=1+1", "'=1+1"}, {"+a", "'+a"}, {"-a", "'-a"}, {"@x", "'@x"}, {"\tx", "'\tx"},
		{"\rx", "'\rx"}, {"-1.5e3", "-1.5e3"}, {"a=b", "a=b"}, {"#a", "'#a"}, {"'#a", "''#a"}, {"a#", "a#"}, {"", ""}, {"'a", "'a"}, {"'=a", "''=a"}, {"''", "'" + "''"}} {
		if got := Guard(c[0]); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		var b strings.Builder
		for range rng.IntN(5) {
			b.WriteByte("=+-@\t\r#'a1"[rng.IntN(10)])
		}
		s := b.String()
		g := Guard(s)
		if back := unguard(g); back != s && g != s || g == s && unguard(s) != s {
			t.Fatalf("%q becomes %q and then %q", s, g, back)
		}
	}
}
