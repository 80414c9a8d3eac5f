package cli

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWriteFileNamesThePath(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "x.txt"), filepath.Join(t.TempDir(), "none", "x.txt")} {
		err := writeFile(path, func(io.Writer) error { return errors.New("fault") })
		if err == nil || strings.Count(err.Error(), path) != 1 || strings.Contains(err.Error(), "open ") {
			t.Errorf("error %v, want one with the path %s once", err, path)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 0.1: "0.1", math.Inf(1): "null", math.Inf(-1): "null", math.NaN(): "null", 1e300: "1e+300"} {
		if got, err := json.Marshal(number(v)); err != nil || string(got) != want {
			t.Errorf("%v: %s %v, want %s", v, got, err, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 3089: "3089", 1.0 / 3: "0.333333", 123456.7891: "123456.789", -1e15: "-1.000000e+15",
		1e-7: "1.000000e-07", math.Inf(1): "+inf", 12345678901: "12345678901", 1234567890.5: "1234567890"} {
		if got := showValue(v); got != want {
			t.Errorf("showValue(%v) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0.00%", 0.12345: "12.35%", 5000: "large", math.Inf(1): "--"} {
		if got := showGap(v); got != want {
			t.Errorf("showGap(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestLPTable(t *testing.T) {
	var b strings.Builder
	log := newLPLogger(newLPTable(&solverLog{w: &b}, false), time.Now())
	log.Info("presolve", "rows", 3)
	for k := range repeatHeadings + 1 {
		log.Info("dual simplex", "iteration", 100*k, "objective", 1.5, "primal", 0.25, "dual", 0.0, "elapsed", 1500*time.Millisecond)
	}
	log.Debug("hidden")
	text := b.String()
	if strings.Contains(text, "hidden") || !strings.Contains(text, "presolve rows=3") || strings.Count(text, "objective") != 2 {
		t.Errorf("log:\n%s", text)
	}
	if want := "        100         1.500000                     2.50e-01           0     1.5s\n"; !strings.Contains(text, want) {
		t.Errorf("no row %q in\n%s", want, text)
	}
}

// TestResultsThatCannotBeWritten has a folder that takes no files refused before the work, and a result for which there
// is no room saved elsewhere.
func TestResultsThatCannotBeWritten(t *testing.T) {
	for _, path := range []string{"/proc/self", "/dev/full"} {
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	model := saved(t, "m.lp", "min x\nst\n a: x >= 2\nend\n")
	o := invoke(t, t.Context(), "mip", model, "--write-sol", "/proc/self/m.sol")
	if o.code != exitBadInput || !strings.Contains(o.stderr, "/proc/self/m.sol: ") || strings.Contains(o.stdout, "optimal") {
		t.Errorf("exit code %d, %s%s", o.code, o.stdout, o.stderr)
	}

	o = invoke(t, t.Context(), "mip", model, "--write-sol", "/dev/full")
	_, rescued, _ := strings.Cut(strings.TrimSpace(o.stderr), "it is saved as ")
	text, err := os.ReadFile(rescued)
	if err != nil || !strings.Contains(string(text), "x") || !strings.HasPrefix(rescued, temporary) {
		t.Errorf("%s: %q, %v", o.stderr, text, err)
	}
}
