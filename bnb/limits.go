package bnb

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// limits ends the search at a limit, and records which one it was.
type limits struct {
	opt    *Options
	start  time.Time
	hit    lp.Status // NotSolved while the search may go on
	parent context.Context
}

// begin derives the context of the search: it ends with the caller's and at the time limit.
func (l *limits) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	l.parent = ctx
	if l.opt.TimeLimit == math.MaxInt64 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, l.start.Add(l.opt.TimeLimit))
}

// poll reports whether a limit other than that on nodes is reached.
func (l *limits) poll(ctx context.Context, s *search) bool {
	// The first limit that was hit stays the reason.
	switch {
	case l.hit != lp.NotSolved:
	case ctx.Err() != nil:
		l.expire()
	case s.effort.work >= l.opt.MaxWork:
		l.hit = lp.WorkLimit
	case s.opt.MaxMemory < math.MaxInt64 && s.memory() >= s.opt.MaxMemory:
		l.hit = lp.MemoryLimit
	}
	return l.hit != lp.NotSolved
}

// pollNodes reports whether a limit, or the rule on nodes without a better point, forbids another node.
func (l *limits) pollNodes(ctx context.Context, s *search) bool {
	// Without open nodes the search ends by itself, and no limit is the reason.
	switch {
	case l.poll(ctx, s) || s.tree.empty():
	case s.effort.nodes >= l.opt.MaxNodes:
		l.hit = lp.NodeLimit
	case l.stalled(s):
		l.hit = lp.Stalled
	}
	return l.hit != lp.NotSolved
}

// stalled reports whether too many nodes have not found a better point. Once there is one, a search that
// continues this one goes on with the count.
func (l *limits) stalled(s *search) bool {
	return s.inc.guide() != nil && s.idleNodes() >= l.opt.StallNodes
}

// idleNodes is the number of nodes since the last better point, of this search and those that it continues.
func (s *search) idleNodes() int {
	if s.inc.accepted == 0 {
		return s.origin.idle + s.effort.nodes
	}
	return s.effort.nodes - s.effort.improved
}

// share sets what a worker may work from now on.
func (l *limits) share(e *effort, work float64) {
	l.opt.MaxWork = e.work + work
	e.allow(work)
}

// end ends the search for a reason that another search gave.
func (l *limits) end(why lp.Status) { l.hit = why }

// expire records why the context of the search ended.
func (l *limits) expire() {
	if l.hit != lp.NotSolved {
		return
	}

	// The deadline of the caller counts as a time limit, a cancellation as an interruption.
	l.hit = lp.TimeLimit
	if l.parent.Err() != nil && !errors.Is(l.parent.Err(), context.DeadlineExceeded) {
		l.hit = lp.Interrupted
	}
}

// hookError turns the error of a hook that was cut short by the end of the search into a stop.
func (l *limits) hookError(ctx context.Context, err error) error {
	// The error is that of the context, passed on by the hook.
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		l.expire()
		return nil
	}
	return err
}
