package conformance

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// stopper counts separations and cancels the run at one of them.
type stopper struct {
	calls  int
	stop   int // the call at which the run is cancelled, 0 for none
	cancel func()
}

// Separated implements benders.Recorder.
func (s *stopper) Separated(benders.Point, *benders.Separation, []benders.Cut) {
	// Calls count from 1, so that a stop at 0 never comes.
	if s.calls++; s.calls == s.stop {
		s.cancel()
	}
}

// hybridEnds solves by the hybrid of the family: it ends at the optimum, twice in the same way, and wherever it is
// stopped its design costs what it says and its bound holds.
func (s *suite) hybridEnds() {
	// A family without networks has no hybrid.
	if s.Hybrid == nil {
		return
	}

	// The recorder counts the separations, among which later runs are stopped.
	o := benders.DefaultOptions()
	o.Gap = 1e-9
	seen := &stopper{cancel: func() {}}
	o.Recorder = seen
	r := s.hybrid(context.Background(), "to its end", o)
	if r == nil {
		return
	}

	// The first run goes to its end: at the optimum, or at the proof that there is none.
	if math.IsInf(s.optimum, 1) {
		s.failIf(r.Status != lp.Infeasible, "hybrid: %v, the whole model is infeasible", r.Status)
	} else {
		s.failIf(r.Status != lp.Optimal || !s.near(r.Objective, s.optimum),
			"hybrid: %v objective %v bound %v, the whole model %v", r.Status, r.Objective, r.Bound, s.optimum)
	}
	if len(r.Phases) == 2 {
		s.count.Phased++
	}

	// The same run once more, with a recorder too, which has no influence.
	o.Recorder = &stopper{cancel: func() {}}
	again := s.hybrid(context.Background(), "again", o)

	// Even the work is the same: neither the clock nor the order of goroutines may have an influence.
	s.failIf(again != nil && !same(r, again), "hybrid: two runs of the same differ: %+v, %+v", r, again)

	// Then runs that are stopped: before they begin, at their first, middle and last record, by nodes and by time. Where
	// they are stopped, hybrid checks what they return.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.hybrid(ctx, "cancelled before it began", o)
	for _, at := range []int{1, (1 + seen.calls) / 2, seen.calls} {
		// The context is cancelled from within the run, by its recorder.
		ctx, cancel := context.WithCancel(context.Background())
		o.Recorder = &stopper{stop: at, cancel: cancel}
		s.hybrid(ctx, "interrupted", o)
		cancel()
	}
	o.Recorder = nil
	for _, nodes := range []int{0, 1, 2, 4} {
		// The limit is one of both phases together.
		few := o
		few.MaxNodes = nodes
		s.hybrid(context.Background(), "with few nodes", few)
	}
	o.TimeLimit = 0
	s.hybrid(context.Background(), "without time", o)
}

// hybrid runs the hybrid and checks what it returns; how names the run in failures. An error gives nil.
func (s *suite) hybrid(ctx context.Context, how string, o benders.Options) *benders.Result {
	r, err := s.Hybrid(ctx, o)
	if err != nil {
		s.fail("hybrid %s: %v", how, err)
		return nil
	}

	// The bound, the status and the cost of the design hold by themselves, also where the run was stopped.
	slack := s.Tolerance * max(1, math.Abs(s.optimum))
	s.failIf(r.Bound > s.optimum+slack, "hybrid %s: %v with bound %v, the optimum is %v", how, r.Status, r.Bound,
		s.optimum)
	s.failIf(r.Status == lp.Optimal && !(r.Objective <= s.optimum+slack),
		"hybrid %s: %v is called optimal, the optimum is %v", how, r.Objective, s.optimum)
	s.failIf(r.Design != nil && !s.near(r.Objective, s.problem.Master.Evaluate(r.Design)+s.recourse(r.Design)),
		"hybrid %s: the design %v does not cost %v", how, r.Design, r.Objective)

	// So do those of each phase: bounds rise from one to the next, and the nodes add up.
	nodes := 0
	bound := math.Inf(-1)
	for _, p := range r.Phases {
		nodes += p.Nodes
		s.failIf(p.Bound < bound, "hybrid %s: the bound falls in the phases %+v", how, r.Phases)
		bound = p.Bound
		s.failIf(p.Bound > s.optimum+slack || p.Objective < s.optimum-slack,
			"hybrid %s: phase %+v, the optimum is %v", how, p, s.optimum)
	}

	// A run that ends before its phases begin has none.
	s.failIf(len(r.Phases) > 0 && nodes != r.Nodes, "hybrid %s: %d nodes in all, %d in its phases", how, r.Nodes, nodes)
	return r
}

// same reports whether two runs went the same way: the same result by the same work. Times differ in any case.
func same(a, b *benders.Result) bool {
	number := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	result := a.Status == b.Status && number(a.Objective, b.Objective) && number(a.Bound, b.Bound)
	work := a.Nodes == b.Nodes && a.LPIterations == b.LPIterations && a.Cuts == b.Cuts
	return result && work && slices.Equal(a.Design, b.Design)
}
