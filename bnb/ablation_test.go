package bnb

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/lp"
)

// TestAblation solves the MIPLIB models with separators and heuristics switched off and compares each configuration
// with the full solver, pair by pair. It runs only with BNB_ABLATION set to the work a model (1e9 is some seconds):
// work units, so that the load of the machine does not count. Further variables, each a list with blanks between its
// entries:
//
//	BNB_ABLATION_OFF     configurations, each the names of separators and heuristics with commas between them, or
//	                     "cuts" or "heuristics" for all of a sort; without it every one is switched off alone
//	BNB_ABLATION_MODELS  models, such as air05 2017/pk1, and classes of random models, such as @stableset; without
//	                     it MIPLIB 3
//	BNB_ABLATION_SEEDS   permutations of rows and columns (members of a class), 0 for the model as it is; without it 0.
//	                     The work on one model varies by a factor from one to the next: only a mean over several
//	                     tells anything
//
// The primal integral is the mean over the work of the gap between the incumbent and the best value known (1 without an
// incumbent; Berthold, Measuring the impact of primal heuristics, 2013). The whole table:
//
//	BNB_ABLATION=5e8 BNB_ABLATION_SEEDS="1 2 3 4 5" GOMAXPROCS=1 go test ./bnb -run TestAblation -v -timeout 24h
func TestAblation(t *testing.T) {
	limit, err := strconv.ParseFloat(os.Getenv("BNB_ABLATION"), 64)
	if err != nil {
		t.Skip("BNB_ABLATION is not set")
	}
	published := optima(t)
	configurations := append([]string{"none"}, ablationOff()...)
	table := make([]ablationSums, len(configurations))
	for _, name := range ablationModels(t) {
		for _, seed := range ablationSeeds(t) {
			m := ablationModel(t, name, seed)
			best, known := published[filepath.Base(name)]
			runs := make([]ablationRun, len(configurations))
			for k, off := range configurations {
				runs[k] = runAblation(t, m, off, limit)
				v := runs[k].res.Objective
				if tol := 2e-4 * math.Max(1, math.Abs(best)); known && runs[k].solved() && !(math.Abs(v-best) <= tol) {
					t.Errorf("%s permuted by %d without %s: optimum %.12g, published %.12g", name, seed, off, v, best)
				}
				if !known && !math.IsNaN(v) && (math.IsNaN(best) || best == 0 || (v < best) != m.Maximize) {
					best, known = v, runs[k].solved()
				}
			}
			for k, off := range configurations {
				r := &runs[k]
				r.integral = r.primalIntegral(best, limit)
				table[k].add(r, &runs[0])
				t.Logf("%-14s seed %d off %-12s %-10v work %9.4g first %9.4g integral %.5f nodes %7d "+
					"objective %-12.9g gap %.5f in %.2fs found %s", name, seed, off, r.res.Status, r.work, r.first, r.integral,
					r.res.Nodes, r.res.Objective, r.res.Gap, r.res.Elapsed.Seconds(),
					foundBy(&r.res))
			}
		}
	}
	for k, off := range configurations {
		t.Logf("off %-12s %s", off, table[k].String())
	}
}

// ablationRun is a solve with its incumbents; what was not reached by the limit is at the limit.
type ablationRun struct {
	res         Result
	work, first float64 // in all, and at the first incumbent
	integral    float64
	at, values  []float64 // work and objective of the incumbents
}

func runAblation(t *testing.T, m *lp.Model, off string, limit float64) ablationRun {
	var r ablationRun
	opt := DefaultOptions()
	opt.MaxWork = limit
	switchOff(t, &opt, off)
	res, err := Solve(context.Background(), m, opt, Hooks{Progress: func(p Progress) {
		if p.Incumbent {
			r.at, r.values = append(r.at, p.Work), append(r.values, p.Objective)
		}
	}})
	if err != nil {
		t.Errorf("%s without %s: %v", m.Name, off, err)
	}
	r.res, r.work, r.first = res, limit, limit
	if r.solved() {
		r.work = math.Min(res.Work, limit)
	}
	if len(r.at) > 0 {
		r.first = math.Min(r.at[0], limit)
	}
	return r
}

func (r *ablationRun) solved() bool {
	return r.res.Status == lp.Optimal || r.res.Status == lp.Infeasible
}

