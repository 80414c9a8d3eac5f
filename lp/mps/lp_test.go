package mps

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

const sampleLP = `\ a comment
Maximize
 profit: 3 x1 + 2.5e0 x2 - x3
   + 4 y * comment \ not this: a star needs a number before it
Subject To
End
`

func readLP(t *testing.T, text string) (*lp.Model, []string) {
	t.Helper()
	m, warnings, err := ReadLP(strings.NewReader(text), "t.lp")
	if err != nil {
		t.Fatal(err)
	}
	return m, warnings
}

func TestLPReads(t *testing.T) {
	m, warnings := readLP(t, `\ two products
MAXIMIZE
 profit: 3 x1 + 2.5e0 x2
   - x3 + 2 * y2e + x1 + 7
subject to
 c1: x1 + x2 + x3
     <= 10
 c2: 1 <= x1 - 2 x2 <= 8
 x1 - 3 x3 >= -5 \ no name
 c3: -2 <= - x2 + 4
 12 >= x1 + y2e
 eq: 2 x1 = 3
Bounds
 x1 <= 4
 -1 <= x2 <= 6
 x3 free
 x3 >= -inf
 y2e = 2
Generals
 x2
 x3
Binary
 b
End
`)

	// The objective has a name, a constant and x1 in two terms; reading gives one warning.
	if !m.Maximize || m.Objective != "profit" || m.Offset != 7 || len(warnings) != 1 {
		t.Errorf("maximise %t, objective %q, offset %g, warnings %q", m.Maximize, m.Objective, m.Offset, warnings)
	}

	// A column has the bounds 0 and infinity unless a section gives others. The cost of x1 is the sum of its two
	// terms, and b occurs only in the section Binary, so its cost is 0.
	inf := math.Inf(1)
	wantCols := []lp.Col{{Name: "x1", Cost: 4, Upper: 4}, {Name: "x2", Cost: 2.5, Lower: -1, Upper: 6, Integer: true},
		{Name: "x3", Cost: -1, Lower: -inf, Upper: inf, Integer: true}, {Name: "y2e", Cost: 2, Lower: 2, Upper: 2},
		{Name: "b", Upper: 1, Integer: true}}
	for j, want := range wantCols {
		if m.Cols[j] != want {
			t.Errorf("column %d: %+v, want %+v", j, m.Cols[j], want)
		}
	}

	// A constant on the left-hand side moves to the right-hand side, and a relation may have two sides.
	wantRows := []lp.Row{{Name: "c1", Lower: -inf, Upper: 10}, {Name: "c2", Lower: 1, Upper: 8}, {Lower: -5, Upper: inf},
		{Name: "c3", Lower: -6, Upper: inf}, {Lower: -inf, Upper: 12}, {Name: "eq", Lower: 3, Upper: 3}}
	if len(m.Rows) != len(wantRows) {
		t.Fatalf("rows %+v", m.Rows)
	}
	for i, want := range wantRows {
		if m.Rows[i] != want {
			t.Errorf("row %d: %+v, want %+v", i, m.Rows[i], want)
		}
	}

	// The entries of x2 are in the rows c1, c2 and c3.
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	index, value := a.Vec(1)
	if fmt.Sprint(index, value) != "[0 1 3] [1 -2 -1]" {
		t.Errorf("x2: %v %v", index, value)
	}
}

