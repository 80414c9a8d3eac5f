package bnb

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

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
		if v != proceed || s.point.blind || len(s.point.fractional) == 0 {
			return r.done, first, last
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
		s, err := newSearch(job{model: m, opt: opt, start: time.Now()})
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

// TestCutWorkByGap checks that the separators may work more the farther the bound is from the incumbent, up to a limit,
// and that they may as much without an incumbent as at the least gap that is wide.
func TestCutWorkByGap(t *testing.T) {
	m := new(lp.Model)
	x := m.AddCol(lp.Col{Upper: 1, Integer: true})
	for range 10000 {
		m.AddRow(lp.Row{Upper: 1}, []int32{int32(x)}, []float64{1})
	}
	s, err := newSearch(job{model: m, opt: DefaultOptions(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	entries := float64(s.p.byRow.NNZ())
	for _, c := range []struct{ incumbent, bound, want float64 }{
		{100, 95, cutWorkFree},
		{math.Inf(1), 50, cutWorkEntry * entries},
		{100, 80, 4 * cutWorkEntry * entries},
		{100, -100, cutWorkFar * cutWorkEntry * entries},
	} {
		s.inc.objective, s.point.objective = c.incumbent, c.bound
		if got := s.gen.cutWork(s); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("incumbent %g, bound %g: work %g, want %g", c.incumbent, c.bound, got, c.want)
		}
	}
}
