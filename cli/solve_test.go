package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
)

// generated makes instances of 20 clients and facilities and returns their paths.
func generated(t *testing.T, count string) []string {
	t.Helper()
	o := invoke(t, t.Context(), "generate", "--class", "20x20", "--count", count, "--seed", "5", "-o", t.TempDir())
	if o.code != 0 {
		t.Fatal(o.stderr)
	}
	return strings.Fields(o.stdout)
}

// enumerated returns the optimum of an instance by brute force over the designs of up to four facilities, which the
// generated instances of this size never exceed (five of them cost more than one).
func enumerated(t *testing.T, path string) float64 {
	t.Helper()
	in, err := ufl.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	best := in.TotalCost([]int32{0})
	var extend func(open []int32, from int)
	extend = func(open []int32, from int) {
		for j := from; j < in.Facilities; j++ {
			next := append(open[:len(open):len(open)], int32(j))
			best = min(best, in.TotalCost(next))
			if len(next) < 5 {
				extend(next, j+1)
			}
		}
	}
	extend(nil, 0)
	return best
}

// TestSolveMethods trains a proxy and solves an instance by every method and scheme.
func TestSolveMethods(t *testing.T) {
	paths := generated(t, "4")
	model := filepath.Join(t.TempDir(), "m.safetensors")
	train := append([]string{"train", "-q", "-o", model, "--steps", "200", "--hidden", "16,16", "--json"}, paths[:3]...)
	o := invoke(t, t.Context(), train...)
	if o.code != 0 || o.object(t)["model"] != model {
		t.Fatalf("train: %q %q", o.stdout, o.stderr)
	}
	if score := o.object(t)["score"].(map[string]any); score["bases"] != 1.0 || score["helps"] != false {
		t.Errorf("the score of one instance: %v", score)
	}
	o = invoke(t, t.Context(), "score", "--json", "--model", model, paths[2], paths[3])
	if score := o.object(t)["score"].(map[string]any); score["bases"] != 2.0 || score["over_zero"].(map[string]any)["low"] == nil {
		t.Errorf("the score of two instances: %v", score)
	}
	o = invoke(t, t.Context(), "score", "--quiet", "--designs", "2", "--model", model, paths[2])
	if o.stderr != "" || !strings.Contains(o.stdout, "certified share on 1 held-out bases") {
		t.Errorf("score --quiet: %q, %q", o.stdout, o.stderr)
	}
	want := enumerated(t, paths[3])
	for _, flags := range [][]string{
		{}, {"--scheme", "bbc"}, {"--scheme", "dual"}, {"--method", "aggregated"}, {"--scheme", "outer"}, {"--method", "aggregated", "--scheme", "outer"}, {"--no-heuristic"},
		{"--method", "proxy", "--model", model}, {"--method", "proxy", "--model", model, "--no-heuristic"},
		{"--method", "proxy", "--model", model, "--scheme", "outer"}, {"--method", "start"},
		{"--method", "proxy", "--model", model, "--control", "zero", "--no-heuristic"},
		{"--method", "proxy", "--model", model, "--control", "random", "--no-heuristic"},
	} {
		o := invoke(t, t.Context(), append([]string{"solve", paths[3], "--json"}, flags...)...)
		got := o.object(t)
		if o.code != exitSolved {
			t.Errorf("%v: exit code %d: %s", flags, o.code, o.stderr)
			continue
		}
		objective, bound := got["objective"].(float64), got["bound"].(float64)
		if bound > want*(1+1e-9) || objective < want*(1-1e-9) {
			t.Errorf("%v: bound %v, objective %v, optimum %v", flags, bound, objective, want)
		}
		if got["status"] == "optimal" && !near(objective, want, 1e-4) {
			t.Errorf("%v: optimal at %v, the optimum is %v", flags, objective, want)
		}
		if got["method"] == "exact" && got["status"] != "optimal" {
			t.Errorf("exact: %v", got)
		}
		for _, field := range []string{"gap", "seconds", "nodes", "lp_iterations", "cuts", "open", "seconds_by_part", "family", "method", "scheme"} {
			if _, present := got[field]; !present {
				t.Errorf("%v: no field %s", flags, field)
			}
		}
		if open := got["open"].([]any); len(open) == 0 {
			t.Errorf("%v: no open facility", flags)
		}
	}
}