func TestLPErrors(t *testing.T) {
	const head = "Minimize\n obj: x + y\nSubject To\n"

	// Every case is a file with one fault, and the message names the place where reading stops.
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.lp: the file is empty"},
		{"comments", "\\ nothing\n", "t.lp: the file is empty"},
		{"not LP", "NAME X\nROWS\n", `t.lp: line 1: word "NAME": the file must begin with`},
		{"truncated", head + " c: x >= 1\n", "truncated"},
		// The relations and their sides.
		{"no relation", head + " c: x + y\nEnd\n", `line 5: word "End": expected <=`},
		{"no number", head + " c: x >=\nEnd\n", `line 5: word "End": expected a number`},
		{"range with a column right", head + " c: 1 <= x <= y\nEnd\n", `line 4: word "y": expected a number`},
		{"relation after columns", head + " c: x <= y <= 3\nEnd\n", `line 4: relation "<=": a second one`},
		// The terms of a row: signs, the star between a number and a column, and brackets.
		{"no left column", head + " c: x >= [ y ]\nEnd\n", `line 4: character "[": expected a number or a column`},
		{"missing sign", head + " c: x y >= 1\nEnd\n", `line 4: word "y": expected + or -`},
		{"product", head + " c: x * y >= 1\nEnd\n", `line 4: word "*": expected + or -`},
		{"star and a sign", head + " c: 2 * - x >= 1\nEnd\n", `line 4: word "-": expected a column after the *`},
		{"star and a relation", head + " c: x + 2 * >= 1\nEnd\n", `line 4: word ">=": expected a column after the *`},
		{"star and a label", head + " c: x + 2 *\n d: y >= 1\nEnd\n", `line 5: word "d": expected a column after the *`},
		{"star in the objective", "Minimize\n obj: 2 *\nSubject To\nEnd\n", `line 3: word "Subject": expected a column after the *`},
		{"quadratic", "Minimize\n obj: [ x ^ 2 ] / 2\nSubject To\nEnd\n", `line 2: character "[": expected a number or a column`},
		// Names, sides and numbers that are given twice or are out of range.
		{"row twice", head + " c: x >= 1\n c: y >= 1\nEnd\n", `line 5: row name "c": the second row`},
		{"two relations", head + " c: 1 <= x >= 2\nEnd\n", "line 4: the two relations"},
		{"infinite side", head + " c: x >= +inf\nEnd\n", "an infinite side"},
		{"huge", head + " c: 1e999 x >= 1\nEnd\n", "too large"},
		// The sections after the rows.
		{"sos2", head + " c: x >= 1\nSOS2\n s: x:1\nEnd\n", `line 5: section "SOS2": not supported`},
		{"two objectives", head + " c: x >= 1\nMinimize\n x\nEnd\n", "a second objective"},
		{"bound text", head + " c: x >= 1\nBounds\n x <= y\nEnd\n", `line 6: word "y": expected a number`},
		{"bound alone", head + " c: x >= 1\nBounds\n x\nEnd\n", "expected <="},
		{"bad integer", head + " c: x >= 1\nGenerals\n 3\nEnd\n", "line 6"},
		{"binary file", "\x00\x01\x02", "line 1"},
	} {
		// The error is on one line, names the file and is an ErrFormat.
		_, _, err := ReadLP(strings.NewReader(c.text), "t.lp")
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}

	// A sample that has a product of columns, which is not linear, is refused as well.
	if _, _, err := ReadLP(strings.NewReader(sampleLP), "t.lp"); err == nil {
		t.Error("a product of columns was accepted")
	}
}

// sameByName compares models whose columns may stand in another order.
func sameByName(a, b *lp.Model) error {
	na, nb := lpNamesFor(a), lpNamesFor(b)
	if len(a.Rows) != len(b.Rows) || len(a.Cols) != len(b.Cols) {
		return fmt.Errorf("%d rows, %d columns against %d, %d", len(a.Rows), len(a.Cols), len(b.Rows), len(b.Cols))
	}

	// The columns of b get the order of a: order[j] is the column of b with the name of column j of a.
	place := map[string]int{}
	for j, s := range na.cols {
		place[s] = j
	}
	order := make([]int, len(b.Cols))
	for k, s := range nb.cols {
		j, ok := place[s]
		if !ok {
			return fmt.Errorf("a new column %s", s)
		}
		order[j] = k
	}

	// The model c is b in that order, under the names that the columns and rows have in LP files.
	ma, err := b.Matrix()
	if err != nil {
		return err
	}
	c := &lp.Model{Maximize: b.Maximize, Offset: b.Offset}
	for _, k := range order {
		col := b.Cols[k]
		col.Hidden = false
		col.Name = nb.cols[k]
		c.AddCol(col)
	}

	// The rows keep their order, and the entries move with their columns.
	for i := range b.Rows {
		r := b.Rows[i]
		r.Name = nb.rows[i]
		c.AddRow(r, nil, nil)
	}
	for j, k := range order {
		index, value := ma.Vec(k)
		for p, i := range index {
			c.AddEntry(lp.Con(i), lp.Var(j), value[p])
		}
	}

	// The model a gets its names in LP files too before the two are compared.
	renamed := a.Clone()
	for j := range renamed.Cols {
		renamed.Cols[j].Name = na.cols[j]
	}
	for i := range renamed.Rows {
		renamed.Rows[i].Name = na.rows[i]
	}
	return same(renamed, c)
}

