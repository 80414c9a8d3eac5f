package mps

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func read(t *testing.T, text string) (*lp.Model, []string) {
	t.Helper()
	m, warnings, err := Read(strings.NewReader(text), "t.mps")
	if err != nil {
		t.Fatal(err)
	}
	return m, warnings
}

// wrap puts sections around a model of the rows OBJ (N), A (L), B (G), C (E) and the columns X and Y.
func wrap(rest string) string {
	return "NAME T\nROWS\n N OBJ\n L A\n G B\n E C\nCOLUMNS\n X OBJ 1 A 2\n X B 3\n Y C 4 A 5\n" + rest + "ENDATA\n"
}

func TestRows(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name, rest string
		want       [3][2]float64
		offset     float64
	}{
		{"none", "", [3][2]float64{{-inf, 0}, {0, inf}, {0, 0}}, 0},
		{"sides", "RHS\n RHS A 4 B 5\n RHS C 6\n RHS OBJ -7.113\n", [3][2]float64{{-inf, 4}, {5, inf}, {6, 6}}, 7.113},
		{"no set name", "RHS\n A 4 B 5\n C 6\n", [3][2]float64{{-inf, 4}, {5, inf}, {6, 6}}, 0},
		{"ranges", "RHS\n R A 4 B 5\n R C 6\nRANGES\n R A 2 B 3\n R C 1.5\n", [3][2]float64{{2, 4}, {5, 8}, {6, 7.5}}, 0},
		{"negative ranges", "RHS\n R A 4 B 5\n R C 6\nRANGES\n R A -2 B -3\n R C -1.5\n", [3][2]float64{{2, 4}, {5, 8}, {4.5, 6}}, 0},
		{"ranges before sides", "RANGES\n R A 2\nRHS\n R A 4\n", [3][2]float64{{2, 4}, {0, inf}, {0, 0}}, 0},
		{"infinite", "RHS\n R A 1e30 B -1e31\n", [3][2]float64{{-inf, inf}, {-inf, inf}, {0, 0}}, 0},
		{"infinite range", "RANGES\n R A 1e30 B inf\n", [3][2]float64{{-inf, 0}, {0, inf}, {0, 0}}, 0},
		{"only the first set", "RHS\n R1 A 4\n R2 A 9 B 9\n R1 B 5\n", [3][2]float64{{-inf, 4}, {5, inf}, {0, 0}}, 0},
	} {
		m, _ := read(t, wrap(c.rest))
		if m.Offset != c.offset || math.Signbit(m.Offset) != math.Signbit(c.offset) {
			t.Errorf("%s: offset %g, want %g", c.name, m.Offset, c.offset)
		}
		for i, w := range c.want {
			if m.Rows[i].Lower != w[0] || m.Rows[i].Upper != w[1] {
				t.Errorf("%s: row %s in [%g, %g], want %v", c.name, m.Rows[i].Name, m.Rows[i].Lower, m.Rows[i].Upper, w)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		lines        string
		lower, upper float64
		integer      bool
		warnings     int
	}{
		{"", 0, inf, false, 0},
		{" UP B X 4\n", 0, 4, false, 0},
		{" UP X 4\n", 0, 4, false, 0},
		{" UP B X -4\n", -inf, -4, false, 1},
		{" UP B X 0\n", 0, 0, false, 0},
		{" LO B X 0\n UP B X -4\n", 0, -4, false, 0},
		{" LO B X -9\n UP B X -4\n", -9, -4, false, 0},
		{" UP B X -4\n LO B X -9\n", -9, -4, false, 1},
		{" MI B X\n", -inf, inf, false, 0},
		{" MI X\n UP X 3\n", -inf, 3, false, 0},
		{" UP X 3\n MI X\n", -inf, 3, false, 0},
		{" FR X\n", -inf, inf, false, 0},
		{" FR B X\n", -inf, inf, false, 0},
		{" FR B X 0\n", -inf, inf, false, 0},
		{" FR X 0\n", -inf, inf, false, 0},
		{" PL B X\n", 0, inf, false, 0},
		{" FX B X 2.5\n", 2.5, 2.5, false, 0},
		{" BV B X\n", 0, 1, true, 0},
		{" BV B X 1\n", 0, 1, true, 0},
		{" LI B X 2\n", 2, inf, true, 0},
		{" UI B X 7\n", 0, 7, true, 0},
		{" UI B X -7\n", -inf, -7, true, 1},
		{" UP B X 1e30\n LO B X -1e35\n", -inf, inf, false, 0},
		{" UP B X Inf\n LO B X -infinity\n", -inf, inf, false, 0},
		{" UP B X 3\n UP B X 4\n", 0, 4, false, 1},
		{" UP B1 X 3\n UP B2 X 4\n", 0, 3, false, 1},
	} {
		m, warnings := read(t, wrap("BOUNDS\n"+c.lines))
		x := m.Cols[0]
		if x.Lower != c.lower || x.Upper != c.upper || x.Integer != c.integer {
			t.Errorf("%q: [%g, %g] integer %t, want [%g, %g] %t", c.lines, x.Lower, x.Upper, x.Integer, c.lower, c.upper, c.integer)
		}
		if len(warnings) != c.warnings {
			t.Errorf("%q: warnings %q, want %d", c.lines, warnings, c.warnings)
		}
	}
}

func TestObjective(t *testing.T) {
	const rows = "ROWS\n N F\n L A\n N G\nCOLUMNS\n X F 1 A 2\n X G 3\nRHS\nENDATA\n"
	for _, c := range []struct {
		head, name string
		maximize   bool
		cost       float64
	}{
		{"", "F", false, 1},
		{"NAME\n", "F", false, 1},
		{"OBJSENSE MAX\n", "F", true, 1},
		{"OBJSENSE\n    MAXIMIZE\n", "F", true, 1},
		{"OBJSENSE\n    MIN\n", "F", false, 1},
		{"OBJNAME G\n", "G", false, 3},
		{"NAME P\nOBJSENSE\n MAXIMISE\nOBJNAME\n G\n", "G", true, 3},
	} {
		m, _ := read(t, c.head+rows)
		if m.Objective != c.name || m.Maximize != c.maximize || m.Cols[0].Cost != c.cost {
			t.Errorf("%q: objective %s, maximise %t, cost %g", c.head, m.Objective, m.Maximize, m.Cols[0].Cost)
		}
		if len(m.Rows) != 2 || m.NumEntries() != 2 {
			t.Errorf("%q: %d rows, %d coefficients: the other N row must be a free row", c.head, len(m.Rows), m.NumEntries())
		}
	}
	m, warnings := read(t, "ROWS\n L A\nCOLUMNS\n X A 1\nENDATA\n")
	if m.Cols[0].Cost != 0 || len(warnings) != 1 {
		t.Errorf("without an N row: cost %g, warnings %q", m.Cols[0].Cost, warnings)
	}
}

func TestIntegerMarkers(t *testing.T) {
	m, warnings := read(t, "ROWS\n N F\nCOLUMNS\n X F 1\n M1 'MARKER' 'INTORG'\n Y F 2\n Z F 3\n U F 3\n V F 3\n M2 'MARKER' 'INTEND'\n W F 4\n"+
		"BOUNDS\n UP B Z 8\n PL B U\n LO B V -2\nENDATA\n")
	for j, want := range []bool{false, true, true, true, true, false} {
		if m.Cols[j].Integer != want {
			t.Errorf("column %s: integer %t", m.Cols[j].Name, m.Cols[j].Integer)
		}
	}
	for j, want := range []float64{lp.Inf, 1, 8, lp.Inf, lp.Inf, lp.Inf} {
		if m.Cols[j].Upper != want {
			t.Errorf("column %s in [%g, %g]", m.Cols[j].Name, m.Cols[j].Lower, m.Cols[j].Upper)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `"Y"`) {
		t.Errorf("warnings %q", warnings)
	}
}

// fixedBlanks has names with blanks, as Netlib's forplan does, so that fields can be separated only by their columns.
const fixedBlanks = `NAME          BLANKS
* a comment
ROWS
 N  COST 1
 L  LIM  1
 E  MY EQN
COLUMNS
    X ONE     COST 1             1.0   LIM  1             1.0
    X ONE     MY EQN         1.5E+01
    MARKER                 'MARKER'                 'INTORG'
    Y         COST 1          -2.D+0   MY EQN              -1
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS 1     LIM  1              4.   MY EQN              7.
RANGES
    RNG 1     LIM  1             2.5
BOUNDS
 UP BND 1     X ONE               4.
 BV BND 1     Y
ENDATA
`

func TestFixedWithBlanks(t *testing.T) {
	m, warnings := read(t, strings.ReplaceAll(fixedBlanks, "\n", "\r\n"))
	if len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
	x, y := m.Cols[0], m.Cols[1]
	if x.Name != "X ONE" || x.Cost != 1 || x.Upper != 4 || x.Integer || y.Cost != -2 || !y.Integer || y.Upper != 1 {
		t.Errorf("columns %+v", m.Cols)
	}
	if m.Rows[0] != (lp.Row{Name: "LIM  1", Lower: 1.5, Upper: 4}) || m.Rows[1] != (lp.Row{Name: "MY EQN", Lower: 7, Upper: 7}) {
		t.Errorf("rows %+v", m.Rows)
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	if index, value := a.Vec(0); len(index) != 2 || value[0] != 1 || value[1] != 15 {
		t.Errorf("X ONE has rows %v, values %v", index, value)
	}
}

// TestDollarComments reads comments at every place where the format has them, and names that begin with a dollar sign.
func TestDollarComments(t *testing.T) {
	const free = `NAME t $ a name
ROWS
 N obj $ the objective
 L $r $ a row
 L r $$
COLUMNS
 $x obj 1 $r 2 $ both
 $x r 1
 y r 0 $ empty column
RHS
 RHS $r 4 $ right
BOUNDS
 UP BND $x 4 $ four
ENDATA
`
	// Of fixed MPS, which names with blanks make of a file, the third and the fifth field can begin a comment.
	const fixed = `NAME          t
ROWS
 N  obj
 L  a $r
COLUMNS
    $x a      obj                  1   a $r                 2
    y         a $r                 0   $ empty column
RHS
    RHS       a $r                 4   $ right
BOUNDS
 UP BND       $x a                 4
ENDATA
`
	for _, text := range []string{free, fixed} {
		m, _, err := Read(strings.NewReader(text), "t.mps")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		if _, value := a.Vec(0); len(m.Cols) != 2 || m.Cols[0].Cost != 1 || value[0] != 2 ||
			m.Rows[0].Upper != 4 || m.Cols[0].Upper != 4 {
			t.Errorf("read %+v %+v of\n%s", m.Cols, m.Rows, text)
		}
	}
}

func TestErrors(t *testing.T) {
	const head = "NAME T\nROWS\n N OBJ\n L A\nCOLUMNS\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.mps: the file is empty"},
		{"blank", " \n\n", "t.mps: the file is empty"},
		{"comments", "* nothing\n", "without ENDATA"},
		{"truncated", "NAME T\nROWS\n N OBJ\n", "t.mps: line 3: the file ends without ENDATA"},
		{"binary", "\x00\x01\x02\n", "line 1"},
		{"no rows", "NAME T\nENDATA\n", "line 2: ENDATA before"},
		{"columns first", "COLUMNS\n X A 1\nENDATA\n", "line 1: section COLUMNS before section ROWS"},
		{"two ROWS", "ROWS\n N F\nROWS\nENDATA\n", "line 3: a second ROWS section"},
		{"row type", "ROWS\n Q A\n", `line 2: row type "Q"`},
		{"row twice", "ROWS\n N F\n L F\n", `line 3: row name "F": the second row`},
		{"unknown section", "ROWS\nBUNDS\n", `line 2: section "BUNDS": unknown`},
		{"quadratic", head + "QUADOBJ\n", `line 6: section "QUADOBJ": not supported`},
		{"sense", "OBJSENSE\n UP\n", `line 2: objective sense "UP"`},
		{"objective name", "OBJNAME Q\n" + head, `"Q": no N row`},
		{"unknown row", head + " X B 1\n", `line 6: row name "B": no such row`},
		{"text for number", head + " X A one\n", `line 6: coefficient "one": not a number`},
		{"nan", head + " X A NaN\n", `line 6: coefficient "NaN": not a number`},
		{"inf", head + " X A Inf\n", `line 6: coefficient "Inf": not a number`},
		{"huge", head + " X A 1e999\n", `line 6: coefficient "1e999": too large`},
		{"hex", head + " X A 0x10\n", `line 6: coefficient "0x10": not a number`},
		{"underscore", head + " X A 1_0\n", `line 6: coefficient "1_0": not a number`},
		{"duplicate", head + " X A 1\n X A 2\n", `line 7: row name "A": the second coefficient of column "X"`},
		{"duplicate cost", head + " X OBJ 1 OBJ 2\n", `line 6: row name "OBJ": the second coefficient`},
		{"duplicate zero", head + " X A 0\n X A 2\n", `line 7: row name "A": the second coefficient`},
		{"column twice", head + " X A 1\n Y A 1\n X OBJ 1\n", `line 8: column name "X"`},
		{"fields", head + " X A\n", "line 6: expected a column"},
		{"many fields", head + " X A 1 OBJ 2 B 3\n", "line 6: expected a column"},
		{"marker", head + " M 'MARKER' 'SOSORG'\n", `line 6: marker "'SOSORG'"`},
		{"rhs row", head + " X A 1\nRHS\n R B 1\n", `line 8: row name "B": no such row`},
		{"rhs twice", head + " X A 1\nRHS\n R A 1\n R A 2\n", `line 9: row name "A": a second right-hand side`},
		{"rhs text", head + " X A 1\nRHS\n R A x\n", `line 8: right-hand side "x": not a number`},
		{"rhs nan", head + " X A 1\nRHS\n R A nan\n", `line 8: right-hand side "nan": not a number`},
		{"rhs infinite", head + " X A 1\nRHS\n R A -1e30\n", `line 8: right-hand side "-1e30": infinite`},
		{"range twice", head + " X A 1\nRANGES\n R A 1\n R A 2\n", `line 9: row name "A": a second range`},
		{"bound type", head + " X A 1\nBOUNDS\n XX B X 1\n", `line 8: bound type "XX"`},
		{"semi-integer", head + " X A 1\nBOUNDS\n SN B X 1\n", `line 8: bound type "SN": none of`},
		{"bound column", head + " X A 1\nBOUNDS\n UP B Z 1\n", `line 8: column name "Z": no such column`},
		{"bound value", head + " X A 1\nBOUNDS\n UP B X 1,5\n", `line 8: bound "1,5": not a number`},
		{"bound missing", head + " X A 1\nBOUNDS\n UP X\n", "line 8: expected a bound type"},
		{"lower infinite", head + " X A 1\nBOUNDS\n LO B X 1e30\n", `line 8: bound "1e30": a lower bound of +infinity`},
		{"fixed infinite", head + " X A 1\nBOUNDS\n FX B X 1e30\n", `line 8: bound "1e30"`},
		{"fixed format", strings.Replace(fixedBlanks, "4.   MY", "4x.  MY", 1), `line 14: right-hand side "4x.": not a number`},
		{"data first", " X A 1\n", "line 1: data outside any section"},
	} {
		m, _, err := Read(strings.NewReader(c.text), "t.mps")
		if err == nil {
			t.Errorf("%s: no error, model %+v", c.name, m)
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrFormat) || e.File != "t.mps" {
			t.Errorf("%s: %#v is no *Error with the file's name", c.name, err)
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
	}
}

func TestRepeatedSides(t *testing.T) {
	m, warnings := read(t, wrap("RHS\n R A 4\n R A 4\nRANGES\n R A 1\n R A 1\n"))
	if m.Rows[0].Lower != 3 || m.Rows[0].Upper != 4 || len(warnings) != 2 {
		t.Errorf("row %+v, warnings %q", m.Rows[0], warnings)
	}
}

func TestTail(t *testing.T) {
	_, warnings := read(t, wrap("")+"IMPORTANCES\nG13  2\n")
	if len(warnings) != 1 || !strings.Contains(warnings[0], "ENDATA") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(wrap("")))
	w.Close()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, path := range []string{write("plain.mps", []byte(wrap(""))), write("packed.mps", z.Bytes())} {
		if m, _, err := ReadFile(path); err != nil || len(m.Cols) != 2 {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, c := range []struct{ path, want string }{
		{dir, "is a directory"},
		{filepath.Join(dir, "none.mps"), "no such file"},
		{write("cut.mps.gz", z.Bytes()[:z.Len()-12]), "gzip: the file is truncated"},
		{write("bad.mps.gz", append([]byte{0x1f, 0x8b}, "rubbish rubbish"...)), "gzip"},
	} {
		_, _, err := ReadFile(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), c.path) != 1 {
			t.Errorf("%s: %v, want %q and the file's name once", c.path, err, c.want)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1", 1}, {"-1", -1}, {"+1", 1}, {".5", .5}, {"5.", 5}, {"1.e+03", 1000}, {"1D+3", 1000}, {"1d-3", 1e-3}, {"-.25E2", -25},
		{"0", 0}, {"00012", 12}, {"0.1", 0.1}, {"3.141592653589793238462643", math.Pi}, {"9007199254740993", 9007199254740992},
		{"1e22", 1e22}, {"1e23", 1e23}, {"4.9e-324", 5e-324}, {"1e-400", 0}, {"123456789012345678901234567890", 1.2345678901234568e29},
		{"0.000000000000000000000000000001", 1e-30}, {"1e400", math.Inf(1)}, {"-1D400", math.Inf(-1)},
	} {
		if v, ok := parseNumber([]byte(c.text)); !ok || v != c.want {
			t.Errorf("%s: %v %t, want %v", c.text, v, ok, c.want)
		}
	}
	for _, text := range []string{"", "-", ".", "e5", "1e", "1e+", "1..2", "1.2.3", "--1", "1 2", "0x1", "1f", "nan", "inf", "1e5x", "1_000"} {
		if v, ok := parseNumber([]byte(text)); ok {
			t.Errorf("%q is no number but gave %v", text, v)
		}
	}
}
