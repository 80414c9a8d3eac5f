package mps

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// logicBody has columns with bounds, one without, and 0-1 columns.
const logicBody = `NAME T
ROWS
 N obj
 L a
 E b
COLUMNS
 x obj -1 a 1
 x b 1
 y obj -2 a 1
 z obj -3 b 1
 w obj 1
 M 'MARKER' 'INTORG'
 p obj 1 a -1
 M 'MARKER' 'INTEND'
RHS
 RHS a 7 b 4
BOUNDS
 UP BND x 40
 UP BND y 5
 UP BND z 6
 PL BND w
 UP BND p 1
`

// hiddenShape is what Impose has made: the names of the hidden columns and rows.
func hiddenShape(m *lp.Model) string {
	var names []string
	for _, c := range m.Cols {
		if c.Hidden {
			names = append(names, c.Name)
		}
	}
	names = append(names, "|")
	for _, r := range m.Rows {
		if r.Hidden {
			names = append(names, r.Name)
		}
	}
	return strings.Join(names, " ")
}

// TestLogicSpellings reads sets, semi-continuous columns and indicators as the programs that have them write them.
func TestLogicSpellings(t *testing.T) {
	const sos1 = "x@on y@on z@on | x@up y@up z@up s@one"
	for _, c := range []struct{ name, tail, want string }{
		{"CPLEX", "SOS\n S1 s\n    x                  10000\n    y                  20000\n    z                  40000\n", sos1},
		{"SCIP", "SOS\n S1 s \n    x                                    1\n    y                                    2\n    z                                    3\n", sos1},
		{"a priority", "SOS\n S1 SOS s 5\n SOS x 1\n SOS y 2\n SOS z 3\n", sos1},
		{"priority behind the name", "SOS\n S1 s 5\n x 1\n y 2\n z 3\n", sos1},
		{"no weights", "SOS\n s1 s\n x\n y\n z\n", sos1},
		{"order of the weights", "SOS\n S2 s\n z 3\n x 1\n y 2\n", "s@1 s@2 | s@one"},
		{"0-1 columns stand for themselves", "SOS\n S1 s\n p 1\n x 2\n", "x@on | x@up s@one"},
		{"one column", "SOS\n S1 s\n x 1\n S2\n y 1\n z 2\n", "|"},
		{"no column", "SOS\n S1 s\n", "|"},
		{"two sets, one column in both", "SOS\n S1 s\n x 1\n y 2\n S1 t\n x 1\n z 2\n", "x@on y@on z@on | x@up y@up s@one z@up t@one"},
		{"semi-continuous", " SC BND x 30\n LO BND x 2\n", "x@on | x@up x@lo"},
		{"semi-continuous from zero", " SC BND x 30\n", "|"},
		{"semi-integer", " SI BND x 30\n LO BND x 2\n", "x@on | x@up x@lo"},
		{"semi-integer from one", " SI BND x 30\n LO BND x 0.5\n", "|"},
		{"no bound, but a row", " SC BND z\n LO BND z 2\n", "z@on | z@up z@lo"},
		{"indicator", "INDICATORS\n IF a p 1\n", "| a@up"},
		{"indicator of an equation", "INDICATORS\n IF b p 0\n", "| b@up b@lo"},
		{"indicator of a row that always holds", " UP BND y 4\nINDICATORS\n IF a p 1\n", "|"},
	} {
		m, _ := read(t, logicBody+c.tail+"ENDATA\n")
		if got := hiddenShape(m); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if own := m.Own(); own != (lp.Size{Rows: 2, Cols: 5, Integers: 1 + strings.Count(c.tail, "SI BND"), Entries: 5}) {
			t.Errorf("%s: %+v", c.name, own)
		}
		if !m.HasLogic() {
			t.Errorf("%s: no logic", c.name)
		}
	}
}

// TestLogicLayouts reads the same model as LP and MPS; names with blanks stand in fixed columns.
func TestLogicLayouts(t *testing.T) {
	a, _ := read(t, logicBody+" SC BND x 30\n LO BND x 2\nSOS\n S2 s\n z 3\n x 1\n y 2\nINDICATORS\n IF b p 0\nENDATA\n")
	b, _ := readLP(t, `Minimize
 obj: - x - 2 y - 3 z + w + p
Subject To
 a: x + y - p <= 7
 b: p = 0 -> x + z = 4
Bounds
 2 <= x <= 30
 y <= 5
 z <= 6
 p <= 1
Semi-Continuous
 x
Generals
 p
SOS
 s: S2:: z:3 x:1
   y:2
End
`)
	if err := sameByName(a, b); err != nil {
		t.Error(err)
	}
	c, _ := readLP(t, "min\n x + y + semi\nst\n semi - x <= 3\n p = 1 -> x - y >= 1\nbounds\n 1 <= x <= 9\n y <= 4\nbin\n p\nsemis\n x\nsos\n S1:: x:1 y:2\n t: S2:: x:-1 y:2 p:+3\nend\n")
	if got, want := hiddenShape(c), "x@on y@on t@1 t@2 R0000002@is | x@up x@lo y@up sos1@one t@one R0000002@is"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	fixed, _ := read(t, strings.Replace(fixedBlanks, "ENDATA", "SOS\n S1 set\n    X ONE               10\n    Y                  20\nENDATA", 1))
	if !fixed.HasLogic() {
		t.Error("no set in fixed MPS")
	}
}

