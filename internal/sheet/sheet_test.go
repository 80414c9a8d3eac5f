package sheet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shop is a schema with a list, an optional column and table, and a matrix.
var shop = &Schema{Problem: "shop", Tables: []Table{
	{Name: "sites", Columns: []Column{{Name: "site"}, {Name: "rent", Kind: Amount}, {Name: "x", Kind: Number, Optional: true}}},
	{Name: "roads", Matrix: "roads", Optional: true, Columns: []Column{{Name: "from"}, {Name: "to"}, {Name: "length", Kind: Amount}}}}}

// dump shows all that a sheet holds.
func dump(s *Sheet) string {
	var b strings.Builder
	b.WriteString(s.Name)
	for _, r := range s.Rows("sites") {
		fmt.Fprintf(&b, "|%s %g %g %v", r.Text("site"), r.Number("rent"), r.Number("x"), r.Has("x"))
	}
	for _, r := range s.Rows("roads") {
		fmt.Fprintf(&b, "|%s-%s %g", r.Text("from"), r.Text("to"), r.Number("length"))
	}
	return b.String()
}

// TestFormsAreOne reads the same tables in every form that they may have.
func TestFormsAreOne(t *testing.T) {
	// All texts hold two sites, of which the second has no x, and a road in each direction with a length of its own.
	const want = `two|A 3 -1 true|B 4.5 0 false|A-B 7|B-A 8`
	for name, text := range map[string]string{
		"csv":        "# a note\nproblem,shop\nname,two\n\nsite,rent,x\nA,3,-1\nB,4.5\n\nfrom,to,length\nA,B,7\nB,A,8\n",
		"order":      "# a note\nproblem,shop\nname,two\nfrom,to,length\nA,B,7\n# between\nB,A,8\nx,rent,site\n-1,3,A\n,4.5,B\n",
		"semicolons": "\xef\xbb\xbf# a note\r\nproblem;shop\r\nname;two\r\nsite;rent;x\r\nA;3;-1\r\nB;4.5;\r\n;;\r\nroads;A;B\r\nA;;7\r\nB;8;\r\n",
		"tabs":       "# a note\nproblem\tshop\nname\ttwo\nsite\trent\tx\nA\t3\t-1\nB\t4.5\nroads\tA\tB\nA\t\t7\nB\t8\n",
		"quotes":     "\"# a note\"\n\"problem\",\"shop\"\nname,\"two\"\nsite,rent,x\n\"A\", 3 ,-1,,\nB,4.5,,,\nroads,B,A\nA,7\nB,,8\n",
		"json": `{"problem": "shop", "name": "two", "description": "a note", "sites": [{"site": "A", "rent": 3, "x": -1},
			{"site": "B", "rent": "4.5", "comment": "dear"}], "roads": [{"from": "A", "to": "B", "length": 7}, {"length": 8, "to": "A", "from": "B"}]}`,
		"objects": `{"description": ["a note"], "problem": "shop", "roads": {"A": {"B": 7}, "B": {"A": 8}}, "name": "two",
			"sites": [{"site": "A", "rent": 3, "x": -1}, {"site": "B", "rent": 4.5}]}`,
	} {
		// The sheet has the same content in every form.
		s, err := decode(strings.NewReader(text), "f", shop)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := dump(s); got != want {
			t.Errorf("%s: %s", name, got)
		}

		// A compressed file is recognised by its content, not by its name.
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte(text))
		z.Close()
		if s, err = decode(&packed, "f", shop); err != nil || dump(s) != want {
			t.Errorf("%s, gzipped: %v", name, err)
		}

		// Sniff finds the name of the problem in every form.
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil || Sniff(path) != "shop" {
			t.Errorf("%s: sniffed %q", name, Sniff(path))
		}
	}
}

