package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// outcome is what a run of the command left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// invoke runs the command in this process.
func invoke(t *testing.T, ctx context.Context, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(ctx, Families(), args, strings.NewReader(""), &stdout, &stderr)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// object decodes the one JSON object that standard output must be.
func (o outcome) object(t *testing.T) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(o.stdout))
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("standard output is no JSON object: %v\n%s%s", err, o.stdout, o.stderr)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Fatalf("standard output has more than one object: %q", o.stdout)
	}
	return m
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		command, model, status string
		objective              float64 // NaN for null
		code                   int
	}{
		// Models with an optimum: lp ignores that columns are integer, so its value may differ from that of mip.
		{"lp", "product_mix", "optimal", 36, 0},
		{"mip", "product_mix", "optimal", 36, 0},
		{"lp", "knapsack", "optimal", 49.0 / 3, 0},
		{"mip", "knapsack", "optimal", 14, 0},
		{"lp", "offset_fixed", "optimal", 10, 0},
		{"mip", "offset_fixed", "optimal", 10, 0},
		{"lp", "blend.lp", "optimal", 9.2, 0},
		{"mip", "blend.lp", "optimal", 9.5, 0},

		// Models without one have neither an objective nor a bound.
		{"lp", "infeasible", "infeasible", math.NaN(), 3},
		{"mip", "infeasible", "infeasible", math.NaN(), 3},
		{"lp", "unbounded", "unbounded", math.NaN(), 4},
		{"mip", "unbounded", "unbounded", math.NaN(), 4},
	} {
		path := "testdata/" + c.model
		if filepath.Ext(path) == "" {
			path += ".mps"
		}

		// With --json standard output is one object.
		o := invoke(t, t.Context(), c.command, path, "--json")
		got := o.object(t)
		if o.code != c.code || got["status"] != c.status {
			t.Errorf("%s %s: status %v, exit code %d, want %s, %d", c.command, c.model, got["status"], o.code, c.status, c.code)
		}

		// At an optimum the bound is the objective. Where there is no optimum both are null, but still present.
		for _, field := range []string{"objective", "bound"} {
			v, isNumber := got[field].(float64)
			if isNumber == math.IsNaN(c.objective) || isNumber && !near(v, c.objective, 1e-9) {
				t.Errorf("%s %s: %s %v, want %v", c.command, c.model, field, got[field], c.objective)
			}
			if _, present := got[field]; !present {
				t.Errorf("%s %s: no field %s", c.command, c.model, field)
			}
		}

		// Each command has further fields.
		fields := map[string][]string{"lp": {"gap", "seconds", "iterations"}, "mip": {"gap", "seconds", "nodes", "lp_iterations"}}
		for _, field := range fields[c.command] {
			if _, present := got[field]; !present {
				t.Errorf("%s %s: no field %s", c.command, c.model, field)
			}
		}

		if !strings.Contains(o.stderr, "rows") {
			t.Errorf("%s %s: with --json the log belongs on standard error: %q", c.command, c.model, o.stderr)
		}
	}
}

func TestHumanOutput(t *testing.T) {
	for _, command := range []string{"lp", "mip"} {
		o := invoke(t, t.Context(), command, "testdata/knapsack.mps")
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%s: exit code %d, standard error %q", command, o.code, o.stderr)
		}
		for _, want := range []string{"KNAPSACK: 1 rows, 5 columns (5 integer)", "status        optimal", "objective     1", "time "} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("%s: no %q in\n%s", command, want, o.stdout)
			}
		}
	}
	if o := invoke(t, t.Context(), "mip", "testdata/knapsack.mps"); !strings.Contains(o.stdout, "incumbent") {
		t.Errorf("mip: no table in\n%s", o.stdout)
	}

	// A warning of the reader is in the log, and on standard error where neither a log nor an object has it.
	for _, command := range []string{"lp", "mip"} {
		const warning = "warning: testdata/offset_fixed.mps: line 17: "
		if o := invoke(t, t.Context(), command, "testdata/offset_fixed.mps"); !strings.Contains(o.stdout, warning) {
			t.Errorf("%s: no warning of the negative upper bound in\n%s", command, o.stdout)
		}
		o := invoke(t, t.Context(), command, "testdata/offset_fixed.mps", "--quiet")
		if !strings.Contains(o.stderr, warning) || strings.Contains(o.stdout, warning) {
			t.Errorf("%s --quiet: %q, %q", command, o.stdout, o.stderr)
		}
	}
}

