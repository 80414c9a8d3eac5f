package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/internal/runstats"
)

// tinyExperiment makes the folder of an experiment whose stages take about a second each.
func tinyExperiment(t *testing.T, shapes ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	args := []string{"split", "-o", dir, "-q", "--train", "6", "--validation", "2", "--test", "5", "--bases", "4"}
	for _, s := range shapes {
		args = append(args, "--shape", s)
	}
	if o := invoke(t, t.Context(), args...); o.code != 0 {
		t.Fatal(o.stderr)
	}
	return dir
}

// stageArgs are the commands of the stages.
func stageArgs(dir string) map[string][]string {
	return map[string][]string{
		"states": {"states", dir, "--recorded", "60", "--designs", "30"},
		"train":  {"train", dir, "--steps", "500"},
		"eval":   {"eval", dir, "--repeats", "1", "--methods", "exact,exact/bbc/plain,start,proxy,proxy+random/plain,hybrid"},
	}
}

// stageContent is everything in the folder that must not depend on interruptions and clocks.
func stageContent(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	put := func(key, value string) {
		if _, twice := out[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		out[key] = value
	}
	e, err := catalogue(Families()).openExperiment(dir)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "states", "*.states"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		s, err := experiment.ReadStates(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Records {
			r.Meta.Seconds = 0
			put("states of "+r.Meta.ID, fmt.Sprintf("%+v %x %v", r.Meta, r.Instance, r.States))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	trainings, err := e.Trainings()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range trainings {
		put("model "+r.Family+r.Shape, fmt.Sprint(r.Status, r.Steps, r.BestStep, r.Validation, r.Model, r.Data, len(r.History)))
	}
	records, _, err := e.Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Status == "error" {
			t.Errorf("%s %s: %s", r.ID, r.Method, r.Message)
		}
		r.Seconds, r.LoadSeconds, r.Parts, r.PeakMemory, r.Trace, r.Started, r.Host, r.Repair.Seconds = 0, 0, runstats.Parts{}, 0, nil, "", "", 0
		for k := range r.Phases {
			r.Phases[k].Seconds = 0
		}
		if r.Family == "ufl" && (r.Method == "hybrid") != (len(r.Phases) > 0) {
			t.Errorf("%s %s: phases %+v", r.ID, r.Method, r.Phases)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		put("result of "+r.ID+" "+r.Method, string(text))
	}
	return out
}

// killsEnv sets how often TestKilledStages kills each stage; three times without it.
const killsEnv = "PROXYBD_KILLS"

// TestKilledStages kills states, train and eval (SIGKILL) at random moments, goes on each time, and compares what they
// leave with the work of an experiment that nobody disturbed. PROXYBD_KILLS=10 kills each ten times.
func TestKilledStages(t *testing.T) {
	kills := 3
	if v := os.Getenv(killsEnv); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	shapes := []string{"ufl:20x20", "cap:20x10"}
	calm, killed := tinyExperiment(t, shapes...), tinyExperiment(t, shapes...)
	rng := rand.New(rand.NewPCG(20, uint64(kills)))
	for _, stage := range []string{"states", "train", "eval"} {
		began := time.Now()
		if out, err := child(t, "command", stageArgs(calm)[stage]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", stage, err, out)
		}
		took := time.Since(began)
		met := 0
		for k := range kills {
			c := child(t, "command", stageArgs(killed)[stage]...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			// Early moments, so that there is work left for the later kills.
			time.Sleep(time.Duration(rng.Float64() * float64(took) * 1.5 / float64(kills-k+1)))
			if err := c.Process.Kill(); err != nil && !strings.Contains(err.Error(), "finished") {
				t.Fatal(err)
			}
			if c.Wait() != nil {
				met++
			}
		}
		models := filepath.Join(killed, "models")
		if _, err := os.Stat(filepath.Join(models, "ufl-20x20.json")); stage == "train" && errors.Is(err, fs.ErrNotExist) {
			leave(t, filepath.Join(models, ".ufl-20x20.checkpoint.0.tmp")) // as a kill in the middle of a checkpoint leaves it
		}
		t.Logf("%s: %d of %d kills met it at work, undisturbed it takes %v", stage, met, kills, took.Round(time.Millisecond))
		if out, err := child(t, "command", stageArgs(killed)[stage]...).CombinedOutput(); err != nil {
			t.Fatalf("%s after %d kills: %v\n%s", stage, kills, err, out)
		}
	}
	want, got := stageContent(t, calm), stageContent(t, killed)
	if len(want) != 18+2+60 {
		t.Errorf("%d states, models and results", len(want))
	}
	for key, v := range want {
		if got[key] != v {
			t.Errorf("%s differs:\n%.400s\nundisturbed:\n%.400s", key, got[key], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d states, models and results after kills, want %d", len(got), len(want))
	}
	if left, err := filepath.Glob(filepath.Join(killed, "*", ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// leave writes a file of some bytes.
func leave(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestStages runs an experiment on the command line: shards, a stage without the one before it, and the report, from
// the folder and from the shards' files.
func TestStages(t *testing.T) {
	dir := tinyExperiment(t, "ufl:12x10")
	if o := invoke(t, t.Context(), "eval", dir); o.code != exitBadInput || !strings.Contains(o.stderr, "trained model") {
		t.Errorf("eval before train: exit code %d, %s", o.code, o.stderr)
	}
	for _, args := range [][]string{{"states", dir, "--shard", "1/2"}, {"states", dir, "--shard", "2/2"}, {"train", dir, "--steps", "60"},
		{"eval", dir, "--shard", "1/2"}, {"eval", dir, "--shard", "2/2"}} {
		o := invoke(t, t.Context(), append(args, "--json")...)
		if o.code != 0 || o.object(t)["stage"] != args[0] {
			t.Fatalf("%v: %d %s", args, o.code, o.stderr)
		}
	}
	o := invoke(t, t.Context(), "report", dir)
	if o.code != 0 || !strings.Contains(o.stdout, "Training.") || !strings.Contains(o.stdout, "12x10") {
		t.Errorf("report: %d %s %s", o.code, o.stdout, o.stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"</html>", "<svg", "aggregated", "hybrid"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(string(page), "src=") || strings.Contains(string(page), "<link") || strings.Contains(string(page), "<script") {
		t.Error("the page asks for other files")
	}
	shards, err := filepath.Glob(filepath.Join(dir, "results", "*.jsonl"))
	if err != nil || len(shards) != 2 {
		t.Fatal(shards, err)
	}
	if o := invoke(t, t.Context(), append([]string{"report", "-o", t.TempDir()}, shards...)...); o.code != 0 {
		t.Error(o.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "models", "ufl-12x10.svg")); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"states", t.TempDir()}, {"states", dir, "--shard", "3/2"}, {"eval", dir, "--methods", "magic"}, {"split", "--shape", "ufl:x"},
		{"split", "--shape", "magic:2x2", "-o", t.TempDir()}, {"report", filepath.Join(dir, "manifest.json")}, {"slurm", t.TempDir()}} {
		if o := invoke(t, t.Context(), args...); o.code != exitBadInput {
			t.Errorf("%v: exit code %d, %s", args, o.code, o.stderr)
		}
	}
}

func TestSlurmScripts(t *testing.T) {
	dir := tinyExperiment(t, "ufl:12x10")
	o := invoke(t, t.Context(), "slurm", dir, "--shards", "7", "--partition", "short", "--time-limit", "90s")
	for _, want := range []string{"#SBATCH --array=1-7\n", "#SBATCH --array=1-1\n", "#SBATCH --partition=short\n", `eval ` + dir + ` --time-limit 90s --methods exact,exact/paper,aggregated,start,proxy/paper,proxy+zero/paper,proxy+random/paper,proxy,hybrid --shard "$SLURM_ARRAY_TASK_ID/7"`,
		"--dependency=afterok:", "report " + dir} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	o = invoke(t, t.Context(), "slurm", dir, "eval", "--jobs", "4")
	if !strings.Contains(o.stdout, "#SBATCH --cpus-per-task=4\n") || !strings.Contains(o.stdout, ` --jobs 4 --shard "$SLURM`) {
		t.Errorf("four cores a task:\n%s", o.stdout)
	}
	o = invoke(t, t.Context(), "slurm", dir, "train", "--binary", "/opt/it's here/proxybd")
	if !strings.HasPrefix(o.stdout, "#!/bin/bash\n#SBATCH") || !strings.Contains(o.stdout, `exec '/opt/it'\''s here/proxybd' train`) {
		t.Errorf("the batch script of train:\n%s", o.stdout)
	}
	if o := invoke(t, t.Context(), "slurm", dir, "dance"); o.code != exitBadInput {
		t.Errorf("an unknown stage: %d", o.code)
	}
}

// TestTrainFlagsOfFiles gives training on a folder what only training on files heeds.
func TestTrainFlagsOfFiles(t *testing.T) {
	dir := tinyExperiment(t, "ufl:8x6")
	for _, flags := range [][]string{{"--variants", "3"}, {"-o", "m"}, {"--family", "ufl"}} {
		if o := invoke(t, t.Context(), append([]string{"train", dir}, flags...)...); o.code != exitBadInput || !strings.Contains(o.stderr, "is for training on files") {
			t.Errorf("%v: exit code %d: %s", flags, o.code, o.stderr)
		}
	}
}