func TestSolveForPeople(t *testing.T) {
	path := generated(t, "1")[0]
	sol := filepath.Join(t.TempDir(), "y.sol")
	o := invoke(t, t.Context(), "solve", path, "--write-sol", sol)
	for _, want := range []string{"20 clients, 20 facilities", "method exact, scheme auto", "start: a design of cost", "tree without a master: complete", "status        optimal", "time by part"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	text, err := os.ReadFile(sol)
	if err != nil || !strings.Contains(string(text), "y0 ") {
		t.Errorf("solution %q, %v", text, err)
	}
	o = invoke(t, t.Context(), "solve", path, "--scheme", "outer", "--no-heuristic")
	if o.code != 0 || !strings.Contains(o.stdout, "round") {
		t.Errorf("outer: %d\n%s", o.code, o.stdout)
	}
}

func TestSolveLimits(t *testing.T) {
	path := generated(t, "1")[0]
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		status string
		flags  []string
	}{
		{cancelled, "interrupted", nil},
		{t.Context(), "time_limit", []string{"--time-limit", "0s"}},
		{t.Context(), "iteration_limit", []string{"--scheme", "outer", "--iteration-limit", "1", "--no-heuristic"}},
	} {
		o := invoke(t, c.ctx, append([]string{"solve", path, "--json"}, c.flags...)...)
		got := o.object(t)
		if o.code != exitLimit || got["status"] != c.status {
			t.Errorf("%v: %d %v %s", c.flags, o.code, got, o.stderr)
		}
	}
}

func TestSolveBadInput(t *testing.T) {
	dir := t.TempDir()
	path := generated(t, "1")[0]
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	capacitated := write("cap", "2 1\n10 5\n10 5\n3 1 2\n")
	open := write("open", "2 1\ncapacity 5\ncapacity 5\n3 1 2\n")
	scenarios := write("a.cor", "NAME a\nROWS\n N z\n G r\n G s\nCOLUMNS\n x z 1 r 1\n y z 1 s 1\nRHS\nENDATA\n")
	write("a.tim", "TIME a\nPERIODS\n x r one\n y s two\nENDATA\n")
	nonsense := write("nonsense.safetensors", "zzzzzzzzzz")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"solve", "nowhere.gz"}, "nowhere.gz: no such file or directory"},
		{[]string{"solve", scenarios, "--stoch", "nowhere.sto"}, "nowhere.sto: no such file or directory"},
		{[]string{"solve", write("empty", "")}, "empty"},
		{[]string{"solve", write("text", "2 2\n0 x\n")}, "line 2"},
		{[]string{"solve", write("nan", "1 1\n0 NaN\n1 1\n")}, "line 2"},
		{[]string{"solve", write("short", "2 2\n0 1\n0 1\n1 3 4\n")}, "short"},
		{[]string{"solve", capacitated, "--family", "ufl"}, "a capacitated instance"},
		{[]string{"solve", open}, "line 2, field 1: the capacity is left open"},
		{[]string{"solve", open}, "--capacity"},
		{[]string{"solve", open, "--capacity", "-1"}, "capacity -1"},
		{[]string{"solve", capacitated, "--capacity", "5"}, "the file has a capacity for every facility"},
		{[]string{"solve", path, "--capacity", "5"}, "--capacity is for OR-Library's"},
		{[]string{"solve", path, "--first-stage", "y*"}, "--first-stage is for models"},
		{[]string{"solve", path, "--model", nonsense}, "--model goes with --method proxy or hybrid"},
		{[]string{"solve", path, "--method", "full", "--scheme", "bbc"}, "--scheme goes with a decomposition"},
		{[]string{"solve", path, "--method", "start", "--no-heuristic"}, "--no-heuristic goes with a master"},
		{[]string{"solve", path, "--control", "zero"}, "--control goes with --method proxy or hybrid"},
		{[]string{"solve", path, "--method", "proxy", "--control", "one"}, "--control one: it is one of zero, random"},
		{[]string{"solve", path, "--method", "full", "--no-true-cost"}, "--no-true-cost goes with a decomposition"},
		{[]string{"solve", path, "--iteration-limit", "5"}, "--iteration-limit counts the rounds of --scheme outer"},
		{[]string{"solve", path, "--scheme", "outer", "--node-limit", "5"}, "--node-limit goes with one tree"},
		{[]string{"solve", path, "--scheme", "dual", "--no-heuristic"}, "--no-heuristic goes with a master"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--shard", "1/2"}, "--shard is for the folder of an experiment"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--sigma", "1"}, "--sigma is that of --variants"},
		{[]string{"solve", capacitated, "--scheme", "dual"}, `scheme "dual"`},
		{[]string{"solve", capacitated, "--method", "proxy", "--model", "nowhere"}, "nowhere: no such file"},
		{[]string{"solve", capacitated, "--method", "proxy", "--model", nonsense}, "nonsense.safetensors"},
		{[]string{"solve", write("broken", "2 1\n10 5\n-1 5\n3 1 2\n"), "--family", "cap"}, "line 3, field 1"},
		{[]string{"solve", path, "--family", "cap"}, "an instance without capacities"},
		{[]string{"solve", path, "--family", "magic"}, `unknown family "magic" (known: mps, mcndp, netdes, scflp, sslp, ufl, cap)`},
		{[]string{"solve", path, "--method", "magic"}, "--method magic: it is one of exact, aggregated, proxy, hybrid, full"},
		{[]string{"solve", path, "--scheme", "magic"}, "--scheme magic"},
		{[]string{"solve", path, "--method", "aggregated", "--scheme", "dual"}, "the scheme dual has no separator"},
		{[]string{"solve", path, "--fractional", "magic"}, "--fractional magic"},
		{[]string{"solve", path, "--method", "proxy", "--model", "nowhere"}, "nowhere: no such file"},
		{[]string{"solve", path, "--method", "proxy", "--model", nonsense}, "nonsense.safetensors"},
		{[]string{"solve", path, "--gap", "-1"}, "a number of at least 0"},
		{[]string{"generate", "--class", "5x5", "--count", "0"}, "--count 0"},
		{[]string{"generate", "--class", "XX"}, "XX"},
		{[]string{"generate", "--family", "magic", "--class", "MO"}, `unknown family "magic"`},
		{[]string{"generate", "-o", dir}, "what size?"},
		{[]string{"perturb", path, "--sigma", "-1", "-o", dir}, "sigma"},
		{[]string{"export", path}, "--output is missing"},
		{[]string{"export", path, "-o", filepath.Join(dir, "m.doc")}, "ends in .mps, .lp or .nl"},
		{[]string{"train", path, capacitated, "-o", filepath.Join(dir, "m")}, "is of the family cap"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--preset", "magic"}, "--preset magic"},
		{[]string{"train", path, path}, "--output is missing"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--validation", "2"}, "--validation 2"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--features", "magic"}, "magic"},
		{[]string{"train", path, path, "-o", filepath.Join(dir, "m"), "--hidden", "4,x"}, `"x" is not a width`},
		{[]string{"demo", "--test", "0"}, "nothing to show"},
	} {
		o := invoke(t, t.Context(), c.args...)
		if o.code != exitBadInput || !strings.Contains(o.stderr, c.want) || strings.Contains(o.stderr, "goroutine") {
			t.Errorf("%v: exit code %d, standard error %q, want %q", c.args, o.code, o.stderr, c.want)
		}
	}
}

