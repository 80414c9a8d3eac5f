package bnb

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// TestRestartCutoff has an objective that moves in whole steps: the search that a restart makes must want a point
// that is one step better than the incumbent, however large the objective.
func TestRestartCutoff(t *testing.T) {
	m := knapsacks(12, 3, 1)
	for _, size := range []float64{1, 900, 2000, 1e4, 3e5} {
		for _, sign := range []float64{1, -1} {
			s, err := newSearch(job{model: m, opt: DefaultOptions(), start: time.Now()})
			if err != nil || s.p.step != 1 {
				t.Fatalf("step %g, %v", s.p.step, err)
			}
			s.opt.Gap = 0
			s.inc.opt.Gap = 0
			s.inc.set(make([]float64, s.p.n), sign*size, FromStart)
			in := newIncumbent(s.p, s.restartOptions(), nil)
			if !in.improves(sign*size-1) || in.improves(sign*size) {
				t.Errorf("incumbent %g: wants one less: %t, wants the same: %t", sign*size, in.improves(sign*size-1),
					in.improves(sign*size))
			}
		}
	}
}

// TestWorkerBranchesOnRoot gives a worker a root under which most columns are fixed in the whole tree. The worker
// cannot restart: it must branch on the root, not return it to its queue.
func TestWorkerBranchesOnRoot(t *testing.T) {
	opt := exact()
	opt.Cuts = false
	opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
	s := searchOf(t, knapsacks(40, 3, 1), opt)
	for _, j := range s.p.ints[:26] {
		s.dom.tightenGlobal(change{j, j%2 == 0, float64(j % 2)})
	}
	w, err := s.fork(0, Hooks{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.limits.begin(context.Background())
	s.effort.nodes = 1
	if !s.restartPays() {
		t.Fatal("a restart of the whole search does not pay")
	}

	// The root is the only node of the worker.
	s.tree.newRoot(math.Inf(-1))
	root := s.tree.pop(1)
	w.tree.assign(root)
	if err := w.work(context.Background(), inf, 1); err != nil {
		t.Fatal(err)
	}
	if root.queued() || w.tree.len() == 0 {
		t.Errorf("the root waits in the queue: %t, with %d nodes", root.queued(), w.tree.len())
	}
}

// restarted makes the root of a search and restarts it there.
func restarted(t *testing.T, s *search) {
	t.Helper()
	ctx, cancel := s.limits.begin(t.Context())
	defer cancel()
	s.tree.newRoot(math.Inf(-1))
	if err := s.restart(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestRestartRefusedPoint restarts a search whose caller's model has a row that the reduced one lacks, as if presolve
// had lost it: where that row refuses the optimum of the restart, nothing is claimed, not even that no point exists.
func TestRestartRefusedPoint(t *testing.T) {
	m := knapsacks(12, 3, 1)
	opt := exact()
	for _, refused := range []bool{false, true} {
		given := m.Clone()
		if refused {
			given.AddRow(lp.Row{Lower: 13, Upper: inf}, []int32{0, 1}, []float64{1, 1})
		}
		p, err := newProblem(given, opt.Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		r, err := presolve.Reduce(t.Context(), m, presolve.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		s := searchOf(t, r.Model, opt)
		s.setOriginal(&presolved{p: p, r: r, opt: opt}, r.Facts)
		restarted(t, s)

		// After a numerical failure solvePresolved searches the caller's model.
		res, err := s.result(nil)
		if refused && (res.Status != lp.NotSolved || !errors.Is(err, ErrNumerical)) {
			t.Errorf("%v, %v, but the restart had a point", res.Status, err)
		}
		if !refused && (res.Status != lp.Optimal || err != nil) {
			t.Errorf("%v, %v", res.Status, err)
		}
	}
}

// solvedByTree returns a model, options without cuts and heuristics, and the optimum by them.
func solvedByTree(t *testing.T) (*lp.Model, Options, Result) {
	t.Helper()
	m := knapsacks(40, 3, 1)
	opt := exact()
	opt.Cuts = false
	opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
	want, err := Solve(t.Context(), m, opt, Hooks{})
	if err != nil || want.Status != lp.Optimal {
		t.Fatalf("%v, %v", want.Status, err)
	}
	return m, opt, want
}

// TestRestartMemory has enough memory for one search, but not for the one that a restart makes in addition: the search
// goes on in its own tree, to the optimum.
func TestRestartMemory(t *testing.T) {
	m, opt, want := solvedByTree(t)

	// The optimum as a start fixes many columns at the root, so that a restart pays.
	opt.Start = [][]float64{want.X}
	s := searchOf(t, m, opt)
	s.opt.MaxMemory = s.memory() * 7 / 4
	res, err := s.solve(t.Context())
	if err != nil || res.Status != lp.Optimal || math.Abs(res.Objective-want.Objective) > 1e-6 {
		t.Errorf("%v, objective %g of %g, %v", res.Status, res.Objective, want.Objective, err)
	}
	if s.origin.restarts != maxRestarts {
		t.Error("no restart has had too little memory")
	}
}

// TestRestartUnbounded restarts a search with a model that is unbounded, as if by rounding: that decides nothing, the
// tree stays as it was, and nothing restarts again.
func TestRestartUnbounded(t *testing.T) {
	m := knapsacks(12, 3, 1)
	slack := m.AddCol(lp.Col{Cost: 1})
	s := searchOf(t, m, exact())
	s.p.m.Cols[slack].Upper = inf
	restarted(t, s)

	if s.tree.len() != 1 || s.origin.restarts != maxRestarts {
		t.Errorf("%d open nodes, %d restarts", s.tree.len(), s.origin.restarts)
	}
	if s.closed.unbounded || s.closed.infeasible || s.limits.hit != lp.NotSolved {
		t.Error("the restart has ended the search")
	}
}

// TestRestartStalls restarts a search that has a point: the nodes without a better one count on in the other search.
func TestRestartStalls(t *testing.T) {
	m, opt, want := solvedByTree(t)

	opt.StallNodes = 12
	s := searchOf(t, m, opt)
	s.adoptPoint(want.X, -want.Objective, FromStart)
	for range 5 {
		s.effort.begin()
	}
	restarted(t, s)
	if s.limits.hit != lp.Stalled || s.effort.nodes != opt.StallNodes {
		t.Errorf("%v after %d nodes", s.limits.hit, s.effort.nodes)
	}
}

// TestRestartAtCutoff restarts a search whose cutoff is the optimum. The other search may find a point at the cutoff, up
// to rounding, that this one refuses: nothing is better than the cutoff.
func TestRestartAtCutoff(t *testing.T) {
	m := knapsacks(12, 3, 1)
	want, err := Solve(t.Context(), m, exact(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	opt := exact()
	opt.setCutoff(want.Objective)
	s := searchOf(t, m, opt)
	restarted(t, s)
	res, err := s.result(nil)
	if err != nil || res.Status != lp.ObjectiveLimit || !(math.Abs(res.Bound-want.Objective) < 1e-6) {
		t.Errorf("%v, %v, bound %g for %g", res.Status, err, res.Bound, want.Objective)
	}
}
