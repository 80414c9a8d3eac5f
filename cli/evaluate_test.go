package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeProgram writes the three files of a program and returns the path of its core file.
func writeProgram(t *testing.T, core, time, sto string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "p")
	for ext, text := range map[string]string{".cor": core, ".tim": time, ".sto": sto} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return stem + ".cor"
}

// TestFilesWithoutADesign checks that a file of a run which has found no design is not taken for the design in which
// nothing is open, and that the latter is a design.
func TestFilesWithoutADesign(t *testing.T) {
	// The plant y is worth opening, but the purchase s can meet every demand, so that the design with nothing open has a
	// finite cost.
	path := writeProgram(t,
		"NAME p\nROWS\n N c\n G link\n G need\nCOLUMNS\n M1 'MARKER' 'INTORG'\n y c 1 link 9\n M2 'MARKER' 'INTEND'\n"+
			" x c 3 need 1\n x link -1\n s c 10 need 1\nRHS\n RHS need 3\nBOUNDS\n BV B y\nENDATA\n",
		"TIME p\nPERIODS\n y c A\n x link B\nENDATA\n",
		"STOCH p\nINDEP DISCRETE\n RHS need 5 0.5\n RHS need 8 0.5\nENDATA\n")

	// The first four files are empty or of runs that have found no design. Each of the others gives a design, in which the
	// columns that are not named are 0.
	file := filepath.Join(t.TempDir(), "design")
	for _, c := range []struct{ text, want string }{
		{"", "the file has no point"},
		{"\n \n", "the file has no point"},
		{"# Model p\n# Status time_limit\n", "the file has no point"},
		{`{"status":"time_limit","objective":null,"open":[],"open_names":[]}`, "has found no design"},
		{`{"open":[]}`, ""},
		{`{"objective":65,"open":[]}`, ""},
		{`{"objective":null,"open":["y"]}`, ""},
		{"# Objective value = 65\n", ""},
		{"solution status: optimal solution found\nobjective value:      65\n", ""},
		{"y 0\n", ""},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}

		// The commands that read a design agree on each of the files.
		for _, args := range [][]string{{"evaluate", path, file}, {"solve", path, "--start", file}} {
			o := invoke(t, t.Context(), append(args, "--quiet")...)
			refused := o.code == exitBadInput && strings.Contains(o.stderr, file) && strings.Contains(o.stderr, c.want)
			if c.want != "" && !refused || c.want == "" && o.code != exitSolved {
				t.Errorf("%s with %q: %d %s", args[0], c.text, o.code, o.stderr)
			}
		}
	}
}

// TestNamesOfTheExtensiveForm prices a design whose column has the name that the extensive form would give to a recourse
// column in scenario 1, so that the form gives the latter another number. The file is read with that column and with
// the recourse of other scenarios.
func TestNamesOfTheExtensiveForm(t *testing.T) {
	// The column x_1 belongs to the first stage; the copy of x in scenario 1 would have that name as well.
	path := writeProgram(t,
		"NAME p\nROWS\n N c\n L cap\n G need\nCOLUMNS\n x_1 c 1 cap -1\n x c 3 need 1\n x cap 1\n s c 10 need 1\n"+
			"RHS\n RHS need 3\nENDATA\n",
		"TIME p\nPERIODS\n x_1 c A\n x cap B\nENDATA\n",
		"STOCH p\nINDEP DISCRETE\n RHS need 5 0.5\n RHS need 8 0.5\nENDATA\n")

	// The solution is that of the extensive form, in which the copy of x has the name x_1_2.
	file := filepath.Join(t.TempDir(), "p.sol")
	if o := invoke(t, t.Context(), "solve", path, "--quiet", "--write-sol", file); o.code != exitSolved {
		t.Fatalf("%d %s", o.code, o.stderr)
	}
	solved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(solved), "\nx_1_2 ") {
		t.Errorf("the names do not clash:\n%s", solved)
	}

	// The design is read from the solution, alone, and with recourse columns of scenarios whose values play no part. Its
	// cost is 8 for the capacity and 3 x 6.5 for the expected demand.
	for _, text := range []string{string(solved), "x_1 8\n", "x_1 8\ns_1 0\ns_17 0\nx_3 1\n",
		"objective value: 27.5\nx_1  8 \t(obj:1)\ns_1  0 \t(obj:10)\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := invoke(t, t.Context(), "evaluate", path, file, "--json").object(t)
		if cost, ok := got["objective"].(float64); !ok || !near(cost, 27.5, 1e-9) {
			t.Errorf("%q: %v", text, got)
		}
	}
}