// TestDemo runs the demonstration on a small scale.
func TestDemo(t *testing.T) {
	model := filepath.Join(t.TempDir(), "demo.safetensors")
	o := invoke(t, t.Context(), "demo", "--facilities", "15", "--train", "2", "--test", "2", "--steps", "150", "--save-model", model, "--json")
	got := o.object(t)
	runs, _ := got["runs"].([]any)
	if o.code != 0 || got["status"] != "completed" || len(runs) != 6 {
		t.Fatalf("%d %v %s", o.code, got, o.stderr)
	}
	for _, r := range runs {
		r := r.(map[string]any)
		if r["method"] == "exact" && r["status"] != "optimal" || r["true_gap"].(float64) < -1e-9 {
			t.Errorf("run %v", r)
		}
	}
	if _, err := pipeline.LoadModel(ufl.Family, model); err != nil {
		t.Error(err)
	}
	if !strings.Contains(o.stderr, "median") {
		t.Errorf("no summary in %s", o.stderr)
	}
}

// TestSolveLibrary solves public instances to their published optima.
func TestSolveLibrary(t *testing.T) {
	values := optima(t, "ufl")
	names := []string{"MO1", "MO2", "MO3", "MO4"}
	if !testing.Short() {
		names = append(names, "MP1", "MP3")
	}
	for _, name := range names {
		checkValue(t, "solve", filepath.Join(dataDir, "ufl", "m", name+".gz"), values[name], 1e-6)
	}
}

