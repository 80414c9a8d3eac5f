package nl

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// random draws a model with bounds and sides of all kinds.
func random(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(2) == 0, Offset: float64(rng.IntN(3))}
	pair := func() (float64, float64) {
		v := rng.NormFloat64()
		switch rng.IntN(5) {
		case 0:
			return math.Inf(-1), v
		case 1:
			return v, lp.Inf
		case 2:
			return v, v
		case 3:
			return math.Inf(-1), lp.Inf
		}
		return v, v + rng.Float64() + 0.1
	}
	for range 1 + rng.IntN(8) {
		c := lp.Col{Cost: float64(rng.IntN(5)) * rng.NormFloat64()}
		switch c.Lower, c.Upper = pair(); rng.IntN(3) {
		case 0:
			c = lp.Col{Cost: c.Cost, Upper: 1, Integer: true}
		case 1:
			c.Integer = true
		}
		m.AddCol(c)
	}
	for range rng.IntN(6) {
		var r lp.Row
		r.Lower, r.Upper = pair()
		i := m.AddRow(r, nil, nil)
		for j := range m.Cols {
			if rng.IntN(2) == 0 {
				m.AddEntry(i, lp.Var(j), rng.NormFloat64())
			}
		}
	}
	return m
}

// inOrder returns a model with its columns in the order of a file.
func inOrder(t *testing.T, m *lp.Model) *lp.Model {
	t.Helper()
	out := &lp.Model{Maximize: m.Maximize, Offset: m.Offset}
	for _, r := range m.Rows {
		out.AddRow(r, nil, nil)
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range order(m) {
		k := out.AddCol(m.Cols[j])
		index, value := a.Vec(int(j))
		for e, i := range index {
			out.AddEntry(lp.Con(i), k, value[e])
		}
	}
	return out
}

// same reports whether two models are equal in every bit, names apart.
func same(t *testing.T, a, b *lp.Model) bool {
	t.Helper()
	x, err := a.Matrix()
	y, err2 := b.Matrix()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for j := range x.Major {
		i1, v1 := x.Vec(j)
		i2, v2 := y.Vec(j)
		if len(i1) != len(i2) || len(i1) > 0 && !(reflect.DeepEqual(i1, i2) && reflect.DeepEqual(v1, v2)) {
			return false
		}
	}
	return a.Maximize == b.Maximize && a.Offset == b.Offset && x.Major == y.Major &&
		reflect.DeepEqual(a.Cols, b.Cols) && len(a.Rows) == len(b.Rows) && (len(a.Rows) == 0 || reflect.DeepEqual(a.Rows, b.Rows))
}

// TestRoundTrips writes random models as text and in binary numbers and reads them again.
func TestRoundTrips(t *testing.T) {
	for seed := range uint64(500) {
		m := random(rand.New(rand.NewPCG(seed, 40)))
		want := inOrder(t, m)
		for _, inBinary := range []bool{false, true} {
			var b bytes.Buffer
			if err := Write(&b, m, inBinary); err != nil {
				t.Fatal(err)
			}
			got, err := Read(&b, "x.nl", 1)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !same(t, got.Model, want) {
				t.Fatalf("seed %d, binary %v: another model", seed, inBinary)
			}
		}
	}
}

// head is the header of a model with two columns, one row and one objective.
func head(nonlinearRows, inRows int) string {
	return fmt.Sprintf("g3 1 1 0\n 2 1 1 0 0\n %d 0\n 0 0\n %d 0 0\n 0 0 0 1\n 0 0 0 0 0\n 2 2\n 0 0\n 0 0 0 0 0\n", nonlinearRows,
		inRows)
}

// tail has bounds, a row v0 + v1 and a cost.
const tail = "r\n1 8\nb\n0 0 5\n0 0 5\nk1\n1\nJ0 2\n0 1\n1 1\nG0 1\n1 3\n"

// TestExpressions has rows that are linear though they are written as expressions, and ones that are not.
func TestExpressions(t *testing.T) {
	for _, test := range []struct {
		row        string
		coef       [2]float64
		upper      float64
		complaint  string
		definition string
	}{
		{row: "n2", coef: [2]float64{1, 1}, upper: 6},
		{row: "o0\nv0\nn-1", coef: [2]float64{2, 1}, upper: 9},
		{row: "o2\nn3\no1\nv1\no16\nv0", coef: [2]float64{4, 4}, upper: 8},
		{row: "o54\n3\nv0\ns7\nl1", coef: [2]float64{2, 1}, upper: 0},
		{row: "o3\nv1\nn4", coef: [2]float64{1, 1.25}, upper: 8},
		{row: "o5\nv1\nn1", coef: [2]float64{1, 2}, upper: 8},
		{row: "v2", definition: "V2 1 0\n0 2\nn1\n", coef: [2]float64{3, 1}, upper: 7},
		{row: "o2\nv0\nv1", complaint: "row c0: multiplies variables"},
		{row: "o5\nv0\nn2", complaint: "row c0: raises to a power"},
		{row: "o39\nv0", complaint: "row c0: has sqrt"},
		{row: "o35\nv0", complaint: "row c0: has if"},
		{row: "o3\nn1\nv0", complaint: "row c0: divides by a variable"},
		{row: "f0 1", complaint: "row c0: calls the imported function f0"},
	} {
		text := head(1, 2) + test.definition + "C0\n" + test.row + "\nO0 0\nn0\n" + tail
		p, err := Read(strings.NewReader(text), "x.nl", 1)
		if test.complaint != "" {
			if !errors.Is(err, ErrNonlinear) || !strings.Contains(err.Error(), test.complaint) {
				t.Errorf("%q: %v", test.row, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.row, err)
			continue
		}
		for j, want := range test.coef {
			a, _ := p.Model.Matrix()
			if _, value := a.Vec(j); value[0] != want {
				t.Errorf("%q: coefficient %d is %g, want %g", test.row, j, value[0], want)
			}
		}
		if got := p.Model.Rows[0].Upper; got != test.upper {
			t.Errorf("%q: side %g, want %g", test.row, got, test.upper)
		}
	}
}

// TestErrors has files that are malformed; each error names its line.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, complaint string }{
		{"", "x.nl: line 1: the file ends within its first ten lines"},
		{"hello\n", "x.nl: line 1: a .nl file begins with g or b"},
		{strings.Replace(head(0, 0), " 2 1 1", " 2 x 1", 1), `x.nl: line 2: "x" is not a count`},
		{strings.Replace(head(0, 0), " 2 1 1", " 999999 1 1", 1), "x.nl: line 2: 999999 columns"},
		{strings.Replace(head(0, 0), " 0 0 0 0 0\n 2 2", " 3 0 0 0 0\n 2 2", 1), "x.nl: line 7: the counts of integer"},
		{head(0, 0) + "C5\nn0\n", "x.nl: line 11: row number 5"},
		{head(0, 0) + "J0 1\n7 1\n", "x.nl: line 12: entry number 7"},
		{head(0, 0) + "J0 1\n0 x\n", `x.nl: line 12: "x" is not a number`},
		{head(0, 0) + "b\n0 1\n", "the end of the file is not a number"},
		{head(0, 0) + "r\n5 1 1\n", "x.nl: line 12: row c0: has a complementarity condition"},
		{head(0, 0) + "L0\nn0\n", "logical constraint 0: is not linear"},
		{head(0, 0) + "Q\n", `'Q' begins no segment`},
		{head(0, 0) + "C0\nv9\n", "v9 is no column"},
	} {
		_, err := Read(strings.NewReader(test.text), "x.nl", 1)
		if err == nil || !strings.Contains(err.Error(), test.complaint) {
			t.Errorf("%q: %v", test.complaint, err)
		}
	}
}

