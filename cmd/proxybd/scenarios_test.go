package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// makeClass makes an instance of a family on the command line and returns its path.
func makeClass(t *testing.T, family, class string) string {
	t.Helper()
	o := invoke(t, t.Context(), "generate", "--family", family, "--class", class, "--seed", "3", "-o", t.TempDir())
	if o.code != 0 {
		t.Fatal(o.stderr)
	}
	return strings.TrimSpace(o.stdout)
}

// TestScenariosAreExported writes programs of every family with scenarios as SMPS files, plain and gzipped, which have the
// same optimum.
func TestScenariosAreExported(t *testing.T) {
	for family, class := range map[string]string{"mcndp": "5x10x4:3:lognormal:0.4", "netdes": "5x3-L", "scflp": "6x5:3"} {
		path := makeClass(t, family, class)
		want := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-7").object(t)
		for _, end := range []string{".smps", ".smps.gz"} {
			out := filepath.Join(t.TempDir(), "p"+end)
			if o := invoke(t, t.Context(), "export", path, "-o", out); o.code != 0 {
				t.Fatal(o.stderr)
			}
			got := invoke(t, t.Context(), "solve", strings.TrimSuffix(out, ".gz"), "--json", "--gap", "1e-7").object(t)
			if got["status"] != want["status"] || !near(got["objective"].(float64), want["objective"].(float64), 1e-6) {
				t.Errorf("%s%s: %v, want %v", family, end, got["objective"], want["objective"])
			}
		}
	}
	path := makeClass(t, "ufl", "5x4")
	out := filepath.Join(t.TempDir(), "u.smps")
	o := invoke(t, t.Context(), "export", path, "-o", out)
	if _, err := os.Stat(out); o.code != exitBadInput || !strings.Contains(o.stderr, "it has no scenarios") || err == nil {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}