// TestSolveCap solves capacitated instances: small ones by every scheme, and the public ones to their published
// optima.
func TestSolveCap(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, text, want string
		flags            []string
	}{
		{"one", "2 1\n10 5\n10 5\n3 1 2\n", "6", nil},
		{"both", "2 2\n5 1\n5 2\n4 1 2\n4 1 2\n", "5.75", nil}, // 3 of the 8 units go to the dearer facility
		{"filled", "2 1\ncapacity 5\ncapacity 7\n3 4 1\n", "8", []string{"--capacity", "3"}},
		{"short", "2 1\n1 5\n1 5\n3 1 2\n", "infeasible", nil},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{"auto", "bbc", "outer"} {
			for _, more := range [][]string{nil, {"--no-heuristic"}} {
				checkValue(t, "solve", path, c.want, 1e-6, append(append([]string{"--scheme", scheme}, c.flags...), more...)...)
			}
		}
	}
	capProxy(t, filepath.Join(dir, "both"))
	values := optima(t, "cap")
	for _, name := range []string{"cap41", "cap63", "cap82", "cap113", "cap133"} {
		checkValue(t, "solve", filepath.Join(dataDir, "cap", name+".txt"), values[name], 1e-6)
	}
	for _, capacity := range []string{"8000", "14000"} {
		checkValue(t, "solve", filepath.Join(dataDir, "cap", "capa.txt.gz"), values["capa_"+capacity], 1e-6, "--capacity", capacity)
	}
}

// capProxy solves an instance with 2 facilities and 2 clients by an untrained proxy that was made for another: whatever it
// predicts, the design is feasible, its cost true and the bound valid.
func capProxy(t *testing.T, path string) {
	t.Helper()
	like, err := cap.Family.Generate("3x4", 1)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := pipeline.NewModel(cap.Family, like, families.ModelOptions{Hidden: []int{4}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "cap.safetensors")
	if err := m.Save(model); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--no-heuristic"}} {
		o := invoke(t, t.Context(), append([]string{"solve", path, "--method", "proxy", "--model", model, "--json", "--quiet"}, more...)...)
		got := o.object(t)
		if o.code != exitSolved || got["objective"].(float64) != 5.75 || got["bound"].(float64) > 5.75+1e-9 {
			t.Errorf("proxy: exit code %d, %v", o.code, got)
		}
	}
}

// TestFamiliesAlike takes every family through generate, perturb, export, train and each method, on the command line
// alone: the exported model has the optimum that the decomposition finds, by the method full and by proxybd mip.
func TestFamiliesAlike(t *testing.T) {
	for _, f := range Families() {
		t.Run(f.Name, func(t *testing.T) {
			dir := t.TempDir()
			o := invoke(t, t.Context(), "generate", "--family", f.Name, "--class", smallClass[f.Name], "--seed", "3", "-o", dir)
			base := strings.TrimSpace(o.stdout)
			if o.code != 0 {
				t.Fatal(o.stderr)
			}
			o = invoke(t, t.Context(), "perturb", base, "--count", "1", "--seed", "9", "-o", dir)
			path := strings.TrimSpace(o.stdout)
			if o.code != 0 || !strings.Contains(path, "-p9.") {
				t.Fatalf("%q %s", path, o.stderr)
			}
			exact := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-6").object(t)
			want := exact["objective"].(float64)
			if exact["family"] != f.Name || exact["status"] != "optimal" {
				t.Fatalf("%v", exact)
			}
			for _, name := range []string{"m.mps", "m.lp.gz"} {
				model := filepath.Join(dir, name)
				if o := invoke(t, t.Context(), "export", path, "-o", model); o.code != 0 {
					t.Fatal(o.stderr)
				}
				got := invoke(t, t.Context(), "mip", model, "--json", "--gap", "1e-6").object(t)
				if v, ok := got["objective"].(float64); !ok || !near(v, want, 1e-5) {
					t.Errorf("%s: %v, the decomposition %v", name, got["objective"], want)
				}
			}
			ways := [][]string{{"--method", "full"}, {"--method", "aggregated"}}
			model := filepath.Join(dir, "m.safetensors")
			o = invoke(t, t.Context(), "train", base, path, "--variants", "1", "--steps", "40", "--hidden", "8", "-q", "-o", model)
			switch untrained := f.Name == "sslp"; {
			case untrained && (o.code != exitBadInput || !strings.Contains(o.stderr, "integer recourse")):
				t.Errorf("train: %d %s", o.code, o.stderr)
			case untrained:
			case o.code != 0:
				t.Fatal(o.stderr)
			default:
				ways = append(ways, []string{"--method", "hybrid", "--model", model},
					[]string{"--method", "hybrid", "--no-heuristic", "--model", model},
					[]string{"--method", "proxy", "--no-heuristic", "--model", model})
			}
			for _, flags := range ways {
				o := invoke(t, t.Context(), append([]string{"solve", path, "--json", "--gap", "1e-6"}, flags...)...)
				if o.code != exitSolved {
					t.Errorf("%v: %s", flags, o.stderr)
					continue
				}
				got := o.object(t)
				objective, bound := got["objective"].(float64), got["bound"].(float64)
				if bound > want+1e-6*math.Abs(want) || objective < want-1e-6*math.Abs(want) || flags[1] != "proxy" && (got["status"] != "optimal" || !near(objective, want, 1e-5)) {
					t.Errorf("%v: %v at %v, bound %v, the optimum is %v", flags, got["status"], objective, bound, want)
				}
			}
		})
	}
}

