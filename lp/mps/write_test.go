package mps

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// same reports the first difference between two models; names are compared as a file carries them.
func same(a, b *lp.Model) error {
	na, nb := namesFor(a), namesFor(b)
	if len(a.Rows) != len(b.Rows) || len(a.Cols) != len(b.Cols) || a.Maximize != b.Maximize || a.Offset != b.Offset {
		return fmt.Errorf("%d rows, %d columns, maximise %t, offset %g against %d, %d, %t, %g",
			len(a.Rows), len(a.Cols), a.Maximize, a.Offset, len(b.Rows), len(b.Cols), b.Maximize, b.Offset)
	}

	// Rows have names and sides.
	for i := range a.Rows {
		if na.rows[i] != nb.rows[i] || a.Rows[i].Lower != b.Rows[i].Lower || a.Rows[i].Upper != b.Rows[i].Upper {
			return fmt.Errorf("row %d: %+v against %+v", i, a.Rows[i], b.Rows[i])
		}
	}

	ma, err := a.Matrix()
	if err != nil {
		return err
	}
	mb, err := b.Matrix()
	if err != nil {
		return err
	}

	// Of a column all fields count, except for whether it is hidden, which files do not say.
	for j := range a.Cols {
		ca, cb := a.Cols[j], b.Cols[j]
		if ca.Name, ca.Hidden, cb.Hidden = na.cols[j], false, false; ca != cb {
			return fmt.Errorf("column %d: %+v against %+v", j, ca, cb)
		}

		ia, va := ma.Vec(j)
		ib, vb := mb.Vec(j)
		if len(ia) != len(ib) {
			return fmt.Errorf("column %s: %d coefficients against %d", ca.Name, len(ia), len(ib))
		}
		for k := range ia {
			if ia[k] != ib[k] || va[k] != vb[k] {
				return fmt.Errorf("column %s: (%d, %g) against (%d, %g)", ca.Name, ia[k], va[k], ib[k], vb[k])
			}
		}
	}
	return nil
}

func roundTrip(m *lp.Model) error {
	var file bytes.Buffer
	if err := Write(&file, m); err != nil {
		return err
	}
	back, _, err := Read(&file, "round trip")
	if err != nil {
		return err
	}
	return sameForm(m, back, same)
}

// sameForm compares what files state of two models: their rows and columns, and the logic that goes into sections.
func sameForm(a, b *lp.Model, same func(a, b *lp.Model) error) error {
	fa, la := fileForm(a)
	fb, lb := fileForm(b)
	if ta, tb := logicText(fa, &la), logicText(fb, &lb); ta != tb {
		return fmt.Errorf("%s became %s", ta, tb)
	}
	return same(fa, fb)
}

