package bnb

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// TestCutAblation solves the MIPLIB models with separators switched off, configuration after
// configuration on each model, and prints what was solved. It runs only with BNB_ABLATION set to the
// work a model (1e9 is some seconds). BNB_ABLATION_OFF lists configurations with blanks between them; each names
// separators with commas between them, or "none", or "cuts" for all of them; without it every
// separator is switched off alone. BNB_ABLATION_MODELS restricts the models. The limit is in work units,
// so that the load of the machine does not count. The whole table:
//
//	BNB_ABLATION=5e8 GOMAXPROCS=1 go test ./bnb -run TestCutAblation -v -timeout 3h
func TestCutAblation(t *testing.T) {
	limit, err := strconv.ParseFloat(os.Getenv("BNB_ABLATION"), 64)
	if err != nil {
		t.Skip("BNB_ABLATION is not set")
	}
	values := optima(t)
	files, err := filepath.Glob(filepath.Join(miplib, "*.mps.gz"))
	if err != nil {
		t.Fatal(err)
	}
	configurations := strings.Fields(os.Getenv("BNB_ABLATION_OFF"))
	if len(configurations) == 0 {
		configurations = []string{"none", "cuts"}
		for k := range cuts.Kinds {
			configurations = append(configurations, k.String())
		}
	}
	solved, logs := make([]int, len(configurations)), make([]float64, len(configurations))
	ran := 0
	models := strings.Split(os.Getenv("BNB_ABLATION_MODELS"), ",")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mps.gz")
		if models[0] != "" && !slices.Contains(models, name) {
			continue
		}
		m, _, err := mps.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for k, off := range configurations {
			opt := DefaultOptions()
			opt.MaxWork = limit
			switchOff(t, &opt, off)
			res, err := Solve(context.Background(), m, opt, Hooks{})
			want := values[name]
			if tol := 2e-4 * math.Max(1, math.Abs(want)); res.Status == lp.Optimal && !(math.Abs(res.Objective-want) <= tol) {
				t.Errorf("%s without %s: optimum %.12g, published %.12g", name, off, res.Objective, want)
			}
			work := limit
			if res.Status == lp.Optimal {
				solved[k]++
				work = res.Work
			}
			logs[k] += math.Log(work + 1e6)
			t.Logf("%-12s off %-10s %-10v objective %-14.9g gap %8.5f nodes %7d iterations %8d work %8.3g cuts %5.2fs of %6.2fs %v", name, off, res.Status,
				res.Objective, res.Gap, res.Nodes, res.LPIterations, res.Work, res.Parts[PartCuts].Time.Seconds(), res.Elapsed.Seconds(), err)
		}
		ran++
	}
	for k, off := range configurations {
		t.Logf("off %-10s solved %d of %d, shifted geometric mean (1e6) %.4g units of work", off, solved[k], ran,
			math.Exp(logs[k]/float64(max(1, ran)))-1e6)
	}
}

// switchOff reads a configuration of TestCutAblation.
func switchOff(t *testing.T, opt *Options, off string) {
	if off == "none" {
		return
	}
	if off == "cuts" {
		opt.Cuts = false
		return
	}
	for name := range strings.SplitSeq(off, ",") {
		k := cuts.Kind(0)
		for k < cuts.Kinds && k.String() != name {
			k++
		}
		if k == cuts.Kinds {
			t.Fatalf("no separator %q", name)
		}
		opt.cutsOff = append(opt.cutsOff, k)
	}
}
