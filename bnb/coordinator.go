package bnb

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/proxybd/proxybd/lp"
)

// MaxThreads is the largest number of nodes that are worked on at a time, whatever Options.Threads is.
const MaxThreads = 8

// The sharing of the tree among workers. All numbers were chosen by hand.
const (
	sharedFrom    = 2   // nodes before the tree is shared out
	roundsPerNode = 64  // a worker does in a round one of that many of the nodes that all have done,
	minRoundNodes = 2   // at least this number of nodes on average,
	maxRoundNodes = 8   // at most this number,
	minRoundWork  = 2e5 // and at least this work, in units of Result.Work; rounds end early at multiples of it
)

// coordinator searches the tree with several workers, each a search of its own with an LP of its own (the load
// coordinator of Shinano et al. 2012, made deterministic). A worker that has done a round of work, or has no nodes
// left, comes to the coordinator with its node done: it exports what it has found (points, open nodes, pseudo-costs,
// conflicts, cuts), imports what the others have exported, and is assigned nodes. Its time is its clock, which counts
// work: a worker is served when no running worker can come at an earlier clock, the worker with the least clock
// first. So all that happens depends on the work alone, not on the time that it takes; and for a worker that is long
// in a node, in a search of a neighbourhood for instance, the others wait no longer than until its clock has passed
// theirs.
//
// Where there are no hooks a worker that has no nodes left before the end of its round comes at the next multiple of
// minRoundWork, counted from the beginning of the round: the time until then passes. Another worker that comes before
// that time need not wait for it. Without this rule, and with one node at a time, the two workers of pk1 waited for
// each other for a quarter of the time. When the whole rest of the round passed, which may be several long nodes, the
// workers of pg had nothing to do for a quarter of their time.
//
// There are as many workers as threads. With eight for two threads every worker had the conflicts of all to propagate,
// its nodes were far from its last basis, and their choice was eight nodes out of date: nine models with three seeds
// took 15% more work, and that 12% more CPU a unit.
//
// Hooks are called by the goroutine of the coordinator, in the order of the clocks.
type coordinator struct {
	s       *search // the whole search; its queue holds the nodes that no worker has
	workers []*worker
	updates sharedUpdates
	charge  float64 // of a node, to the clock of its worker
	hooked  bool    // there are hooks: a worker may request a call at any clock
	before  float64 // work of the search before
	span    float64 // of the workers' work

	now        float64 // on the clocks, when a worker came last
	length     float64 // of a round
	roundNodes int     // nodes that a worker does in a round, on average
	minLength  float64 // of a round
	needsNodes bool    // some worker has no nodes
	workDone   struct{ work, nodes float64 }

	numbers  int        // nodes that hooks have got a number for
	numbered []numbered // by worker

	mu   sync.Mutex
	turn *sync.Cond // signalled when a worker has changed its state, or its clock has passed the awaited time
}

// numbered is a node that a hook has got: its number in the search of the worker, and in the whole tree.
type numbered struct{ own, global int }

// newCoordinator takes over a search that has nodes in its queue. What a node costs apart from its LP grows with the
// entries, columns and rows of the problem: that is its charge.
func newCoordinator(s *search) *coordinator {
	t := &coordinator{
		s:         s,
		minLength: minRoundWork,
		numbers:   s.effort.nodes,
		before:    s.effort.work,
		charge:    float64(s.p.byCol.NNZ() + s.p.n + s.p.rows),
		hooked:    s.hooks.steer() || s.hooks.Node != nil,
	}
	if least := s.opt.tuning.minRoundWork; least > 0 {
		t.minLength = least
	}
	t.length = t.minLength
	t.roundNodes = 1
	t.turn = sync.NewCond(&t.mu)
	return t
}

