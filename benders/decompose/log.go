package decompose

import (
	"cmp"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// logStart logs with which design and bound the run goes on, and what is fixed, where that has changed since the last
// such line.
func (r *run) logStart() {
	s, t := &r.start, &r.logged
	closed, opened := len(s.Fixing.Closed), len(s.Fixing.Opened)
	fixed := closed + opened
	unchanged := s.Cost == t.Cost && s.Bound == t.Bound && fixed == len(t.Fixing.Closed)+len(t.Fixing.Opened)
	if r.o.Log == nil || t.Design != nil && unchanged {
		return
	}

	// All values are logged in the sense and units of the program given.
	*t = *s
	cost, bound, took := r.given(s.Cost), r.given(s.Bound), time.Since(r.began).Seconds()
	r.o.logf("start: a design of cost %.9g, bound %.9g, %.1fs", cost, bound, took)
	if fixed > 0 {
		noun := cmp.Or(r.p.Model.ColumnNoun, "columns")
		r.o.logf("%d of %d %s are fixed: %d closed, %d open", fixed, len(s.Design), noun, closed, opened)
	}
}

// logPhase logs how a phase of a hybrid run ended.
func (r *run) logPhase(p benders.Phase) {
	// Cut sets are feasibility cuts too, and counted there.
	p = r.phase(p)
	cuts := p.Cuts.Optimality + p.Cuts.Feasibility + p.Cuts.User
	r.o.logf("%s phase: %v after %d nodes, %d cuts, %.2fs: a design of cost %.9g, bound %.9g",
		p.Name, p.Status, p.Nodes, cuts, p.Elapsed.Seconds(), p.Objective, p.Bound)
}

// report makes progress reports be in the units of the program given, and of the whole run: the bound only rises and
// the cost of the best design only falls, whatever part of the run reports.
func (r *run) report() {
	report := r.o.Benders.Progress
	if report == nil {
		return
	}

	bound := math.Inf(-1)
	cost := math.Inf(1)
	r.o.Benders.Progress = func(p benders.Progress) {
		if bound = max(bound, r.start.Bound); p.Bound > bound {
			bound = p.Bound
		}
		p.Bound = bound
		if cost = min(cost, r.start.Cost); p.TrueCost < cost {
			cost = p.TrueCost
		}
		if !math.IsInf(cost, 1) && !math.IsNaN(p.TrueCost) {
			p.TrueCost = cost
		}
		p.Objective, p.Bound, p.TrueCost = r.given(p.Objective), r.given(p.Bound), r.given(p.TrueCost)
		report(p)
	}
}

// startReport returns what reports the progress of a start, at most once in the interval of the log.
func (r *run) startReport() func(cost, bound float64, logged bool) {
	o := &r.o.Benders
	if o.Progress == nil {
		return func(float64, float64, bool) {}
	}
	last := time.Now()
	none := true // no design was reported
	return func(cost, bound float64, logged bool) {
		// The first design is reported at once.
		first := none && !math.IsInf(cost, 1)
		if !first && time.Since(last) < o.LogEvery {
			return
		}
		none = none && !first
		last = time.Now()

		// The bound is one on designs that cost less than the best one. Without a design there is no cost to show.
		bound = min(bound, cost)
		if math.IsInf(cost, 1) {
			cost = math.NaN()
		}
		o.Progress(benders.Progress{
			Progress: bnb.Progress{Objective: cost, Bound: bound, Gap: lp.RelativeGap(cost, bound)},
			TrueCost: cost,
			Start:    true,
			Logged:   logged,
		})
	}
}
