package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stockFiles writes a program of three periods whose last two have two outcomes each, and returns the core file.
func stockFiles(t *testing.T) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "stock")
	for ext, text := range map[string]string{
		".cor": "NAME stock\nROWS\n N cost\n G least\n E first\n E second\nCOLUMNS\n y cost 1 least 1\n y first 1\n" +
			" b1 cost 3 first 1\n k1 cost 0.1 first -1\n k1 second 1\n b2 cost 4 second 1\n k2 cost 0.5 second -1\n" +
			"RHS\n RHS least 1 first 5\n RHS second 5\nBOUNDS\n UP BND y 20\nENDATA\n",
		".tim": "TIME stock\nPERIODS\n y least today\n b1 first tomorrow\n b2 second after\nENDATA\n",
		".sto": "STOCH stock\nINDEP DISCRETE\n RHS first 4 tomorrow 0.3\n RHS first 6 tomorrow 0.7\n" +
			" RHS second 2 after 0.5\n RHS second 9 after 0.5\nENDATA\n",
	} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stem + ".cor"
}

// TestPeriods solves a program of three periods by its graph and by its scenarios, and what lies around its optimum.
func TestPeriods(t *testing.T) {
	path := stockFiles(t)
	want := value(t, invoke(t, t.Context(), "solve", path, "--scheme", "bbc", "--gap", "1e-9", "--json").object(t), "objective")
	for _, flags := range [][]string{nil, {"--scheme", "nested"}, {"--threads", "2"}, {"--evpi", "--vss"}, {"--method", "aggregated"},
		{"--method", "full"}, {"--no-heuristic"}, {"--start", "-"}, {"--scheme", "nested", "--iteration-limit", "500"}} {
		if flags != nil && flags[0] == "--start" {
			plan := filepath.Join(t.TempDir(), "plan.sol")
			if o := invoke(t, t.Context(), "solve", path, "--write-sol", plan); o.code != exitSolved {
				t.Fatal(o.stderr)
			}
			flags = []string{"--start", plan}
		}
		o := invoke(t, t.Context(), append([]string{"solve", path, "--json", "--log-every", "0s", "--gap", "1e-9"}, flags...)...)
		got := o.object(t)
		if got["status"] != "optimal" || !near(value(t, got, "objective"), want, 1e-7) {
			t.Errorf("%v: %v, want %g", flags, got, want)
		}
		if err := checkLog(o.stderr, got); err != nil {
			t.Errorf("%v: %v\n%s", flags, err, o.stderr)
		}
		if nested := strings.Contains(o.stderr, "nested decomposition"); nested != (len(flags) == 0 || flags[0] == "--scheme" ||
			flags[0] == "--threads" || flags[0] == "--evpi") {
			t.Errorf("%v: nested %v\n%s", flags, nested, o.stderr)
		}
	}
	o := invoke(t, t.Context(), "solve", path, "--scheme", "nested", "--time-limit", "0s", "--json")
	if got := o.object(t); o.code != exitLimit || got["status"] != "time_limit" || got["objective"] != nil {
		t.Errorf("no time: %v", got)
	}
	o = invoke(t, t.Context(), "solve", path, "--scheme", "nested", "--iteration-limit", "1", "--json")
	if got := o.object(t); o.code != exitLimit || got["status"] != "iteration_limit" || got["bound"] == nil {
		t.Errorf("one pass: %v", got)
	}
	for _, flags := range [][]string{{"--node-limit", "3"}, {"--no-heuristic"}, {"--record", filepath.Join(t.TempDir(), "r")}, {"--in-out", "0.5"},
		{"--method", "aggregated"}, {"--cvar", "0.9"}} {
		if o := invoke(t, t.Context(), append([]string{"solve", path, "--scheme", "nested"}, flags...)...); o.code != exitBadInput {
			t.Errorf("%v is heeded: %d\n%s", flags, o.code, o.stderr)
		}
	}
}

// TestPublishedPeriods solves programs of several periods of the collection POSTS, whose authors gave their values to
// the digits below.
func TestPublishedPeriods(t *testing.T) {
	values := optima(t, "smps")
	folder := filepath.Join(dataDir, "smps/splib/posts")
	for _, c := range []struct{ name, core, time string }{
		{"pltexpa-3-6", "pltexp/pltexpa-3", "pltexp/pltexpa-3"}, {"pltexpa-4-6", "pltexp/pltexpa-4", "pltexp/pltexpa-4"},
		{"pltexpa-5-6", "pltexp/pltexpa-5", "pltexp/pltexpa-5"}, {"pltexpa-6-6", "pltexp/pltexpa-6", "pltexp/pltexpa-6"},
		{"pltexpa-3-16", "pltexp/pltexpa-3", "pltexp/pltexpa-3"},
	} {
		checkValue(t, "solve", filepath.Join(folder, c.core+".cor.gz"), values[c.name], 1e-7, "--gap", "1e-9",
			"--time", filepath.Join(folder, c.time+".tim.gz"), "--stoch", filepath.Join(folder, "pltexp", c.name+".sto.gz"))
	}
}
