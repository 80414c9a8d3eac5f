package mps

import (
	"bytes"
	"errors"
	"fmt"
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
		var file bytes.Buffer
		if err := WriteBasis(&file, m, b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		back, err := ReadBasis(&file, "t.bas", m)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if fmt.Sprint(back) != fmt.Sprint(b) {
			t.Fatalf("seed %d: %v came back as %v", seed, b, back)
		}
	}
}

func TestBasisErrors(t *testing.T) {
	m, _ := read(t, wrap(""))
	for text, want := range map[string]string{
		"NAME\n XU X A\n":                "line 2: the file ends without ENDATA",
		" XU X\nENDATA\n":                "line 1: XU takes 2 names, found 1",
		" QQ X\nENDATA\n":                `line 1: status "QQ"`,
		" UL Z\nENDATA\n":                `line 1: column name "Z": no such column`,
		" XL X Z\nENDATA\n":              `line 1: row name "Z": no such row`,
		" XL X A\n XU Y A\nENDATA\n":     `line 2: row name "A": the second status`,
		" UL X\n LL X\nENDATA\n":         `line 2: column name "X": the second status`,
		"* comment\nROWS\n":              `line 2: section "ROWS": unknown`,
		" BS X\n\n UL Y EXTRA\nENDATA\n": "line 3: UL takes 1 names, found 2",
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
	f.Fuzz(func(t *testing.T, text string) {
		m := &lp.Model{}
		m.AddCol(lp.Col{Name: "X"})
		m.AddCol(lp.Col{Name: "Y"})
		m.AddRow(lp.Row{Name: "A"}, nil, nil)
		if b, err := ReadBasis(strings.NewReader(text), "fuzz", m); err == nil && (len(b.Cols) != 2 || len(b.Rows) != 1) {
			t.Fatalf("%q gave %v", text, b)
		}
	})
}
