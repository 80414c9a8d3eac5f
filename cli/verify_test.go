package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
)

// written returns a file with a text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// printed runs a command that has to succeed and returns what it prints with --json.
func printed(t *testing.T, args ...string) (out struct {
	Status, Hash     string
	Objective, Bound float64
}) {
	t.Helper()
	o := invoke(t, t.Context(), append(args, "--json")...)
	if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || o.code != exitSolved {
		t.Fatalf("%v: exit code %d, %v: %s%s", args, o.code, err, o.stdout, o.stderr)
	}
	return out
}

// TestRecordIsAboutItsFile proves records of every family against their own file, plain and gzipped, and against
// another.
func TestRecordIsAboutItsFile(t *testing.T) {
	for _, c := range []struct {
		family families.Family
		class  string
	}{{ufl.Family, "6x5"}, {cap.Family, "6x5"}, {mcndp.Family, "5x10x3"}, {mpsmodel.Family, "3x24x12"}} {
		var files [2]string
		var records [2]string
		for seed := range files {
			in, err := c.family.Generate(c.class, uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			files[seed], records[seed] = filepath.Join(dir, "a"+in.Label().Ext), filepath.Join(dir, "a.record")
			if err := pipeline.Write(files[seed], in); err != nil {
				t.Fatal(err)
			}
			if err := pipeline.Write(files[seed]+".gz", in); err != nil {
				t.Fatal(err)
			}
			solved := printed(t, "solve", files[seed], "--record", records[seed])
			for _, file := range []string{files[seed], files[seed] + ".gz"} {
				if p := printed(t, "verify", records[seed], "--instance", file); p.Hash != solved.Hash || p.Hash != in.Hash() || p.Objective != solved.Objective {
					t.Errorf("%s %s: verify says %+v, solve %+v", c.family.Name, file, p, solved)
				}
			}
			if again := printed(t, "solve", files[seed]+".gz", "--method", "aggregated"); again.Hash != solved.Hash {
				t.Errorf("%s: the method changes the hash", c.family.Name)
			}
		}
		o := invoke(t, t.Context(), "verify", records[0], "--instance", files[1])
		if o.code != exitFailure || !strings.Contains(o.stderr, "not about "+files[1]) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: another file: exit code %d: %s", c.family.Name, o.code, o.stderr)
		}
	}
}

const (
	openCapacity = "2 2\ncapacity 5\ncapacity 7\n3\n1 4\n2\n6 2\n"
	smallModel   = `NAME M
ROWS
 N obj
 G r0
 G r1
COLUMNS
 MARK 'MARKER' 'INTORG'
 x obj 3 r0 1
 MARK 'MARKER' 'INTEND'
 y obj 4 r0 1
 y r1 1
 z obj 9 r0 1
 z r1 1
RHS
 RHS r0 2.5 r1 1
BOUNDS
 UP BND x 4
 UP BND y 4
 UP BND z 9
ENDATA
`
)

// TestOptionsAreOfTheHash: what changes the program changes the hash, and a record is about the file as those options
// read it.
func TestOptionsAreOfTheHash(t *testing.T) {
	for _, c := range []struct {
		file        string
		with, other []string
	}{
		{written(t, "a.txt", openCapacity), []string{"--capacity", "4"}, []string{"--capacity", "5"}},
		{written(t, "m.mps", smallModel), []string{"--first-stage", "x"}, []string{"--first-stage", "x,y"}},
		{written(t, "m.mps", smallModel), nil, []string{"--first-stage", "x,y"}},
	} {
		rec := filepath.Join(t.TempDir(), "a.record")
		one := printed(t, append(c.with, "solve", c.file, "--record", rec)...)
		two := printed(t, append(c.other, "solve", c.file)...)
		if one.Hash == two.Hash || len(one.Hash) != 64 {
			t.Errorf("%v and %v: hashes %q and %q", c.with, c.other, one.Hash, two.Hash)
		}
		if p := printed(t, append(c.with, "verify", rec, "--instance", c.file)...); p.Hash != one.Hash {
			t.Errorf("%v: hash %s, then %s", c.with, one.Hash, p.Hash)
		}
		if o := invoke(t, t.Context(), append(c.other, "verify", rec, "--instance", c.file)...); o.code != exitFailure {
			t.Errorf("%v: exit code %d: %s", c.other, o.code, o.stderr)
		}
		if o := invoke(t, t.Context(), append(c.other, "verify", rec)...); o.code != exitBadInput {
			t.Errorf("%v without --instance: exit code %d: %s", c.other, o.code, o.stderr)
		}
	}
}

