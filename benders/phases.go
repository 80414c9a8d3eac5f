package benders

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Phase says what a part of a run did that made its cuts in its own way. Objective and Bound are the best that the run
// knew at its end; nodes and cuts are its own.
type Phase struct {
	Name      string    // of the way
	Status    lp.Status // why it ended
	Objective float64   // true cost of a design, NaN without one
	Bound     float64   // proven
	Nodes     int
	Cuts      Counts
	Elapsed   time.Duration
}

// Phases is a run in two parts: one that looks for a good design in a short time, as with a proxy, and one that
// proves it optimal or finds a better one, with everything that is left.
type Phases struct {
	Limits PhaseLimits

	First func(Options) (*Result, error)

	// Second gets the result of First and the cuts that its master was given. It is not called where First ended
	// the run: with a proof, at a limit of the run's own, or because the context was cancelled.
	Second func(o Options, first *Result, cuts []Cut) (*Result, error)

	// Ended, if not nil, is called at the end of each phase.
	Ended func(Phase)
}

// PhaseLimits are what the first phase may spend of a run's options.
type PhaseLimits struct {
	StallNodes int     // nodes of the tree in a row without a better design, in place of the options' (default 5)
	RootRounds int     // rounds of separation at the root, where the options allow as many (default 20)
	TimeShare  float64 // of the time that is left, in (0, 1] (default 1/2)
}

// DefaultPhaseLimits returns limits for a first phase that starts from a heuristic design. It finds a better one at the
// root or soon after, or not at all: with 100 nodes in a row it improved two of 29 starts, and both with one node too.
// Most of its time goes to predictions.
func DefaultPhaseLimits() PhaseLimits {
	return PhaseLimits{StallNodes: 5, RootRounds: 20, TimeShare: 0.5}
}

// Names of the phases.
const (
	firstPhase  = "proxy"
	secondPhase = "exact"
)

// Solve runs the phases within the options and joins their results: the better design and bound, the sums of counts and
// times, and what each phase did. The status is that of the last one, unless the better bound and design of both prove
// the gap.
func (p Phases) Solve(ctx context.Context, o Options) (*Result, error) {
	// The first phase leaves its design, its bound and the cuts that it found.
	began := time.Now()
	log := CutLog{Most: maxKept}
	first, err := p.First(p.short(o, &log))
	if err != nil {
		return nil, err
	}
	done := Phase{Name: firstPhase, Objective: math.NaN(), Bound: math.Inf(-1), Elapsed: time.Since(began)}
	done = p.end(done, first)
	first.Phases = []Phase{done}
	if ctx.Err() != nil || ends(first) {
		return first, nil
	}

	// The second has what is left of the limits; to whoever watches, both are one run.
	rest := o
	rest.Spend(done.Elapsed, first.Nodes)
	if o.Progress != nil {
		rest.Progress = func(p Progress) {
			p.Elapsed += done.Elapsed
			o.Progress(p)
		}
	}
	second, err := p.Second(rest, first, log.Cuts)
	if err != nil {
		return nil, err
	}

	took := time.Since(began) - done.Elapsed
	last := p.end(Phase{Name: secondPhase, Objective: done.Objective, Bound: done.Bound, Elapsed: took}, second)
	second.Phases = []Phase{done, last}
	second.Follow(first, o.Gap)
	return second, nil
}

// short gives the first phase its part of what there is to spend.
func (p Phases) short(o Options, log *CutLog) Options {
	o.StallNodes = p.Limits.StallNodes
	if o.TimeLimit != math.MaxInt64 {
		o.TimeLimit = time.Duration(p.Limits.TimeShare * float64(o.TimeLimit))
	}
	o.RootRounds = min(o.RootRounds, p.Limits.RootRounds)
	log.Next = o.Recorder
	o.Recorder = log
	return o
}

// ends reports whether nothing is left to do after the first phase: its result is proven, or it used up the nodes of
// the run.
func ends(first *Result) bool {
	done := []lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded, lp.NodeLimit}
	return slices.Contains(done, first.Status)
}

// end completes a phase, which begins with the objective and the bound that were known, by its result.
func (p Phases) end(done Phase, r *Result) Phase {
	done.Status, done.Nodes, done.Cuts = r.Status, r.Nodes, r.Cuts
	done.Bound = max(done.Bound, r.Bound)

	// The objective is NaN before the first design, and no cost is below that.
	if math.IsNaN(done.Objective) || r.Objective < done.Objective {
		done.Objective = r.Objective
	}
	if p.Ended != nil {
		p.Ended(done)
	}
	return done
}

// Follow adds to the result of a later part of a run what an earlier part knew and did.
func (r *Result) Follow(first *Result, gap float64) {
	// The repair of the earlier part is that of the result where its design is.
	if first.Objective < r.Objective || r.Design == nil {
		r.Design, r.Objective = first.Design, first.Objective
	} else {
		first.Repair.Opened = 0
	}
	if math.IsNaN(r.Terminal) {
		r.Terminal = first.Terminal
	}

	// A bound holds to tolerances, and may be above the cost of the better design by as much.
	if r.Bound = max(r.Bound, first.Bound); r.Bound > r.Objective {
		r.Bound = r.Objective
	}

	// Counts and times add up, but for the designs that both parts visited.
	r.Nodes += first.Nodes
	r.Iterations += first.Iterations
	r.LPIterations += first.LPIterations
	r.Cuts.Optimality += first.Cuts.Optimality
	r.Cuts.Feasibility += first.Cuts.Feasibility
	r.Cuts.CutSets += first.Cuts.CutSets
	r.Cuts.User += first.Cuts.User
	r.Visited = max(r.Visited, first.Visited)
	r.Projected += first.Projected
	r.Repair = first.Repair
	r.Parts.add(first.Parts)
	r.Update(gap)
}

func (p *Parts) add(o Parts) {
	p.Master += o.Master
	p.Separation += o.Separation
	p.Times.add(o.Times)
	p.Recourse += o.Recourse
	p.Heuristic += o.Heuristic
	p.Presolve += o.Presolve
	p.Other += o.Other
}

// maxKept is how many cuts of the first phase the second gets.
const maxKept = 500

// CutLog is a Recorder that keeps the violated cuts of a run, the last ones of many, each once.
type CutLog struct {
	Most int // cuts that are kept
	Cuts []Cut
	Next Recorder // called first, with the same arguments; nil for none

	known keySet // of the cuts that are kept
}

// Separated implements Recorder.
func (l *CutLog) Separated(p Point, s *Separation, violated []Cut) {
	if l.Next != nil {
		l.Next.Separated(p, s, violated)
	}
	for _, c := range violated {
		if !l.known.add(cutKey(&c)) {
			continue
		}

		// The cut is copied, and takes the place of the oldest one where the log is full.
		c.Index, c.Beta = append([]int32(nil), c.Index...), append([]float64(nil), c.Beta...)
		if len(l.Cuts) == l.Most {
			delete(l.known, cutKey(&l.Cuts[0]))
			l.Cuts = append(l.Cuts[:0], l.Cuts[1:]...)
		}
		l.Cuts = append(l.Cuts, c)
	}
}