// logicText is a logic by names as LP files have them, in an order that does not depend on that of rows and columns.
func logicText(m *lp.Model, l *lp.Logic) string {
	names := lpNamesFor(m)
	var lines []string
	for _, j := range l.Semi {
		lines = append(lines, "semi "+names.cols[j])
	}
	for k := range l.Sets {
		s := &l.Sets[k]
		text := fmt.Sprintf("set %s %d", setName(s, k, lpWritable), s.Kind)
		for _, j := range s.Vars {
			text += " " + names.cols[j]
		}
		lines = append(lines, text)
	}
	for _, c := range l.Indicators {
		lines = append(lines, fmt.Sprintf("%s = %d -> %s", names.cols[c.If], c.Is, names.rows[c.Row]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func TestRoundTripData(t *testing.T) {
	for _, folder := range []string{"netlib", "netlib/infeasible", "miplib", "miplib/2017"} {
		for _, path := range dataFiles(t, folder) {
			m, _, err := ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if m.NumEntries() > 30000 {
				continue
			}
			if err := roundTrip(m); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// randomModel draws every kind of row, bound and name.
func randomModel(r *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "random", Maximize: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		m.Offset = r.NormFloat64()
	}

	number := func() float64 { return r.NormFloat64() * math.Pow(10, float64(r.IntN(9)-4)) }

	// A pair of bounds may be infinite on both sides or one, equal, 0 with a small whole number, or a range whose width
	// is a multiple of an eighth of the lower bound.
	pair := func() (float64, float64) {
		switch r.IntN(6) {
		case 0:
			return math.Inf(-1), math.Inf(1)
		case 1:
			return math.Inf(-1), number()
		case 2:
			return number(), math.Inf(1)
		case 3:
			v := number()
			return v, v
		case 4:
			return 0, float64(r.IntN(3))
		default:
			v := number()
			return v, v + float64(r.IntN(64)+1)*math.Abs(v)/8
		}
	}

	for j := range r.IntN(8) {
		lower, upper := pair()
		m.AddCol(lp.Col{Name: fmt.Sprintf("x%d", j), Cost: math.Round(number()), Lower: lower, Upper: upper, Integer: r.IntN(2) == 0})
	}

	// The first two names become equal where blanks are replaced, and the third column has no name.
	if len(m.Cols) > 3 {
		m.Cols[0].Name, m.Cols[1].Name, m.Cols[2].Name = "a b", "a_b", ""
	}

	// Rows share their names in pairs.
	for i := range r.IntN(8) {
		lower, upper := pair()
		if s, ok := sideOf(lower, upper); ok && s.rng != 0 {
			lower, upper = rowBounds(s.kind, s.rhs, s.rng) // a width that a float64 expresses
		}
		m.AddRow(lp.Row{Name: fmt.Sprintf("r%d", i/2), Lower: lower, Upper: upper}, nil, nil)

		for j := range m.Cols {
			if r.IntN(2) == 0 {
				m.AddEntry(lp.Con(i), lp.Var(j), number())
			}
		}
	}
	return m
}

func TestRoundTripRandom(t *testing.T) {
	for seed := range uint64(500) {
		m := randomModel(rand.New(rand.NewPCG(seed, 7)))
		if err := roundTrip(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	m := &lp.Model{}
	m.AddRow(lp.Row{Lower: 2, Upper: 1}, nil, nil)
	if err := Write(&bytes.Buffer{}, m); !errors.Is(err, ErrWrite) {
		t.Errorf("crossed row: %v", err)
	}
	m = &lp.Model{Offset: math.NaN()}
	if err := Write(&bytes.Buffer{}, m); !errors.Is(err, lp.ErrModel) {
		t.Errorf("NaN offset: %v", err)
	}
	if err := Write(failing{}, &lp.Model{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("failing writer: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestSol(t *testing.T) {
	m, _ := read(t, wrap(""))
	var file bytes.Buffer
	x := []float64{1.0 / 3, -2e-9}
	if err := WriteSol(&file, m, lp.Optimal, 12.5, x); err != nil {
		t.Fatal(err)
	}
	const want = "# Model T\n# Status optimal\n# Objective value = 12.5\nX 0.3333333333333333\nY -2e-09\n"
	if file.String() != want {
		t.Errorf("%q, want %q", file.String(), want)
	}

	// The values are read back exactly.
	got, err := ReadSol(&file, "t.sol", m)
	if err != nil || got[0] != x[0] || got[1] != x[1] {
		t.Errorf("read back %v, %v", got, err)
	}

	// Header lines of SCIP and lines that start with = are skipped, and so is a field in parentheses. A column that the
	// file leaves out is 0.
	if got, err = ReadSol(strings.NewReader("solution status: optimal\nobjective value: 3\n=obj= 3\nY 3 (obj:1)\n"), "t.sol", m); err != nil || got[0] != 0 || got[1] != 3 {
		t.Errorf("other layouts: %v, %v", got, err)
	}

	// Unknown columns, columns that occur twice, and anything but one number as the value are errors.
	for text, want := range map[string]string{"Z 1": `line 1: column name "Z"`, "X": "line 1", "X 1\nX 2": "line 2", "X one": `value "one"`, "X 1 2": "line 1"} {
		if _, err := ReadSol(strings.NewReader(text), "t.sol", m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}

	// No objective gives no line of it, and a negative zero is written as 0.
	file.Reset()
	if err := WriteSol(&file, m, lp.Optimal, math.NaN(), []float64{math.Copysign(0, -1), 1}); err != nil || !strings.HasSuffix(file.String(), "optimal\nX 0\nY 1\n") {
		t.Errorf("minus zero: %q, %v", file.String(), err)
	}

	if err := WriteSol(&file, m, lp.Optimal, 0, []float64{1}); err == nil {
		t.Error("a short solution was written")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(wrap("RHS\n RHS A 4 OBJ 5\nRANGES\n R A 2\nBOUNDS\n UP B X -4\n BV Y\n")))
	f.Add([]byte(fixedBlanks))
	f.Add([]byte(logicBody + " SC BND x 30\n LO BND x 2\nSOS\n S2 s 5\n x 1\n y 2\n z 3\n S1\n SOS x\n SOS z\nINDICATORS\n IF b p 0\nENDATA\n"))
	f.Add([]byte("OBJSENSE MAX\nOBJNAME\n G\nROWS\n N F\n N G\nCOLUMNS\n M 'MARKER' 'INTORG'\n X F 1e30 G -1D-3\nENDATA\n"))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) && len(data) > 4096 {
			return // no decompression bombs
		}
		m, _, err := Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			if m != nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("model %v with error %q", m, err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("an invalid model was accepted: %v", err)
		}
		if err := roundTrip(m); err != nil && !errors.Is(err, ErrWrite) && !inexactRange(m) {
			t.Fatalf("round trip: %v", err)
		}
	})
}

// inexactRange reports whether a row has sides that no right-hand side and range give exactly, or sides and bounds so
// large that they turn infinite.
func inexactRange(m *lp.Model) bool {
	for _, r := range m.Rows {
		lower, upper := clip(r.Lower), clip(r.Upper)
		if lower != r.Lower || upper != r.Upper {
			return true
		}
		if s, ok := sideOf(lower, upper); ok && s.rng != 0 {
			if l, u := rowBounds(s.kind, s.rhs, s.rng); l != lower || u != upper {
				return true
			}
		}
	}
	return false
}

func FuzzReadSol(f *testing.F) {
	f.Add("# Status optimal\nX 1\nY 2.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := &lp.Model{}
		m.AddCol(lp.Col{Name: "X"})
		m.AddCol(lp.Col{Name: "Y"})
		x, err := ReadSol(strings.NewReader(text), "fuzz", m)
		if err == nil && (len(x) != 2 || math.IsNaN(x[0]+x[1])) {
			t.Fatalf("%q gave %v", text, x)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"netlib/kennington/pds-06", "netlib/fit2d", "netlib/stocfor3", "miplib/nw04"} {
		b.Run(name, func(b *testing.B) {
			files := dataFiles(b, name[:strings.LastIndexByte(name, '/')])
			for _, path := range files {
				if baseName(path) != name[strings.LastIndexByte(name, '/')+1:] {
					continue
				}
				data := unpacked(b, path)
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := Read(bytes.NewReader(data), name); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