func TestLogicErrors(t *testing.T) {
	for _, c := range []struct{ name, tail, want string }{
		{"semi-continuous, crossed", " SC BND x 3\n LO BND x 4\n", `line 23: semi-continuous column "x": its lower bound 4 lies above its upper bound 3`},
		{"semi-continuous, 0", " SC BND x 0\n", `line 23: bound "0": an upper bound of 0 of a semi-continuous column`},
		{"semi-continuous, text", " SC BND x two\n", `line 23: bound "two": not a number`},
		{"twice in a set", "SOS\n S1 s\n x 1\n x 2\n", `line 24: set "s": column "x": it is in the set twice`},
		{"equal weights", "SOS\n S2 s\n x 1\n y 1\n z 2\n", `line 24: set "s": two columns of an SOS2 have the same weight`},
		{"some weights", "SOS\n S1 s\n x 1\n y\n", `line 24: set "s": some columns have weights`},
		{"no set", "SOS\n x 1\n", `line 24: field "x": expected S1 or S2`},
		{"set of type 3", "SOS\n S1 s\n x 1\n S3 t\n", `line 26: line "S3 t": expected a column and its weight`},
		{"unknown column", "SOS\n S1 s\n q 1\n", `line 25: line "q 1": expected a column`},
		{"weight", "SOS\n S1 s\n x q\n", `line 25: weight "q": not a number`},
		{"many fields", "SOS\n S1 SOS s 1 2\n", `line 24: field "2": unexpected`},
		{"lp_solve's sections", "SOS1\n", `line 23: section "SOS1": not supported: special ordered sets belong in a section SOS`},
		{"indicator type", "INDICATORS\n IFF a p 1\n", `line 24: indicator type "IFF": not IF`},
		{"indicator fields", "INDICATORS\n IF a p\n", `line 24: expected IF`},
		{"indicator row", "INDICATORS\n IF q p 1\n", `line 24: row name "q": no such row`},
		{"indicator objective", "INDICATORS\n IF obj p 1\n", `line 24: row name "obj": a free row`},
		{"indicator column", "INDICATORS\n IF a q 1\n", `line 24: column name "q": no such column`},
		{"indicator value", "INDICATORS\n IF a p 2\n", `line 24: indicator value "2": neither 0 nor 1`},
		{"indicator that is continuous", "INDICATORS\n IF a x 1\n", `line 24: indicator row "a": column "x": an indicator must be a 0-1 column`},
		{"indicator twice", "INDICATORS\n IF a p 1\n IF a p 0\n", `line 25: indicator row "a": it has an indicator already`},
	} {
		_, _, err := Read(strings.NewReader(logicBody+c.tail+"ENDATA\n"), "t.mps")
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.File != "t.mps" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	const head = "Minimize\n obj: x + y\nSubject To\n c: x + y <= 4\n"
	for _, c := range []struct{ name, tail, want string }{
		{"no weight", "SOS\n s: S1:: x y\nEnd\n", `line 6: word "x": expected S1:: or S2::`},
		{"type", "SOS\n s: S3:: x:1\nEnd\n", `line 6: word "S3": expected S1:: or S2::`},
		{"one colon", "SOS\n s: S1: x:1\nEnd\n", `line 6: character "x": expected :: after the type`},
		{"semi", "Semi-continuous\n 3\nEnd\n", `line 6: word "3": expected a column`},
		{"indicator value", " d: b = 2 -> x >= 1\nEnd\n", `line 5: indicator value "2": neither 0 nor 1`},
		{"equivalence", " d: b = 1 <-> x >= 1\nEnd\n", `line 5: relation "<": of the implications only -> is supported`},
		{"indicator that is continuous", " d: x = 1 -> y >= 1\nEnd\n", `line 5: indicator row "d": column "x": an indicator must be a 0-1 column`},
	} {
		_, _, err := ReadLP(strings.NewReader(head+c.tail), "t.lp")
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestHiddenColumns writes and reads points of a model with hidden columns: files have the columns of the user only, and
// the hidden ones follow from them.
func TestHiddenColumns(t *testing.T) {
	m, _ := read(t, logicBody+" SC BND x 30\n LO BND x 2\nSOS\n S2 s\n x 1\n y 2\n z 3\nENDATA\n")
	x := []float64{3, 2, 0, 0, 1, 1, 1, 0} // x y z w p x@on s@1 s@2
	for _, style := range []SolStyle{SolPlain, SolHiGHS, SolCBC} {
		var file bytes.Buffer
		if err := WriteSolStyle(&file, m, lp.Optimal, -6, x, style); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(file.String(), "@") {
			t.Errorf("%v has hidden columns:\n%s", style, &file)
		}
		if back, err := ReadSol(&file, "t.sol", m); err != nil || fmt.Sprint(back) != fmt.Sprint(x) {
			t.Errorf("%v: %v %v, want %v", style, back, err, x)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"y 5\nz 4\n", "[0 5 4 0 0 0 0 1]"},
		{"z 4\n", "[0 0 4 0 0 0 0 1]"},
		{"x 3\nx@on 0\n", "[3 0 0 0 0 0 1 0]"}, // as the file says it
	} {
		if got, err := ReadSol(strings.NewReader(c.text), "t.sol", m); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%q: %v %v, want %s", c.text, got, err, c.want)
		}
	}
	starts, err := ReadMST(strings.NewReader("p 1\nx 3\n"), "t.mst", m)
	if err != nil || fmt.Sprint(starts) != "[[3 NaN NaN NaN 1 1 NaN NaN]]" {
		t.Errorf("%v %v", starts, err)
	}
	var file bytes.Buffer
	if err := WriteMST(&file, m, x); err != nil || strings.Contains(file.String(), "@") {
		t.Errorf("%v\n%s", err, &file)
	}
	if v, err := m.LogicViolation([]float64{1, 2, 0.5, 0, 0, 0, 0, 0}); err != nil || math.Abs(v-1) > 1e-12 {
		t.Errorf("violation %g, want 1", v) // x is 1 from zero and from 2, and nothing more is wrong than z or x in the set
	}
}

// TestLogicWithoutBounds reads what rows cannot state, where columns lack bounds: it is left to branching, Explicit says
// why rows do not do, and both formats give it back.
func TestLogicWithoutBounds(t *testing.T) {
	for _, c := range []struct{ name, tail, want string }{
		{"set", "SOS\n S1 s\n x 1\n w 2\n", `set "s": column "w": it has no upper bound`},
		{"unnamed set", "SOS\n S2\n x 1\n w 2\n y 3\n", `set "sos1": column "w": it has no upper bound`},
		{"no lower bound", " MI BND w\n UP BND w 3\nSOS\n S1 s\n w 1\n y 2\n", `set "s": column "w": it has no lower bound`},
		{"bound too large", " UP BND w 1e10\nSOS\n S1 s\n w 1\n y 2\n", `column "w": its upper bound 1e+10 is beyond 1e9`},
		{"semi-continuous", " SC BND w\n LO BND w 1\n", `semi-continuous column "w": it has no upper bound`},
		{"semi-continuous below zero", " MI BND w\n SC BND w -2\n", `semi-continuous column "w": it has no lower bound`},
		{"semi-integer", " SI BND w\n LO BND w 3\n", `semi-continuous column "w": it has no upper bound`},
		{"indicator", " PL BND z\nINDICATORS\n IF b p 1\n", `indicator row "b": column "z": it has no upper bound`},
		{"indicator of a range", " PL BND z\nRANGES\n RNG b 3\nINDICATORS\n IF b p 0\n",
			`indicator row "b": column "z": it has no upper bound`},
		{"all of them", " SC BND w\n LO BND w 1\n PL BND z\nSOS\n S1 s\n x 1\n w 2\n S2\n z 1\n y 2\n x 3\nINDICATORS\n" +
			" IF b p 0\n", `semi-continuous column "w": it has no upper bound`},
	} {
		m, _ := read(t, logicBody+c.tail+"ENDATA\n")
		if !m.Branched().Any() || m.Validate() != nil {
			t.Errorf("%s: %+v", c.name, m.Branched())
		}
		if _, err := m.Explicit(); err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, lp.ErrModel) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}

		// The sides of a range with an indicator are two rows with indicators in an LP file.
		err := roundTrip(m)
		if !strings.Contains(c.tail, "RANGES") {
			err = errors.Join(err, lpRoundTrip(m))
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLogicRoundTrip writes a model that rows state: what is read back is a plain model of the same rows and columns.
func TestLogicRoundTrip(t *testing.T) {
	m, _ := read(t, logicBody+" SC BND x 30\n LO BND x 2\nSOS\n S2 s\n x 1\n y 2\n z 3\nINDICATORS\n IF b p 0\nENDATA\n")
	if err := errors.Join(roundTrip(m), lpRoundTrip(m)); err != nil {
		t.Error(err)
	}
}
