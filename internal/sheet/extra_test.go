package sheet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExtraFiles reads a problem from a file for each table, the roads as a matrix below the first column's name, and
// compares it with the same tables in one file. Errors name the file that they are in.
func TestExtraFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sites := write("sites.csv", "site,rent\nA,1\nB,2\n")
	roads := write("roads.csv", "from;A;B\nA;;4\nB;5;\n")
	one := write("one.csv", "problem,shop\nsite,rent\nA,1\nB,2\nroads,A,B\nA,,4\nB,5,\n")
	base := write("base.csv", "problem,shop\nsite,rent\nA,1\nB,2\n")

	whole, err := Read(one, shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range [][]Extra{
		{{"sites", sites}, {"roads", roads}},
		{{"roads", roads}, {"sites", sites}},
	} {
		s, err := Read(sites, shop, how...)
		if err != nil || dump(s) != dump(whole) {
			t.Errorf("%v: %v, %s, want %s", how, err, dump(s), dump(whole))
		}
	}
	if s, err := Read(base, shop, Extra{"roads", roads}); err != nil || dump(s) != dump(whole) {
		t.Errorf("%v, %s, want %s", err, dump(s), dump(whole))
	}

	for _, c := range []struct{ text, want string }{
		{"from,A\nB,far\n", `bad.csv: line 2, field 2 (length): not a sound table file: want a number, have "far"`},
		{"site,rent\nA,1\n", "bad.csv: not a sound table file: the first line is neither"},
		{"{}", "bad.csv: not a sound table file: a file of the roads alone is CSV"},
	} {
		_, err := Read(sites, shop, Extra{"sites", sites}, Extra{"roads", write("bad.csv", c.text)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := Read(roads, shop, Extra{"roads", roads}); err == nil || !strings.Contains(err.Error(), "roads.csv: not a sound table file: there is no table of the sites") {
		t.Error(err)
	}
}
