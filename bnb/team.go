package bnb

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/proxybd/proxybd/lp"
)

// Sizes of a team.
const (
	teamMost   = 8   // workers at most
	teamNodes  = 10  // nodes before the tree is shared out
	roundShare = 64  // a round is so long that a worker does one in so many of the nodes that the team has done,
	roundFew   = 4   // at least so many,
	roundMany  = 24  // and at most so many, on average
	roundMin   = 2e5 // and the least work
)

// team searches the tree with several workers, each a search of its own with an LP of its own, in rounds. Rounds are
// measured by the clocks of the workers, which count work, not time: whoever has reached the barrier at the end of a
// round with its node done tells there what it has found (points, open nodes, pseudo-costs, conflicts, cuts), in the
// order of the workers, hears what the others have, and is dealt nodes anew. Who is in a node for longer than a round,
// in a search of a neighbourhood for instance, is waited for until its clock says so, and comes to the first barrier
// after. So all that happens depends on the work alone, not on the time that it takes.
//
// There are as many workers as threads. With eight for two threads every worker had the conflicts of all to propagate,
// its nodes were far from its last basis, and it chose them by what was known eight nodes ago: nine models with three
// seeds took 15% more work, and that 12% more CPU a unit.
//
// Hooks are called by the goroutine of the team: a worker that needs one waits until all others are at the barrier, or
// need one too, or are late; then the calls are made in the order of the workers, and the round goes on.
type team struct {
	s       *search // as it is known at the barrier; its queue holds what no worker has
	workers []*worker
	journal journal
	charge  float64 // of a node, to the clock of its worker

	barrier float64       // time at the end of the present round
	length  float64       // of a round
	least   float64       // and at least
	latest  atomic.Uint64 // bits of the time up to which workers are waited for
	clocked struct{ work, nodes float64 }

	numbers  int        // nodes that hooks have been told of
	numbered []numbered // by worker

	mu   sync.Mutex
	turn *sync.Cond // signalled when a worker has changed its state, or is late
}

// numbered is a node that a hook was told of: its number in the search of the worker, and in the whole.
type numbered struct{ own, whole int }

func newTeam(s *search) *team {
	t := &team{s: s, least: roundMin, numbers: s.effort.nodes, charge: float64(s.p.byCol.NNZ() + s.p.n + s.p.rows)}
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
		if t.restarts(here) {
			t.recall(here)
			err = t.s.restart(ctx)
			continue
		}
		t.deal(here)
		t.launch(ctx, here)
		here = t.wait()
		err = t.gather(here)
		t.s.report.line()
	}
	return t.endRounds(cancel, here, err)
}

// over reports whether the search ends at this barrier.
func (t *team) over(ctx context.Context, here []*worker) bool {
	s := t.s
	return s.tree.empty() && len(here) == len(t.workers) || s.inc.closes(s.tree.bound()) || s.limits.pollNodes(ctx, s)
}

// restarts reports whether the search is to be started again.
func (t *team) restarts(here []*worker) bool {
	return len(here) == len(t.workers) && t.s.restartPays()
}

// recall takes all nodes from workers.
func (t *team) recall(from []*worker) {
	for _, w := range from {
		t.take(w, nil, false)
	}
	t.count(nil)
}

// take takes the open nodes of a worker but stay, and its siblings if family is set.
func (t *team) take(w *worker, stay *node, family bool) {
	s := t.s
	list, untaken := w.s.tree.surrender(stay, family)
	s.closed.exclude(s.tree.receive(&w.s.tree, list, untaken, s.inc.cutoff))
	w.hold()
}

// deal gives nodes to the workers at the barrier: one to each that does not go on with a plunge, and as many more as it
// may need if all of them lead nowhere. If there are too few of them the others give up their siblings.
func (t *team) deal(here []*worker) {
	tree := &t.s.tree
	idle := 0
	for _, w := range here {
		if w.s.tree.len() == 0 {
			idle++
		}
	}
	if tree.len() < idle {
		for _, w := range here {
			t.take(w, w.s.plunge.stay(), false)
		}
	}
	for round := range 1 + t.spare() {
		for _, w := range here {
			if round > 0 || w.s.tree.len() == 0 {
				if nd := tree.pop(false); nd != nil {
					nd.sibling = nil
					w.s.tree.deal(nd)
				}
			}
		}
	}
	for _, w := range here {
		w.hold()
	}
}

// spare is how many nodes a worker may do in a round.
func (t *team) spare() int {
	if t.clocked.nodes == 0 {
		return roundFew
	}
	return 1 + int(t.length/t.clocked.work*t.clocked.nodes)
}

// count brings the account of what is held outside the queues up to date, in that of the team and in those of the
// workers at the barrier.
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

// launch begins a round.
func (t *team) launch(ctx context.Context, here []*worker) {
	s := t.s
	t.barrier += t.length
	t.latest.Store(math.Float64bits(t.barrier + t.length))
	t.count(here)
	left := s.opt.MaxNodes - s.effort.nodes
	for _, w := range t.workers {
		if !slices.Contains(here, w) {
			left -= w.quota
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, w := range here {
		left = max(0, left)
		if w.quota = left / (len(here) - k); left%(len(here)-k) > 0 {
			w.quota++
		}
		left -= w.quota
		w.s.limits.share(&w.s.effort, s.effort.left()/float64(len(here)))
		w.until, w.began, w.counted = t.barrier, w.s.effort.clock, 0
		if w.s.tree.len() > 0 {
			w.state = running
			go w.round(ctx)
		}
	}
}

// wait waits for the barrier and calls the hooks that workers ask for on the way. It returns the workers that are
// there.
func (t *team) wait() []*worker {
	t.s.clock.suspend()
	defer t.s.clock.resume()
	for {
		t.mu.Lock()
		for !t.allWaiting() {
			t.turn.Wait()
		}
		var here, asking []*worker
		for _, w := range t.workers {
			switch {
			case w.late(): // comes to a later barrier
			case w.state == asks:
				asking = append(asking, w)
			default:
				here = append(here, w)
			}
		}
		t.mu.Unlock()
		if len(asking) == 0 {
			return here
		}
		for _, w := range asking {
			w.answer(false)
		}
	}
}

// allWaiting reports whether no worker runs that may still come to the barrier.
func (t *team) allWaiting() bool {
	for _, w := range t.workers {
		if w.state == running && !w.late() {
			return false
		}
	}
	return true
}

// gather takes what the workers at the barrier have found, and tells it to all of them.
func (t *team) gather(here []*worker) error {
	s := t.s
	for _, w := range here {
		if w.err != nil {
			return w.err
		}
	}
	t.measure(here)
	for _, w := range here {
		t.hear(w)
	}
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
		w.s.effort.rest(t.barrier)
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

// measure adds the round to the span of the search: the most that a worker has done. Of a late worker that is what its
// clock has run at least.
func (t *team) measure(here []*worker) {
	longest := 0.0
	for _, w := range t.workers {
		all := math.Float64frombits(t.latest.Load()) - w.began
		if slices.Contains(here, w) {
			all = w.s.effort.work - w.told.work
		}
		work := math.Max(0, all-w.counted)
		w.counted += work
		longest = math.Max(longest, work)
	}
	t.s.effort.extend(longest)
}

// hear takes the effort, the limits and the incumbent of a worker.
func (t *team) hear(w *worker) {
	s := t.s
	now := &w.s.effort
	s.effort.join(&w.told, now)
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
