package fields

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
)

var errBad = errors.New("bad file")

func scan(t *testing.T, text string) *Scanner {
	t.Helper()
	s, err := New(strings.NewReader(text), "f", "pkg", errBad)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPositions(t *testing.T) {
	s := scan(t, "1 two\r\n\n  3\t4e0\n")
	for _, want := range []struct {
		text        string
		line, field int
	}{{"1", 1, 1}, {"two", 1, 2}, {"3", 3, 1}, {"4e0", 3, 2}} {
		if !s.Next() || s.Text() != want.text || s.Line() != want.line || s.field != want.field {
			t.Errorf("%q at line %d, field %d, want %+v", s.Text(), s.Line(), s.field, want)
		}
	}
	if s.Next() || s.Text() != "" {
		t.Errorf("%q after the end", s.Text())
	}
}

func TestRestOfLine(t *testing.T) {
	s := scan(t, "NAME:  a b \nnext\n")
	s.Next()
	if rest := s.RestOfLine(); rest != "a b" {
		t.Errorf("rest %q", rest)
	}
	if !s.Next() || s.Text() != "next" || s.RestOfLine() != "" {
		t.Errorf("at %q", s.Text())
	}
}

// TestNextLine reads lines that are longer than a field may be, up to their limit.
func TestNextLine(t *testing.T) {
	long := strings.Repeat("1,2;", maxField)
	s := scan(t, "3 \r\n \n  "+long+" 5\t\r\n7 8,9\n\nend")
	s.Next()
	if !s.NextLine(len(long)+10) || s.Text() != long+" 5" || s.Line() != 3 || s.field != 1 {
		t.Errorf("%d bytes at line %d, field %d", len(s.Text()), s.Line(), s.field)
	}
	if !s.Next() || s.Text() != "7" || !s.NextLine(9) || s.Text() != "8,9" || s.Line() != 4 || s.field != 2 {
		t.Errorf("%q at line %d, field %d", s.Text(), s.Line(), s.field)
	}
	if !s.NextLine(9) || s.Text() != "end" || s.Line() != 6 || s.NextLine(9) || s.Text() != "" || s.End("end") != nil {
		t.Errorf("%q at line %d", s.Text(), s.Line())
	}

	s = scan(t, "a\n"+long+"\n")
	s.Next()
	if s.NextLine(len(long) - 1) {
		t.Errorf("%d bytes are accepted", len(s.Text()))
	}
	if err := s.Fail("no line"); !errors.Is(err, errBad) || !strings.Contains(err.Error(), "line 2, field 1: bad file: the line has more than") {
		t.Error(err)
	}
}

// TestErrors expects each fault to be named with its place.
func TestErrors(t *testing.T) {
	// The ways to read an item: any number, a number that is at least 0, a count of at most 5, and the end of the file.
	number := func(s *Scanner) error { _, err := s.Want("item %d of %d", 2, 7); return err }
	positive := func(s *Scanner) error { _, err := s.NonNegative("the cost %d", 2, 0); return err }
	size := func(s *Scanner) error { s.Next(); _, err := s.Size("a count", 5); return err }
	end := func(s *Scanner) error { return s.End("the last one") }

	// NaN, Inf and hexadecimal numbers are no numbers in these files, although strconv.ParseFloat accepts them.
	for _, c := range []struct {
		text string
		read func(*Scanner) error
		want string
	}{
		{"", number, "pkg: f: line 1, field 1: bad file: the file ends before item 2 of 7"},
		{"\nx", number, `pkg: f: line 2, field 1: bad file: want item 2 of 7, have "x"`},
		{"NaN", number, `have "NaN"`}, {"Inf", number, `have "Inf"`}, {"0x1p3", number, `have "0x1p3"`}, {"1e999", number, `have "1e999"`},
		{"1_0", number, `have "1_0"`},
		{"-1", positive, `the cost 2 is negative: "-1"`},
		{"0", size, `want a count, have "0"`}, {"6", size, `have "6"`}, {"1.5", size, `have "1.5"`},
		{strings.Repeat("y", 99), number, `"` + strings.Repeat("y", 24) + `"...`},
		{"more", end, `text after the last one: "more"`},
	} {
		// Each message has the given text, and the error is the one of the format that the caller has chosen.
		if err := c.read(scan(t, c.text)); !errors.Is(err, errBad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}

	// White space is no text after the last item.
	if err := end(scan(t, " \n\t")); err != nil {
		t.Errorf("white space at the end: %v", err)
	}
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("7 8"))
	z.Close()
	whole := b.Bytes()
	s, err := New(bytes.NewReader(whole), "f", "pkg", errBad)
	if err != nil || !s.Next() || s.Text() != "7" {
		t.Fatalf("%v %q", err, s.Text())
	}
	if _, err := New(bytes.NewReader(whole[:5]), "f", "pkg", errBad); !errors.Is(err, errBad) {
		t.Errorf("a cut header: %v", err)
	}
	s, err = New(bytes.NewReader(whole[:len(whole)-6]), "f", "pkg", errBad)
	if err != nil {
		t.Fatal(err)
	}
	for s.Next() {
	}
	if err := s.End("the last one"); !errors.Is(err, errBad) {
		t.Errorf("a cut body: %v", err)
	}
}

func TestOpenRefusesFolders(t *testing.T) {
	if _, err := Open(t.TempDir(), "pkg", errBad); !errors.Is(err, errBad) || !errors.Is(err, errDirectory) {
		t.Errorf("got %v", err)
	}
	if _, err := Open("no such file", "pkg", errBad); err == nil || errors.Is(err, errBad) {
		t.Errorf("got %v", err)
	}
}
