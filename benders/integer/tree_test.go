package integer

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp/stoch"
)

// started returns a run of a program after its start, which must have a design.
func started(t *testing.T, program *stoch.Program) (*run, decompose.Start) {
	t.Helper()
	p, err := New(program)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{p: p, base: p.relaxed.Program(), best: math.Inf(1)}
	o := decompose.DefaultOptions()
	o.Threads = 1
	r.begin(&o)
	start, err := r.prepare(t.Context(), decompose.StartOptions{
		Gap:    o.Benders.Gap,
		Report: func(float64, float64, bool) {},
	})
	if err != nil || start.Design == nil {
		t.Fatal(start, err)
	}
	return r, start
}

// TestTreeThatCannotBegin cancels a run after its start and before the first node of the tree: the design and the bound
// of the start must be the result.
func TestTreeThatCannotBegin(t *testing.T) {
	r, start := started(t, binaryProgram(rand.New(rand.NewPCG(3, 1))))

	ctx, cancel := context.WithCancel(t.Context())
	r.base.Recourse.Problem = func(ctx context.Context, _ bool) (*benders.Problem, error) {
		cancel()
		return nil, ctx.Err()
	}
	before := start
	out, err := r.tree(ctx, &start, r.o.Benders)
	if err != nil {
		t.Fatal(err)
	}
	if out.Design == nil || out.Objective != before.Cost || out.Bound != before.Bound {
		t.Errorf("design %v of cost %v, bound %v; before %v and %v", out.Design, out.Objective, out.Bound, before.Cost, before.Bound)
	}
}

// TestProgressCountsClosedNodes reports the progress of a search in which a node was closed within the gap, at a bound
// that is below those of the open nodes.
func TestProgressCountsClosedNodes(t *testing.T) {
	r, start := started(t, binaryProgram(rand.New(rand.NewPCG(3, 1))))
	prices, err := r.prices()
	if err != nil {
		t.Fatal(err)
	}

	s := newTree(r, prices, &decompose.Start{Cost: math.Inf(1), Bound: 0}, r.o.Benders)
	var last benders.Progress
	s.o.Progress = func(p benders.Progress) { last = p }
	s.left = 90
	s.queue = nodes{&node{box: s.root.clone(), bound: 95}, &node{box: s.root.clone(), bound: 97}}

	// Without a design there is a bound too, and no gap.
	s.report(s.queue[0])
	if last.Bound != 90 || !math.IsNaN(last.Objective) || !math.IsInf(last.Gap, 1) {
		t.Errorf("without a design: bound %v, objective %v, gap %v", last.Bound, last.Objective, last.Gap)
	}
	s.accept(start.Design, 100)
	s.report(s.queue[0])
	if last.Bound != 90 || last.Objective != 100 || math.Abs(last.Gap-0.1) > 1e-12 {
		t.Errorf("bound %v, objective %v, gap %v", last.Bound, last.Objective, last.Gap)
	}
}
