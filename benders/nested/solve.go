package nested

import (
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
// Limits and cancellation are statuses, with what is known then; without a complete pass there is a bound alone.
// The error of a program with integer columns, or with a period that has no least cost as far as its future is
// known, wraps ErrUnsuited; such a program may be unbounded.
func Solve(ctx context.Context, p *stoch.Multistage, o Options) (*benders.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r, err := newRun(ctx, p, o)
	if err != nil {
		return nil, err
	}
	s := &search{run: r, cost: math.Inf(1), bound: math.Inf(-1)}
	status, err := s.passes()
	if errors.Is(err, errStopped) {
		status, err = r.stopped, nil
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
	bound  float64
	pass   int
	points int // of the last complete pass
	logged time.Time
}

// How passes follow each other. Paths are drawn until the bound has not risen for a while, or until they have taken
// half as many linear programs as the last complete pass. A complete pass is given up after as many linear programs as
// there were before it, so that no program waits for one that is beyond reach, and followed by probes.
const (
	patience = 5    // paths
	rise     = 1e-7 // of the bound, relative, that counts
	first    = 5000 // linear programs before the first complete pass, at most; and of a pass, at least
	probing  = 2    // times those of a pass that was given up
)

// passes runs until the gap is proven or a limit is reached.
func (s *search) passes() (lp.Status, error) {
	allowed := first
	for {
		feasible, err := s.paths(allowed)
		if err != nil {
			return lp.NotSolved, err
		}
		if !feasible {
			return lp.Infeasible, nil
		}
		if s.pass >= s.o.MaxPasses {
			return lp.IterationLimit, nil
		}
		before, began := s.optimality+s.feasibility, s.lps
		feasible, err = s.complete()
		switch {
		case errors.Is(err, errLong):
			if feasible, err = s.probes(probing * (s.lps - began)); err != nil {
				return lp.NotSolved, err
			}
			if allowed = s.lps - began; !feasible {
				return lp.Infeasible, nil
			}
			if s.gap() <= s.o.Gap {
				return lp.Optimal, nil
			}
			continue
		case err != nil:
			return lp.NotSolved, err
		case !feasible:
			return lp.Infeasible, nil
		}
		allowed = (s.lps - began) / 2
		if s.gap() <= s.o.Gap {
			return lp.Optimal, nil
		}
		if s.optimality+s.feasibility == before { // nothing more to learn
			if s.distance() <= rounding {
				return lp.Optimal, nil
			}
			return lp.NotSolved, nil
		}
	}
}

// rounding is the distance that tolerances may leave once no cut says more.
const rounding = 1e-6

// gap is the relative one, of the values as the program has them. That of a value near zero, which is rounding beside
// rounding, is the distance.
func (s *search) gap() float64 {
	if s.design == nil {
		return math.Inf(1)
	}
	gap := lp.RelativeGap(s.given(s.cost), s.given(min(s.bound, s.cost)))
	if d := s.distance(); d <= rounding {
		return min(gap, d)
	}
	return gap
}

// distance is that of cost and bound, relative to the cost or, of a small one, to 1.
func (s *search) distance() float64 {
	if s.design == nil {
		return math.Inf(1)
	}
	return max(0, s.cost-s.bound) / max(1, math.Abs(s.given(s.cost)))
}

func (s *search) given(v float64) float64 { return s.sign*v + s.p.Core.Offset }

// paths draws paths, at most so many that they take a number of linear programs.
func (s *search) paths(allowed int) (feasible bool, err error) {
	began, calm := s.lps, 0
	for calm < patience && s.pass < s.o.MaxPasses && s.lps-began < allowed {
		if feasible, err = s.sample(); err != nil || !feasible {
			return feasible, err
		}
		before := s.bound
		if feasible, err = s.root(); err != nil || !feasible {
			return feasible, err
		}
		if calm++; s.bound > before+rise*max(1, math.Abs(s.bound)) {
			calm = 0
		}
		s.pass++
		s.tell(false)
		if s.gap() <= s.o.Gap {
			break
		}
	}
	return true, nil
}

// probes goes down the paths whose bounds are farthest apart, until the gap is proven or so many linear programs are
// solved.
func (s *search) probes(allowed int) (feasible bool, err error) {
	for began := s.lps; s.lps-began < allowed && s.pass < s.o.MaxPasses && s.gap() > s.o.Gap; s.pass++ {
		if feasible, err = s.probe(); err != nil || !feasible {
			return feasible, err
		}
		if feasible, err = s.root(); err != nil || !feasible {
			return feasible, err
		}
		value, own, err := s.above(0, nil)
		if err != nil {
			return false, err
		}
		better := value < s.cost
		if better {
			s.cost, s.design = value, own
		}
		s.tell(better && s.gap() <= s.o.Gap)
	}
	return true, nil
}

// root raises the bound.
func (s *search) root() (feasible bool, err error) {
	out, err := s.settle(0, nil)
	if err != nil || out.status == lp.Infeasible {
		return false, err
	}
	s.bound = max(s.bound, out.lower.alpha)
	return true, nil
}

// complete follows the decisions of the cuts over all paths.
func (s *search) complete() (feasible bool, err error) {
	s.memo = map[[16]byte]float64{}
	s.budget = s.lps + max(first, s.lps)
	out, cost, err := s.descend(0, nil)
	if err != nil || out.status == lp.Infeasible {
		return false, err
	}
	s.points = len(s.memo)
	better := cost < s.cost
	if better {
		s.cost, s.design = cost, out.own
	}
	if feasible, err = s.root(); err != nil || !feasible {
		return feasible, err
	}
	s.pass++
	s.tell(better)
	return true, nil
}

// tell reports progress, at once where there is a better design.
func (s *search) tell(better bool) {
	if s.o.Progress == nil || !better && time.Since(s.logged) < s.o.LogEvery {
		return
	}
	s.logged = time.Now()
	cost := math.NaN()
	if s.design != nil {
		cost = s.given(s.cost)
	}
	p := bnb.Progress{Incumbent: better, LPIterations: s.pivots, Cuts: s.optimality + s.feasibility, Objective: cost,
		Bound: s.given(s.bound), Gap: lp.RelativeGap(cost, s.given(s.bound)), Elapsed: time.Since(s.began)}
	s.o.Progress(benders.Progress{Progress: p, Iteration: s.pass, TrueCost: cost})
}

// result says what is known.
func (s *search) result(status lp.Status) *benders.Result {
	out := &benders.Result{Status: status, Objective: math.NaN(), Terminal: math.NaN(), Bound: s.given(s.bound),
		Gap: math.Inf(1), Iterations: s.pass, LPIterations: s.pivots, Visited: s.points,
		Cuts:      benders.Counts{Optimality: s.optimality, Feasibility: s.feasibility},
		Scenarios: benders.Scenarios{LPs: s.lps}, Elapsed: time.Since(s.began)}
	switch {
	case status == lp.Infeasible:
		out.Bound = s.sign * math.Inf(1)
	case s.design != nil:
		out.Design = s.design
		out.Objective, out.Terminal = s.given(s.cost), s.given(s.cost)
		out.Gap = s.gap()
		out.Bound = s.given(min(s.bound, s.cost))
		if out.Status.Limited() && out.Gap <= s.o.Gap {
			out.Status = lp.Optimal
		}
	}
	out.Parts.Recourse = out.Elapsed
	out.Parts.Fill(out.Elapsed)
	return out
}