func (r *ablationRun) primalIntegral(best, limit float64) float64 {
	sum, at, gap := 0.0, 0.0, 1.0
	for k, w := range r.at {
		w = math.Min(w, limit)
		sum += gap * (w - at)
		at = w
		gap = 0
		if d := math.Abs(r.values[k] - best); d > 1e-9*math.Abs(best) {
			gap = math.Min(1, d/math.Max(math.Abs(r.values[k]), math.Abs(best)))
		}
	}
	if r.solved() {
		sum, gap = sum+gap*math.Max(0, r.work-at), 0
	}
	return (sum + gap*(limit-at)) / limit
}

// switchOff reads a configuration.
func switchOff(t *testing.T, opt *Options, off string) {
	for name := range strings.SplitSeq(off, ",") {
		switch name {
		case "none":
			continue
		case "cuts":
			opt.Cuts = false
			continue
		case "heuristics":
			opt.heuristicsOff = 1<<len(heuristics) - 1
			continue
		}
		known := false
		for k := range cuts.Kinds {
			if k.String() == name {
				opt.cutsOff, known = append(opt.cutsOff, k), true
			}
		}
		for k := range heuristics {
			if heuristics[k].name == name {
				opt.heuristicsOff, known = opt.heuristicsOff|1<<k, true
			}
		}
		if !known {
			t.Fatalf("no separator or heuristic %q", name)
		}
	}
}

func ablationOff() []string {
	if list := strings.Fields(os.Getenv("BNB_ABLATION_OFF")); len(list) > 0 {
		return list
	}
	var list []string
	for k := range cuts.Kinds {
		list = append(list, k.String())
	}
	for _, h := range heuristics {
		if h.part != PartHeuristic {
			list = append(list, h.name)
		}
	}
	return list
}

func ablationModels(t *testing.T) []string {
	if list := strings.Fields(os.Getenv("BNB_ABLATION_MODELS")); len(list) > 0 {
		return list
	}
	files, err := filepath.Glob(filepath.Join(miplib, "*.mps.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, strings.TrimSuffix(filepath.Base(f), ".mps.gz"))
	}
	return list
}

func ablationSeeds(t *testing.T) []uint64 {
	seeds := []uint64{}
	for _, f := range strings.Fields(os.Getenv("BNB_ABLATION_SEEDS")) {
		v, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, v)
	}
	if len(seeds) == 0 {
		seeds = append(seeds, 0)
	}
	return seeds
}

// ablationSums compares a configuration with the full solver.
type ablationSums struct {
	pairs, solved, points  int
	work, first, integrals moments
}

// moments of a sample.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(v float64) { m.n, m.sum, m.squares = m.n+1, m.sum+v, m.squares+v*v }

func (m *moments) mean() float64 { return m.sum / m.n }

// deviation is the standard error of the mean.
func (m *moments) deviation() float64 {
	return math.Sqrt(math.Max(0, m.squares/m.n-m.mean()*m.mean()) / math.Max(1, m.n-1))
}

func (s *ablationSums) add(r, full *ablationRun) {
	const shift = 1e6
	s.pairs++
	if r.solved() {
		s.solved++
	}
	if r.res.X != nil {
		s.points++
	}
	s.work.add(math.Log((r.work + shift) / (full.work + shift)))
	s.first.add(math.Log((r.first + shift) / (full.first + shift)))
	s.integrals.add(r.integral - full.integral)
}

func (s *ablationSums) String() string {
	percent := func(m *moments) string {
		return strconv.FormatFloat(100*math.Expm1(m.mean()), 'f', 1, 64) + "% ± " +
			strconv.FormatFloat(100*m.deviation(), 'f', 1, 64)
	}
	return "work " + percent(&s.work) + ", to the first incumbent " + percent(&s.first) + ", primal integral " +
		strconv.FormatFloat(s.integrals.mean(), 'f', 5, 64) + " ± " +
		strconv.FormatFloat(s.integrals.deviation(), 'f', 5, 64) +
		", solved " + strconv.Itoa(s.solved) + ", points " + strconv.Itoa(s.points) + " of " + strconv.Itoa(s.pairs)
}

func foundBy(res *Result) string {
	var list []string
	for k := range res.Parts {
		if n := res.Parts[k].Found; n > 0 {
			list = append(list, Part(k).String()+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(list, ",")
}
