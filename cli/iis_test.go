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

// TestRanging reads the ranges of a textbook program (Wyndor: max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18).
func TestRanging(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wyndor.lp")
	const model = "max\n profit: 3 x + 5 y\nst\n one: x <= 4\n two: 2 y <= 12\n three: 3 x + 2 y <= 18\n slack: x + y <= 50\nend\n"
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	got := invoke(t, t.Context(), "lp", path, "--ranging", "--json").object(t)
	want := map[string][2]float64{"x cost": {0, 7.5}, "y cost": {2, math.NaN()}, "two rhs upper": {6, 18}, "three rhs upper": {12, 24},
		"one rhs upper": {2, math.NaN()}}
	seen := 0
	for _, v := range got["ranging"].([]any) {
		r := v.(map[string]any)
		ends, ok := want[r["name"].(string)+" "+r["what"].(string)]
		if !ok {
			continue
		}
		seen++
		for k, key := range []string{"low", "high"} {
			v, finite := r[key].(float64)
			if finite == math.IsNaN(ends[k]) || finite && !near(v, ends[k], 1e-9) {
				t.Errorf("%v: want %v", r, ends)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%v", got["ranging"])
	}
	if o := invoke(t, t.Context(), "lp", path, "--ranging", "-q"); !strings.Contains(o.stdout, "three            rhs upper           18           12           24") {
		t.Errorf("%s", o.stdout)
	}
}