// run is the rest of the search.
func (t *coordinator) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	// Each worker is a fork of the search, with an LP of its own.
	for place := range t.s.opt.workers() {
		w, err := t.newWorker(place)
		if err != nil {
			return err
		}
		t.workers = append(t.workers, w)
		t.numbered = append(t.numbered, numbered{own: -1})
	}

	// Before the first round all workers are here.
	here := t.workers // those that are not running
	var err error
	for err == nil && !t.over(ctx, here) {
		// A restart, or a new tree, needs all nodes in the queue of the coordinator, so that all workers must be here.
		restart := t.s.restartPays()
		switch {
		case !restart && !t.s.rebuildDue():
			t.assignNodes(here)
			t.launch(ctx, here)
		case len(here) < len(t.workers):
			// The workers that are here wait until the running ones are here too.
			for _, w := range here {
				w.idle = true
			}
		case restart:
			t.collectNodes(here)
			err = t.s.restart(ctx)
			continue
		default:
			t.collectNodes(here)
			t.s.rebuildTree()
			continue
		}

		// The round ends when the worker that is first by the clocks has come.
		here = t.wait()
		err = t.exchange(here)
		t.s.report.line()
	}
	return t.endRounds(cancel, here, err)
}

// over reports whether the search ends here.
func (t *coordinator) over(ctx context.Context, here []*worker) bool {
	s := t.s
	done := s.tree.empty() && len(here) == len(t.workers)
	return done || s.inc.closes(s.tree.bound()) || s.limits.pollNodes(ctx, s)
}

// collectNodes takes all nodes from workers, which ends their plunges.
func (t *coordinator) collectNodes(from []*worker) {
	// Without a node to stay a worker exports all that it has, which ends its plunge.
	for _, w := range from {
		t.collectFrom(w, nil, false)
		w.s.plunge.reset()
	}
	t.updateOutside(nil)
}

// collectFrom takes the open nodes of a worker apart from stay, and from its siblings if family is set.
func (t *coordinator) collectFrom(w *worker, stay *node, family bool) {
	s := t.s

	// Nodes at the cutoff are closed on the way, and their bounds remain in the global bound.
	list := w.s.tree.export(stay, family)
	s.closed.exclude(s.tree.importFrom(&w.s.tree, list, s.inc.cutoff))
	w.recordHolding()
}

// assignNodes gives a node to each of the workers that are here and do not go on with a plunge, and further nodes for
// the rest of the round. If there are too few nodes the others give back the siblings of their own.
func (t *coordinator) assignNodes(here []*worker) {
	tree := &t.s.tree

	// Every worker without nodes needs one.
	without := 0
	for _, w := range here {
		if w.s.tree.len() == 0 {
			without++
		}
	}
	if tree.len() < without {
		for _, w := range here {
			t.collectFrom(w, w.s.plunge.following(), false)
		}
	}

	// Each gets the best node that is left, until there is none.
	t.needsNodes = false
	for _, w := range here {
		if w.s.tree.len() == 0 {
			if nd := tree.pop(boundEvery); nd != nil {
				w.s.tree.assign(nd)
			}
		}
		t.needsNodes = t.needsNodes || w.s.tree.len() == 0
	}

	// A plunge may end before the round does. Enough nodes stay in the queue for the workers that are not here.
	for held := 1; held < t.roundNodes; held++ {
		for _, w := range here {
			if w.s.tree.len() <= held && tree.len() >= held*len(t.workers) {
				w.s.tree.assign(tree.pop(boundEvery))
			}
		}
	}
	for _, w := range here {
		w.recordHolding()
	}
}

// updateOutside brings the account of what is held outside a queue up to date, for the queue of the coordinator and
// for those of the workers that are here.
func (t *coordinator) updateOutside(here []*worker) {
	s := t.s

	// The coordinator's own part of the tree, and that of all workers.
	own := outside{bound: s.tree.least(), nodes: s.tree.len(), bytes: s.ownMemory()}
	all := outside{bound: inf}
	for _, w := range t.workers {
		all.add(&w.holds)
	}
	s.tree.setOutside(all, s.tree.created)

	// For each worker the rest of the tree is what the coordinator and the other workers hold.
	for _, w := range here {
		rest := own
		for _, o := range t.workers {
			if o != w {
				rest.add(&o.holds)
			}
		}
		w.s.tree.setOutside(rest, s.tree.created)
	}
}

