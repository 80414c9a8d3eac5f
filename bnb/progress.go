package bnb

import (
	"time"

	"github.com/proxybd/proxybd/lp"
)

// reporter calls Hooks.Progress.
type reporter struct {
	s    *search
	last time.Time
}

// line reports if the last report is long enough ago.
func (r *reporter) line() {
	if r.s.hooks.Progress == nil {
		return
	}
	if now := time.Now(); now.Sub(r.last) >= r.s.opt.LogEvery {
		r.last = now
		r.s.hooks.Progress(r.progress())
	}
}

// improved reports a new incumbent.
func (r *reporter) improved(src Source) {
	if r.s.hooks.Progress == nil {
		return
	}
	p := r.progress()
	p.Incumbent = true
	p.Source = src
	r.last = time.Now()
	r.s.hooks.Progress(p)
}

// progress is the present line of the log.
func (r *reporter) progress() Progress {
	s := r.s
	bound := s.globalBound()
	p := Progress{
		Nodes:        s.effort.nodes,
		Open:         s.tree.len() + s.tree.outside.nodes,
		LPIterations: s.effort.iterations,
		Cuts:         len(s.lp.cuts),
		Objective:    s.inc.reported(),
		Bound:        s.p.sense * bound,
		Gap:          inf,
		Work:         s.effort.work,
		Elapsed:      time.Since(s.clock.began),
	}

	// Without an incumbent the gap is infinite.
	if s.inc.x != nil {
		p.Gap = lp.RelativeGap(s.inc.objective, bound)
	}
	return p
}
