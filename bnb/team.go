package bnb

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/proxybd/proxybd/lp"
)

// Sizes of a team.
const (
	teamMost   = 8   // workers at most
	teamNodes  = 10  // nodes before the tree is shared out
	roundShare = 64  // a round is so long that a worker does one in so many of the nodes that the team has done,
	roundFew   = 2   // at least so many,
	roundMany  = 8   // and at most so many, on average
	roundMin   = 2e5 // and the least work
)

// team searches the tree with several workers, each a search of its own with an LP of its own. A worker that has done a
// round of work, or has no nodes left, comes to the team with its node done: it tells what it has found (points, open
// nodes, pseudo-costs, conflicts, cuts), hears what the others have told, and is dealt nodes anew. Its time is its
// clock, which counts work: it is attended to when the clocks of all that are at work are beyond its own, whoever comes
// first by the clocks first. So all that happens depends on the work alone, not on the time that it takes; and who is
// long in a node, in a search of a neighbourhood for instance, is not waited for longer than until its clock says so.
//
// There are as many workers as threads. With eight for two threads every worker had the conflicts of all to propagate,
// its nodes were far from its last basis, and it chose them by what was known eight nodes ago: nine models with three
// seeds took 15% more work, and that 12% more CPU a unit.
//
// Hooks are called by the goroutine of the team, in the order of the clocks.
type team struct {
	s       *search // as the team knows it; its queue holds what no worker has
	workers []*worker
	journal journal
	charge  float64 // of a node, to the clock of its worker
	before  float64 // work of the search before
	span    float64 // of the team's work

	now     float64 // on the clocks, when a worker came last
	length  float64 // of a round
	least   float64 // and at least
	hungry  bool    // some worker has no nodes
	clocked struct{ work, nodes float64 }

	numbers  int        // nodes that hooks have been told of
	numbered []numbered // by worker

	mu   sync.Mutex
	turn *sync.Cond // signalled when a worker has changed its state, or its clock has passed what is waited for
}

// numbered is a node that a hook was told of: its number in the search of the worker, and in the whole.
type numbered struct{ own, whole int }

func newTeam(s *search) *team {
	t := &team{s: s, least: roundMin, numbers: s.effort.nodes, before: s.effort.work,
		charge: float64(s.p.byCol.NNZ() + s.p.n + s.p.rows)}
	if s.opt.hasty > 0 {
		t.least = s.opt.hasty
	}
	t.length = t.least
	t.turn = sync.NewCond(&t.mu)
	return t
}

// run is the rest of the search.
func (t *team) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for place := range t.s.opt.team() {
		w, err := t.newWorker(place)
		if err != nil {
			return err
		}
		t.workers, t.numbered = append(t.workers, w), append(t.numbered, numbered{own: -1})
	}
	here := t.workers
	var err error
	for err == nil && !t.over(ctx, here) {
		restart, regrow := t.s.restartPays(), t.s.regrowDue()
		switch {
		case !restart && !regrow:
			t.deal(here)
			t.launch(ctx, here)
		case len(here) < len(t.workers): // when those that are at work are here too
			t.rest(here)
		case restart:
			t.recall(here)
			err = t.s.restart(ctx)
			continue
		default:
			t.recall(here)
			t.s.regrow()
			continue
		}
		here = t.wait()
		err = t.gather(here)
		t.s.report.line()
	}
	return t.endRounds(cancel, here, err)
}

// over reports whether the search ends here.
func (t *team) over(ctx context.Context, here []*worker) bool {
	s := t.s
	return s.tree.empty() && len(here) == len(t.workers) || s.inc.closes(s.tree.bound()) || s.limits.pollNodes(ctx, s)
}

// recall takes all nodes from workers, which ends their plunges.
func (t *team) recall(from []*worker) {
	for _, w := range from {
		t.take(w, nil, false)
		w.s.plunge.forget()
	}
	t.count(nil)
}

// take takes the open nodes of a worker but stay, and its siblings if family is set.
func (t *team) take(w *worker, stay *node, family bool) {
	s := t.s
	list := w.s.tree.surrender(stay, family)
	s.closed.exclude(s.tree.receive(&w.s.tree, list, s.inc.cutoff))
	w.hold()
}

// deal gives a node to each of the workers that are here and do not go on with a plunge. If there are too few of them
// the others give up their siblings.
func (t *team) deal(here []*worker) {
	tree := &t.s.tree
	without := 0
	for _, w := range here {
		if w.s.tree.len() == 0 {
			without++
		}
	}
	if tree.len() < without {
		for _, w := range here {
			t.take(w, w.s.plunge.stay(), false)
		}
	}
	t.hungry = false
	for _, w := range here {
		if w.s.tree.len() == 0 {
			if nd := tree.pop(boundEvery); nd != nil {
				w.s.tree.deal(nd)
			}
		}
		w.hold()
		t.hungry = t.hungry || w.s.tree.len() == 0
	}
}

// count brings the account of what is held outside the queues up to date, in that of the team and in those of the
// workers that are here.
func (t *team) count(here []*worker) {
	s := t.s
	own := outside{bound: s.tree.least(), nodes: s.tree.len(), bytes: s.ownMemory()}
	all := outside{bound: inf}
	for _, w := range t.workers {
		all.add(&w.holds)
	}
	s.tree.start(all, s.tree.created)
	for _, w := range here {
		rest := own
		for _, o := range t.workers {
			if o != w {
				rest.add(&o.holds)
			}
		}
		w.s.tree.start(rest, s.tree.created)
	}
}

