package cli

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIIS finds what is wrong with small models, in text, in JSON and as a file that is solved again.
func TestIIS(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.lp")
	const model = "min\n cost: 3 a + 2 b + c\nst\n need: 5 a + 5 b + 5 c = 7\n other: a + b >= 0\nbinary\n a b c\nend\n"
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	rest := filepath.Join(dir, "rest.lp")
	o := invoke(t, t.Context(), "mip", path, "-q", "--write-iis", rest)
	if o.code != 3 || !strings.Contains(o.stdout, "irreducible infeasible subsystem: 1 rows, 0 bounds\n  need: 5 a + 5 b + 5 c = 7\n") {
		t.Errorf("%d %s", o.code, o.stdout)
	}
	got := invoke(t, t.Context(), "mip", rest, "--iis", "--json").object(t)
	set, ok := got["iis"].(map[string]any)
	if got["status"] != "infeasible" || !ok || set["irreducible"] != true || len(set["rows"].([]any)) != 1 {
		t.Errorf("%v", got)
	}

	// The relaxation is feasible, which is said.
	if o := invoke(t, t.Context(), "lp", path, "--iis", "-q"); o.code != 0 || !strings.Contains(o.stdout, "no infeasible subsystem") {
		t.Errorf("%d %s", o.code, o.stdout)
	}

	// A linear program has a ray: its rows weighted by it contradict the bounds.
	if err := os.WriteFile(path, []byte("min\n x\nst\n a: x + y >= 5\n b: x - y >= 0\nbounds\n x <= 2\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got = invoke(t, t.Context(), "lp", path, "--iis", "--json").object(t)
	ray, ok := got["farkas_ray"].(map[string]any)
	if !ok || !(value(t, ray, "a") > 0) || !near(value(t, ray, "a"), value(t, ray, "b"), 1e-9) {
		t.Errorf("%v", got)
	}
	o = invoke(t, t.Context(), "lp", path, "--iis", "-q")
	for _, line := range []string{"  a: x + y >= 5\n", "  b: x - y >= 0\n", "  bound: x <= 2\n", ": 2 rows, 1 bounds\n"} {
		if !strings.Contains(o.stdout, line) {
			t.Errorf("%q is missing in %s", line, o.stdout)
		}
	}
}

// TestFilesOfIIS refuses a file of the subsystem that cannot be written, before the model is read, and writes it to
// standard output, where it leaves no place for a log or an object.
func TestFilesOfIIS(t *testing.T) {
	path := written(t, "m.lp", "min\n x\nst\n a: x + y >= 5\nbounds\n x <= 2\n y <= 2\nend\n")
	for _, command := range []string{"lp", "mip"} {
		for file, want := range map[string]string{
			filepath.Join(t.TempDir(), "iis.txt"):       "the name of a model ends in .mps",
			filepath.Join(t.TempDir(), "none", "i.mps"): "none",
		} {
			o := invoke(t, t.Context(), command, "no-such-file.lp", "--write-iis", file)
			if o.code != exitBadInput || !strings.Contains(o.stderr, want) {
				t.Errorf("%s %s: %d %s", command, file, o.code, o.stderr)
			}
		}
		o := invoke(t, t.Context(), command, path, "--write-iis", "-", "--json")
		if o.code != exitBadInput || !strings.Contains(o.stderr, "standard output can take one of --write-iis -, --json") {
			t.Errorf("%s: %d %s", command, o.code, o.stderr)
		}
		o = invoke(t, t.Context(), command, path, "--write-iis", "-")
		if o.code != exitInfeasible || !strings.HasPrefix(o.stdout, "NAME") || !strings.HasSuffix(o.stdout, "ENDATA\n") ||
			!strings.Contains(o.stderr, "irreducible infeasible subsystem") {
			t.Errorf("%s: %d %s %s", command, o.code, o.stdout, o.stderr)
		}
	}
}

// TestRanging reads the ranges of a textbook program (Wyndor: max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18).
func TestRanging(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wyndor.lp")
	const model = "max\n profit: 3 x + 5 y\nst\n one: x <= 4\n two: 2 y <= 12\n three: 3 x + 2 y <= 18\n slack: x + y <= 50\nend\n"
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	got := invoke(t, t.Context(), "lp", path, "--ranging", "--json").object(t)

	// The optimum is x = 2, y = 6. NaN stands for an infinite end.
	want := map[string][2]float64{"x cost": {0, 7.5}, "y cost": {2, math.NaN()}, "two rhs upper": {6, 18}, "three rhs upper": {12, 24},
		"one rhs upper": {2, math.NaN()}}

	// The output has more ranges than the textbook lists, so that only those are compared.
	seen := 0
	for _, v := range got["ranging"].([]any) {
		r := v.(map[string]any)
		ends, ok := want[r["name"].(string)+" "+r["what"].(string)]
		if !ok {
			continue
		}
		seen++

		// An infinite end is null in JSON, and so it is no float64 here.
		for k, key := range []string{"low", "high"} {
			v, finite := r[key].(float64)
			if finite == math.IsNaN(ends[k]) || finite && !near(v, ends[k], 1e-9) {
				t.Errorf("%v: want %v", r, ends)
			}
		}
	}

	// Each range of the textbook occurs once, in the object and as a line of the table.
	if seen != len(want) {
		t.Errorf("%v", got["ranging"])
	}
	if o := invoke(t, t.Context(), "lp", path, "--ranging", "-q"); !strings.Contains(o.stdout, "three            rhs upper           18           12           24") {
		t.Errorf("%s", o.stdout)
	}
}
