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
)

// investments are the files of a small problem: the column x costs 1.5 a unit, and each of two subproblems pays what it
// lacks of its demand, the second with another name for everything. The shared column comes last there.
var investments = map[string]string{
	"structure.txt": "master x 0\none.mps\tx\t0\n two.mps  x 1\n",
	"master.mps":    "NAME m\nROWS\n N obj\nCOLUMNS\n x obj 1.5\nRHS\nBOUNDS\n UP B x 10\nENDATA\n",
	"one.mps":       "NAME a\nROWS\n N obj\n G need\nCOLUMNS\n x need 1\n miss obj 1 need 1\nRHS\n R need 1.5\nENDATA\n",
	"two.mps":       "NAME b\nROWS\n N o\n G n\nCOLUMNS\n lack o 1 n 1\n y n 1\nRHS\n R n 2.5\nBOUNDS\n UP B y 0\nENDATA\n",
}

// laid writes the files, with some replaced or added, and returns their folder.
func laid(t *testing.T, other map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, files := range []map[string]string{investments, other} {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// optimumOf solves what a structure holds as one model.
func optimumOf(t *testing.T, path string) float64 {
	t.Helper()
	p, m, _, err := ReadStructure(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p != nil {
		if m, err = p.Extensive(); err != nil {
			t.Fatal(err)
		}
	}
	return best(t, m)
}

// TestStructure solves the small problem: a unit more of x saves what both subproblems lack, 2 up to 1.5 and 1 beyond it,
// so that 1.5 are built for 2.25, and 1 is lacking. Weights change what a unit saves.
func TestStructure(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"as it is": {nil, 3.25},
		"uniform":  {map[string]string{"options.json": `{"SLAVE_WEIGHT": "UNIFORM"}`}, 2},
		"constant": {map[string]string{"options.json": `{"SLAVE_WEIGHT": "CONSTANT", "SLAVE_WEIGHT_VALUE": 0.5}`}, 3.75},
		"weights": {map[string]string{"options.json": `{"SLAVE_WEIGHT": "w.txt"}`,
			"w.txt": "one.mps 1\ntwo.mps 5\nWEIGHT_SUM 2\n"}, 3.75},
		"one alone": {map[string]string{"options.json": `{"SLAVE_WEIGHT": "w.txt"}`, "w.txt": "one 3\n"}, 2.25},
		"another shape": {map[string]string{"two.mps": "NAME b\nROWS\n N o\n G n\n L most\nCOLUMNS\n lack o 1 n 1\n lack most 1\n" +
			" y n 1\nRHS\n R n 2.5 most 9\nENDATA\n"}, 3.25},
		"a negative bound": {map[string]string{"two.mps": "NAME b\nROWS\n N o\n G n\nCOLUMNS\n lack o 1 n 1\n y n 1\nRHS\n R n 2.5\n" +
			"BOUNDS\n UP B lack 0.25\nENDATA\n"}, 3.625},
	} {
		dir := laid(t, c.files)
		if !IsStructure(dir) || !IsStructure(filepath.Join(dir, "structure.txt")) {
			t.Errorf("%s is not recognised", name)
		}
		if got := optimumOf(t, dir); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}

	// The options name a structure elsewhere, and alike subproblems are scenarios.
	dir := laid(t, nil)
	path := filepath.Join(filepath.Dir(dir), "o.json")
	text := fmt.Sprintf(`{"INPUTROOT": %q, "STRUCTURE_FILE": "structure.txt", "MASTER_NAME": "master"}`, filepath.Base(dir))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _, _, err := ReadStructure(path, nil)
	if err != nil || p == nil || len(p.Scenarios) != 2 || len(p.Core.Cols) != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestStructureErrors holds the messages for bad files to what is wrong in them.
func TestStructureErrors(t *testing.T) {
	for _, c := range [][3]string{
		{"structure.txt", "master x 0\none.mps x\n", "structure.txt:2: "},
		{"structure.txt", "master x 0\none.mps x -1\n", "position \"-1\""},
		{"structure.txt", "master x 0\none.mps x 0\none.mps z 0\n", "is the column x already"},
		{"structure.txt", "master x 0\none.mps x 0\none.mps x 1\n", "at position 0 already"},
		{"structure.txt", "master x 0\none.mps x 9\n", "it has 2 columns"},
		{"structure.txt", "master x 0\none.mps z 0\n", "the column z"},
		{"structure.txt", "master x 0\n", "no subproblem"},
		{"options.json", `{"SLAVE_WEIGHT": "CONSTANT", "SLAVE_WEIGHT_VALUE": 0}`, "SLAVE_WEIGHT_VALUE"},
		{"options.json", `{"SLAVE_WEIGHT": `, "options.json"},
		{"two.mps", "NAME b\nOBJSENSE\n MAX\nROWS\n N o\nCOLUMNS\n a o 1\n y o 1\nENDATA\n", "the sense"},
	} {
		_, _, _, err := ReadStructure(laid(t, map[string]string{c[0]: c[1]}), nil)
		if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q: %v, want %q", c[1], err, c[2])
		}
	}
	_, _, _, err := ReadStructure(laid(t, map[string]string{"options.json": `{"SLAVE_WEIGHT": "w.txt"}`, "w.txt": "one x\n"}), nil)
	if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), "w.txt:1: ") {
		t.Errorf("%v", err)
	}
}

