package cli

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/nn"
)

// lastBound returns the bound in the last row of the last table of a log that has one.
func lastBound(log string) string {
	headings, bound := []string(nil), ""
	for _, line := range strings.Split(log, "\n") {
		line = strings.NewReplacer("LP iter", "LP-iter", "dual nodes", "dual-nodes", "primal inf", "primal-inf", "dual inf", "dual-inf").Replace(line)
		cells := strings.Fields(line)
		switch {
		case len(cells) == 0:
			if bound != "" {
				headings = nil
			}
		case strings.Contains(line, " incumbent ") || strings.HasPrefix(line, "    iteration "), cells[0] == "iteration":
			headings = cells
		case headings != nil:
			if len(cells) == len(headings)+1 { // a mark
				cells = cells[1:]
			}
			for k, h := range headings {
				if h == "bound" && len(cells) == len(headings) {
					bound = cells[k]
				}
			}
		}
	}
	return bound
}

// TestLastRow looks for the bound of the result in the last row of every log.
func TestLastRow(t *testing.T) {
	path := generated(t, "1")[0]
	dir := t.TempDir()
	if o := invoke(t, t.Context(), "generate", "--family", "cap", "--class", "50x16", "-o", dir); o.code != 0 {
		t.Fatal(o.stderr)
	}
	plant := dir + "/cap50x16-3-1.txt.gz"
	for _, args := range [][]string{{"solve", path}, {"solve", path, "--method", "proxy"}, {"solve", path, "--method", "start"},
		{"solve", path, "--method", "full"}, {"solve", path, "--scheme", "paper"}, {"solve", path, "--scheme", "dual"},
		{"solve", plant, "--scheme", "outer", "--no-heuristic"}, {"solve", plant, "--scheme", "paper"}, {"solve", plant, "--method", "hybrid"},
		{"solve", plant, "--method", "proxy", "--no-heuristic"}, {"solve", plant, "--no-heuristic", "--node-limit", "0"},
		{"mip", "testdata/knapsack.mps"}, {"lp", "testdata/product_mix.mps"}, {"lp", "testdata/product_mix.mps", "--iteration-limit", "1"},
	} {
		o := invoke(t, t.Context(), append(args, "--json")...)
		want := "-inf"
		if bound, ok := o.object(t)["bound"].(float64); ok {
			want = showValue(bound)
		}
		if got := lastBound(o.stderr); got != want {
			t.Errorf("%v: the last row has the bound %q, the result %s:\n%s", args, got, want, o.stderr)
		}
	}
}

// TestPartsAddUp adds the times of the parts of a run: they are the time of the command.
func TestPartsAddUp(t *testing.T) {
	path := generated(t, "1")[0]
	model := t.TempDir() + "/paper.safetensors"
	if o := invoke(t, t.Context(), "train", path, "--variants", "2", "--preset", "paper", "--steps", "4", "-o", model); o.code != 0 {
		t.Fatal(o.stderr)
	}
	for _, args := range [][]string{{"solve", path}, {"solve", path, "--method", "proxy", "--no-heuristic"}, {"solve", path, "--scheme", "bbc"},
		{"solve", path, "--method", "full"}, {"solve", path, "--method", "hybrid"}, {"solve", path, "--scheme", "outer", "--no-heuristic"},
		{"solve", path, "--record", t.TempDir() + "/r"}, {"solve", path, "--method", "proxy", "--scheme", "paper", "--model", model}} {
		got := invoke(t, t.Context(), append(args, "--json")...).object(t)
		parts := got["seconds_by_part"].(map[string]any)
		sum := 0.0
		for name, v := range parts {
			if name != "prediction" && name != "completion" {
				sum += v.(float64)
			}
		}
		if seconds := got["seconds"].(float64); math.Abs(sum-seconds) > 1e-6 {
			t.Errorf("%v: the parts take %v, the command %v: %v", args, sum, seconds, parts)
		}
		if within := parts["prediction"].(float64) + parts["completion"].(float64); within > parts["separation"].(float64)+1e-6 {
			t.Errorf("%v: prediction and completion are of separation: %v", args, parts)
		}
	}
	got := invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--json").object(t)
	sum, other := 0.0, false
	for _, p := range got["parts"].([]any) {
		sum += p.(map[string]any)["seconds"].(float64)
		other = other || p.(map[string]any)["name"] == "other"
	}
	if seconds := got["seconds"].(float64); math.Abs(sum-seconds) > 1e-6 || !other {
		t.Errorf("mip: the parts take %v, the command %v", sum, seconds)
	}
	// In a log the parts of a millisecond and more add up to the same, but for rounding.
	o := invoke(t, t.Context(), "solve", path, "--scheme", "bbc")
	_, line, _ := strings.Cut(o.stdout, "time by part  ")
	_, total, _ := strings.Cut(o.stdout, "\ntime          ")
	want, err := strconv.ParseFloat(strings.Fields(total)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	sum, other = 0, false
	for _, p := range strings.Split(strings.TrimSpace(line), ", ") {
		words := strings.Fields(p)
		v, err := strconv.ParseFloat(words[len(words)-2], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum, other = sum+v, other || words[0] == "other"
	}
	if math.Abs(sum-want) > 0.05 || !other {
		t.Errorf("the parts %q add up to %g s, the command took %g s", line, sum, want)
	}
}

// TestTrainLine has the longest names and largest numbers in at most 100 columns.
func TestTrainLine(t *testing.T) {
	p := nn.Progress{Step: 1048576, Steps: 1048576, Loss: -9.123456, Validation: -9.123456, Best: -9.123456, Rate: 9.9e-05,
		StepsPerSec: 99999, ETA: 119*time.Hour + 59*time.Minute}
	for _, s := range []experiment.Shape{{Family: "mcndp", Shape: "10x83x50"}, {Family: "cap", Shape: "1000x100"}} {
		if line := trainLine(s, p); len(line) > 100 || !strings.Contains(line, "ETA 119h59m") {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	p.ETA = 99 * time.Second
	if line := trainLine(experiment.Shape{Family: "cap", Shape: "50x16"}, p); !strings.HasSuffix(line, "ETA 1m39s") {
		t.Error(line)
	}
}

// TestDurations reads what duration flags take.
func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"60": time.Minute, "0.5": 500 * time.Millisecond, "0": 0, "60s": time.Minute,
		"1h30m": 90 * time.Minute, "none": math.MaxInt64, "1e3": 1000 * time.Second} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "-1s", "NaN", "inf", "1e300", "60 s", "1d"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	// Every flag of time takes seconds.
	for _, args := range [][]string{{"lp", "testdata/knapsack.mps", "--time-limit", "60"}, {"mip", "testdata/knapsack.mps", "--time-limit", "60", "--log-every", "0.5"},
		{"solve", generated(t, "1")[0], "--time-limit", "60", "--log-every", "1"}} {
		if o := invoke(t, t.Context(), args...); o.code != 0 {
			t.Errorf("%v: %d %s", args, o.code, o.stderr)
		}
	}
}