func lpRoundTrip(m *lp.Model) error {
	var file bytes.Buffer
	if err := WriteLP(&file, m); err != nil {
		return err
	}
	back, _, err := ReadLP(bytes.NewReader(file.Bytes()), "round trip")
	if err != nil {
		return err
	}
	return sameForm(m, back, sameByName)
}

func TestLPRoundTripRandom(t *testing.T) {
	for seed := range uint64(500) {
		m := randomModel(rand.New(rand.NewPCG(seed, 8)))
		if len(m.Cols) == 0 {
			continue
		}
		m.Cols[len(m.Cols)-1].Name = []string{"free", "3x", "e5", "a-b", "Bounds", "inf", "x[1]"}[seed%7]
		if err := lpRoundTrip(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestLPRoundTripData(t *testing.T) {
	for _, folder := range []string{"netlib", "miplib", "miplib/2017"} {
		for _, path := range dataFiles(t, folder) {
			m, _, err := ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if m.NumEntries() > 15000 {
				continue
			}
			if err := lpRoundTrip(m); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func TestReadFileLP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.LP")
	if err := os.WriteFile(path, []byte("min\n x\nst\n x >= 2\nend\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if m, _, err := ReadFile(path); err != nil || len(m.Cols) != 1 || m.Rows[0].Lower != 2 {
		t.Errorf("%v", err)
	}
}

func FuzzReadLP(f *testing.F) {
	f.Add([]byte("Maximize\n obj: 2 x + 3 y - 4\nSubject To\n c1: 1 <= x + 2 y <= 4\n 3 >= x\nBounds\n -inf <= x <= 5\n y free\nGenerals\n x\nBinaries\n z\nEnd\n"))
	f.Add([]byte("min\nst\nend\n"))
	f.Add([]byte("min\n x[0,1] + y\nst\n 1: 3 x[0,1] + 2 >= y - 4\n + z\nlazy constraints\n 2: y <= a/b\nuser cuts\n y >= 1\nend\n"))
	f.Add([]byte("min\n x + y + semi\nst\n semi - x <= 3\n c: p = 1 -> x - y >= 1\nbounds\n 1 <= x <= 9\n y <= 4\nbin\n p\nsemi-continuous\n x\nsos\n S1:: x:1 y:2\n t: S2:: x:-1 y:2 p:+3\nend\n"))
	f.Add([]byte("min\n x + y\nst\n 0: x = 1 -> y >= 1\nbin\n x\nsos\n S1:: x:1 y:2\n 0: S2:: x:1 y:2\nend\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return
		}
		m, _, err := ReadLP(bytes.NewReader(data), "fuzz")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("an invalid model was accepted: %v", err)
		}
		changes := inexactRange(m) || hugeSide(m) || rangedIndicator(m)
		if err := lpRoundTrip(m); err != nil && !errors.Is(err, ErrWrite) && !changes {
			t.Fatalf("round trip: %v", err)
		}
	})
}

// rangedIndicator reports whether a row under an indicator has two sides. An LP file has two rows for it, which are not
// joined again.
func rangedIndicator(m *lp.Model) bool {
	stated, logic := fileForm(m)
	return slices.ContainsFunc(logic.Indicators, func(c lp.Indicator) bool {
		r := stated.Rows[c.Row]
		return !math.IsInf(r.Lower, 0) && !math.IsInf(r.Upper, 0) && r.Lower != r.Upper
	})
}

// hugeSide reports whether a coefficient or side is so large that the sides of a row overflow.
func hugeSide(m *lp.Model) bool {
	for _, r := range m.Rows {
		if math.Abs(r.Lower) >= infinite && !math.IsInf(r.Lower, 0) || math.Abs(r.Upper) >= infinite && !math.IsInf(r.Upper, 0) {
			return true
		}
	}
	return false
}