// launch begins a round of the workers that are here and have nodes: one of a single node while others have none.
func (t *team) launch(ctx context.Context, here []*worker) {
	s := t.s
	t.count(here)
	left := s.opt.MaxNodes - s.effort.nodes
	for _, w := range t.workers {
		if !w.idle && !slices.Contains(here, w) {
			left -= w.quota
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range here {
		w.quota = min((left-1)/len(t.workers)+1, left)
		if w.idle = w.quota <= 0 || w.s.tree.len() == 0; w.idle {
			continue
		}
		left -= w.quota
		w.s.limits.share(&w.s.effort, s.effort.left()/float64(len(t.workers)))
		if w.until = w.s.effort.clock + t.length; t.hungry {
			w.until = math.Nextafter(w.s.effort.clock, inf)
		}
		w.clock.Store(math.Float64bits(w.s.effort.clock))
		w.state = running
		go w.round(ctx)
	}
}

// rest has the workers that are here wait for others.
func (t *team) rest(here []*worker) {
	for _, w := range here {
		w.idle = true
	}
}

// wait waits for the next worker by the clocks, and calls the hooks that are asked for before. It returns those that
// are here: that one, and those without nodes.
func (t *team) wait() []*worker {
	t.s.clock.suspend()
	defer t.s.clock.resume()
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		first := t.first()
		switch {
		case first == nil:
			t.turn.Wait()
		case first.state == asks:
			t.mu.Unlock()
			first.answer(false)
			t.mu.Lock()
		default:
			var here []*worker
			for _, w := range t.workers {
				if w == first || w.idle {
					here = append(here, w)
				}
			}
			return here
		}
	}
}

// first is the worker that waits or asks first by the clocks; nil while others are at work whose clocks are not beyond
// its own. They will wake the team when they are.
func (t *team) first() *worker {
	var first *worker
	for _, w := range t.workers {
		if !w.idle && w.state != running && (first == nil || w.now() < first.now()) {
			first = w
		}
	}
	if first == nil {
		return nil
	}
	ready := true
	for _, w := range t.workers {
		if !w.idle && w.state == running && !w.beyond(first.now()) {
			ready = false
		}
	}
	if !ready {
		return nil
	}
	return first
}

// gather takes what the workers that are here have found, and tells it to all of them.
func (t *team) gather(here []*worker) error {
	s := t.s
	for _, w := range here {
		if w.err != nil {
			return w.err
		}
	}
	for _, w := range here {
		t.hear(w)
	}
	t.measure()
	for _, w := range here {
		t.take(w, w.s.plunge.stay(), true)
		t.journal.collect(w, s)
	}
	for _, w := range here {
		t.journal.spread(w, s.pool)
		if s.inc.objective < w.s.inc.objective {
			w.s.follow(s.inc.x, s.inc.objective, s.inc.source)
		}
		w.s.solutions.follow(&s.solutions)
		w.s.effort.rest(t.now)
		w.s.effort.hear(&s.effort)
		w.told, w.accepted = w.s.effort, w.s.inc.accepted
	}
	t.journal.trim(t.workers)
	t.count(nil)
	if t.clocked.nodes > 0 {
		nodes := min(max(t.clocked.nodes/roundShare, roundFew), roundMany)
		t.length = math.Max(t.least, nodes*t.clocked.work/t.clocked.nodes)
	}
	return nil
}

// measure brings the span of the search up to date: of what has passed on the clocks the share that was work, as it is
// in all that was done. So work is never more than the span times the number of workers.
func (t *team) measure() {
	if t.clocked.work > 0 {
		span := t.now * (t.s.effort.work - t.before) / t.clocked.work
		t.s.effort.extend(span - t.span)
		t.span = span
	}
}

// hear takes the effort, the limits and the incumbent of a worker.
func (t *team) hear(w *worker) {
	s := t.s
	now := &w.s.effort
	s.effort.join(&w.told, now)
	t.now = math.Max(t.now, now.clock)
	t.clocked.work += now.clock - w.told.clock
	t.clocked.nodes += float64(now.nodes - w.told.nodes)
	s.closed.exclude(w.s.closed.excluded)
	s.closed.lose(w.s.closed.lost)
	if hit := w.s.limits.hit; hit != lp.NotSolved && s.limits.hit == lp.NotSolved {
		s.limits.end(hit)
	}
	s.solutions.merge(w.s.solutions.list)
	if in := &w.s.inc; in.accepted > w.accepted && in.objective < s.inc.objective {
		s.follow(in.x, in.objective, in.source)
		s.announce(in.objective, in.source)
	}
}

// endRounds ends the rounds. What late workers hold stays in the bound as it was when they got it; what they have found
// since is lost, unless a clock or the caller has ended the search.
func (t *team) endRounds(cancel context.CancelFunc, here []*worker, err error) error {
	cancel()
	t.mu.Lock()
	for _, w := range t.workers {
		for w.state != waiting {
			if w.state == asks {
				t.mu.Unlock()
				w.answer(true)
				t.mu.Lock()
				continue
			}
			t.turn.Wait()
		}
	}
	t.mu.Unlock()
	if hit := t.s.limits.hit; hit == lp.TimeLimit || hit == lp.Interrupted {
		here = t.workers
		for _, w := range here {
			t.hear(w)
			w.told = w.s.effort
		}
		t.measure()
	}
	for _, w := range here {
		if w.err == nil {
			t.take(w, nil, false)
		}
	}
	t.count(nil)
	for _, w := range t.workers {
		t.s.clock.join(&w.s.clock.stats)
	}
	return err
}

// number gives a node of a worker its number in the whole tree.
func (t *team) number(place, own int) int {
	n := &t.numbered[place]
	if n.own != own {
		n.own, n.whole = own, t.numbers
		t.numbers++
	}
	return n.whole
}
