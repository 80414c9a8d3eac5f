package smps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// store writes the three files of a program and returns their stem.
func store(t *testing.T, p *stoch.Program) (string, error) {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "p")
	var files [3]*os.File
	for k, ext := range []string{".cor", ".tim", ".sto"} {
		f, err := os.Create(stem + ext)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[k] = f
	}
	return stem, Write(p, files[0], files[1], files[2])
}

// reread reads a program that was written.
func reread(t *testing.T, stem string) *stoch.Program {
	t.Helper()
	f, err := Find(stem, Files{})
	if err != nil {
		t.Fatal(err)
	}
	p, warnings, err := ReadFiles(f)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	q, err := p.TwoStage(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// random makes a program with changes of every kind, feasible at the point of all ones.
func random(rng *rand.Rand) *stoch.Program {
	first, recourse, rows := 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(5)
	number := func() float64 { return float64(rng.IntN(9) - 4) }

	// Some of the names, such as UP and RHS, are words of the format too.
	m := &lp.Model{Name: "random", Objective: "obj", Maximize: rng.IntN(4) == 0}
	for j := range first + recourse {
		m.AddCol(lp.Col{Name: []string{"UP", "sc", "c", "RHS", "lo", "x", "y", "z"}[j], Cost: number(), Lower: -3, Upper: 5})
	}

	// The activity of a row is its value at the point of all ones. The first row is of the first stage: it has no
	// entries in the other columns.
	activity := make([]float64, rows)
	for i := range rows {
		m.AddRow(lp.Row{Name: fmt.Sprintf("r%d", i)}, nil, nil)
		for j := range m.Cols {
			if v := number(); v != 0 && rng.IntN(3) > 0 && (i > 0 || j < first) {
				m.AddEntry(lp.Con(i), lp.Var(j), v)
				activity[i] += v
			}
		}
	}

	// The sides of a row of each kind: equal, only a lower one, only an upper one, both, none. With d = 0 the point
	// satisfies them.
	sides := func(i, kind int, d float64) (float64, float64) {
		at := activity[i] + d
		switch kind {
		case 0:
			return at, at
		case 1:
			return at - 1, lp.Inf
		case 2:
			return math.Inf(-1), at + 1
		case 3:
			return at - 2, at + 3
		}
		return math.Inf(-1), lp.Inf
	}

	kinds := make([]int, rows)
	for i := range rows {
		kinds[i] = rng.IntN(5)
		m.Rows[i].Lower, m.Rows[i].Upper = sides(i, kinds[i], 0)
	}

	// The scenarios have equal probabilities.
	p := &stoch.Program{Name: "random", Core: m, First: first}
	count := 1 + rng.IntN(3)
	for range count {
		p.Add("", 1/float64(count), changes(rng, p, kinds, sides)...)
	}
	return p
}

// changes draws the differences of a scenario.
func changes(rng *rand.Rand, p *stoch.Program, kinds []int, sides func(i, kind int, d float64) (float64, float64)) []stoch.Change {
	var list []stoch.Change

	// Of the columns of the second stage the cost or a bound may change.
	for j := p.First; j < len(p.Core.Cols); j++ {
		switch rng.IntN(4) {
		case 0:
			list = append(list, stoch.Change{Kind: stoch.Cost, Col: lp.Var(j), Value: float64(rng.IntN(7))})
		case 1:
			list = append(list, stoch.Change{Kind: stoch.ColUpper, Col: lp.Var(j), Value: 1 + float64(rng.IntN(3))})
		case 2:
			list = append(list, stoch.Change{Kind: stoch.ColLower, Col: lp.Var(j), Value: -float64(rng.IntN(3))})
		}
	}

	// The first row is of the first stage and stays as it is. In the others only finite sides change, both of them in
	// an equation.
	for i := 1; i < len(kinds); i++ {
		if rng.IntN(2) == 0 && kinds[i] < 4 {
			lower, upper := sides(i, kinds[i], float64(rng.IntN(3)-1))
			if kinds[i] != 2 {
				list = append(list, stoch.Change{Kind: stoch.RowLower, Row: lp.Con(i), Value: lower})
			}
			if kinds[i] == 0 || kinds[i] > 1 && rng.IntN(3) > 0 {
				list = append(list, stoch.Change{Kind: stoch.RowUpper, Row: lp.Con(i), Value: upper})
			}
		}

		// An entry may change in any column, also in one of the first stage.
		if rng.IntN(3) == 0 {
			list = append(list, stoch.Change{Kind: stoch.Entry, Row: lp.Con(i), Col: lp.Var(rng.IntN(len(p.Core.Cols))),
				Value: float64(rng.IntN(5))})
		}
	}
	return list
}

// optimum solves the deterministic equivalent.
func optimum(t *testing.T, p *stoch.Program) (lp.Status, float64) {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	r, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return r.Status, r.Objective
}

// bulk returns how many seeds a random test takes: what the environment variable PROXYBD_BULK says, else few.
func bulk(t *testing.T, few uint64) uint64 {
	t.Helper()
	text := os.Getenv("PROXYBD_BULK")
	if text == "" {
		return few
	}
	count, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("PROXYBD_BULK: %v", err)
	}
	return count
}

// TestWrittenProgramsAreReadBack writes random programs with changes of every kind and reads programs of the same
// optimum, whose scenarios have as many differences or more.
func TestWrittenProgramsAreReadBack(t *testing.T) {
	statuses := map[lp.Status]int{}
	for seed := range bulk(t, 300) {
		p := random(rand.New(rand.NewPCG(seed, 7)))
		stem, err := store(t, p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		q := reread(t, stem)
		if q.First != p.First || len(q.Scenarios) != len(p.Scenarios) || len(q.Core.Cols) != len(p.Core.Cols) {
			t.Fatalf("seed %d: another shape", seed)
		}
		status, want := optimum(t, p)
		other, got := optimum(t, q)
		if status != other || status == lp.Optimal && !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("seed %d: %v %.12g became %v %.12g", seed, status, want, other, got)
		}
		statuses[status]++
	}
	if statuses[lp.Optimal] < 100 {
		t.Errorf("%v", statuses)
	}
}

// TestWhatSMPSCannotSay checks that a side that becomes infinite is refused.
func TestWhatSMPSCannotSay(t *testing.T) {
	m := &lp.Model{Objective: "obj"}
	m.AddCol(lp.Col{Name: "y", Upper: 1})
	m.AddCol(lp.Col{Name: "x", Upper: 1})
	m.AddRow(lp.Row{Name: "r", Lower: 0, Upper: lp.Inf}, []int32{0, 1}, []float64{1, 1})
	for _, c := range []stoch.Change{{Kind: stoch.RowUpper, Value: 3}, {Kind: stoch.RowLower, Value: math.Inf(-1)},
		{Kind: stoch.ColUpper, Col: 1, Value: lp.Inf}} {
		p := &stoch.Program{Name: "p", Core: m, First: 1}
		p.Add("a", 1, c)
		if _, err := store(t, p); !errors.Is(err, ErrWrite) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestScenarioNamesDiffer writes scenarios whose names become equal by the number that makes others different.
func TestScenarioNamesDiffer(t *testing.T) {
	var b stoch.Builder
	b.First(b.Between("y", 1, 0, 5))
	x := b.Nonnegative("x", 2)
	need := b.AtLeast(1, x)
	names := []string{"A_3", "A", "A", "a b", "a_b", "A_3_4"}
	for k, name := range names {
		b.Scenario(name, 1/float64(len(names)), stoch.SetRowLower(need, float64(k)))
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	stem, err := store(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := reread(t, stem); len(got.Scenarios) != len(names) {
		t.Errorf("%d scenarios of %d", len(got.Scenarios), len(names))
	}
}