// launch begins a round of the workers that are here and have nodes: one of a single node while others have none.
func (t *coordinator) launch(ctx context.Context, here []*worker) {
	s := t.s
	t.updateOutside(here)

	// The nodes that the limit leaves, apart from those that running workers may still do.
	left := s.opt.MaxNodes - s.effort.nodes
	for _, w := range t.workers {
		if !w.idle && !slices.Contains(here, w) {
			left -= w.quota
		}
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	// The quotas of nodes are about equal, and together no more than the limit leaves.
	for _, w := range here {
		w.quota = min((left-1)/len(t.workers)+1, left)
		if w.idle = w.quota <= 0 || w.s.tree.len() == 0; w.idle {
			continue
		}
		left -= w.quota
		// The work that is left is divided in the same way.
		w.s.limits.share(&w.s.effort, s.effort.left()/float64(len(t.workers)))
		// Where others wait for nodes a round is a single node, whose children they may get.
		w.from = w.s.effort.clock
		w.until = w.from + t.length
		if t.needsNodes {
			w.until = math.Nextafter(w.from, inf)
		}
		w.clock.Store(math.Float64bits(w.s.effort.clock))
		w.state = running
		go w.round(ctx)
	}
}

// wait waits for the next worker by the clocks, and calls the hooks that workers ask for before. It returns the workers
// that are here: that one, and those without nodes.
func (t *coordinator) wait() []*worker {
	t.s.clock.suspend()
	defer t.s.clock.resume()
	t.mu.Lock()
	defer t.mu.Unlock()

	// Requests of workers for hooks are served on the way, in the order of the clocks.
	first := t.first()
	for first == nil || first.state == requesting {
		if first == nil {
			t.turn.Wait()
		} else {
			// The hook runs without the lock, so that other workers can publish their clocks.
			t.mu.Unlock()
			first.answer(false)
			t.mu.Lock()
		}
		first = t.first()
	}
	return slices.DeleteFunc(slices.Clone(t.workers), func(w *worker) bool { return w != first && !w.idle })
}

// first is the worker that waits, or requests a hook, first by the clocks; nil while others are running that may come
// at an earlier clock. They will wake the coordinator when they are beyond its clock.
func (t *coordinator) first() *worker {
	var first *worker

	// Only a worker that waits can be served.
	for _, w := range t.workers {
		if w.idle || w.state == running {
			continue
		}
		if first == nil || w.now() < first.now() {
			first = w
		}
	}
	if first == nil {
		return nil
	}

	// All running workers that may come earlier have to publish when they pass the clock: none is left out.
	ready := first
	for _, w := range t.workers {
		if !w.idle && w.state == running && !w.comesAfter(first.now()) {
			ready = nil
		}
	}
	return ready
}

// exchange imports what the workers that are here have found, and exports to them what all have found.
func (t *coordinator) exchange(here []*worker) error {
	// The error of a worker ends the search.
	s := t.s
	for _, w := range here {
		if w.err != nil {
			return w.err
		}
	}

	// What was found is imported from all of them before anything is exported to one.
	for _, w := range here {
		t.importResults(w)
	}
	t.updateSpan()
	for _, w := range here {
		// A worker goes on with its plunge: the next node and its siblings stay with it.
		t.collectFrom(w, w.s.plunge.following(), true)
		t.updates.collect(w, s)
	}

	// All of them have exported: each imports what the others have found.
	for _, w := range here {
		t.updates.distribute(w, s.pool)
		// A better incumbent of another worker is verified already.
		if s.inc.objective < w.s.inc.objective {
			w.s.adoptPoint(s.inc.x, s.inc.objective, s.inc.source)

			// The bounds of the nodes that the point closes stay in the global bound, also where the search ends here.
			s.closed.exclude(w.s.closed.excluded)
		}

		// The pools of solutions become equal, and the clocks of waiting workers catch up.
		w.s.solutions.copyFrom(&s.solutions)
		w.s.effort.idleUntil(t.now)
		w.s.effort.setOthers(&s.effort)
		w.markReported()
	}
	t.updates.trim(t.workers)
	t.updateOutside(nil)

	if t.workDone.nodes > 0 {
		// The length of a round follows from the average work of a node.
		average := t.workDone.work / t.workDone.nodes
		nodes := min(max(t.workDone.nodes/roundsPerNode, minRoundNodes), maxRoundNodes)
		t.length = math.Max(t.minLength, nodes*average)
		if !t.hooked {
			t.roundNodes = int(math.Ceil(t.length / average))
		}
	}
	return nil
}

// updateSpan brings the span of the search up to date: of what has passed on the clocks the share that was work, as it
// is in all that was done. So work is never more than the span times the number of workers.
func (t *coordinator) updateSpan() {
	if t.workDone.work > 0 {
		span := t.now * (t.s.effort.work - t.before) / t.workDone.work
		t.s.effort.extend(span - t.span)
		t.span = span
	}
}

// importResults takes over the effort, the limits and the incumbent of a worker.
func (t *coordinator) importResults(w *worker) {
	s := t.s
	now := &w.s.effort

	// Only the difference to the last report is new.
	s.effort.join(&w.reported, now)
	t.now = math.Max(t.now, w.now())
	t.workDone.work += now.clock - w.reported.clock
	t.workDone.nodes += float64(now.nodes - w.reported.nodes)

	// Bounds of nodes that the worker has closed stay in the global bound.
	s.closed.exclude(w.s.closed.excluded)
	s.closed.abandon(w.s.closed.unresolved)
	if hit := w.s.limits.hit; hit != lp.NotSolved && s.limits.hit == lp.NotSolved {
		s.limits.end(hit)
	}
	s.solutions.merge(w.s.solutions.list)

	// An incumbent counts only if it was accepted in this round and is better than that of the others.
	if in := &w.s.inc; in.accepted > w.accepted && in.objective < s.inc.objective {
		s.adoptPoint(in.x, in.objective, in.source)
		s.announce(in.objective, in.source)
	}
}

// endRounds ends the rounds. The nodes of workers that are still running stay in the bound as they were when the
// workers got them; what those have found since is dropped, unless a clock or the caller has ended the search.
func (t *coordinator) endRounds(cancel context.CancelFunc, here []*worker, err error) error {
	cancel()

	// A worker that waits for a hook is released without the call; the others come at the end of their nodes.
	t.mu.Lock()
	for _, w := range t.workers {
		for w.state != waiting {
			if w.state == requesting {
				t.mu.Unlock()
				w.answer(true)
				t.mu.Lock()
				continue
			}
			t.turn.Wait()
		}
	}
	t.mu.Unlock()

	// Where a clock has ended the search it is not deterministic in any case: nothing that was found is dropped.
	if hit := t.s.limits.hit; hit == lp.TimeLimit || hit == lp.Interrupted {
		here = t.workers
		for _, w := range here {
			t.importResults(w)
			w.reported = w.s.effort
		}
		t.updateSpan()
	}

	// The nodes of a worker without an error return to the queue, where they are part of the bound.
	for _, w := range here {
		if w.err == nil {
			t.collectFrom(w, nil, false)
		}
	}
	t.updateOutside(nil)
	for _, w := range t.workers {
		t.s.clock.join(&w.s.clock.stats)
	}
	return err
}

// number gives a node of a worker its number in the whole tree.
func (t *coordinator) number(place, own int) int {
	n := &t.numbered[place]

	// A new node of the worker gets the next number, at its first call of a hook.
	if n.own != own {
		*n = numbered{own, t.numbers}
		t.numbers++
	}
	return n.global
}
