package scenfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarningsOfModels reads programs whose models have warnings: they are passed on, once for a file, and of a folder
// with many models the first ones and the number of the others.
func TestWarningsOfModels(t *testing.T) {
	var got []string
	warn := func(line string) { got = append(got, line) }
	check := func(what string, err error, want ...string) {
		t.Helper()
		ok := err == nil && len(got) == len(want)
		for k := range want {
			ok = ok && strings.Contains(got[k], want[k])
		}
		if !ok {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
		got = nil
	}

	const free = " N f\n"
	one := strings.Replace(investments["one.mps"], "ENDATA\n", "BOUNDS\n UP B miss -1\n LO B miss 0\nENDATA\n", 1)
	_, _, _, err := ReadStructure(laid(t, map[string]string{"one.mps": one}), warn)
	check("scenarios", err, `one.mps: line 11: column "miss": upper bound -1`)

	// Where the subproblems have other shapes, the first one is read twice.
	two := strings.Replace(investments["two.mps"], " G n\n", " G n\n"+free, 1)
	_, whole, _, err := ReadStructure(laid(t, map[string]string{"one.mps": one, "two.mps": two}), warn)
	if whole == nil {
		t.Error("the subproblems are alike")
	}
	check("whole", err, `one.mps: line 11: column "miss": upper bound -1`)

	_, _, err = ReadBlocks(placed(t, "two.lp", "min\n q: 2 x + 0 k\nst\n need: x >= 3\nbinary\n k\nbounds\n k <= 7\nend\n"), warn)
	check("blocks", err, "two.lp: line")

	dir := t.TempDir()
	for k := range 15 {
		stem := filepath.Join(dir, fmt.Sprintf("s%d", k+1))
		for name, text := range map[string]string{
			stem + ".mps": "NAME\nROWS\n N c\n G n\nCOLUMNS\n x c 1 n 1\n y c 2 n 1\nRHS\n R n 1\nBOUNDS\n UP B y -1\nENDATA\n",
			stem + suffix: `{"scenarioData": {"name": "s"}, "treeData": {"nodes": {"ROOT": {"nonAnts": ["x"]}}}}`,
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := make([]string, maxWarnings)
	for k := range want {
		want[k] = fmt.Sprintf("s%d.mps: line 11", k+1)
	}
	_, err = Read(dir, warn)
	check("folder", err, append(want, "5 more warnings about the models")...)
}
