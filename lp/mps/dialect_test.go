package mps

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// rowText shows a row of a model, such as "c: 1 x[0,1] -2 y in [3, +Inf]".
func rowText(t *testing.T, m *lp.Model, i int) string {
	t.Helper()
	one := &lp.Model{}
	for j := range m.Cols {
		one.AddCol(lp.Col{Name: m.Cols[j].Name, Upper: lp.Inf})
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	index, value := a.Transpose().Vec(i)
	one.AddRow(m.Rows[i], index, value)
	text, err := canonical(one)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestLPDialects reads what other programs write and holds it against the plain form of the same model.
func TestLPDialects(t *testing.T) {
	const head, tail = "Minimize\n obj: x + y\nSubject To\n", "End\n"
	for _, c := range []struct{ name, text, plain string }{
		{"columns on both sides", " c: 3 x + 2 >= y - 4 + x\n", " c: 2 x - y >= -6\n"},
		{"columns on the right only", " c: 5 >= x - y\n", " c: x - y <= 5\n"},
		{"an equation", " c: x = 2 y\n", " c: x - 2 y = 0\n"},
		{"constants on the right", " c: x + y <= 3 + 4\n", " c: x + y <= 7\n"},
		{"a column that cancels", " c: x + y <= y + 4\n", " c: x <= 4\n"},
		{"the right side over two lines", " c: x >= 2 y\n + 3\n d: y <= 9\n", " c: x - 2 y >= 3\n d: y <= 9\n"},
		{"a number, then terms on the next line", " c: x >= 3\n + y\n d: y <= 9\n", " c: x - y >= 3\n d: y <= 9\n"},
		{"a sign that begins a constraint", " x >= 3\n + y <= 4\n", " x >= 3\n y <= 4\n"},
		{"an indicator", " b: y <= 1\n c: z = 1 -> x >= y - 1\nBounds\n x <= 9\nBinaries\n z\n",
			" b: y <= 1\n c: z = 1 -> x - y >= -1\nBounds\n x <= 9\nBinaries\n z\n"},
		{"lazy constraints", " c: x >= 1\nLazy Constraints\n d: y >= 2\n", " c: x >= 1\n d: y >= 2\n"},
		{"user cuts", " c: x >= 1\nUser Cuts\n d: y >= 2\n", " c: x >= 1\n d: y >= 2\n"},
		{"constraints after user cuts", "User cuts\n d: y >= 2\nlazy constraints\n c: x >= 1\n", " d: y >= 2\n c: x >= 1\n"},
	} {
		got, _, err := ReadLP(strings.NewReader(head+c.text+tail), "t.lp")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want, _, err := ReadLP(strings.NewReader(head+c.plain+tail), "t.lp")
		if err != nil {
			t.Fatal(err)
		}
		a, errA := canonical(got)
		b, errB := canonical(want)
		if a != b || errA != nil || errB != nil {
			t.Errorf("%s:\n%s\nwant\n%s (%v, %v)", c.name, a, b, errA, errB)
		}
	}
}

// TestLPNames reads names that hold brackets, slashes and bars, and labels that are numbers.
func TestLPNames(t *testing.T) {
	const text = "Minimize\n 0: x[0,1] + flow/a|b\nSubject To\n 1: x[0,1] - 2 flow/a|b >= -3\n 2e5: x[0,1] <= 4\n" +
		" 12ab: flow/a|b <= 4\n1 x[0,1] + 1 y] >= 1\nEnd\n"
	m, warnings, err := ReadLP(strings.NewReader(text), "t.lp")
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	cols, rows := "", ""
	for j := range m.Cols {
		cols += m.Cols[j].Name + " "
	}
	for i := range m.Rows {
		rows += m.Rows[i].Name + " "
	}
	if cols != "x[0,1] flow/a|b y] " || rows != "1 2e5 12ab  " || m.Objective != "0" {
		t.Errorf("columns %q, rows %q, objective %q", cols, rows, m.Objective)
	}

	// A quadratic expression is refused, with and without blanks.
	for _, q := range []string{"[ x ^ 2 ] / 2", "[x^2]/2", "x + [ x * y ]"} {
		_, _, err := ReadLP(strings.NewReader("Minimize\n obj: "+q+"\nSubject To\n c: x >= 1\nEnd\n"), "t.lp")
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestMoreRows reads the sections LAZYCONS and USERCUTS.
func TestMoreRows(t *testing.T) {
	const text = "NAME a\nROWS\n N obj\n G c\nLAZYCONS\n L lazy\nUSERCUTS\n L user\nCOLUMNS\n x obj 1 c 1\n x lazy 2 user 3\n" +
		"RHS\n r c 1 lazy 4\n r user 9\nENDATA\n"
	m, warnings, err := Read(strings.NewReader(text), "a.mps")
	if err != nil || len(m.Rows) != 3 || len(warnings) != 1 || !strings.Contains(warnings[0], "user cuts") {
		t.Fatal(err, warnings)
	}
	if got := m.Rows[1]; got != (lp.Row{Name: "lazy", Lower: math.Inf(-1), Upper: 4}) {
		t.Errorf("lazy constraint %+v", got)
	}
	if got := rowText(t, m, 2); !strings.Contains(got, "user") || !strings.Contains(got, "3") {
		t.Errorf("user cut %s", got)
	}
	for from, want := range map[string]string{
		"LAZYCONS\n L lazy": "LAZYCONS\n N lazy",
		"ROWS\n N obj":      "LAZYCONS\nROWS\n N obj",
		"RHS\n r c 1":       "LAZYCONS\n L other\nRHS\n r c 1",
	} {
		if _, _, err := Read(strings.NewReader(strings.Replace(text, from, want, 1)), "a.mps"); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestSenseComment expects a warning of the comment that PuLP writes, unless the file has a sense.
func TestSenseComment(t *testing.T) {
	const text = "*SENSE:Maximize\nNAME a\nROWS\n N obj\n L c\nCOLUMNS\n x obj 1 c 1\nRHS\n r c 1\nENDATA\n"
	m, warnings, err := Read(strings.NewReader(text), "a.mps")
	if err != nil || m.Maximize || len(warnings) != 1 || !strings.Contains(warnings[0], "OBJSENSE MAX") {
		t.Error(m.Maximize, warnings, err)
	}
	m, warnings, err = Read(strings.NewReader(strings.Replace(text, "ROWS", "OBJSENSE MAX\nROWS", 1)), "a.mps")
	if err != nil || !m.Maximize || len(warnings) != 0 {
		t.Error(m.Maximize, warnings, err)
	}
}

// TestCarriageReturns reads files whose lines end as on old Macintosh systems, and as on Windows.
func TestCarriageReturns(t *testing.T) {
	const mpsText = "NAME a\nROWS\n N obj\n L c\nCOLUMNS\n x obj 1 c 1\nRHS\n r c 1\nENDATA\n"
	const lpText = "\\ a comment\nMinimize\n obj: x\nSubject To\n c: x <= 1\nEnd\n"
	for _, text := range []string{mpsText, lpText} {
		want, _, err := ReadModel(strings.NewReader(text), "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"\r", "\r\n"} {
			got, warnings, err := ReadModel(bytes.NewReader([]byte(strings.ReplaceAll(text, "\n", end))), "a")
			if err != nil || len(warnings) > 0 {
				t.Fatalf("%q: %v %v", end, err, warnings)
			}
			a, errA := canonical(got)
			b, errB := canonical(want)
			if a != b || errA != nil || errB != nil {
				t.Errorf("%q:\n%s\nwant\n%s", end, a, b)
			}
		}
	}
}

// TestNegativeUpperBound says in which format a negative upper bound frees the lower one.
func TestNegativeUpperBound(t *testing.T) {
	const mpsText = "NAME a\nROWS\n N obj\n G c\nCOLUMNS\n x obj 1 c 1\nRHS\n r c -9\nBOUNDS\n UP b x -2\nENDATA\n"
	m, warnings, err := Read(strings.NewReader(mpsText), "a.mps")
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "HiGHS, SCIP and GLPK keep 0") ||
		m.Cols[0].Lower != math.Inf(-1) || m.Cols[0].Upper != -2 {
		t.Error(m, warnings, err)
	}
	const lpText = "Minimize\n obj: x\nSubject To\n c: x >= -9\nBounds\n x <= -2\nEnd\n"
	m, warnings, err = ReadLP(strings.NewReader(lpText), "a.lp")
	if err != nil || len(warnings) != 1 || m.Cols[0].Lower != 0 || m.Cols[0].Upper != -2 {
		t.Error(m, warnings, err)
	}
}
