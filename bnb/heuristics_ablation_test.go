package bnb

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// TestHeuristicAblation solves the MIPLIB models with heuristics switched off and prints, for each model and configuration,
// the work at the first incumbent and the primal integral: the mean over the work of the gap between the incumbent and the
// best value known (1 without an incumbent; Berthold, Measuring the impact of primal heuristics, 2013). It runs only with
// BNB_HEURISTICS set to the work a model (1e9 is some seconds). BNB_HEURISTICS_OFF lists configurations with blanks between
// them; each names heuristics with commas between them, or "none", or "all"; without it every heuristic is switched off
// alone. BNB_HEURISTICS_MODELS lists the models, such as air05,2017/pk1.
func TestHeuristicAblation(t *testing.T) {
	limit, err := strconv.ParseFloat(os.Getenv("BNB_HEURISTICS"), 64)
	if err != nil {
		t.Skip("BNB_HEURISTICS is not set")
	}
	configurations := strings.Fields(os.Getenv("BNB_HEURISTICS_OFF"))
	if len(configurations) == 0 {
		configurations = append([]string{"none", "all"}, heuristicNames[:]...)
	}
	published := optima(t)
	sums := make([]ablationSums, len(configurations))
	for name := range strings.SplitSeq(os.Getenv("BNB_HEURISTICS_MODELS"), ",") {
		m, _, err := mps.ReadFile(filepath.Join(miplib, name+".mps.gz"))
		if err != nil {
			t.Fatal(err)
		}
		best, known := published[filepath.Base(name)]
		runs := make([]primalRun, len(configurations))
		for k, off := range configurations {
			opt := DefaultOptions()
			opt.MaxWork = limit
			opt.heuristicsOff = readHeuristics(t, off)
			runs[k] = solvePrimal(t, m, opt)
			if v := runs[k].res.Objective; !known && !math.IsNaN(v) {
				if math.IsNaN(best) || best == 0 || (v < best) != m.Maximize {
					best = v
				}
			}
		}
		for k, off := range configurations {
			r := &runs[k]
			integral := r.integral(best, limit)
			sums[k].add(r, integral, limit)
			t.Logf("%-14s off %-12s %-10v first at %9.3g of %9.3g, integral %.4f, nodes %d, objective %-12.8g best %-12.8g found %s", name, off, r.res.Status,
				r.first(), r.res.Work, integral, r.res.Nodes, r.res.Objective, best, foundBy(&r.res))
		}
	}
	for k, off := range configurations {
		s := sums[k]
		n := float64(max(1, s.models))
		t.Logf("off %-12s points in %d of %d, mean integral %.4f, first incumbent at %.4g and end at %.4g (geometric means)", off, s.points, s.models,
			s.integral/n, math.Exp(s.first/n), math.Exp(s.work/n))
	}
}

// primalRun is a solve with its incumbents.
type primalRun struct {
	res    Result
	work   []float64
	values []float64
}

type ablationSums struct {
	models, points        int
	integral, first, work float64
}

func (s *ablationSums) add(r *primalRun, integral, limit float64) {
	s.models++
	s.integral += integral
	s.first += math.Log(math.Min(r.first(), limit))
	s.work += math.Log(math.Max(1, math.Min(r.res.Work, limit)))
	if r.res.X != nil {
		s.points++
	}
}

func solvePrimal(t *testing.T, m *lp.Model, opt Options) primalRun {
	var r primalRun
	hooks := Hooks{Progress: func(p Progress) {
		if p.Incumbent {
			r.work, r.values = append(r.work, p.Work), append(r.values, p.Objective)
		}
	}}
	res, err := Solve(context.Background(), m, opt, hooks)
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
	}
	r.res = res
	return r
}

// first is the work at the first incumbent, +Inf without one.
func (r *primalRun) first() float64 {
	if len(r.work) == 0 {
		return inf
	}
	return math.Max(1, r.work[0])
}

func (r *primalRun) integral(best, limit float64) float64 {
	sum, at, gap := 0.0, 0.0, 1.0
	for k, w := range r.work {
		w = math.Min(w, limit)
		sum += gap * (w - at)
		at = w
		gap = 0
		if d := math.Abs(r.values[k] - best); d > 1e-9*math.Abs(best) {
			gap = math.Min(1, d/math.Max(math.Abs(r.values[k]), math.Abs(best)))
		}
	}
	if r.res.Status == lp.Optimal {
		gap = 0
	}
	return (sum + gap*(limit-at)) / limit
}

func foundBy(res *Result) string {
	var list []string
	for k := range res.Parts {
		if n := res.Parts[k].Found; n > 0 {
			list = append(list, Part(k).String()+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(list, ", ")
}

func readHeuristics(t *testing.T, off string) heuristicSet {
	switch off {
	case "none":
		return 0
	case "all":
		return 1<<len(heuristicNames) - 1
	}
	var set heuristicSet
	for name := range strings.SplitSeq(off, ",") {
		k := 0
		for k < len(heuristicNames) && heuristicNames[k] != name {
			k++
		}
		if k == len(heuristicNames) {
			t.Fatalf("no heuristic %q", name)
		}
		set |= 1 << k
	}
	return set
}