// TestErrorsSayWhere expects each fault to be named with its place.
func TestErrorsSayWhere(t *testing.T) {
	head := "problem,shop\nsite,rent\n"

	for _, c := range []struct{ text, want string }{
		// These are text files: their header, the tables, and the fields of a row.
		{"", "the first line is neither problem,shop nor the header of a table"},
		{"problem,other\n", "the first line is not problem,shop"},
		{"problem,shop\n", "there is no table of the sites (site,rent)"},
		{"problem,shop\nA,3\n", `line 2: not a sound table file: want a header such as site,rent or from,to,length, have "A,3"`},
		{"problem,shop\nsite,cost\n", `line 2: not a sound table file: the header of the sites (site,rent): the column rent is missing; there is no column "cost"`},
		{"problem,shop\nsite,x\n", "the column rent is missing"},
		{"problem,shop\nsite,rent,rent\n", "the column rent comes a second time"},
		// The rows of a table: the line and the field are named, and the column if there is one.
		{head + "A,3\n\nB,oh\n", `line 5, field 2 (rent): not a sound table file: want a number, have "oh"`},
		{head + "A,\"1,5\"\n", "the decimal separator is a point"},
		{head + "A,-3\n", "line 3, field 2 (rent): not a sound table file: rent is negative: -3"},
		{head + "A,NaN\n", `have "NaN"`}, {head + "A,0x10\n", `have "0x10"`}, {head + "A,1e999\n", `have "1e999"`},
		{head + "A\n", "line 3, field 2 (rent): not a sound table file: rent is empty"},
		{head + "A,3,4\n", "line 3, field 3: not a sound table file: more fields than the header"},
		{head + "A,\"3\n", "line 3, column"},
		// The name and the matrix of the roads.
		{"problem,shop\nname,a,b\n", "line 2: not a sound table file: want one name"},
		{"problem,shop\nroads,A\nB,1,2\n", "line 3, field 3: not a sound table file: more fields"},
		{"problem,shop\nroads,A\nB,far\n", `line 3, field 2 (length): not a sound table file: want a number, have "far"`},
		// These are JSON files: the place is a line and the path of keys.
		{"{", "line 1: not a sound table file: the file ends too soon"},
		{`{"problem": "other"}`, `line 1, problem: not a sound table file: want "shop", have "other"`},
		{`{"sites": []}`, "the object has no key problem"},
		{"{\"problem\": \"shop\",\n\"site\": []}", `line 2: not a sound table file: unknown key "site" (known: problem, name, description, sites, roads)`},
		{"{\"problem\": \"shop\",\n\"sites\": [{\"site\": \"A\", \"rent\": 1},\n{\"site\": \"B\", \"rent\": \"oh\"}]}",
			`line 3, sites[1].rent: not a sound table file: want a number, have "oh"`},
		// The records, in which a field may be missing, of the wrong type or given twice.
		{`{"problem": "shop", "sites": [{"site": "A"}]}`, "line 1, sites[0]: not a sound table file: rent is missing"},
		{`{"problem": "shop", "sites": [{"site": "A", "rent": true}]}`, "sites[0].rent: not a sound table file: want a text or a number, have true"},
		{`{"problem": "shop", "sites": [{"site": "A", "rent": 1, "x": 1, "x": 2}]}`, `the key "x" comes a second time`},
		{`{"problem": "shop", "sites": {"A": {"B": 1}}}`, "sites: not a sound table file: want a list of records"},
		{`{"problem": "shop", "roads": {"A": {"B": -1}}}`, "line 1, roads.A.B.length: not a sound table file: length is negative"},
		{`{"problem": "shop", "sites": [{"site": "A", "rent": 1}]} more`, "text after the object"},
		{"{\"problem\": \"shop\",\n\n\"sites\": [}", "line 3"},
	} {
		// Every error is of this format and begins with the name of the file.
		_, err := decode(strings.NewReader(c.text), "f", shop)
		if !errors.Is(err, errFormat) || !strings.HasPrefix(fmt.Sprint(err), "f: ") || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestNames looks up names and finds those that come twice or not at all.
func TestNames(t *testing.T) {
	s, err := decode(strings.NewReader("problem,shop\nsite,rent\nA,1\nB,2\nfrom,to,length\nA,C,3\n"), "f", shop)
	if err != nil {
		t.Fatal(err)
	}
	names, index, err := s.Index("sites", "site")
	if err != nil || fmt.Sprint(names, index) != "[A B] map[A:0 B:1]" {
		t.Errorf("%v %v %v", names, index, err)
	}
	r := &s.Rows("roads")[0]
	if k, err := s.Find(r, "from", index, "site"); err != nil || k != 0 {
		t.Errorf("%d %v", k, err)
	}
	if _, err := s.Find(r, "to", index, "site"); err == nil || !strings.Contains(err.Error(), `line 6, field 2 (to): not a sound table file: no site is called "C"`) {
		t.Errorf("%v", err)
	}
	s, _ = decode(strings.NewReader("problem,shop\nsite,rent\nA,1\nA,2\n"), "f", shop)
	if _, _, err := s.Index("sites", "site"); err == nil || !strings.Contains(err.Error(), `line 4, field 1 (site): not a sound table file: site "A" comes a second time`) {
		t.Errorf("%v", err)
	}
}

// TestWritten reads back what is written, with names that need quotes.
func TestWritten(t *testing.T) {
	d := &Document{Problem: "shop", Name: `a "b", c`, Tables: []Part{
		{Name: "sites", Columns: []string{"site", "rent", "x"}, Rows: [][]any{{"A,1", 0.1, -2.5}, {7, 1e-30, 0.0}}},
		{Name: "roads", Matrix: "roads", Across: []any{"A,1", 7}, Along: []any{7}, Value: func(i, j int) float64 { return 1 / float64(3+i) }}}}
	for name, write := range map[string]func(*bytes.Buffer) error{"csv": func(b *bytes.Buffer) error { return d.WriteCSV(b) },
		"json": func(b *bytes.Buffer) error { return d.WriteJSON(b) }} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		s, err := decode(bytes.NewReader(b.Bytes()), "f", shop)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b.String())
		}
		const want = `a "b", c|A,1 0.1 -2.5 true|7 1e-30 0 true|A,1-7 0.3333333333333333|7-7 0.25`
		if got := dump(s); got != want {
			t.Errorf("%s: %s\n%s", name, got, b.String())
		}
	}
}

