package cli

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// TestPaperPresets holds networks and budgets of the preset paper against the paper's table 4 (section 5.3), and the
// inputs against its sizes.
func TestPaperPresets(t *testing.T) {
	for _, c := range []struct {
		family, class          string
		sizes                  []int
		batch, steps, validate int
	}{
		{"cap", "50x16", []int{3*16 + 50 + 50*16, 512, 512, 50}, 512, 1 << 20, 2048},
		{"ufl", "200x200", []int{2 * 200, 512, 512, 1}, 512, 1 << 20, 2048},
		{"mcndp", "10x35x50", []int{4*35 + 50, 256, 256, 2 * 10 * 50}, 256, 1 << 17, 4096},
	} {
		f, err := catalogue(Families()).find(c.family)
		if err != nil {
			t.Fatal(err)
		}
		in, err := f.Generate(c.class, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, o, err := pipeline.NewModel(f, in, families.ModelOptions{Preset: families.Paper, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Net.Sizes, c.sizes) || o.Batch != c.batch || o.NN.Steps != c.steps || o.NN.ValidateEvery != c.validate ||
			o.NN.Rate != 1e-3 || o.NN.Floor != 1e-5 || o.NN.StopAfter != 8 {
			t.Errorf("%s: layers %v, batches of %d, %+v", c.family, m.Net.Sizes, o.Batch, o.NN)
		}
		so := families.Paper.States()
		if so.Designs != 0 || so.Gap != 0 || !so.Paper {
			t.Errorf("states %+v", so)
		}
	}
}

// TestPaperPipeline runs the experiment of a tiny shape of each of the paper's families with both presets: each has its
// own states and models, and the paper's runs are recorded with their controls.
func TestPaperPipeline(t *testing.T) {
	dir := tinyExperiment(t, "cap:12x6", "ufl:12x12", "mcndp:5x10x4")
	for _, args := range [][]string{
		{"states", dir, "--recorded", "40", "--designs", "10"}, {"states", dir, "--preset", "paper"},
		{"train", dir, "--steps", "40"}, {"train", dir, "--steps", "20", "--preset", "paper"},
		{"eval", dir, "--repeats", "1", "--limit", "2", "--methods", "exact,exact/paper,proxy/paper,proxy+zero/paper,proxy/classic,exact/classic,proxy+random"},
		{"report", dir},
	} {
		if o := invoke(t, t.Context(), args...); o.code != 0 {
			t.Fatalf("%v: %d %s%s", args, o.code, o.stdout, o.stderr)
		}
	}
	for _, name := range []string{"states/*.states", "states-paper/*.states", "models/cap-12x6.safetensors", "models/cap-12x6-paper.safetensors",
		"models/cap-12x6-paper.svg"} {
		if found, err := filepath.Glob(filepath.Join(dir, name)); err != nil || len(found) == 0 {
			t.Errorf("no %s: %v", name, err)
		}
	}
	e, err := catalogue(Families()).openExperiment(dir)
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := e.Records()
	if err != nil {
		t.Fatal(err)
	}
	optimum, count, explained := map[string]float64{}, map[string]int{}, 0
	for _, r := range records {
		if r.Method == "exact" {
			optimum[r.ID] = float64(r.TrueCost)
		}
	}
	for _, r := range records {
		count[r.Family+" "+r.Method]++
		if r.Status == "error" || !r.Feasible || float64(r.Bound) > optimum[r.ID]*(1+1e-6) ||
			strings.HasPrefix(r.Method, "exact") && math.Abs(float64(r.TrueCost)-optimum[r.ID]) > 2e-4*optimum[r.ID] {
			t.Errorf("%s %s: %s %s, cost %v, bound %v, optimum %v", r.ID, r.Method, r.Status, r.Message, r.TrueCost, r.Bound, optimum[r.ID])
		}
		if r.Explained != nil && r.Status == "fixed_point" {
			explained++
			if gap := (float64(r.TrueCost) - float64(r.Bound)) / float64(r.TrueCost); gap > float64(*r.Explained)+1e-3 {
				t.Errorf("%s %s: a gap of %v, of which the certificates explain %v", r.ID, r.Method, gap, *r.Explained)
			}
		}
		if strings.HasSuffix(r.Method, "/classic") && r.Family != "ufl" {
			t.Errorf("%s by %s", r.ID, r.Method)
		}
	}
	if explained < 6 {
		t.Errorf("%d runs with an explained gap", explained)
	}
	for _, key := range []string{"cap proxy/paper", "mcndp proxy+zero/paper", "ufl proxy/classic", "ufl exact/classic", "cap proxy+random"} {
		if count[key] != 2 {
			t.Errorf("%d records of %s", count[key], key)
		}
	}
}

// TestTrainOneModel trains on the variants of a single MPS file, with either projection of its feasibility head, and
// solves a variant by the network.
func TestTrainOneModel(t *testing.T) {
	dir := t.TempDir()
	path := strings.TrimSpace(invoke(t, t.Context(), "generate", "--family", "cap", "--class", "8x5", "-o", dir).stdout)
	mps, model := filepath.Join(dir, "cap.mps"), filepath.Join(dir, "m.safetensors")
	if o := invoke(t, t.Context(), "export", path, "-o", mps); o.code != 0 {
		t.Fatal(o.stderr)
	}
	for _, head := range []string{"joint", "v1"} {
		o := invoke(t, t.Context(), "train", mps, "--first-stage", "y*", "--variants", "4", "--steps", "30", "--hidden", "8", "--features", head,
			"-o", model, "--json")
		if o.code != 0 || o.object(t)["score"].(map[string]any)["bases"] != 1.0 {
			t.Fatalf("%d %s%s", o.code, o.stdout, o.stderr)
		}
		o = invoke(t, t.Context(), "solve", mps, "--first-stage", "y*", "--method", "proxy", "--model", model, "--json")
		exact := invoke(t, t.Context(), "solve", mps, "--first-stage", "y*", "--json").object(t)
		if got := o.object(t); o.code != 0 || got["bound"].(float64) > exact["objective"].(float64)*(1+1e-6) {
			t.Errorf("%s: %v, exact %v", head, got, exact["objective"])
		}
	}
	o := invoke(t, t.Context(), "train", mps, "--first-stage", "y*", "-o", model)
	if o.code != exitBadInput || !strings.Contains(o.stderr, "of 1 instances") {
		t.Errorf("without variants: %d %s", o.code, o.stderr)
	}
}