// TestSets reads special ordered sets from suffixes.
func TestSets(t *testing.T) {
	text := head(0, 0) + "S0 2 sosno\n0 1\n1 1\nS4 2 ref\n0 2\n1 1\n" + tail
	p, err := Read(strings.NewReader(text), "x.nl", 1)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := p.Model.LogicViolation(append([]float64{1, 2}, make([]float64, len(p.Model.Cols)-2)...)); err != nil || v != 1 {
		t.Errorf("both columns of an SOS1 are not zero: violation %g, %v", v, err)
	}
}

// TestSetsWithoutBounds reads a set of columns without bounds, which rows do not state: it is left to branching, and
// the format has no way to write it.
func TestSetsWithoutBounds(t *testing.T) {
	text := head(0, 0) + "S0 2 sosno\n0 1\n1 1\nS4 2 ref\n0 2\n1 1\nb\n3\n3\n" + "r\n1 5\nJ0 2\n0 1\n1 1\nG0 1\n0 1\n"
	p, err := Read(strings.NewReader(text), "x.nl", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Model.Branched().Sets) != 1 || p.rows() != 1 {
		t.Errorf("%+v", p.Model.Branched())
	}
	err = Write(new(bytes.Buffer), p.Model, false)
	if !errors.Is(err, lp.ErrModel) || !strings.Contains(err.Error(), "bound") {
		t.Errorf("%v", err)
	}
}

// TestSol writes the file that a modelling tool reads.
func TestSol(t *testing.T) {
	p, err := Read(strings.NewReader(head(0, 0)+tail), "x.nl", 1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = WriteSol(&b, p, &Solution{
		Message:  "done",
		X:        []float64{0.5, 2},
		Dual:     []float64{-1},
		ColBasis: []BasisStatus{Basic, AtUpper},
		RowBasis: []BasisStatus{AtLower},
	})
	const want = "done\n\nOptions\n3\n1\n1\n0\n1\n1\n2\n2\n-1\n0.5\n2\nobjno 0 0\n" +
		"suffix 0 2 8 0 0\nsstatus\n0 1\n1 4\nsuffix 1 1 8 0 0\nsstatus\n0 3\n"
	if err != nil || b.String() != want {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// FuzzRead reads anything. What is read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head(0, 0) + tail))
	f.Add([]byte(head(1, 2) + "V2 1 0\n0 2\nn1\nC0\no54\n3\nv0\nv2\nn1\nO0 1\nn0\nx1\n0 1\nS0 1 sosno\n0 1\n" + tail))
	for _, inBinary := range []bool{false, true} {
		var b bytes.Buffer
		if err := Write(&b, random(rand.New(rand.NewPCG(1, 40))), inBinary); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data), "x.nl", 1)
		if err != nil {
			return
		}
		var b bytes.Buffer
		err = Write(&b, p.Model, len(data)%2 == 0)
		if _, noRows := p.Model.Explicit(); (noRows != nil) != (err != nil) {
			t.Fatal(err, noRows)
		}
		if err != nil {
			return
		}
		if _, err := Read(&b, "y.nl", 1); err != nil {
			t.Fatal(err)
		}
	})
}
