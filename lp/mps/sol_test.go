package mps

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// named returns a model whose columns have the names.
func named(names ...string) *lp.Model {
	m := &lp.Model{Name: "a model"}
	for _, s := range names {
		m.AddCol(lp.Col{Name: s, Upper: 10, Integer: true})
	}
	return m
}

// checkPoints writes a point of a model and reads it back, as a solution and as a start.
func checkPoints(t *testing.T, m *lp.Model) {
	t.Helper()
	x := make([]float64, len(m.Cols))
	for j := range x {
		x[j] = float64(j + 1)
	}
	var sol, mst bytes.Buffer
	if err := WriteSol(&sol, m, lp.Optimal, 3, x); err != nil {
		t.Fatal(err)
	}
	if err := WriteMST(&mst, m, x); err != nil {
		t.Fatal(err)
	}
	text := sol.String()
	got, err := ReadSol(&sol, "sol", m)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(x) {
		t.Errorf("%v, %v from\n%s", got, err, text)
	}
	starts, err := ReadMST(&mst, "mst", m)
	if err != nil || len(starts) != 1 || fmt.Sprint(starts[0]) != fmt.Sprint(x) {
		t.Errorf("start %v, %v of\n%s", starts, err, text)
	}
}

// TestSolNames writes names as they are and reads them back, whatever is in them.
func TestSolNames(t *testing.T) {
	// Names that can be written as they are: blanks, comment signs, numbers, and words that solvers write in such files.
	m := named("A B", "A_B", "A_B_2", "#x", "3", "A 3", "A 3 (x", "=obj=", "x (obj:1)", "two  blanks", "naïve name")
	checkPoints(t, m)

	// Each of these names begins a line of its own, unchanged.
	var file bytes.Buffer
	if err := WriteSol(&file, m, lp.Optimal, 0, make([]float64, len(m.Cols))); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cols {
		if !strings.Contains(file.String(), "\n"+c.Name+" 0\n") {
			t.Errorf("no column %q in\n%s", c.Name, file.String())
		}
	}

	// Names that are empty, equal, hold a line end or look like a header must not spoil the points that are read back.
	checkPoints(t, named("", "same", "same", "a\nb", " lead", "trail ", "# Model", "# Objective value =", "solution status: x", "\u00a0"))

	// Random names from the same parts find clashes between replaced names and names of the model.
	words := []string{"a", "b", " ", " ", "_", "#", "1", "(", ")", "=obj=", "\t", "\n", "\u0085", "é", "\xff"}
	rng := rand.New(rand.NewPCG(1, 5))
	for range 3000 {
		var names []string
		for range 1 + rng.IntN(6) {
			s := ""
			for range rng.IntN(5) {
				s += words[rng.IntN(len(words))]
			}
			names = append(names, s)
		}
		checkPoints(t, named(names...))
	}
}

// TestSolOfOthers reads lines of other solvers, and names as a written model has them.
func TestSolOfOthers(t *testing.T) {
	m := named("A B", "C")
	for text, want := range map[string][2]float64{
		"A B 3 (obj:1)\n": {3, 0}, "A_B   4\t(obj:1) (x)\n": {4, 0}, "  C 5 \nA B\t6": {6, 5}, "# C 7\n=obj= 9\n": {0, 0}, "C 1\n\n": {0, 1},
		"# Objective value = 0\n": {0, 0}, "solution status: optimal\nobjective value:  0\n": {0, 0}, "Optimal - objective value 0\n": {0, 0},
	} {
		x, err := ReadSol(strings.NewReader(text), "t", m)
		if err != nil || x[0] != want[0] || x[1] != want[1] {
			t.Errorf("%q: %v, %v, want %v", text, x, err, want)
		}
	}
	for _, text := range []string{"", "\n", "# Model t\n# Status time_limit\n", "Time limit - objective value NaN\n", "D 3\n", "A 3\n", "C 3 4\n", "A B C\n", "C 1\nC 2\n", "A B 1\nA_B 1\n", "C inf\n", "C\n"} {
		if x, err := ReadSol(strings.NewReader(text), "t", m); err == nil {
			t.Errorf("%q: %v", text, x)
		}
	}
	if x, err := ReadMST(strings.NewReader("# MIP start\n"), "t", m); err != nil || !math.IsNaN(x[0][0]) {
		t.Errorf("%v, %v", x, err)
	}
	if x, err := ReadMST(strings.NewReader("A B 2\n"), "t", m); err != nil || x[0][0] != 2 || !math.IsNaN(x[0][1]) {
		t.Errorf("%v, %v", x, err)
	}
}
