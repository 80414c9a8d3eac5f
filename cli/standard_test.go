package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pipe runs the command with a standard input.
func pipe(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), Families(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// gzipped packs a text.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStandardStreams puts - wherever a file is named, for models in MPS and LP and instances of families.
func TestStandardStreams(t *testing.T) {
	knapsack, blend := content(t, "testdata/knapsack.mps"), content(t, "testdata/blend.lp")
	for _, c := range []struct {
		stdin string
		want  float64
		args  []string
	}{
		{knapsack, 14, []string{"mip"}}, {blend, 9.5, []string{"mip"}}, {gzipped(t, blend), 9.2, []string{"lp"}},
		{blend, 9.5, []string{"solve", "--method", "full"}},
	} {
		o := pipe(t, c.stdin, append(c.args, "-", "--json", "-q")...)
		if got := o.object(t); o.code != exitSolved || !near(got["objective"].(float64), c.want, 1e-6) || got["model"] != "-" && got["instance"] != "-" {
			t.Errorf("%v: %v, %s", c.args, got, o.stderr)
		}
	}
	instance := generated(t, "1")[0]
	o := pipe(t, content(t, instance), "solve", "-", "--record", "-", "-q")
	if o.code != exitSolved || !strings.Contains(o.stderr, "optimal") {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	for _, text := range []string{o.stdout, gzipped(t, o.stdout)} {
		if v := pipe(t, text, "verify", "-"); v.code != exitSolved || !strings.Contains(v.stdout, "proven") {
			t.Errorf("%d: %s%s", v.code, v.stdout, v.stderr)
		}
	}
	o = pipe(t, content(t, instance), "export", "-", "-o", "-")
	if m := pipe(t, o.stdout, "mip", "-", "-q"); m.code != exitSolved {
		t.Errorf("%d: %s%s", m.code, m.stdout, m.stderr)
	}
}

// TestStandardOutput has solutions and bases there, alone: the log and the summary go to standard error.
func TestStandardOutput(t *testing.T) {
	for _, flags := range [][]string{nil, {"-q"}} {
		sol := pipe(t, "", append([]string{"mip", "testdata/knapsack.mps", "--write-sol", "-"}, flags...)...)
		if sol.code != exitSolved || !strings.HasPrefix(sol.stdout, "# Model") || !strings.Contains(sol.stderr, "optimal") {
			t.Errorf("%v: %s%s", flags, sol.stdout, sol.stderr)
		}
		o := pipe(t, sol.stdout, "mip", "testdata/knapsack.mps", "--start", "-", "--json", "-q", "--node-limit", "0", "--presolve", "off")
		if o.object(t)["objective"] != 14.0 {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
	}
	bas := pipe(t, "", "lp", "testdata/blend.lp", "--write-basis", "-")
	if o := pipe(t, bas.stdout, "lp", "testdata/blend.lp", "--basis", "-", "--json", "-q"); o.object(t)["iterations"] != 0.0 {
		t.Errorf("%s\n%s%s", bas.stdout, o.stdout, o.stderr)
	}
	path := filepath.Join(t.TempDir(), "x.sol.gz")
	o := pipe(t, "", "mip", "testdata/knapsack.mps", "--write-sol", path, "--pool", "3", "-q")
	if text := content(t, path); o.code != exitSolved || !strings.HasPrefix(text, "\x1f\x8b") {
		t.Errorf("%d, %q", o.code, text)
	}
	if o := pipe(t, "", "mip", "testdata/knapsack.mps", "--start", path, "--json", "-q"); o.object(t)["objective"] != 14.0 {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(path), "x.[0-9].sol.gz"))
	if err != nil || len(others) == 0 {
		t.Errorf("the pool is in %v, %v", others, err)
	}
}

// TestClaimedStreams refuses what cannot be: one stream for two files.
func TestClaimedStreams(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{"standard input can be read once: the argument -, --start -", []string{"mip", "-", "--start", "-"}},
		{"standard input can be read once", []string{"lp", "-", "--basis", "-"}},
		{"standard output can take one of --write-sol -, --json", []string{"mip", "testdata/knapsack.mps", "--write-sol", "-", "--json"}},
		{"--write-sol -, --write-basis -", []string{"lp", "testdata/knapsack.mps", "--write-sol", "-", "--write-basis", "-"}},
		{"standard input: line 1", []string{"lp", "-"}},
		{"standard input: the file is empty", []string{"solve", "-", "--family", "mps"}},
	} {
		stdin := "rubbish here\n"
		if c.args[0] == "solve" {
			stdin = "NAME"
		}
		if o := pipe(t, stdin, c.args...); o.code != exitBadInput || !strings.Contains(o.stderr, c.says) && c.args[0] != "solve" || strings.Contains(o.stderr, "proxybd-") {
			t.Errorf("%v: %d, %s", c.args, o.code, o.stderr)
		}
	}
}
