package mps

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func TestBasisRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := randomModel(r)
		b := &Basis{Cols: make([]VarStatus, len(m.Cols)), Rows: make([]VarStatus, len(m.Rows))}
		all := r.Perm(len(m.Cols) + len(m.Rows))
		for k, v := range all {
			status := VarStatus(r.IntN(2))
			if k < len(m.Rows) {
				status = Basic
			}
			if v < len(m.Cols) {
				b.Cols[v] = status
			} else {
				b.Rows[v-len(m.Cols)] = status
			}
		}
		for j, v := range b.Cols { // what has one side is nonbasic there, which not every layout says
			b.Cols[j] = sided(v, m.Cols[j].Lower, m.Cols[j].Upper)
		}
		free := false
		for i, v := range b.Rows {
			b.Rows[i] = sided(v, m.Rows[i].Lower, m.Rows[i].Upper)
			free = free || v != Basic && math.IsInf(clip(m.Rows[i].Lower), -1) && math.IsInf(clip(m.Rows[i].Upper), 1)
		}
		for _, style := range []BasisStyle{BasisMPS, BasisHiGHS, BasisGLPK} {
			var file bytes.Buffer
			if err := WriteBasisStyle(&file, m, b, style); style == BasisGLPK && free {
				if !errors.Is(err, ErrBasis) {
					t.Fatalf("seed %d: %v", seed, err)
				}
				continue
			} else if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			text := file.String()
			back, err := ReadBasis(&file, "t.bas", m)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if fmt.Sprint(back) != fmt.Sprint(b) {
				t.Fatalf("seed %d: %v: %v came back as %v from\n%s", seed, style, b, back, text)
			}
		}
	}
}

// sided moves a nonbasic status to the one side that there is, or to the lower one of two that are equal.
func sided(v VarStatus, lower, upper float64) VarStatus {
	switch lower, upper := clip(lower), clip(upper); {
	case v == Basic:
	case math.IsInf(upper, 1) || lower == upper:
		return AtLower
	case math.IsInf(lower, -1):
		return AtUpper
	}
	return v
}

// basisModel has the columns X and Y and the row A.
func basisModel() *lp.Model {
	m := &lp.Model{}
	m.AddCol(lp.Col{Name: "X", Upper: 1})
	m.AddCol(lp.Col{Name: "Y", Lower: math.Inf(-1), Upper: 3})
	m.AddRow(lp.Row{Name: "A"}, nil, nil)
	return m
}

