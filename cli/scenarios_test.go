package cli

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/atomicfile"
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

// TestScenariosAreExported writes programs of every family with scenarios as SMPS files, plain and gzipped, which have
// the same optimum.
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

// value returns a number of an object by its path; NaN where it is null.
func value(t *testing.T, object map[string]any, path ...string) float64 {
	t.Helper()
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	v, known := object[path[len(path)-1]]
	if !known {
		t.Fatalf("no field %v in %v", path, object)
	}
	if f, ok := v.(float64); ok {
		return f
	}
	return math.NaN()
}

// TestDesignsAreEvaluated prices the design of a solve, from its object and from its solution file, and reads the costs
// by scenario back.
func TestDesignsAreEvaluated(t *testing.T) {
	dir := t.TempDir()
	path := makeClass(t, "scflp", "6x5:4")
	sol, table := filepath.Join(dir, "d.sol"), filepath.Join(dir, "c.csv")

	o := invoke(t, t.Context(), "solve", path, "--json", "--write-sol", sol, "--scenario-costs", table, "--evpi", "--vss")
	solved := o.object(t)
	cost := solved["objective"].(float64)

	// The object that the run printed serves as a file of a design.
	object := filepath.Join(dir, "d.json")
	if err := os.WriteFile(object, []byte(o.stdout), 0o600); err != nil {
		t.Fatal(err)
	}

	// Both files have the design of the run, so the cost must be the same.
	for _, design := range []string{sol, object} {
		got := invoke(t, t.Context(), "evaluate", path, design, "--json", "--tail", "0.75").object(t)
		if got["status"] != "evaluated" || !near(value(t, got, "objective"), cost, 1e-9) ||
			!(value(t, got, "interval", "low") <= cost && value(t, got, "interval", "high") >= cost) {
			t.Errorf("%s: %v, want %g", design, got, cost)
		}
		if worst := value(t, got, "worst", "cost"); worst != value(t, got, "tail", "value_at_risk") || worst != value(t, got, "tail", "conditional") {
			t.Errorf("the worst of four scenarios is the tail of a quarter: %v", got)
		}
	}

	// The table has a row for each scenario below its head; the mean of the costs is the objective.
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatal(rows, err)
	}

	mean := 0.0
	for _, row := range rows[1:] {
		p, _ := strconv.ParseFloat(row[1], 64)
		v, _ := strconv.ParseFloat(row[2], 64)
		mean += p * v
	}
	if !near(mean, cost, 1e-9) {
		t.Errorf("the costs by scenario have the mean %g, not %g", mean, cost)
	}

	// A decision for each scenario by itself costs no more in the mean than one for all of them.
	wait := value(t, solved, "wait_and_see", "high")
	if evpi := value(t, solved, "evpi", "high"); !(evpi >= 0) || !(wait <= cost*(1+1e-9)) || evpi < value(t, solved, "evpi", "low") {
		t.Errorf("EVPI %g, wait and see %g, optimum %g", evpi, wait, cost)
	}

	// The value of the stochastic solution is not negative, or the object says why there is none.
	vss, _ := solved["vss"].(map[string]any)
	if high := value(t, solved, "vss", "high"); !(high >= 0) && vss["reason"] == nil {
		t.Errorf("VSS %v", vss)
	}
}

// twoDemands writes the program min y + 2x, y + x >= d with d 2 or 8, x at most 1 in the second stage, and y at most the
// given bound. It returns the path of its files without their endings.
func twoDemands(t *testing.T, bound string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "p")
	for ext, text := range map[string]string{
		".cor": "NAME p\nROWS\n N c\n G need\nCOLUMNS\n y c 1 need 1\n x c 2 need 1\nRHS\n RHS need 5\n" +
			"BOUNDS\n UP B y " + bound + "\n UP B x 1\nENDATA\n",
		".tim": "TIME p\nPERIODS\n y c A\n x need B\nENDATA\n",
		".sto": "STOCH p\nINDEP DISCRETE\n RHS need 2 0.5\n RHS need 8 0.5\nENDATA\n",
	} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return stem
}

