package bnb

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
)

// worker is a search of its own over a part of the tree.
type worker struct {
	t     *coordinator
	s     *search
	place int
	read  position
	fresh []*cut // own cuts that are being appended to the central pool

	reported effort  // its effort when it was with the coordinator last
	accepted int     // incumbents then
	holds    outside // the nodes that it was assigned, and its memory
	from     float64 // the clock at which its round began
	until    float64 // the clock at which its round ends
	quota    int     // nodes that it may do
	idle     bool    // it has nothing to do

	// Guarded by the mutex of the coordinator, clocks apart.
	state   workerState
	err     error
	request func()        // a call of a hook
	refused bool          // the call will not be made
	resume  chan struct{} // ends the wait for it
	clock   atomic.Uint64 // bits of the clock of its effort, for others
	awaited atomic.Uint64 // bits of the clock at which it wakes the coordinator
}

// workerState is what a worker does at present.
type workerState uint8

const (
	waiting workerState = iota // at a node's end
	running
	requesting // for the call of a hook
)

// newWorker forks the search.
func (t *coordinator) newWorker(place int) (*worker, error) {
	w := &worker{t: t, place: place, idle: true, resume: make(chan struct{}, 1)}
	var err error

	// The clock of the worker is published with every unit of work that it counts.
	w.s, err = t.s.fork(place, w.hooks(&t.s.hooks), t.charge, w.publishClock)
	if err != nil {
		return nil, err
	}
	w.markReported()
	w.recordHolding()
	return w, nil
}

// markReported records that the coordinator has the present effort and incumbent of the worker.
func (w *worker) markReported() {
	w.reported = w.s.effort
	w.accepted = w.s.inc.accepted
}

// recordHolding records what the worker holds.
func (w *worker) recordHolding() {
	w.holds = outside{w.s.tree.least(), w.s.tree.len(), w.s.ownMemory()}
}

// publishClock publishes the clock, and wakes the coordinator where that waits for it.
func (w *worker) publishClock(clock float64) {
	// A clock that stands still changes nothing for others.
	if clock <= w.now() {
		return
	}
	w.clock.Store(math.Float64bits(clock))

	// The coordinator waits for this clock: it is awakened once.
	if clock > math.Float64frombits(w.awaited.Load()) {
		w.awaited.Store(math.Float64bits(inf))
		w.t.mu.Lock()
		w.t.turn.Signal()
		w.t.mu.Unlock()
	}
}

// now is the clock as published.
func (w *worker) now() float64 { return math.Float64frombits(w.clock.Load()) }

// arrival is the clock at which the worker comes to the coordinator if its nodes are done at the given clock. It never
// falls as that grows. Where hooks may be requested at any clock it is the clock itself.
func (w *worker) arrival(clock float64) float64 {
	if w.t.hooked {
		return clock
	}
	return math.Max(clock, math.Min(w.until, w.step(clock, 1)))
}

// step is the last of the times at which the round may end that the clock has reached, or one after it.
func (w *worker) step(clock, after float64) float64 {
	return w.from + (math.Floor((clock-w.from)/w.t.minLength)+after)*w.t.minLength
}

// comesAfter reports whether the worker, which is running, comes to the coordinator after a time. If that is not sure
// yet, the worker will wake the coordinator when it may be. The time for that is stored before the clock is read: a
// clock that passes it between the two steps wakes the coordinator once too often, not never.
func (w *worker) comesAfter(time float64) bool {
	awaited := time
	if !w.t.hooked && time < w.until {
		awaited = w.step(time, 0)
	}
	w.awaited.Store(math.Float64bits(awaited))

	// What is published is never beyond the clock, and an arrival never falls: the worker comes no earlier than this.
	if w.arrival(w.now()) <= time {
		return false
	}
	w.awaited.Store(math.Float64bits(inf))
	return true
}

// round works until the clock has run its time.
func (w *worker) round(ctx context.Context) {
	// The time that the worker waits is no part of its statistics.
	w.s.clock.resume()
	err := w.s.work(ctx, w.until, w.quota)
	w.s.clock.suspend()
	w.s.effort.idleUntil(w.now())

	// A worker that has ended early comes at the next time at which a round may end. It does no work until then.
	w.clock.Store(math.Float64bits(w.arrival(w.s.effort.clock)))

	// The state changes under the lock, so that the coordinator does not miss it.
	w.t.mu.Lock()
	w.state = waiting
	w.err = err
	w.t.turn.Signal()
	w.t.mu.Unlock()
}

// work takes nodes until the clock has reached a time, or a number of nodes is done.
func (s *search) work(ctx context.Context, until float64, nodes int) error {
	// The limit on nodes is the quota of this round.
	for limit := s.effort.nodes + nodes; s.effort.clock < until && s.effort.nodes < limit && !s.limits.poll(ctx, s); {
		if more, err := s.advance(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// ask has the coordinator call a hook, and waits for it. It returns false where the run ends first.
func (w *worker) ask(call func()) bool {
	t := w.t

	// The request is published with the state, and the worker sleeps until the answer.
	t.mu.Lock()
	w.state = requesting
	w.request = call
	t.turn.Signal()
	t.mu.Unlock()
	<-w.resume
	return !w.refused
}

// answer ends the wait of an asking worker, after the call of the hook unless that is refused.
func (w *worker) answer(refused bool) {
	// The hook runs on the goroutine of the coordinator, outside the lock.
	if !refused {
		w.request()
	}
	w.t.mu.Lock()
	w.state = running
	w.request = nil
	w.refused = refused
	w.t.mu.Unlock()
	w.resume <- struct{}{}
}

// hooks are those of the caller, called by the coordinator.
func (w *worker) hooks(of *Hooks) Hooks {
	h := Hooks{
		Lazy:      atCoordinator(w, of.Lazy, Separation.clone),
		User:      atCoordinator(w, of.User, Separation.clone),
		Heuristic: atCoordinator(w, of.Heuristic, Separation.clone),
		Branch:    atCoordinator(w, of.Branch, Branching.clone),
	}
	if of.Node != nil {
		h.Node = func(c Candidate) {
			w.ask(func() {
				w.number(&c)
				of.Node(c)
			})
		}
	}
	return h
}

// atCoordinator returns a hook such that the coordinator calls it. Its answer is copied before the next call of any
// hook, which may use the same memory.
func atCoordinator[T any](w *worker, hook func(context.Context, Candidate) (T, error),
	clone func(T) T) func(context.Context, Candidate) (T, error) {
	if hook == nil {
		return nil
	}
	return func(ctx context.Context, c Candidate) (answer T, err error) {
		called := w.ask(func() {
			w.number(&c)
			answer, err = hook(ctx, c)
			answer = clone(answer)
		})
		if !called {
			return answer, context.Canceled
		}
		return answer, err
	}
}

// number gives the node of a candidate a number in the whole tree.
func (w *worker) number(c *Candidate) { c.Node = w.t.number(w.place, c.Node) }

// clone copies all that the hook may overwrite in its next call.
func (s Separation) clone() Separation {
	s.Cuts = slices.Clone(s.Cuts)
	for k := range s.Cuts {
		c := &s.Cuts[k]
		c.Index, c.Value = slices.Clone(c.Index), slices.Clone(c.Value)
	}
	s.Points = slices.Clone(s.Points)
	for k := range s.Points {
		s.Points[k] = slices.Clone(s.Points[k])
	}
	return s
}

// clone copies all that the hook may overwrite in its next call.
func (b Branching) clone() Branching {
	b.Children = slices.Clone(b.Children)
	for k := range b.Children {
		b.Children[k] = slices.Clone(b.Children[k])
	}
	return b
}
