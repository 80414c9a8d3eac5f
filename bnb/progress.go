package bnb

import "time"

// part names what time is spent on.
type part uint8

const (
	partOther part = iota
	partLP
	partLazy
	partUser
	partHeuristic
	parts
)

// clock splits the elapsed time by part; a part that is entered suspends the one around it.
type clock struct {
	began, since time.Time
	now          part
	spent        [parts]time.Duration
}

func (c *clock) start(t time.Time) { c.began, c.since = t, t }

// enter switches to a part and returns the one to go back to.
func (c *clock) enter(p part) part {
	t := time.Now()
	c.spent[c.now] += t.Sub(c.since)
	old := c.now
	c.now, c.since = p, t
	return old
}

// stop returns the totals.
func (c *clock) stop() (time.Duration, Times) {
	c.enter(partOther)
	return c.since.Sub(c.began), Times{LP: c.spent[partLP], Lazy: c.spent[partLazy], User: c.spent[partUser],
		Heuristic: c.spent[partHeuristic], Other: c.spent[partOther]}
}

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
	p.Incumbent, p.Source = true, src
	r.last = time.Now()
	r.s.hooks.Progress(p)
}

func (r *reporter) progress() Progress {
	s := r.s
	bound := s.globalBound()
	p := Progress{Nodes: s.nodes, Open: s.tree.len(), LPIterations: s.lp.total, Cuts: len(s.lp.cuts),
		Objective: s.inc.reported(), Bound: s.p.sense * bound, Gap: inf, Elapsed: time.Since(s.clock.began)}
	if s.inc.x != nil {
		p.Gap = relativeGap(s.inc.objective, bound)
	}
	return p
}