// TestScenariosWithoutRecourse evaluates a design that leaves scenarios without one.
func TestScenariosWithoutRecourse(t *testing.T) {
	path := makeClass(t, "mcndp", "5x10x4:3")

	// With one arc open, no scenario has a recourse.
	empty := filepath.Join(t.TempDir(), "d.json")
	if err := os.WriteFile(empty, []byte(`{"open":[0]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, t.Context(), "evaluate", path, empty, "--json")
	if got := o.object(t); o.code != exitInfeasible || got["infeasible_scenarios"] != 3.0 { // no row of the first stage is in the way
		t.Errorf("%d %v", o.code, got)
	}

	// In this program the demand is 2 or 8. At y = 3, with x at most 1, only the demand of 2 is met.
	stem := twoDemands(t, "9")
	if err := os.WriteFile(stem+".sol", []byte("y 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table := stem + ".csv"
	o = invoke(t, t.Context(), "evaluate", stem+".cor", stem+".sol", "--json", "--scenario-costs", table)
	got := o.object(t)
	interval, _ := got["interval"].(map[string]any)
	if o.code != exitInfeasible || got["status"] != "infeasible" || got["objective"] != nil || got["infeasible_scenarios"].(float64) != 1 ||
		!strings.Contains(interval["reason"].(string), "1 of 2 scenarios have no recourse") {
		t.Errorf("%d %v", o.code, got)
	}

	// The table has the cost 3 of the one scenario, and no cost of the other.
	text, err := os.ReadFile(table)
	if err != nil || !strings.Contains(string(text), ",0.5,3,0\n") || !strings.Contains(string(text), ",0.5,,\n") {
		t.Errorf("%s %v", text, err)
	}

	// The design for the mean demand has no recourse at the demand 8, so that its mean cost is infinite.
	got = invoke(t, t.Context(), "solve", stem+".cor", "--json", "--vss", "--evpi").object(t)
	vss, _ := got["vss"].(map[string]any) // the mean demand 5 needs y = 5, a demand of 8 needs 7: 8 = 7 + 2/2, and (2 + 8)/2 waiting
	if vss["value"] != nil || !strings.Contains(vss["reason"].(string), "no recourse in 1 of 2") || !near(value(t, got, "evpi", "value"), 3, 1e-9) {
		t.Errorf("VSS %v, EVPI %v of %v", vss, got["evpi"], got["objective"])
	}
}

// TestTailRiskIsTheObjective solves for the worst quarter, whose mean is that of the worst of four scenarios.
func TestTailRiskIsTheObjective(t *testing.T) {
	path := makeClass(t, "scflp", "6x5:4:lognormal:0.9")
	sol := filepath.Join(t.TempDir(), "d.sol")
	got := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-7", "--cvar", "0.75", "--write-sol", sol).object(t)
	worst := invoke(t, t.Context(), "evaluate", path, sol, "--json").object(t)
	if !near(value(t, got, "objective"), value(t, worst, "worst", "cost"), 1e-6) ||
		!near(value(t, got, "cvar", "conditional"), value(t, worst, "worst", "cost"), 1e-6) {
		t.Errorf("%v, evaluated %v", got, worst)
	}
	plain := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-7").object(t)
	if value(t, got, "expected") < value(t, plain, "objective")*(1-1e-6) {
		t.Errorf("expected %v, the optimum is %v", got["expected"], plain["objective"])
	}
	for want, flags := range map[string][]string{"--cvar 1 ": {"--cvar", "1"}, "--cvar-weight is that of --cvar": {"--cvar-weight", "0.5"},
		"--evpi is about the expectation": {"--cvar", "0.5", "--evpi"}} {
		if o := invoke(t, t.Context(), append([]string{"solve", path}, flags...)...); o.code != exitBadInput || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: %d %s", flags, o.code, o.stderr)
		}
	}
	ufl := makeClass(t, "ufl", "5x4")
	if o := invoke(t, t.Context(), "solve", ufl, "--evpi"); o.code != exitBadInput || !strings.Contains(o.stderr, "it has no scenarios") {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}

// TestSampledPrograms brackets the optimum of a program by replications, and stops at a limit.
func TestSampledPrograms(t *testing.T) {
	path := makeClass(t, "netdes", "5x6-L")
	exact := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-7").object(t)
	o := invoke(t, t.Context(), "saa", path, "--json", "--replications", "6", "--size", "8", "--evaluation", "200", "--gap", "1e-6")
	got := o.object(t)
	if got["status"] == "infeasible" { // a sample may leave out what a design is for
		t.Fatalf("choose another seed: %v", got)
	}
	best := exact["objective"].(float64)
	if o.code != exitSolved || got["status"] != "estimated" || got["replications"].(float64) != 6 || !(value(t, got, "gap_high") >= 0) ||
		value(t, got, "cost", "high") < best*(1-1e-6) || value(t, got, "bound_interval", "low") > best*(1+1e-6) {
		t.Errorf("%d %v, the optimum is %g", o.code, got, best)
	}
	again := invoke(t, t.Context(), "saa", path, "--json", "--replications", "6", "--size", "8", "--evaluation", "200", "--gap", "1e-6").object(t)
	if again["objective"] != got["objective"] || again["bound"] != got["bound"] {
		t.Errorf("%v, and once more %v", got, again)
	}
	o = invoke(t, t.Context(), "saa", path, "--json", "--time-limit", "0s")
	if got := o.object(t); o.code != exitLimit || got["status"] != "time_limit" {
		t.Errorf("%d %v", o.code, got)
	}
}

// TestIntegerRecourse solves a program with integer recourse, relaxes it where that is asked for, and exports its
// extensive form.
func TestIntegerRecourse(t *testing.T) {
	stem := filepath.Join(t.TempDir(), "p")
	for ext, text := range map[string]string{".cor": "NAME p\nROWS\n N c\n G need\nCOLUMNS\n y c 3 need 2\n M 'MARKER' 'INTORG'\n x c 4 need 2\n M 'MARKER' 'INTEND'\nRHS\n RHS need 5\nBOUNDS\n UP B y 1\n UP B x 9\nENDATA\n",
		".tim": "TIME p\nPERIODS\n y c A\n x need B\nENDATA\n", ".sto": "STOCH p\nINDEP DISCRETE\n RHS need 3 0.5\n RHS need 5 0.5\nENDATA\n"} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := invoke(t, t.Context(), "solve", stem+".cor", "--json").object(t)
	if got["status"] != "optimal" || !near(value(t, got, "objective"), 7.5, 1e-6) || got["relaxation"] != nil {
		t.Errorf("%v", got)
	}

	// The record of a run proves the optimum, of this program and no other.
	rec := stem + ".record"
	if o := invoke(t, t.Context(), "solve", stem+".cor", "--record", rec); o.code != 0 {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	o := invoke(t, t.Context(), "verify", rec, "--instance", stem+".cor", "--json")
	if got := o.object(t); o.code != 0 || got["status"] != "proven" || !near(value(t, got, "objective"), 7.5, 1e-6) {
		t.Errorf("%d: %v", o.code, got)
	}
	other := makeClass(t, "sslp", "2x3:2")
	if o := invoke(t, t.Context(), "verify", rec, "--instance", other); o.code != 1 {
		t.Errorf("the record of another program is accepted: %d %s", o.code, o.stderr)
	}

	got = invoke(t, t.Context(), "solve", stem+".cor", "--relax-recourse", "--json").object(t)
	if got["relaxation"] != "bound of the LP-recourse relaxation" || !near(value(t, got, "objective"), 3+4*(0.5*0.5+0.5*1.5), 1e-6) {
		t.Errorf("%v", got)
	}
	if o := invoke(t, t.Context(), "solve", stem+".cor", "--relax-recourse"); !strings.Contains(o.stdout, "bound of the LP-recourse relaxation") {
		t.Errorf("%s", o.stdout)
	}
	model := stem + ".mps"
	if o := invoke(t, t.Context(), "export", stem+".cor", "-o", model); o.code != 0 {
		t.Fatal(o.stderr)
	}
	whole := invoke(t, t.Context(), "mip", model, "--json").object(t)
	if best := value(t, whole, "objective"); !near(best, 7.5, 1e-6) { // y = 1/2, and x = 1 or 2
		t.Errorf("the extensive form has the optimum %g", best)
	}
}

// TestProxiesOfScenarios trains a network on a program with scenarios of every family that has them, scores it against
// all controls on other scenarios of the same network of rows, and solves with it and with multipliers reused.
func TestProxiesOfScenarios(t *testing.T) {
	for family, class := range map[string]string{"mcndp": "5x10x4:6:lognormal:0.4", "netdes": "5x6-L", "scflp": "6x5:6"} {
		path := makeClass(t, family, class)
		model := filepath.Join(t.TempDir(), "m.safetensors")
		o := invoke(t, t.Context(), "train", path, "-o", model, "--steps", "20", "--hidden", "8", "--json")
		if o.code != 0 {
			t.Fatalf("%s: %s", family, o.stderr)
		}

		// The score must have each way to reuse multipliers, with the share that it reaches.
		score := o.object(t)["score"].(map[string]any)
		want := []string{"mean", "nearest", "pool"}
		rivals := score["reused"].([]any)
		if len(rivals) != len(want) {
			t.Fatalf("%s: %v", family, rivals)
		}

		for k, r := range rivals {
			rival := r.(map[string]any)
			if v := value(t, rival, "share", "run"); rival["control"] != want[k] || !(v > 0 && v < 1+1e-6) {
				t.Errorf("%s: %v", family, rival)
			}
		}

		// A hybrid run ends with the exact optimum, whether it begins with the network or with reused multipliers.
		exact := invoke(t, t.Context(), "solve", path, "--json").object(t)["objective"].(float64)
		for _, control := range append([]string{""}, want...) {
			got := invoke(t, t.Context(), "solve", path, "--json", "--method", "hybrid", "--model", model, "--control",
				control).object(t)
			if got["status"] != "optimal" || !near(got["objective"].(float64), exact, 1e-4) {
				t.Errorf("%s, control %q: %v %v, want %g", family, control, got["status"], got["objective"], exact)
			}
		}

		if again := invoke(t, t.Context(), "score", path, "--model", model, "--designs", "10", "--json"); again.code != 0 {
			t.Errorf("%s: %s", family, again.stderr)
		}
	}

	// A control that reuses multipliers is refused for a program without scenarios.
	plain := makeClass(t, "cap", "50x16")
	o := invoke(t, t.Context(), "solve", plain, "--method", "proxy", "--control", "mean")
	if o.code != exitBadInput || !strings.Contains(o.stderr, "is for programs with scenarios") {
		t.Errorf("a control without scenarios: %d %s", o.code, o.stderr)
	}
}

// TestScenarioCostsAtTheLimit checks that the costs of the best design are written also where the time limit has
// stopped the run, and that a run without a design says why there is no file.
func TestScenarioCostsAtTheLimit(t *testing.T) {
	dir := t.TempDir()
	path := makeClass(t, "scflp", "6x5:4")
	table := filepath.Join(dir, "c.csv")
	a := &app{known: Families(), ctx: t.Context(), flags: solveFlags{timeLimit: 1 << 62}}
	_, in, err := a.openInstance("", path, families.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := program(path, in)
	if err != nil {
		t.Fatal(err)
	}

	// The context of a run is over at its time limit.
	over, cancel := context.WithCancel(t.Context())
	cancel()
	s := &scenarioValues{f: scenarioFlags{costs: table}, program: p, write: atomicfile.Write}
	open := slices.Repeat([]float64{1}, p.First)
	if _, err := s.price(over, open, &scenarioReport{}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(table); err != nil || strings.Count(string(text), "\n") != 5 {
		t.Errorf("a header and four scenarios were expected: %q, %v", text, err)
	}

	// With y at most 1 no design has a recourse in the second scenario.
	stem := twoDemands(t, "1")
	none := filepath.Join(dir, "none.csv")
	o := invoke(t, t.Context(), "solve", stem+".cor", "--json", "--scenario-costs", none)
	warnings, _ := o.object(t)["warnings"].([]any)
	if len(warnings) != 1 || !strings.Contains(warnings[0].(string), "there is no design whose costs") {
		t.Errorf("%d %s", o.code, o.stdout)
	}
	if _, err := os.Stat(none); err == nil {
		t.Errorf("a file of the costs of no design was written")
	}
}
