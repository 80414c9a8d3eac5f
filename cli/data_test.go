package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dataDir holds the public instances; tests on them are skipped where they are absent.
const dataDir = "../../shared/data"

// optima reads the values of OPTIMA.tsv: numbers, or the word infeasible.
func optima(t *testing.T, folder string) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir, folder, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no ../shared/data (" + folder + ")")
	}
	defer f.Close()
	values := map[string]string{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		cells := strings.Split(sc.Text(), "\t")
		if _, dup := values[cells[0]]; !dup && len(cells) > 1 {
			values[cells[0]] = cells[1]
		}
	}
	return values
}

// checkValue runs a command on an instance and compares the result with the published one.
func checkValue(t *testing.T, command, path, want string, tolerance float64, flags ...string) {
	t.Helper()
	o := invoke(t, t.Context(), append([]string{command, path, "--json", "--quiet"}, flags...)...)
	got := o.object(t)
	if want == "infeasible" {
		if got["status"] != want || o.code != exitInfeasible {
			t.Errorf("%s: %v", path, got)
		}
		return
	}
	value, err := strconv.ParseFloat(want, 64)
	if err != nil {
		t.Fatalf("%s: published value %q", path, want)
	}
	objective, ok := got["objective"].(float64)
	if got["status"] != "optimal" || o.code != exitSolved || !ok || !near(objective, value, tolerance) {
		t.Errorf("%s: %v, want %v", path, got, value)
	}
}

// TestNetlib solves all but the largest Netlib models through the command.
func TestNetlib(t *testing.T) {
	values := optima(t, "netlib")
	// The models that take the longest; lp_bench runs them too.
	slow := []string{"80bau3b", "d2q06c", "d6cube", "dfl001", "fit2d", "fit2p", "greenbea", "maros-r7", "pilot", "pilot87", "pilotnov",
		"pilot-ja", "qap12", "qap15", "stocfor3", "truss", "woodw"}
	paths, err := filepath.Glob(filepath.Join(dataDir, "netlib", "*.mps.gz"))
	if err != nil {
		t.Fatal(err)
	}
	solved := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".mps.gz")
		want, known := values[name]
		if !known || slices.Contains(slow, name) {
			continue
		}
		solved++
		checkValue(t, "lp", path, want, 1e-6)
	}
	if solved < 60 {
		t.Errorf("only %d models had a published value", solved)
	}
}

func TestNetlibInfeasible(t *testing.T) {
	optima(t, "netlib")
	for _, name := range []string{"bgdbg1", "bgetam", "box1", "ex72a", "galenet", "itest2", "itest6", "klein1", "mondou2", "reactor"} {
		checkValue(t, "lp", filepath.Join(dataDir, "netlib/infeasible", name+".mps.gz"), "infeasible", 0)
	}
}

func TestMIPLIB(t *testing.T) {
	values := optima(t, "miplib")
	for _, name := range []string{"p0033", "flugpl", "stein27", "enigma", "rgn", "lseu", "mod008"} {
		if testing.Short() && name != "p0033" {
			continue
		}
		checkValue(t, "mip", filepath.Join(dataDir, "miplib", name+".mps.gz"), values[name], 2e-4, "--time-limit", "20s")
	}
}
