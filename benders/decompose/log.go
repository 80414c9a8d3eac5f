package decompose

import (
	"time"

	"github.com/proxybd/proxybd/benders"
)

// tell says with which design and bound the run goes on, and what is fixed, where that is news.
func (r *run) tell() {
	s, t := &r.start, &r.told
	fixed := len(s.Fixing.Closed) + len(s.Fixing.Opened)
	if r.o.Log == nil || t.Design != nil && s.Cost == t.Cost && s.Bound == t.Bound && fixed == len(t.Fixing.Closed)+len(t.Fixing.Opened) {
		return
	}
	*t = *s
	r.o.logf("start: a design of cost %.9g, bound %.9g, %.1fs", r.given(s.Cost), r.given(s.Bound), time.Since(r.began).Seconds())
	if fixed > 0 {
		noun := r.p.Noun
		if noun == "" {
			noun = "columns"
		}
		r.o.logf("%d of %d %s are fixed: %d closed, %d open", fixed, len(s.Design), noun, len(s.Fixing.Closed), len(s.Fixing.Opened))
	}
}

// tellPhase says how a phase of a hybrid run ended.
func (r *run) tellPhase(p benders.Phase) {
	p = r.phase(p)
	cuts := p.Cuts.Optimality + p.Cuts.Feasibility + p.Cuts.User
	r.o.logf("%s phase: %v after %d nodes, %d cuts, %.2fs: a design of cost %.9g, bound %.9g", p.Name, p.Status, p.Nodes, cuts,
		p.Elapsed.Seconds(), p.Objective, p.Bound)
}