// TestVerifySpeaksInTheFilesSense: of a maximisation, solve and verify print the same numbers, and it is no
// minimisation of the same numbers.
func TestVerifySpeaksInTheFilesSense(t *testing.T) {
	minimised := strings.NewReplacer("obj 3", "obj -3", "obj 4", "obj -4", "obj 9", "obj -9").Replace(smallModel)
	maximised := "OBJSENSE\n MAX\n" + minimised
	file, rec := written(t, "m.mps", maximised), filepath.Join(t.TempDir(), "m.record")
	solved := printed(t, "solve", file, "--record", rec)
	proven := printed(t, "verify", rec, "--instance", file)
	if solved.Objective != -9 || proven.Objective != -9 || proven.Bound < -9 || proven.Bound > solved.Bound {
		t.Errorf("solve says %+v, verify %+v", solved, proven)
	}
	if o := invoke(t, t.Context(), "verify", rec, "--instance", written(t, "m.mps", smallModel)); o.code != exitFailure {
		t.Errorf("a minimisation: exit code %d", o.code)
	}
}

// TestFractionalBoundsAreProven: a bound of an integer column between two integers (the column is at most 1.5) is
// rounded by the checker as well.
func TestFractionalBoundsAreProven(t *testing.T) {
	file := written(t, "f.mps", strings.Replace(strings.Replace(smallModel, "UP BND x 4", "UP BND x 1.5", 1), "UP BND y 4", "LO BND y 0.25", 1))
	rec := filepath.Join(t.TempDir(), "f.record")
	solved := printed(t, "solve", file, "--record", rec)
	proven := printed(t, "verify", rec, "--instance", file)
	if proven.Objective != 9 || proven.Bound < solved.Bound || proven.Bound < 9*(1-1e-4) {
		t.Errorf("solve says %+v, verify %+v", solved, proven)
	}
}

// TestFreeRowsJoinNothing: a row without sides over two independent parts of the recourse leaves them apart.
func TestFreeRowsJoinNothing(t *testing.T) {
	model := strings.NewReplacer(" G r1\n", " G r1\n N free\n", " y r1 1\n", " y free 1\n", " z obj 9 r0 1\n z r1 1\n", " z obj 9 r1 1\n z free 1\n").Replace(smallModel)
	file, rec := written(t, "n.mps", model), filepath.Join(t.TempDir(), "n.record")
	solved := printed(t, "solve", file, "--record", rec)
	proven := printed(t, "verify", rec, "--instance", file)
	if text, err := os.ReadFile(rec); err != nil || !strings.Contains(string(text), `"Epigraphs":2`) {
		t.Errorf("the recourse is not in two parts: %v", err)
	}
	if solved.Objective != 17 || proven.Objective != 17 {
		t.Errorf("solve says %+v, verify %+v", solved, proven)
	}
}