func TestQuietAndLogFile(t *testing.T) {
	o := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--quiet")
	if o.stderr != "" || !strings.HasPrefix(o.stdout, "status        optimal\n") {
		t.Errorf("--quiet: %q, %q", o.stdout, o.stderr)
	}
	rec := filepath.Join(t.TempDir(), "run.record")
	if o := invoke(t, t.Context(), "solve", written(t, "m.mps", smallModel), "--record", rec, "-q"); o.code != 0 {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	if o := invoke(t, t.Context(), "verify", rec, "-q"); o.stderr != "" || !strings.HasPrefix(o.stdout, "status        proven\n") {
		t.Errorf("verify --quiet: %q, %q", o.stdout, o.stderr)
	}
	path := filepath.Join(t.TempDir(), "run.log")
	o = invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "-q", "--json", "--log", path)
	if o.object(t)["status"] != "optimal" || o.stderr != "" {
		t.Errorf("--quiet --json: %q, %q", o.stdout, o.stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "incumbent") || !strings.Contains(string(text), "status        optimal") {
		t.Errorf("log file %q, %v", text, err)
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}

	// These files have one fault each.
	empty, cut := write("empty.mps", ""), write("cut.mps", "NAME X\nROWS\n N COST\n")
	badLP := write("bad.lp", "min\n x\nst x >= y >= 2\nend\n")
	badStart := write("bad.sol", "A 1\nZ 1\n")

	for _, c := range []struct {
		args []string
		want string
	}{
		// Files that cannot be read or written.
		{[]string{"lp", "testdata/bad_number.mps"}, `testdata/bad_number.mps: line 6: coefficient "l0": not a number`},
		{[]string{"lp", badLP}, badLP + `: line 3: relation ">=": a second one, after columns on the right`},
		{[]string{"lp", "nowhere.mps"}, "nowhere.mps: no such file or directory"},
		{[]string{"mip", empty}, empty + ": the file is empty"},
		{[]string{"mip", cut}, cut + ": line 3: the file ends without ENDATA"},
		{[]string{"mip", dir}, dir + ": is a directory"},
		{[]string{"lp", "-"}, "standard input: the file is empty"},
		{[]string{"mip", "testdata/knapsack.mps", "--start", badStart}, badStart + `: line 2: column name "Z": no such column`},
		{[]string{"mip", "testdata/knapsack.mps", "--start", "none.sol"}, "none.sol: no such file"},
		{[]string{"lp", "testdata/knapsack.mps", "--write-sol", "no/such/folder.sol"}, "no/such/folder.sol: no such file"},
		{[]string{"lp", "testdata/knapsack.mps", "--write-sol", dir}, "is a directory"},
		{[]string{"lp", "testdata/knapsack.mps", "--log", "no/such/x.log"}, "no/such/x.log: no such file"},

		// A missing argument, one too many, and names that no command or flag has.
		{[]string{"lp"}, "lp needs MODEL"},
		{[]string{"lp", "a.mps", "b.mps"}, `lp takes MODEL, and "b.mps" is one argument more`},
		{[]string{"lpp", "a.mps"}, `unknown command "lpp"`},
		{[]string{"lp", "a.mps", "--tim-limit", "60s"}, "unknown flag: --tim-limit"},

		// Flags with values that they cannot have, and flags that do not go together.
		{[]string{"lp", "a.mps", "--time-limit", "soon"}, "not a duration such as 60 (seconds), 90s"},
		{[]string{"lp", "a.mps", "--time-limit", "-5s"}, "negative"},
		{[]string{"mip", "a.mps", "--node-limit", "-1"}, "not a count"},
		{[]string{"mip", "a.mps", "--work-limit", "-1"}, "not an amount of work"},
		{[]string{"mip", "a.mps", "--work-limit", "NaN"}, "not an amount of work"},
		{[]string{"mip", "a.mps", "--gap", "small"}, "invalid argument"},
		{[]string{"mip", "a.mps", "--memory-limit", "much"}, "not a size"},
		{[]string{"mip", "testdata/knapsack.mps", "--gap", "-1"}, "a number of at least 0"},
		{[]string{"mip", "testdata/knapsack.mps", "--gap", "NaN"}, "a number of at least 0"},
		{[]string{"lp", "testdata/knapsack.mps", "--tolerance", "0"}, "invalid options: Tolerances"},
		{[]string{"lp", "testdata/knapsack.mps", "--presolve", "maybe"}, "neither on nor off"},
		{[]string{"lp", "testdata/knapsack.mps", "--basis", "x.bas", "--presolve", "on"}, "cannot go with --presolve on"},
		{[]string{"lp", "testdata/knapsack.mps", "--basis", "x.bas", "--fold", "on", "--dualize", "on"}, "cannot go with --fold on, --dualize on"},
		{[]string{"lp", "testdata/knapsack.mps", "--solver", "barrier"}, "none of simplex, ipm, auto"},
		{[]string{"lp", "testdata/knapsack.mps", "--solver", "ipm", "--basis", "x.bas"}, "cannot go with --solver ipm"},
		{[]string{"lp", "testdata/knapsack.mps", "--crossover=false"}, "is for --solver ipm"},
		{[]string{"lp", "testdata/knapsack.mps", "--solver", "ipm", "--crossover=false", "--ranging"}, "without a basis"},

		// The command version has no arguments.
		{[]string{"version", "extra"}, "extra"},
	} {
		for _, asJSON := range []bool{false, true} {
			args := c.args
			if asJSON {
				args = append(args[:len(args):len(args)], "--json")
			}

			// The message is one line on standard error, with the name of the program in front.
			o := invoke(t, t.Context(), args...)
			message, rest, _ := strings.Cut(o.stderr[strings.Index(o.stderr, "proxybd: ")+len("proxybd: "):], "\n")
			if o.code != exitBadInput || !strings.Contains(message, c.want) || rest != "" {
				t.Errorf("%v: exit code %d, standard error %q, want one line with %q", args, o.code, o.stderr, c.want)
			}

			// With --json the object on standard output has the same message; without it there is no object.
			if asJSON {
				if got := o.object(t); got["status"] != "error" || got["message"] != message {
					t.Errorf("%v: object %v, want status error and message %q", args, got, message)
				}
			} else if strings.Contains(o.stdout, "{") {
				t.Errorf("%v: standard output %q", args, o.stdout)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	hard := hardModel(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	// Each limit has a status of its own, and so has an interrupt. The exit code is the same for all.
	for _, c := range []struct {
		ctx    context.Context
		args   []string
		status string
	}{
		{t.Context(), []string{"lp", "testdata/product_mix.mps", "--iteration-limit", "0"}, "iteration_limit"},
		{t.Context(), []string{"lp", "testdata/product_mix.mps", "--time-limit", "0s"}, "time_limit"},
		{t.Context(), []string{"mip", hard, "--node-limit", "3"}, "node_limit"},
		{t.Context(), []string{"mip", hard, "--work-limit", "0"}, "work_limit"},
		{t.Context(), []string{"mip", hard, "--work-limit", "1e6"}, "work_limit"},
		{t.Context(), []string{"mip", hard, "--time-limit", "0s"}, "time_limit"},
		{t.Context(), []string{"mip", hard, "--time-limit", "300ms"}, "time_limit"},
		{cancelled, []string{"lp", "testdata/product_mix.mps"}, "interrupted"},
		{cancelled, []string{"mip", hard}, "interrupted"},
	} {
		o := invoke(t, c.ctx, append(c.args, "--json")...)
		got := o.object(t)
		if o.code != exitLimit || got["status"] != c.status {
			t.Errorf("%v: exit code %d, %v, want %s", c.args, o.code, got, c.status)
		}
	}

	// A search that is cut short reports the best objective so far, and a bound that is no greater.
	got := invoke(t, t.Context(), "mip", hard, "--time-limit", "1s", "--json").object(t)
	objective, ok := got["objective"].(float64)
	bound, ok2 := got["bound"].(float64)
	if !ok || !ok2 || bound > objective+1e-6 {
		t.Errorf("at a limit the best point and the bound are reported: %v", got)
	}
}

func TestMIPFlags(t *testing.T) {
	dir := t.TempDir()
	sol := filepath.Join(dir, "best.sol")

	// The optimal point is written to a file.
	o := invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--write-sol", sol)
	const want = "# Model KNAPSACK\n# Status optimal\n# Objective value = 14\nA 1\nB 0\nC 0\nD 0\nE 1\n"
	if text, err := os.ReadFile(sol); o.code != 0 || err != nil || string(text) != want {
		t.Errorf("solution file %q, %v, want %q", text, err, want)
	}

	// That file is a start. The table marks the row of a start with S.
	o = invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--start", sol)
	if !strings.Contains(o.stdout, "\nS ") {
		t.Errorf("the start is not marked in\n%s", o.stdout)
	}

	// A start may leave out columns, here D and E, which have no room beside B. The second point of the pool, C and E, has
	// a file of its own.
	mst := filepath.Join(dir, "part.mst")
	if err := os.WriteFile(mst, []byte("# all but two columns\nA 0\nB 1\nC 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o = invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--start", mst, "--pool", "2", "--write-sol", sol, "--memory-limit", "1GiB")
	second, err := os.ReadFile(filepath.Join(dir, "best.2.sol"))
	if err != nil || !strings.Contains(o.stdout, "\nS ") || !strings.Contains(string(second), " = 13\n") {
		t.Errorf("a partial start, a pool: %v, %s in\n%s", err, second, o.stdout)
	}

	// Only points better than the cutoff count, and 14 is the largest value.
	got := invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--cutoff", "14.5", "--json").object(t)
	if got["objective"] != nil || got["status"] == "optimal" {
		t.Errorf("nothing is better than 14.5, but %v", got)
	}

	// The search may end at a relative gap of 0.5, which is optimal by the tolerance that was asked for.
	got = invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--gap", "0.5", "--absolute-gap", "0", "--seed", "7", "--json").object(t)
	if got["status"] != "optimal" || got["gap"].(float64) > 0.5 {
		t.Errorf("gap 0.5: %v", got)
	}

	// Files are written under a name with a dot in front and then renamed: no such name is left.
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}

func TestBasisFiles(t *testing.T) {
	bas := filepath.Join(t.TempDir(), "x.bas")
	cold := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--write-basis", bas, "--json").object(t)
	warm := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--basis", bas, "--json").object(t)
	if cold["iterations"] == 0.0 || warm["iterations"] != 0.0 || warm["objective"] != cold["objective"] {
		t.Errorf("cold %v, warm %v", cold, warm)
	}
	if v, ok := warm["primal_infeasibility"].(float64); !ok || v > 1e-9 {
		t.Errorf("primal infeasibility %v", warm["primal_infeasibility"])
	}
	o := invoke(t, t.Context(), "lp", "testdata/knapsack.mps", "--basis", bas)
	if o.code != exitBadInput || !strings.Contains(o.stderr, bas+`: line 2: column name "X": no such column`) {
		t.Errorf("a basis of another model: %d %q", o.code, o.stderr)
	}
}

// TestPresolveFlag checks the sizes in the log, and that presolve changes the way and not the answer.
func TestPresolveFlag(t *testing.T) {
	for _, c := range []struct {
		flags []string
		log   bool
	}{{nil, true}, {[]string{"--presolve", "on"}, true}, {[]string{"--presolve=off"}, false}} {
		o := invoke(t, t.Context(), append([]string{"lp", "testdata/product_mix.mps"}, c.flags...)...)
		if got := strings.Contains(o.stdout, "presolve rows="); got != c.log || !strings.Contains(o.stdout, "objective     36\n") {
			t.Errorf("%v: presolve in the log: %v, want %v:\n%s", c.flags, got, c.log, o.stdout)
		}
		if !strings.Contains(o.stdout, "primal inf") {
			t.Errorf("%v: no table in\n%s", c.flags, o.stdout)
		}
		o = invoke(t, t.Context(), append([]string{"mip", "testdata/knapsack.mps"}, c.flags...)...)
		if got := strings.Contains(o.stdout, "presolve rows="); got != c.log || o.code != 0 {
			t.Errorf("mip %v: presolve in the log: %v, want %v:\n%s", c.flags, got, c.log, o.stdout)
		}
	}
	bas := filepath.Join(t.TempDir(), "x.bas")
	invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--write-basis", bas)
	o := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--basis", bas, "--presolve", "off")
	if o.code != 0 || strings.Contains(o.stdout, "presolve") {
		t.Errorf("a start from a basis: %d\n%s", o.code, o.stdout)
	}
}

// TestBoundAtLimit stops a model after every number of iterations on its way: null or a bound that holds.
func TestBoundAtLimit(t *testing.T) {
	full := invoke(t, t.Context(), "lp", "testdata/blend.lp", "--presolve", "off", "--json").object(t)
	bounds := 0
	for k := range int(full["iterations"].(float64)) {
		got := invoke(t, t.Context(), "lp", "testdata/blend.lp", "--presolve", "off", "--iteration-limit", strconv.Itoa(k), "--json").object(t)
		if got["status"] != "iteration_limit" {
			t.Errorf("limit %d: %v", k, got)
		}
		if bound, ok := got["bound"].(float64); ok {
			bounds++
			if bound > full["objective"].(float64)+1e-9 {
				t.Errorf("limit %d: bound %v, optimum %v", k, bound, full["objective"])
			}
		}
		if v, ok := got["objective"].(float64); ok && v < full["objective"].(float64)-1e-9 {
			t.Errorf("limit %d: objective %v, optimum %v", k, v, full["objective"])
		}
	}
	if bounds == 0 {
		t.Error("no bound at any limit")
	}
}

func TestStandardInput(t *testing.T) {
	text, err := os.ReadFile("testdata/product_mix.mps")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), Families(), []string{"lp", "-", "--json"}, bytes.NewReader(text), &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestVersion(t *testing.T) {
	o := invoke(t, t.Context(), "version")
	if o.code != 0 || !strings.HasPrefix(o.stdout, "proxybd ") || !strings.Contains(o.stdout, " go1.") {
		t.Errorf("version: %d %q", o.code, o.stdout)
	}
	got := invoke(t, t.Context(), "version", "--json").object(t)
	if got["module"] != "github.com/proxybd/proxybd" || got["platform"] == "" || got["features"] == nil {
		t.Errorf("version --json: %v", got)
	}
}

func TestHelp(t *testing.T) {
	o := invoke(t, t.Context(), "--help")
	if o.code != 0 || !strings.Contains(o.stdout, "Exit codes") {
		t.Errorf("help: %d %q", o.code, o.stdout)
	}
	for _, c := range newRoot(&app{known: Families()}).Commands() {
		if !c.Runnable() {
			continue // a topic
		}
		o := invoke(t, t.Context(), c.Name(), "--help")
		if o.code != 0 || !strings.Contains(o.stdout, "Usage:") || !strings.Contains(o.stdout, "Examples:") {
			t.Errorf("%s --help: exit code %d, %q", c.Name(), o.code, o.stdout)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if o := invoke(t, t.Context(), "completion", shell); o.code != 0 || !strings.Contains(o.stdout, "proxybd") {
			t.Errorf("completion %s: exit code %d", shell, o.code)
		}
	}
}

func TestStatusCodes(t *testing.T) {
	for s, want := range map[lp.Status]int{lp.Optimal: 0, lp.FixedPoint: 0, lp.Stalled: 0, lp.Infeasible: 3, lp.Unbounded: 4, lp.TimeLimit: 5,
		lp.IterationLimit: 5, lp.NodeLimit: 5, lp.WorkLimit: 5, lp.MemoryLimit: 5, lp.ObjectiveLimit: 5, lp.Interrupted: 5, lp.NotSolved: 1} {
		if got := statusCode(s); got != want {
			t.Errorf("%v: exit code %d, want %d", s, got, want)
		}
	}
	for _, c := range []struct {
		err  error
		want int
	}{{badInput(errors.New("x")), 2}, {fmt.Errorf("a: %w", lp.ErrModel), 2}, {bnb.ErrNumerical, 1}, {errors.New("x"), 1}} {
		if got := errorCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
	if badInput(nil) != nil {
		t.Error("badInput(nil) is an error")
	}
}
