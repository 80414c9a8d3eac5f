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
	calls, stop int
	cancel      func()
}

// Separated implements benders.Recorder.
func (s *stopper) Separated(benders.Point, *benders.Separation, []benders.Cut) {
	if s.calls++; s.calls == s.stop {
		s.cancel()
	}
}

// hybridEnds solves by the hybrid of the family: it ends at the optimum, twice in the same way, and wherever it is
// stopped its design costs what it says and its bound holds.
func (s *suite) hybridEnds() {
	if s.Hybrid == nil {
		return
	}

	o := benders.DefaultOptions()
	o.Gap = 1e-9
	seen := &stopper{cancel: func() {}}
	o.Recorder = seen
	r := s.hybrid(context.Background(), "to its end", o)
	if r == nil {
		return
	}

	// The first run goes to its end: at the optimum, or at the proof that there is none.
	if want := lp.Optimal; math.IsInf(s.optimum, 1) {
		if r.Status != lp.Infeasible {
			s.fail("hybrid: %v, the whole model is infeasible", r.Status)
		}
	} else if r.Status != want || !s.near(r.Objective, s.optimum) {
		s.fail("hybrid: %v objective %v bound %v, the whole model %v", r.Status, r.Objective, r.Bound, s.optimum)
	}
	if len(r.Phases) == 2 {
		s.count.Phased++
	}

	// The same run once more.
	o.Recorder = &stopper{cancel: func() {}}
	if again := s.hybrid(context.Background(), "again", o); again != nil && !same(r, again) {
		s.fail("hybrid: two runs of the same differ: %+v, %+v", r, again)
	}

	// Then runs that are stopped: before they begin, at their first, middle and last record, by nodes and by time.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.hybrid(ctx, "cancelled before it began", o)
	for _, at := range []int{1, (1 + seen.calls) / 2, seen.calls} {
		ctx, cancel := context.WithCancel(context.Background())
		o.Recorder = &stopper{stop: at, cancel: cancel}
		s.hybrid(ctx, "interrupted", o)
		cancel()
	}
	o.Recorder = nil
	for _, nodes := range []int{0, 1, 2, 4} {
		few := o
		few.MaxNodes = nodes
		s.hybrid(context.Background(), "with few nodes", few)
	}
	o.TimeLimit = 0
	s.hybrid(context.Background(), "without time", o)
}

// hybrid runs the hybrid and checks what it returns.
func (s *suite) hybrid(ctx context.Context, how string, o benders.Options) *benders.Result {
	r, err := s.Hybrid(ctx, o)
	if err != nil {
		s.fail("hybrid %s: %v", how, err)
		return nil
	}

	// The bound, the status and the cost of the design hold by themselves.
	slack := s.Tolerance * max(1, math.Abs(s.optimum))
	if r.Bound > s.optimum+slack {
		s.fail("hybrid %s: %v with bound %v, the optimum is %v", how, r.Status, r.Bound, s.optimum)
	}
	if r.Status == lp.Optimal && !(r.Objective <= s.optimum+slack) {
		s.fail("hybrid %s: %v is called optimal, the optimum is %v", how, r.Objective, s.optimum)
	}
	if r.Design != nil && !s.near(r.Objective, s.problem.Master.Evaluate(r.Design)+s.recourse(r.Design)) {
		s.fail("hybrid %s: the design %v does not cost %v", how, r.Design, r.Objective)
	}

	// So do those of each phase: bounds rise from one to the next, and the nodes add up.
	nodes, bound := 0, math.Inf(-1)
	for _, p := range r.Phases {
		if nodes += p.Nodes; p.Bound < bound {
			s.fail("hybrid %s: the bound falls in the phases %+v", how, r.Phases)
		}
		bound = p.Bound
		if p.Bound > s.optimum+slack || p.Objective < s.optimum-slack {
			s.fail("hybrid %s: phase %+v, the optimum is %v", how, p, s.optimum)
		}
	}
	if len(r.Phases) > 0 && nodes != r.Nodes {
		s.fail("hybrid %s: %d nodes in all, %d in its phases", how, r.Nodes, nodes)
	}
	return r
}

// same reports whether two runs went the same way.
func same(a, b *benders.Result) bool {
	number := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	return a.Status == b.Status && number(a.Objective, b.Objective) && number(a.Bound, b.Bound) && a.Nodes == b.Nodes &&
		a.LPIterations == b.LPIterations && a.Cuts == b.Cuts && slices.Equal(a.Design, b.Design)
}