// TestSharedStructures solves antares-xpansion's own examples: 3.25 is that of TestStructure, and the others were
// computed by SCIP on the model that mergeMPS would make.
func TestSharedStructures(t *testing.T) {
	const dir = "../../../shared/data/doors/antares"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no shared data")
	}
	for name, want := range map[string]float64{
		"mini_instance_LP":                  3.25,
		"mini_instance_MIP":                 3.5,
		"mini_network":                      233,
		"mini_network/options_weights.json": 19,
		"external_loop_test-lp":             57,
	} {
		if got := optimumOf(t, filepath.Join(dir, name)); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestRandomStructures writes random problems as folders, and compares them with a model of all that is written here
// from the numbers.
func TestRandomStructures(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		shared, subs := 1+rng.IntN(3), 1+rng.IntN(4)
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		// The model whole has all parts in one. Its first columns are those of the master, which all subproblems share.
		whole := &lp.Model{}
		master := &lp.Model{}
		var structure strings.Builder
		for j := range shared {
			c := lp.Col{Name: fmt.Sprintf("x%d", j), Cost: float64(1 + rng.IntN(9)), Upper: float64(1 + rng.IntN(5)), Integer: rng.IntN(2) == 0}
			whole.AddCol(c)
			master.AddCol(c)
			fmt.Fprintf(&structure, "master x%d %d\n", j, j)
		}
		writeModel(t, write, "master.mps", master)

		other := rng.IntN(3) == 0 // subproblems of different shapes
		for s := range subs {
			name := fmt.Sprintf("sub%d.mps", s)
			own := 2
			if other {
				own += rng.IntN(2)
			}

			// The shared columns stand at random positions among the columns of the subproblem, under other names than in the
			// master. The number of each column in whole is wholeAt.
			m := &lp.Model{}
			wholeAt := make([]lp.Var, 0, own+shared)
			positions := rng.Perm(own + shared)
			for at := range own + shared {
				k := positions[at]
				if k < shared {
					m.AddCol(lp.Col{Name: fmt.Sprintf("a%d", at), Upper: lp.Inf})
					wholeAt = append(wholeAt, lp.Var(k))
					fmt.Fprintf(&structure, "%s x%d %d\n", name, k, at)
					continue
				}
				c := lp.Col{Name: fmt.Sprintf("b%d", at), Cost: float64(1 + rng.IntN(20)), Upper: float64(5 + rng.IntN(20))}
				m.AddCol(c)
				wholeAt = append(wholeAt, whole.AddCol(c))
			}

			// Both rows hold when the two or three own columns are at their upper bounds, so that every design is feasible.
			for range 2 {
				row := lp.Row{Lower: float64(rng.IntN(8)), Upper: lp.Inf}
				var index, there []int32
				var value []float64
				for at := range own + shared {
					index = append(index, int32(at))
					there = append(there, int32(wholeAt[at]))
					value = append(value, float64(1+rng.IntN(4)))
				}
				m.AddRow(row, index, value)
				whole.AddRow(row, there, value)
			}
			writeModel(t, write, name, m)
		}

		// The optimum of the folder is that of the model which was built from the same numbers.
		write("structure.txt", structure.String())
		if got, want := optimumOf(t, dir), best(t, whole); !(math.Abs(got-want) <= 1e-4*math.Abs(want)+1e-9) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// writeModel writes a model as MPS.
func writeModel(t *testing.T, write func(name, text string), name string, m *lp.Model) {
	t.Helper()
	var b strings.Builder
	if err := mps.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	write(name, b.String())
}

// FuzzStructure reads structures and options that are damaged: an error or a program, and no panic.
func FuzzStructure(f *testing.F) {
	f.Add(investments["structure.txt"], `{"SLAVE_WEIGHT": "w.txt"}`, "one.mps 1\ntwo 2\nWEIGHT_SUM 3\n")
	f.Add("master x 0\n", `{"SLAVE_WEIGHT_VALUE": 1e300}`, "")
	f.Fuzz(func(t *testing.T, structure, options, weights string) {
		dir := laid(t, map[string]string{"structure.txt": structure, "options.json": options, "w.txt": weights})
		p, m, _, err := ReadStructure(dir, nil)
		if err == nil && p == nil && m == nil {
			t.Error("neither a program nor a model")
		}
	})
}

// TestStructureNames has rows and columns of subproblems under names that the master has: the row of the master asks for
// a unit of x at least, and one more saves 2 up to 1.5. A column of a subproblem is called as another one that was
// renamed.
func TestStructureNames(t *testing.T) {
	files := map[string]string{
		"structure.txt": "master x 0\none x 0\ntwo x 0\n",
		"master.mps": "NAME m\nROWS\n N obj\n G need\n G own\nCOLUMNS\n x obj 1.5 need 1\n miss obj 1 own 1\nRHS\n R need 1 own 5\n" +
			"ENDATA\n",
		"one.mps": "NAME a\nROWS\n N obj\n G need\n G own\nCOLUMNS\n x need 1\n miss obj 1 need 1\n miss_one obj 1 own 1\nRHS\n" +
			" R need 1.5 own 7\nENDATA\n",
		"two.mps": "NAME b\nROWS\n N obj\n G need\n G own\nCOLUMNS\n x need 1\n miss obj 1 need 1\n miss_one obj 1 own 1\nRHS\n" +
			" R need 2.5 own 9\nENDATA\n",
	}
	if got, want := optimumOf(t, laid(t, files)), 3.25+5+7+9; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v, want %v", got, want)
	}
}