// TestRecordFallsShort: only the multiplier 0.2 is dual feasible, 0.8/4 and 1/5, and as float64 none is, so that the
// record does not prove the optimum. The run says optimal all the same; verify finds what the record proves, and that it
// is less.
func TestRecordFallsShort(t *testing.T) {
	const model = "NAME S\nROWS\n N obj\n E r0\nCOLUMNS\n M 'MARKER' 'INTORG'\n y obj 1 r0 1\n M 'MARKER' 'INTEND'\n" +
		" u obj 0.8 r0 4\n v obj -1 r0 -5\nRHS\n RHS r0 47\nBOUNDS\n UP B y 3\n MI B u\n UP B u 5\n MI B v\n UP B v 9\nENDATA\n"
	file, rec := written(t, "s.mps", model), filepath.Join(t.TempDir(), "s.record")
	o := invoke(t, t.Context(), "solve", file, "--record", rec, "--json")
	var solved struct {
		Status           string
		Objective, Bound float64
		Proven           struct{ Objective, Bound float64 }
	}
	if err := json.Unmarshal([]byte(o.stdout), &solved); err != nil || o.code != exitSolved || solved.Status != "optimal" {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
	}
	o = invoke(t, t.Context(), "verify", rec, "--instance", file, "--json")
	var proven struct {
		Status, Message  string
		Objective, Bound float64
		Claimed          struct {
			Status           string
			Objective, Bound float64
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &proven); err != nil || o.code != exitFailure || proven.Status != "not_proven" {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
	}
	if math.Abs(solved.Objective-9.4) > 1e-6 || math.Abs(solved.Bound-9.4) > 1e-2 ||
		proven.Bound < solved.Proven.Bound || proven.Objective != solved.Proven.Objective || proven.Bound > solved.Objective {
		t.Errorf("solve says %+v, verify %+v", solved, proven)
	}
	if c := proven.Claimed; c.Status != solved.Status || c.Objective != solved.Objective || c.Bound != solved.Bound ||
		!strings.Contains(proven.Message, "the run claims more than is proven: ") || !strings.Contains(proven.Message, "optimal") {
		t.Errorf("solve says %+v, verify %+v", solved, proven)
	}
	o = invoke(t, t.Context(), "solve", file, "--record", rec)
	if !strings.Contains(o.stdout+o.stderr, "less than the run says") {
		t.Errorf("nothing says that the record falls short: %s%s", o.stdout, o.stderr)
	}
	o = invoke(t, t.Context(), "verify", rec)
	if all := o.stdout + o.stderr; !strings.Contains(all, "\nclaimed       optimal, objective 9.4") || strings.Contains(all, "status        proven") {
		t.Errorf("verify does not say what the run claims: %s", all)
	}
}

// TestScenarioRecordsAreAboutTheirFiles proves records of mcndp with scenarios, which are in the file of the network or
// in one of their own, and refuses other scenarios.
func TestScenarioRecordsAreAboutTheirFiles(t *testing.T) {
	dir := t.TempDir()
	whole, rec := filepath.Join(dir, "a.dow"), filepath.Join(dir, "a.record")
	in, err := mcndp.Family.Generate("4x8x2:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Write(whole, in); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	network, scenarios, ok := strings.Cut(string(text), "SCENARIOS\n")
	if !ok {
		t.Fatalf("no scenarios in %s", text)
	}
	apart, draws := written(t, "n.dow", network), written(t, "n.scen", scenarios)
	lines := strings.SplitAfter(scenarios, "\n")
	other := written(t, "o.scen", lines[0]+lines[2]+lines[1]+lines[3])

	for _, solved := range [][]string{{whole}, {apart, "--scenarios", draws}} {
		one := printed(t, append([]string{"solve", "--record", rec}, solved...)...)
		for _, about := range [][]string{nil, {"--instance", whole}, {"--instance", apart, "--scenarios", draws}} {
			p := printed(t, append([]string{"verify", rec}, about...)...)
			if p.Status != "proven" || p.Objective != one.Objective || p.Bound < one.Bound {
				t.Errorf("%v, %v: solve says %+v, verify %+v", solved, about, one, p)
			}
		}
		for _, about := range [][]string{{apart}, {apart, "--scenarios", other}} {
			o := invoke(t, t.Context(), append([]string{"verify", rec, "--instance"}, about...)...)
			if o.code != exitFailure || !strings.Contains(o.stderr, "not about") {
				t.Errorf("%v: exit code %d: %s", about, o.code, o.stderr)
			}
		}
	}
}
