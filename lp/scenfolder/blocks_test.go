package scenfolder

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// blocks are the files of a small program: two plants, each with a subproblem whose columns have the same names.
var blocks = map[string]string{
	"p.bd":      "* a comment\nMASTER\nmaster.lp\nSUBPROBLEMS 2\none.lp\ntwo.lp\n",
	"master.lp": "min\n c: 10 a + 7 b\nst\n any: a + b >= 1\nbinary\n a b\nend\n",
	"one.lp":    "min\n q: 2 x + 9 miss\nst\n need: x + miss >= 4\n cap: x - 6 a <= 0\nbounds\n a <= 1\nend\n",
	"two.lp":    "min\n q: 3 x + 5 miss\nst\n need: x + miss >= 3\n cap: x - 6 b <= 0\nbounds\n b <= 1\nend\n",
}

// placed writes the files, with one replaced.
func placed(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, own := range blocks {
		if name == file {
			own = text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "p.bd")
}

// best solves a model by branch and cut.
func best(t *testing.T, m *lp.Model) float64 {
	t.Helper()
	out, err := bnb.Solve(t.Context(), m, bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Objective
}

// TestBlocks joins a master and two subproblems: with a open alone the cost is 10 + 8 + 15, with b 7 + 36 + 9, with both
// 17 + 8 + 9.
func TestBlocks(t *testing.T) {
	m, first, err := ReadBlocks(placed(t, "", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(first, " ") != "a b" || len(m.Cols) != 6 || len(m.Rows) != 5 {
		t.Errorf("%v, %d columns, %d rows", first, len(m.Cols), len(m.Rows))
	}
	if v := best(t, m); !(math.Abs(v-33) <= 1e-6) {
		t.Errorf("the optimum is %v", v)
	}

	for _, c := range [][3]string{
		{"p.bd", "MASTER\nmaster.lp\nSUBPROBLEMS 3\none.lp\ntwo.lp\n", "2 files of subproblems"},
		{"p.bd", "MASTER\nmaster.lp\nmore.lp\n", "p.bd:3: "},
		{"p.bd", "MASTER\nmaster.lp\nSUBPROBLEMS x\none.lp\n", "p.bd:3: "},
		{"p.bd", "", "0 files"},
		{"two.lp", "max\n q: x\nst\n need: x <= 3\nend\n", "the sense"},
	} {
		if _, _, err := ReadBlocks(placed(t, c[0], c[1]), nil); !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q: %v, want %q", c[1], err, c[2])
		}
	}
}

// TestSharedBlocks solves SCIP's own examples, whose optima are those that SCIP gives them.
func TestSharedBlocks(t *testing.T) {
	const dir = "../../../shared/data/doors/scip"
	for name, want := range map[string]float64{"benders-lp.bd": 2560, "benders-mps.bd": 2560, "benders-lp-mps.bd": 2560,
		"benders-mps-lp.bd": 2560, "multi-zone.bd": 1030} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Skip("no shared data")
		}
		m, _, err := ReadBlocks(path, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v := best(t, m); !(math.Abs(v-want) <= 1e-4*want) {
			t.Errorf("%s: %v, want %v", name, v, want)
		}
	}
}

// TestBlockNames has a column of the master under the name that a column of the second subproblem gets for its number:
// the first stage is that of the master.
func TestBlockNames(t *testing.T) {
	m, first, err := ReadBlocks(placed(t, "master.lp", "min\n c: 10 a + 7 b + miss_2\nst\n any: a + b >= 1\nbinary\n a b\nend\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for j := range m.Cols {
		if name := m.ColName(lp.Var(j)); seen[name] {
			t.Errorf("two columns have the name %s", name)
		} else {
			seen[name] = true
		}
	}
	if strings.Join(first, " ") != "a b miss_2" || len(m.Cols) != 7 {
		t.Errorf("%v, %d columns", first, len(m.Cols))
	}
}
