package bnb

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp/mps"
)

// reductionNames are the bits of presolve.Reductions, in order.
var reductionNames = []string{"bounds", "coefficients", "divisors", "parallel rows", "doubletons", "slacks", "free singletons",
	"substitutions", "dual fixing", "parallel columns", "dominated columns", "implied integers", "probing"}

// TestPresolveAblation solves MIPLIB models with all reductions, with none, and with one left out at a time,
// and logs nodes, work and time. It runs only with BNB_PRESOLVE set, to "all" or to names with commas between
// them; BNB_PRESOLVE_LIMIT is the time limit of a run (default 20s), BNB_PRESOLVE_ONLY=onoff leaves out the
// single reductions.
func TestPresolveAblation(t *testing.T) {
	which := os.Getenv("BNB_PRESOLVE")
	if which == "" {
		t.Skip("BNB_PRESOLVE is not set")
	}
	limit, err := time.ParseDuration(os.Getenv("BNB_PRESOLVE_LIMIT"))
	if err != nil {
		limit = 20 * time.Second
	}
	off := []presolve.Reductions{0, presolve.All}
	if os.Getenv("BNB_PRESOLVE_ONLY") != "onoff" {
		for k := range reductionNames {
			off = append(off, 1<<k)
		}
	}
	values := optima(t)
	files, _ := filepath.Glob(filepath.Join(miplib, "*.mps.gz"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mps.gz")
		if which != "all" && !slices.Contains(strings.Split(which, ","), name) {
			continue
		}
		m, _, err := mps.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, without := range off {
			label := "all"
			if without == presolve.All {
				label = "none"
			} else if without != 0 {
				label = "no " + reductionNames[bits.TrailingZeros32(uint32(without))]
			}
			opt := DefaultOptions()
			opt.TimeLimit, opt.presolveOff, opt.Presolve = limit, without, without != presolve.All
			res, err := Solve(context.Background(), m, opt, Hooks{})
			remark := ""
			if err != nil {
				remark = err.Error()
			}
			if want := values[name]; !math.IsNaN(res.Objective) && res.Status.String() == "optimal" && math.Abs(res.Objective-want) > 2e-4*math.Max(1, math.Abs(want)) {
				t.Errorf("%s, %s: objective %.12g, want %.12g", name, label, res.Objective, want)
			}
			fmt.Printf("%-10s %-20s %-10s obj %-14.9g bound %-14.9g nodes %-7d work %-10.4g presolve %5.2fs all %6.2fs %s\n", name, label, res.Status, res.Objective,
				res.Bound, res.Nodes, res.Work, res.Parts[PartPresolve].Time.Seconds(), res.Elapsed.Seconds(), remark)
		}
	}
}
