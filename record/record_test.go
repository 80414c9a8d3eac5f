package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func sample() *Record {
	return &Record{
		Header: Header{Schema: Schema, Family: "cap", Name: "x", Method: "exact", Epigraphs: 1, Objective: Number(math.Inf(1)), Bound: 0.1,
			Run: &Claim{Status: "node_limit", Objective: Number(math.Inf(1)), Bound: 0.25, Gap: 1e-4}},
		Instance: Instance{Hash: "ab", Data: []byte(`{"Clients":1}`)},
		Rows:     []Row{{Lower: 1, Index: []int32{0, 2}, Value: []float64{1e-300, math.Pi}}},
		Cuts:     []Cut{{Feasibility: true, Theta: AllEpigraphs, Alpha: math.Copysign(0, -1), Certificate: []float64{1}}, {Theta: 3, Alpha: 2}},
		Tree:     []Node{{Split: 2, At: 0}, {Split: -1, Rows: []int32{-1, 0}, Weights: []float64{1, 2}}, {Split: -1, Infeasible: true}},
		Design:   &Design{Y: []float64{0, 1}, Index: []int32{4}, Value: []float64{0.5}},
	}
}

func TestWriteThenRead(t *testing.T) {
	var b bytes.Buffer
	want := sample()
	if err := Write(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b, "a.record")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !math.Signbit(got.Cuts[0].Alpha) {
		t.Error("the sign of a zero is lost")
	}
}

func TestNaNIsRefused(t *testing.T) {
	r := sample()
	r.Header.Bound = Number(math.NaN())
	if err := Write(&bytes.Buffer{}, r); err == nil {
		t.Error("a bound that is not a number was written")
	}
}

func TestDisorderIsRefused(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	swap := func(i, k int) string {
		l := append([]string(nil), lines...)
		l[i], l[k] = l[k], l[i]
		return strings.Join(l, "")
	}
	for name, text := range map[string]string{
		"header second":   swap(0, 1),
		"cut before row":  swap(2, 3),
		"node before cut": swap(4, 5),
		"two headers":     lines[0] + b.String(),
		"no end":          strings.Join(lines[:len(lines)-2], ""),
		"other schema":    strings.Replace(b.String(), fmt.Sprintf(`"Schema":%d`, Schema), `"Schema":1`, 1),
		"unknown kind":    strings.Replace(b.String(), `"kind":"row"`, `"kind":"raw"`, 1),
		"unknown field":   strings.Replace(b.String(), `"Lower":1`, `"Lover":1`, 1),
	} {
		_, err := Read(strings.NewReader(text), "r")
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "r:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOlderSchemas reads headers of every version: from version 5 on they have the claim of the run, before they do not.
func TestOlderSchemas(t *testing.T) {
	for schema := oldest - 1; schema <= Schema+1; schema++ {
		for _, claims := range []bool{false, true} {
			r := sample()
			if r.Header.Schema = schema; !claims {
				r.Header.Run = nil
			}
			var b bytes.Buffer
			if err := Write(&b, r); err != nil {
				t.Fatal(err)
			}
			got, err := Read(&b, "r")
			if sound := schema >= oldest && schema <= Schema && claims == (schema >= RunSchema); sound != (err == nil) {
				t.Errorf("schema %d, with a claim %v: %v", schema, claims, err)
			} else if sound && !reflect.DeepEqual(got, r) {
				t.Errorf("schema %d: got %+v, want %+v", schema, got.Header, r.Header)
			}
		}
	}
}

// TestKeysAreSaidOnce: package json takes the last of several values and a key in any case; a record has one of each.
func TestKeysAreSaidOnce(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"twice":         strings.Replace(b.String(), `"Lower":1,`, `"Lower":1,"Lower":1,`, 1),
		"other case":    strings.Replace(b.String(), `"Lower":1,`, `"lower":1,`, 1),
		"escaped":       strings.Replace(b.String(), `"Lower":1,`, `"\u004cower":1,`, 1),
		"twice in data": strings.Replace(b.String(), `{"Clients":1}`, `{"Clients":1,"Clients":2}`, 1),
		"null":          strings.Replace(b.String(), `"Index":[0,2]`, `"Index":[0,null]`, 1),
		"null bound":    strings.Replace(b.String(), `"Bound":0.1`, `"Bound":null`, 1),
		"behind":        strings.Replace(b.String(), `"Index":[0,2],"Value":[1e-300,3.141592653589793]}`, `"Index":[0,2],"Value":[1e-300,3.141592653589793]} ]`, 1),
		"other kind":    strings.Replace(b.String(), `{"kind":"row",`, `{"kind":"row","kind":"cut",`, 1),
		"endless":       strings.Repeat(" ", longestHeader+1),
	} {
		if _, err := Read(strings.NewReader(text), "r"); !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "altered") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	r := sample()
	for range 10000 {
		r.Tree = append(r.Tree, Node{Split: 0, At: 0}, Node{Split: -1, Rows: []int32{-1, 0}, Weights: []float64{1, 2}})
	}
	var text bytes.Buffer
	if err := Write(&text, r); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text.Bytes()), "r"); err != nil {
			b.Fatal(err)
		}
	}
}
