package cli

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// reported is a file of ../shared/data/defects, the commands that once answered wrongly, and the right answer; NaN for
// infeasible.
type reported struct {
	file  string
	ways  [][]string // the command first, then its flags
	value float64
}

func reportedFiles() []reported {
	infeasible := math.NaN()
	mip, plain, gap0 := []string{"mip"}, []string{"mip", "--presolve=off"}, []string{"mip", "--gap", "0"}
	solve, full := []string{"solve"}, []string{"solve", "--method", "full"}
	outer, tight := []string{"solve", "--scheme", "outer"}, []string{"solve", "--scheme", "outer", "--gap", "1e-9"}
	all := [][]string{mip, plain, gap0, solve, full, outer, tight}
	mips := [][]string{mip, plain, gap0}
	return []reported{
		{"solve-false-unbounded", all, -227.4285714285714},
		{"tsmps-772", all, -330.4659806803864},
		{"tsmps-690", all, infeasible},
		{"outer-unbounded", all, infeasible},
		{"parallel", mips, infeasible},
		{"parallel-int", mips, infeasible},
		{"mipS-1279.clean", mips, infeasible},
		{"mipS-2234.clean", mips, infeasible},
		{"mip-false-infeasible", append([][]string{full}, mips...), -64712.727},
		{"tsmps-109", append([][]string{full}, mips...), -64712.727},
		{"fracbound", all, 8},
		{"tsmps-167", all, -138},
		{"tsmps-227", all, -55},
		{"tsmps-1244", append([][]string{{"lp"}, {"lp", "--presolve=off"}}, all...), infeasible},
		{"tsmps-493", all, -739332.0117112262},
		{"tsmps-946", all, -32.08346101377842},
	}
}

// TestReportedDefects runs every file in all the ways that once failed, and others that should agree.
func TestReportedDefects(t *testing.T) {
	if _, err := os.Stat(filepath.Join(dataDir, "defects")); err != nil {
		t.Skip("no ../shared/data (defects)")
	}
	for _, c := range reportedFiles() {
		for _, way := range c.ways {
			checkReported(t, c.file, way, c.value)
		}
	}
	// A gap of zero ended in an error; the value is the one without presolve.
	path := filepath.Join(dataDir, "defects", "mip-gap0-error.mps")
	o := invoke(t, t.Context(), "mip", path, "--json", "--quiet", "--presolve=off")
	value, ok := o.object(t)["objective"].(float64)
	if !ok || o.code != exitSolved {
		t.Fatalf("mip-gap0-error: %v", o)
	}
	checkReported(t, "mip-gap0-error", []string{"mip"}, value)
	checkReported(t, "mip-gap0-error", []string{"mip", "--gap", "0"}, value)
}

func checkReported(t *testing.T, file string, way []string, value float64) {
	t.Helper()
	path := filepath.Join(dataDir, "defects", file+".mps")
	o := invoke(t, t.Context(), append([]string{way[0], path, "--json", "--quiet"}, way[1:]...)...)
	got := o.object(t)
	if math.IsNaN(value) {
		if got["status"] != "infeasible" || o.code != exitInfeasible {
			t.Errorf("%s %s: exit %d, %v", way, file, o.code, got)
		}
		return
	}
	objective, ok := got["objective"].(float64)
	if got["status"] != "optimal" || o.code != exitSolved || !ok || !near(objective, value, 1e-4) {
		t.Errorf("%s %s: exit %d, %v", way, file, o.code, got)
	}
}

// TestReportedRecords records the runs whose records failed, and verifies them.
func TestReportedRecords(t *testing.T) {
	if _, err := os.Stat(filepath.Join(dataDir, "defects")); err != nil {
		t.Skip(err)
	}
	for _, file := range []string{"fracbound", "tsmps-167", "tsmps-227"} {
		path := filepath.Join(dataDir, "defects", file+".mps")
		rec := filepath.Join(t.TempDir(), "run.record")
		o := invoke(t, t.Context(), "solve", path, "--json", "--quiet", "--record", rec)
		got := o.object(t)
		proven := got["status"] == "optimal" && o.code == exitSolved
		if !proven && (o.code == exitSolved || file != "tsmps-227") { // that one may have no bound, and says so
			t.Errorf("%s: exit %d, %v", file, o.code, got)
		}
		if _, err := os.Stat(rec); err != nil {
			continue
		}
		if v := invoke(t, t.Context(), "verify", rec, "--instance", path); v.code != exitSolved {
			t.Errorf("verify %s: %v", file, v)
		}
	}
}