// smallClass is a class of every family that is solved at once.
var smallClass = map[string]string{"mps": "4x100x36", "ufl": "15x12", "cap": "15x8", "mcndp": "5x10x4", "netdes": "5x3-L", "scflp": "6x5:3", "sslp": "3x6:4"}

// TestShippedModels solves without --model where a shipped one fits, and says what to do where none does.
func TestShippedModels(t *testing.T) {
	dir := t.TempDir()
	for _, c := range [][3]string{{"cap", "50x16", "cap"}, {"cap", "12x7", "cap"}, {"ufl", "30x20", "ufl"}} {
		path := strings.TrimSpace(invoke(t, t.Context(), "generate", "--family", c[0], "--class", c[1], "-o", dir).stdout)
		o := invoke(t, t.Context(), "solve", path, "--method", "proxy")
		if o.code != exitSolved || !strings.Contains(o.stdout, "model "+c[2]+" (shipped)") {
			t.Errorf("%v: %d %s%s", c, o.code, o.stdout, o.stderr)
		}
	}
	path := strings.TrimSpace(invoke(t, t.Context(), "generate", "--family", "ufl", "--class", "30x20", "-o", dir).stdout)
	got := invoke(t, t.Context(), "solve", path, "--method", "hybrid", "--json").object(t)
	if phases, _ := got["phases"].([]any); got["status"] != "optimal" || len(phases) == 0 || phases[0].(map[string]any)["name"] != "proxy" {
		t.Errorf("hybrid: %v in phases %v", got["status"], got["phases"])
	}
	got = invoke(t, t.Context(), "solve", path, "--method", "hybrid", "--scheme", "bbc", "--json").object(t)
	if got["status"] != "optimal" || got["phases"] != nil || got["separations"] == nil {
		t.Errorf("hybrid in one tree: %v", got)
	}
	path = strings.TrimSpace(invoke(t, t.Context(), "generate", "--family", "netdes", "--class", "5x3-L", "-o", dir).stdout)
	o := invoke(t, t.Context(), "solve", path, "--method", "hybrid")
	if o.code != exitBadInput || !strings.Contains(o.stderr, "--model FILE") {
		t.Errorf("%d %s%s", o.code, o.stdout, o.stderr)
	}
}

// TestRecordThenVerify records a run, proves it, and alters the file.
func TestRecordThenVerify(t *testing.T) {
	dir := t.TempDir()
	in, err := cap.Family.Generate("20x10", 4)
	if err != nil {
		t.Fatal(err)
	}
	path, rec := filepath.Join(dir, "a.txt"), filepath.Join(dir, "a.record")
	if err := pipeline.Write(path, in); err != nil {
		t.Fatal(err)
	}
	if o := invoke(t, t.Context(), "solve", path, "--record", rec, "--json"); o.code != exitSolved {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	if o := invoke(t, t.Context(), "verify", rec, "--json"); o.code != exitSolved || !strings.Contains(o.stdout, `"status":"proven"`) {
		t.Fatalf("exit code %d: %s %s", o.code, o.stdout, o.stderr)
	}
	file, err := os.ReadFile(rec)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)/2] ^= 1
	if err := os.WriteFile(rec, file, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", rec}, {"verify", filepath.Join(dir, "none")}, {"solve", path, "--record", rec, "--method", "full"},
		{"solve", path, "--record", rec, "--scheme", "outer"}} {
		if o := invoke(t, t.Context(), args...); o.code != exitBadInput {
			t.Errorf("%v: exit code %d: %s", args, o.code, o.stderr)
		}
	}
}
