package nested

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Solve solves a multi-period program of continuous columns. The design of the result has the columns of the first
// period in their order in the core; the objective is what a policy that begins with it costs, over all paths, in
// the sense of the program, and the bound is proven. Result.Iterations counts passes, Scenarios.LPs linear
// programs, Visited the futures and states of the last complete pass.
//
// Limits and cancellation are statuses, with the best policy and bound so far; without a complete pass there is a bound
// alone.
// The error of a program with integer columns, or with a period that has no least cost as far as its future is
// known, wraps ErrUnsuited; such a program may be unbounded.
func Solve(ctx context.Context, p *stoch.Multistage, o Options) (*benders.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	caller := ctx
	if o.TimeLimit != math.MaxInt64 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	r, err := newRun(ctx, caller, p, o)
	if err != nil {
		return nil, err
	}

	// A limit ends the passes by an error from wherever a linear program is solved; here it becomes a status.
	s := &search{run: r, cost: math.Inf(1), bound: math.Inf(-1)}
	status, err := s.passes()
	if errors.Is(err, errStopped) {
		status = r.stopped
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return s.result(status), nil
}

// search goes from pass to pass. Its values are those of the minimisation, without the offset.
type search struct {
	*run
	design []float64 // the best first period, nil for none
	cost   float64   // of its policy
	bound  float64   // proven lower bound on the cost of every policy
	pass   int       // passes so far, along a path or complete
	points int       // futures and states of the last complete pass
	logged time.Time // when progress was reported last
}

// How passes alternate. Paths are drawn until the bound has not risen for a while, or until they have taken half as
// many linear programs as the last complete pass. A complete pass is given up after as many linear programs as there
// were before it, so that no program waits for one that is beyond reach, and followed by probes.
const (
	maxPathsWithoutRise = 5    // paths
	minBoundRise        = 1e-7 // of the bound, relative, that counts
	firstPassLPs        = 5000 // linear programs before the first complete pass, at most; and of a pass, at least
	probeLPs            = 2    // times the linear programs of a pass that was given up
)

// pathsAtOnce returns how many paths go down together after a number of passes. Their nodes are solved by several
// threads and processes, and nodes and states that they share are solved once; but a path lacks the cuts of the others.
// Beginning with one path and going on with up to 8 took 7% fewer to 22% more linear programs than one path at a time
// throughout, and the same processor time within 10% (watson, sgpf, pltexp and fxm programs).
func pathsAtOnce(passes int) int { return min(8, max(1, passes/4)) }

// passes runs until the gap is proven or a limit is reached.
func (s *search) passes() (lp.Status, error) {
	allowed := firstPassLPs
	for {
		// Forward and backward passes along single paths raise the bound.
		feasible, err := s.drawn(allowed)
		if err != nil {
			return lp.NotSolved, err
		}
		if !feasible {
			return lp.Infeasible, nil
		}
		if s.pass >= s.o.MaxPasses {
			return lp.IterationLimit, nil
		}

		// A complete pass gives the cost of a policy, or is followed by probes where it takes too long.
		cuts := s.optimality + s.feasibility
		began := s.lps
		feasible, err = s.complete()
		probed := errors.Is(err, errBudget)
		if probed {
			feasible, err = s.probes(probeLPs * (s.lps - began))
		}
		if err != nil {
			return lp.NotSolved, err
		}
		if !feasible {
			return lp.Infeasible, nil
		}
		if s.gap() <= s.o.Gap {
			return lp.Optimal, nil
		}

		// The next paths may take as many linear programs as the probes, or half as many as a complete pass.
		allowed = s.lps - began
		if probed {
			continue
		}
		allowed /= 2

		// A complete pass without a new cut repeats itself: what is left of the gap is rounding, or is not closed.
		if s.optimality+s.feasibility == cuts {
			if s.distance() <= rounding {
				return lp.Optimal, nil
			}
			return lp.NotSolved, nil
		}
	}
}

// rounding is the relative distance of cost and bound that tolerances may leave when no cut improves the bound.
const rounding = 1e-6

// gap is the relative gap of the values in the sense of the program. The gap of values near zero, which compares
// rounding with rounding, is the distance.
func (s *search) gap() float64 {
	if s.design == nil {
		return math.Inf(1)
	}

	// By rounding the bound may be above the cost; the smaller of both is a bound, too.
	gap := lp.RelativeGap(s.original(s.cost), s.original(min(s.bound, s.cost)))
	if d := s.distance(); d <= rounding {
		return min(gap, d)
	}
	return gap
}

// distance is the distance of cost and bound, relative to the cost, or to 1 if the cost is smaller.
func (s *search) distance() float64 {
	if s.design == nil {
		return math.Inf(1)
	}
	return max(0, s.cost-s.bound) / max(1, math.Abs(s.original(s.cost)))
}

// original returns a value in the sense of the program, with its offset.
func (s *search) original(v float64) float64 { return s.sign*v + s.p.Core.Offset }

// drawn draws paths until the bound does not rise, the gap is proven, or they have taken the linear programs allowed.
func (s *search) drawn(allowed int) (feasible bool, err error) {
	began := s.lps
	withoutRise := 0
	for withoutRise < maxPathsWithoutRise && s.pass < s.o.MaxPasses && s.lps-began < allowed {
		count := min(pathsAtOnce(s.pass), s.o.MaxPasses-s.pass)
		if feasible, err = s.sample(count); err != nil || !feasible {
			return feasible, err
		}

		// The cuts of the path have changed the program of the first period.
		before := s.bound
		if feasible, err = s.root(); err != nil || !feasible {
			return feasible, err
		}
		if withoutRise += count; s.bound > before+minBoundRise*max(1, math.Abs(s.bound)) {
			withoutRise = 0
		}
		s.pass += count
		s.report(false)
		if s.gap() <= s.o.Gap {
			break
		}
	}
	return true, nil
}

// probes goes down the paths whose bounds are farthest apart, until the gap is proven or the allowed linear programs
// are solved.
func (s *search) probes(allowed int) (feasible bool, err error) {
	for began := s.lps; s.lps-began < allowed && s.pass < s.o.MaxPasses && s.gap() > s.o.Gap; s.pass++ {
		if feasible, err = s.probe(); err != nil || !feasible {
			return feasible, err
		}
		if feasible, err = s.root(); err != nil || !feasible {
			return feasible, err
		}

		// The first node under its upper hull gives the cost of a policy, at most.
		upper, err := s.upperBounds([]request{{}})
		if err != nil {
			return false, err
		}
		better := upper[0].value < s.cost
		if better {
			s.cost = upper[0].value
			s.design = upper[0].own
		}
		s.report(better && s.gap() <= s.o.Gap)
	}
	return true, nil
}

// root solves the first period: its lower bound is that of the program.
func (s *search) root() (feasible bool, err error) {
	out, err := s.solveCertified([]request{{}})
	if err = cmp.Or(err, unsuited(out)); err != nil || infeasible(out[0]) {
		return false, err
	}

	// The first period has no state, so that the certificate is a number.
	s.bound = max(s.bound, out[0].lower.alpha)
	return true, nil
}

// complete is a pass over all paths: what the decisions of the cuts cost is the cost of a policy, an upper bound.
func (s *search) complete() (feasible bool, err error) {
	// The pass may take as many linear programs as there were before it.
	s.memo = map[[16]byte]float64{}
	s.budget = s.lps + max(firstPassLPs, s.lps)
	out, costs, err := s.descend([]request{{}})
	if err = cmp.Or(err, unsuited(out)); err != nil || infeasible(out[0]) {
		return false, err
	}
	s.points = len(s.memo)
	better := costs[0] < s.cost
	if better {
		s.cost = costs[0]
		s.design = out[0].own
	}

	// The cuts of the way back raise the bound.
	if feasible, err = s.root(); err != nil || !feasible {
		return feasible, err
	}
	s.pass++
	s.report(better)
	return true, nil
}

// report reports progress, at once where there is a better design.
func (s *search) report(better bool) {
	if s.o.Progress == nil || !better && time.Since(s.logged) < s.o.LogEvery {
		return
	}
	s.logged = time.Now()
	cost := math.NaN()
	if s.design != nil {
		cost = s.original(s.cost)
	}

	// Values are those of the program as it was given.
	s.o.Progress(benders.Progress{
		Progress: bnb.Progress{
			Incumbent:    better,
			LPIterations: s.pivots,
			Cuts:         s.optimality + s.feasibility,
			Objective:    cost,
			Bound:        s.original(s.bound),
			Gap:          lp.RelativeGap(cost, s.original(s.bound)),
			Elapsed:      time.Since(s.began),
		},
		Iteration: s.pass,
		TrueCost:  cost,
	})
}

// result returns what a run that ended with a status has found.
func (s *search) result(status lp.Status) *benders.Result {
	out := &benders.Result{
		Status:       status,
		Objective:    math.NaN(),
		Terminal:     math.NaN(),
		Bound:        s.original(s.bound),
		Gap:          math.Inf(1),
		Iterations:   s.pass,
		LPIterations: s.pivots,
		Visited:      s.points,
		Cuts:         benders.Counts{Optimality: s.optimality, Feasibility: s.feasibility},
		Scenarios:    benders.Scenarios{LPs: s.lps},
		Elapsed:      time.Since(s.began),
	}

	// A limit that came when the gap was closed already is no limit.
	switch {
	case status == lp.Infeasible:
		out.Bound = s.sign * math.Inf(1)
	case s.design != nil:
		out.Design = s.design
		out.Objective = s.original(s.cost)
		out.Terminal = out.Objective
		out.Gap = s.gap()
		out.Bound = s.original(min(s.bound, s.cost))
		if out.Status.Limited() && out.Gap <= s.o.Gap {
			out.Status = lp.Optimal
		}
	}

	// All time is that of linear programs over nodes.
	out.Parts.Recourse = out.Elapsed
	out.Parts.Fill(out.Elapsed)
	return out
}
