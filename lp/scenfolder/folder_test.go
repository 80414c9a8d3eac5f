package scenfolder

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// random returns a small program with changes of every kind.
func random(rng *rand.Rand) *stoch.Program {
	// Two columns of the first stage and two of the second, of which miss can replace all others in the row need.
	var b stoch.Builder
	y := b.First(b.Between("y", 3, 0, 5))
	z := b.First(b.Integer("z", 2, 0, 3))
	x := b.Between("x", 4, 0, 9)
	miss := b.Nonnegative("miss", 20)
	b.AtMost(6, y, z)
	need := b.AtLeast(5, y, z.Times(2), x, miss)
	cap := b.AtMost(4, x, y.Times(-1))

	// Each scenario has a random part of six changes: sides of rows, a cost, a bound, and entries, one of which is new.
	count := 1 + rng.IntN(12)
	for s := range count {
		var changes []stoch.Change
		for _, c := range []stoch.Change{stoch.SetRowLower(need, float64(rng.IntN(12))), stoch.SetRowUpper(cap, rng.Float64()*5),
			stoch.SetCost(x, float64(1+rng.IntN(9))), stoch.SetEntry(cap, x, rng.Float64()), stoch.SetEntry(cap, miss, 0.5),
			stoch.SetColUpper(x, float64(rng.IntN(9)))} {
			if rng.IntN(2) == 0 {
				changes = append(changes, c)
			}
		}
		b.Scenario(fmt.Sprintf("Scenario%d", s+1), 1/float64(count), changes...)
	}
	p, err := b.Program()
	if err != nil {
		panic(err)
	}
	return p
}

// write writes a program as a folder, in either layout of models.
func write(t *testing.T, p *stoch.Program, lpFiles bool) string {
	t.Helper()
	dir := t.TempDir()
	for s := range p.Scenarios {
		m, err := p.Model(s)
		if err != nil {
			t.Fatal(err)
		}

		// The model of a scenario is in a file with the name of the scenario.
		stem := filepath.Join(dir, p.ScenarioName(s))
		ext, put := ".mps", mps.Write
		if lpFiles {
			ext, put = ".lp", mps.WriteLP
		}
		f, err := os.Create(stem + ext)
		if err != nil {
			t.Fatal(err)
		}
		if err := put(f, m); err != nil {
			t.Fatal(err)
		}
		f.Close()

		// The file next to it has the probability and names the columns of the first stage.
		text := fmt.Sprintf(`{"scenarioData": {"name": "s", "scenProb": %v}, "treeData": {"globalNodeCount": 1, "nodes":
			{"ROOT": {"serialNumber": 0, "condProb": 1.0, "nonAnts": ["z", "y"]}}}}`, p.Scenarios[s].Probability)
		if err := os.WriteFile(stem+suffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// optimum is that of the relaxation of the deterministic equivalent.
func optimum(t *testing.T, p *stoch.Program) float64 {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	sol, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if sol.Status != lp.Optimal {
		return math.Inf(1)
	}
	return sol.Objective
}

// TestFoldersAreTheProgram writes random programs as folders and reads them again: the optimum is the same.
func TestFoldersAreTheProgram(t *testing.T) {
	for seed := range uint64(100) {
		p := random(rand.New(rand.NewPCG(seed, 4)))
		got, err := Read(write(t, p, seed%2 == 0), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got.Scenarios) != len(p.Scenarios) || got.First != 2 {
			t.Errorf("seed %d: %d scenarios, %d columns first", seed, len(got.Scenarios), got.First)
		}
		if a, b := optimum(t, p), optimum(t, got); a != b && !(math.Abs(a-b) <= 1e-9*math.Abs(a)) {
			t.Errorf("seed %d: the optimum is %v, not %v", seed, b, a)
		}
	}
}

// TestShared solves the folder of mpi-sppy's own tests: 2 x(2) up to 10 or 12 costs 2 a unit with x(2) alone.
func TestShared(t *testing.T) {
	const dir = "../../../shared/data/doors/mpi-sppy"
	if !Is(dir) {
		t.Skip("no shared data")
	}
	p, err := Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := optimum(t, p); v != 24 {
		t.Errorf("the optimum is %v", v)
	}
}

// TestErrors names the file and what is wrong.
func TestErrors(t *testing.T) {
	// Each case replaces a text in one file and expects a part of the message.
	for _, c := range []struct {
		file    string
		replace [2]string
		want    string
	}{
		{"Scenario2" + suffix, [2]string{"ROOT", "LEAF"}, "the node ROOT"},
		{"Scenario2" + suffix, [2]string{`"z", "y"`, `"z"`}, "nonAnts"},
		{"Scenario1" + suffix, [2]string{`"z", "y"`, `"z", "w"`}, "no column w"},
		{"Scenario2" + suffix, [2]string{`"scenProb": 0`, `"scenProb": 7`}, "scenProb"},
		{"Scenario2" + suffix, [2]string{"{", "["}, "Scenario2" + suffix},
		{"Scenario2.lp", [2]string{"miss", "wish"}, "the column wish"},
		{"Scenario2.lp", [2]string{"3 y", "7 y"}, "the column y is decided first"},
	} {
		// At least two scenarios are needed, since most cases change a file of the second one.
		var p *stoch.Program
		for seed := uint64(0); p == nil || len(p.Scenarios) < 2; seed++ {
			p = random(rand.New(rand.NewPCG(seed, 4)))
		}
		dir := write(t, p, true)
		path := filepath.Join(dir, c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		// The text that is replaced must occur, or the case tests nothing.
		changed := strings.ReplaceAll(string(text), c.replace[0], c.replace[1])
		if changed == string(text) {
			t.Fatalf("%s has no %q:\n%s", c.file, c.replace[0], text)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v, want %q", c.file, c.replace[1], err, c.want)
		}
	}

	// A folder without any scenario is refused too.
	if _, err := Read(t.TempDir(), nil); !errors.Is(err, ErrFolder) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestFolderNames reads a folder whose name would be a pattern of others.
func TestFolderNames(t *testing.T) {
	p := random(rand.New(rand.NewPCG(3, 1)))
	dir := filepath.Join(t.TempDir(), "runs[1]")
	if err := os.Rename(write(t, p, true), dir); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, nil)
	if !Is(dir) || err != nil {
		t.Fatalf("%v, %v", Is(dir), err)
	}
	if len(got.Scenarios) != len(p.Scenarios) || got.Name != "runs[1]" {
		t.Errorf("%d scenarios of %s, want %d", len(got.Scenarios), got.Name, len(p.Scenarios))
	}
	if Is(filepath.Join(dir, "Scenario1.lp")) {
		t.Error("a file is no folder")
	}
}
