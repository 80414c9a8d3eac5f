package bnb

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// TestRootGap measures the share of the root gap that the cuts close after presolve, without heuristics and branching.
// It runs only with BNB_ROOTGAP set, to "all" for MIPLIB 3 or to names with commas between them, as those of
// BNB_ABLATION_MODELS; BNB_ABLATION_SEEDS draws members of classes, for which the bounds alone are told, and
// BNB_ROOTGAP_OFF names separators that are switched off; with BNB_ROOTGAP_TRACE every round is told.
//
//	BNB_ROOTGAP=all GOMAXPROCS=1 go test ./bnb -run TestRootGap -v
func TestRootGap(t *testing.T) {
	which := os.Getenv("BNB_ROOTGAP")
	if which == "" {
		t.Skip("BNB_ROOTGAP is not set")
	}
	names := strings.Split(which, ",")
	if which == "all" {
		names = ablationModels(t)
	}
	values := optima(t)
	sum, count := 0.0, 0
	for _, name := range names {
		for _, seed := range ablationSeeds(t) {
			want, known := values[filepath.Base(name)]
			closed := measureRootGap(t, ablationModel(t, name, seed), name, want, known)
			sum += closed
			count++
		}
	}
	t.Logf("mean closed %.3f%% of %d models", 100*sum/float64(count), count)
}

func measureRootGap(t *testing.T, m *lp.Model, name string, want float64, known bool) float64 {
	opt := DefaultOptions()
	if off := os.Getenv("BNB_ROOTGAP_OFF"); off != "" {
		switchOff(t, &opt, off)
	}
	red, err := reduceFor(context.Background(), m, opt, Hooks{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSearch(red.Model, opt, Hooks{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.facts = red.Facts
	rounds, first, last := s.rootLoop(t)
	closed := math.NaN()
	if want *= s.p.sense; known {
		closed = 1.0
		if want-first > 1e-6*math.Max(1, math.Abs(want)) {
			closed = (last - first) / (want - first)
		}
		if last > want+1e-6*math.Max(1, math.Abs(want)) {
			t.Errorf("%s: the root bound %.12g is above the optimum %.12g", name, last, want)
		}
	}
	t.Logf("%-18s closed %6.2f%%  bounds %10.8g %10.8g  rounds %3d  rows %4d  pool %5d  "+
		"iterations %6d  work %9.3g %9.3g  %6.2fs", name, 100*closed,
		first, last, rounds, len(s.lp.cuts), len(s.pool.cuts), s.effort.iterations, s.effort.work, float64(s.gen.work),
		time.Since(s.clock.began).Seconds())
	return closed
}

// rootLoop runs the cut loop of the root alone. It returns its rounds and the first and last bounds.
func (s *search) rootLoop(t *testing.T) (rounds int, first, last float64) {
	nd := &node{bound: math.Inf(-1), estimate: math.Inf(-1), branch: branching{col: -1}}
	s.plunge.enter(nd, true)
	if ok, err := s.enter(nd); !ok || err != nil {
		t.Fatalf("root: %v", err)
	}
	r := s.newRounds(nd)
	first = math.NaN()
	for {
		v, err := s.bound(context.Background(), nd, r)
		if err != nil {
			t.Fatal(err)
		}
		if v == again {
			continue
		}
		if math.IsNaN(first) {
			first = s.point.objective
		}
		last = s.point.objective
		s.point.listFractional(s.p.ints, s.opt.Tolerances.Integrality)
		if v != goOn || s.point.blind || len(s.point.fractional) == 0 {
			return r.done, first, last
		}
		if os.Getenv("BNB_ROOTGAP_TRACE") != "" {
			t.Logf("round %3d stalls %2d bound %.9g rows %d fractional %d pool %d", r.done, r.stalls, s.point.objective,
				len(s.lp.cuts), len(s.point.fractional), len(s.pool.cuts))
		}
		if v, err = s.separate(context.Background(), nd, r); err != nil {
			t.Fatal(err)
		} else if v != again {
			return r.done, first, last
		}
	}
}

// TestOptimaSatisfyCuts separates at the roots of MIPLIB models and checks every cut at an optimum.
func TestOptimaSatisfyCuts(t *testing.T) {
	values := optima(t)
	for _, name := range []string{"p0033", "lseu", "gt2", "rgn", "p0548", "gen", "mod010", "misc06", "vpm1", "flugpl"} {
		m, _, err := mps.ReadFile(filepath.Join(miplib, name+".mps.gz"))
		if err != nil {
			t.Fatal(err)
		}
		opt := DefaultOptions()
		opt.Gap = 1e-6
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if want := values[name]; err != nil || !(math.Abs(res.Objective-want) <= 2e-6*math.Max(1, math.Abs(want))) {
			t.Fatalf("%s: %v, objective %.12g, want %.12g", name, err, res.Objective, want)
		}
		s, err := newSearch(m, opt, Hooks{}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		s.rootLoop(t)
		if len(s.pool.cuts) == 0 {
			t.Errorf("%s: no cuts", name)
		}
		for _, c := range s.pool.cuts {
			if v := c.violation(res.X); v > 1e-6 {
				t.Errorf("%s: the cut %v x%v <= %g is violated by %g at the optimum", name, c.value, c.index, c.upper, v)
			}
		}
	}
}