// TestBasisOfOthers reads what CLP, HiGHS and GLPK write, and says what is wrong with files that are none.
func TestBasisOfOthers(t *testing.T) {
	want := &Basis{Cols: []VarStatus{Basic, AtUpper}, Rows: []VarStatus{AtLower}}
	for _, text := range []string{
		"NAME          T         VALUES\n XL X                A  0.5\n UL Y      _dummy_  3.\nENDATA\n",
		"HiGHS_basis_file v2\nValid\n# Columns 2\nX 1\nY 2\n# Rows 1\nA 0\n",
		"HiGHS_basis_file v2\nValid\n# Columns 2\nY 4\nX 1\n# Rows 1\nA 4\n",
		"HiGHS v1\nValid\n# Columns 2\n1 2 \n# Rows 1\n0\n",
		"c Problem: T\nc\ns bas 1 2 f f 3\ni 1 s 0 0\nj 1 b 0.5 0\nj 2 u 3 -1\ne o f\n",
	} {
		got, err := ReadBasis(strings.NewReader(text), "t.bas", basisModel())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"HiGHS_basis_file v3\nValid\n":                        `line 1: version "v3"`,
		"HiGHS_basis_file v2\nNone\n":                         "line 2: the file has no valid basis",
		"HiGHS_basis_file v2\n":                               "line 1: the file has no valid basis",
		"HiGHS v1\nValid\n# Columns 3\n":                      `line 3: number of columns "3": the model has 2`,
		"HiGHS v1\nValid\n# Columns 2\n1 7\n":                 `line 4: status "7": none of 0 to 4`,
		"HiGHS v1\nValid\n# Columns 2\n1\n":                   "line 4: the file is truncated",
		"HiGHS v1\nValid\n# Columns 2\n1 0\n# Rows 1\n1\n":    "2 basic variables, the model has 1 rows",
		"HiGHS v1\nValid\n# Columns 2\n1 0\n# Row 1\n1\n":     "line 5: expected # Rows",
		"HiGHS_basis_file v2\nValid\n# Columns 2\nX 1\nX 2\n": `line 5: name "X"`,
		"c Problem: T\ns mip 1 2 o 3\n":                       `line 2: kind "mip": not that of a basic solution`,
		"s bas 1 3 f f 3\n":                                   `line 1: number of columns "3": the model has 2`,
		"s bas 1 2 f f 3\nj 3 b 0 0\n":                        `line 2: column number "3": none of 1 to 2`,
		"s bas 1 2 f f 3\ni 1 q 0 0\n":                        `line 2: status "q"`,
		"s bas 1 2 f f 3\ni 1 b 0 0\ne o f\n":                 "line 3: 2 rows and columns have no status",
		"s bas 1 2 f f 3\ni 1 b 0 0\n":                        "line 2: the file ends without e o f",
		"c x\nj 1 b 0 0\n":                                    `line 2: line "j 1 b 0 0"`,
		"NAME T\n XL X A\n BS Y\nENDATA\n":                    "2 basic variables, the model has 1 rows",
		"NAME T\n UL Y 1 2\nENDATA\n":                         "line 2: UL takes 1 names and perhaps a value",
	} {
		if _, err := ReadBasis(strings.NewReader(text), "t.bas", basisModel()); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestBasisErrors(t *testing.T) {
	m, _ := read(t, wrap(""))
	for text, want := range map[string]string{
		"NAME\n XU X A\n":                "line 2: the file ends without ENDATA",
		" XU X\nENDATA\n":                "line 1: XU takes 2 names and perhaps a value, found 1",
		" QQ X\nENDATA\n":                `line 1: status "QQ"`,
		" UL Z\nENDATA\n":                `line 1: column name "Z": no such column`,
		" XL X Z\nENDATA\n":              `line 1: row name "Z": no such row`,
		" XL X A\n XU Y A\nENDATA\n":     `line 2: row name "A": the second status`,
		" UL X\n LL X\nENDATA\n":         `line 2: column name "X": the second status`,
		"* comment\nROWS\n":              `line 2: section "ROWS": unknown`,
		" BS X\n\n UL Y EXTRA\nENDATA\n": `line 3: value "EXTRA": not a number`,
	} {
		if _, err := ReadBasis(strings.NewReader(text), "t.bas", m); err == nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, b := range []Basis{{}, {Cols: []VarStatus{Basic, Basic}, Rows: []VarStatus{Basic, Basic, Basic}}, {Cols: []VarStatus{0, 0}, Rows: []VarStatus{0, Basic, Basic}}} {
		if err := WriteBasis(&bytes.Buffer{}, m, &b); !errors.Is(err, ErrBasis) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

func FuzzReadBasis(f *testing.F) {
	f.Add("NAME T\n XU X A\n UL Y\nENDATA\n")
	f.Add("HiGHS_basis_file v2\nValid\n# Columns 2\nX 1\nY 2\n# Rows 1\nA 0\n")
	f.Add("HiGHS v1\nValid\n# Columns 2\n1 2 \n# Rows 1\n0\n")
	f.Add("c Problem: T\ns bas 1 2 f f 3\ni 1 s 0 0\nj 1 b 0.5 0\nj 2 u 3 -1\ne o f\n")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ReadBasis(strings.NewReader(text), "fuzz", basisModel())
		if err != nil {
			return
		}
		if bad := b.check(basisModel()); bad != nil {
			t.Fatalf("%q gave %v", text, bad)
		}
	})
}