// TestNamesLikeComments reads back names that begin with the character of comments: no row of them is lost.
func TestNamesLikeComments(t *testing.T) {
	d := &Document{Problem: "shop", Name: "#1", Tables: []Part{
		{Name: "sites", Columns: []string{"site", "rent"}, Rows: [][]any{{"#1", 3.0}, {"'#1", 4.0}, {"a#", 5.0}}},
		{Name: "roads", Matrix: "roads", Across: []any{"#1", "a#"}, Along: []any{"#1"}, Value: func(i, j int) float64 { return float64(i) }}}}
	var b bytes.Buffer
	if err := d.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	s, err := decode(bytes.NewReader(b.Bytes()), "f", shop)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	const want = "#1|#1 3 0 false|'#1 4 0 false|a# 5 0 false|#1-#1 0|a#-#1 1"
	if got := dump(s); got != want {
		t.Errorf("%s, want %s\n%s", got, want, b.String())
	}
}

// FuzzDecode must not panic, and what it accepts must have names and numbers.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"problem,shop\nsite,rent\nA,3\nroads,A\nA,2\n", `{"problem": "shop", "sites": [{"site": 1, "rent": 2}], "roads": {"1": {"1": 0}}}`,
		"problem;shop\nname;x\n\"site\";rent;x\nA;3;\n", "# c\nproblem\tshop\nfrom\tto\tlength\n", "{\"problem\": \"shop\", \"description\": [\"a\"]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := decode(bytes.NewReader(text), "f", shop)
		if err != nil {
			if !errors.Is(err, errFormat) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		for _, r := range s.Rows("sites") {
			if v := r.Number("rent"); r.Text("site") == "" || !(v >= 0) {
				t.Errorf("site %q with rent %g", r.Text("site"), v)
			}
		}
	})
}

// TestUntitledTables reads tables without a first line that names their problem, with columns that nobody asked for and
// headers as people write them.
func TestUntitledTables(t *testing.T) {
	const text = "Site;Rent;colour\na;3;red\nb;4;\n"
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if Sniff(path) != "" || !Untitled(path, shop) {
		t.Error("the file is not recognised")
	}
	s, err := Read(path, shop)
	if err != nil {
		t.Fatal(err)
	}
	sites := s.Rows("sites")
	if len(sites) != 2 || sites[1].Text("site") != "b" || sites[1].Number("rent") != 4 {
		t.Errorf("%+v", sites)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], `line 1: the column "colour" of the sites is ignored`) {
		t.Errorf("%q", s.Notes)
	}
}

// decode reads a text as one file.
func decode(r io.Reader, file string, schema *Schema) (*Sheet, error) {
	s := &Sheet{File: file, schema: schema, rows: make(map[string][]Record)}
	if err := s.decode(r); err != nil {
		return nil, err
	}
	return s, s.check()
}
