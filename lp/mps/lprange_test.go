package mps

import (
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestRangesAreTwoRows writes a range as two rows, and reads them as one.
func TestRangesAreTwoRows(t *testing.T) {
	m := &lp.Model{}
	x, y := m.Nonnegative("x", 1), m.Nonnegative("y", 1)
	m.Rows[m.Range(2, 5, x, y.Times(-3))].Name = "r"
	m.Rows[m.AtLeast(1, x)].Name = "s_lhs"
	m.Rows[m.Range(-1, 4, y)].Name = "s"
	var b strings.Builder
	if err := WriteLP(&b, m); err != nil {
		t.Fatal(err)
	}
	const want = " r_lhs: + x - 3 y >= 2\n r_rhs: + x - 3 y <= 5\n s_lhs: + x >= 1\n s__lhs: + y >= -1\n s__rhs: + y <= 4\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s", &b)
	}
	if err := lpRoundTrip(m); err != nil {
		t.Error(err)
	}
}

// TestOnlySidesAreJoined reads pairs of rows that are no range, and one whose name another row takes later.
func TestOnlySidesAreJoined(t *testing.T) {
	for _, c := range []struct{ rows, names string }{
		{"a_lhs: x + y >= 1\n a_rhs: y + x <= 3", "a"},
		{"a_lhs: x + y >= 1\n a_rhs: y + x <= 3\n a: x >= 1", "a_lhs a"},
		{"a: x >= 1\n a_lhs: x + y >= 1\n a_rhs: y + x <= 3", "a a_lhs a_rhs"},
		{"a_lhs: x + y >= 1\n a_rhs: y + 2 x <= 3", "a_lhs a_rhs"},
		{"a_lhs: x + y >= 1\n a_rhs: y + x <= 0", "a_lhs a_rhs"},
		{"a_lhs: x + y <= 1\n a_rhs: y + x <= 3", "a_lhs a_rhs"},
		{"a_lhs: x + y >= 1\n a_rhs: y + x >= 3", "a_lhs a_rhs"},
		{"a_lhs: x + y >= 1\n b: x >= 0\n a_rhs: y + x <= 3", "a_lhs b a_rhs"},
		{"a_lhs: x + y >= 1\n a_rhs: z = 1 -> y + x <= 3", "a_lhs a_rhs"},
	} {
		text := "min\n x + y\nst\n " + c.rows + "\nbounds\n x <= 9\n y <= 9\nbinary\n z\nend\n"
		m, _, err := ReadLP(strings.NewReader(text), "t.lp")
		if err != nil {
			t.Fatalf("%q: %v", c.rows, err)
		}
		var names []string
		for _, r := range m.Rows {
			if !r.Hidden {
				names = append(names, r.Name)
			}
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%q: rows %q, want %q", c.rows, got, c.names)
		}
		if r := m.Rows[0]; c.names == "a" && (r.Lower != 1 || r.Upper != 3) {
			t.Errorf("%+v", r)
		}
	}
}
