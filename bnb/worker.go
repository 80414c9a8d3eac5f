package bnb

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
)

// worker is a search of its own over a part of the tree.
type worker struct {
	t     *team
	s     *search
	place int
	heard heard
	fresh []*cut // own cuts that are on the way into the central pool

	told     effort  // its effort when it was with the team last
	accepted int     // incumbents then
	holds    outside // the nodes that it was given, and its memory
	until    float64 // its clock may run so far
	quota    int     // nodes that it may do
	idle     bool    // it has nothing to do

	// Guarded by the mutex of the team, clocks apart.
	state   workerState
	err     error
	request func()        // a call of a hook
	refused bool          // the call will not be made
	resume  chan struct{} // ends the wait for it
	clock   atomic.Uint64 // bits of the clock of its effort, for others
	awaited atomic.Uint64 // bits of the time that the team waits for it to pass
}

// workerState says what a worker does.
type workerState uint8

const (
	waiting workerState = iota // at a node's end
	running
	asks // for the call of a hook
)

// newWorker forks the search.
func (t *team) newWorker(place int) (*worker, error) {
	w := &worker{t: t, place: place, idle: true, resume: make(chan struct{}, 1)}
	var err error
	w.s, err = t.s.fork(place, w.hooks(&t.s.hooks), t.charge, w.tick)
	if err != nil {
		return nil, err
	}
	w.told, w.accepted = w.s.effort, w.s.inc.accepted
	w.hold()
	return w, nil
}

// hold notes what the worker holds.
func (w *worker) hold() {
	w.holds = outside{w.s.tree.least(), w.s.tree.len(), w.s.ownMemory()}
}

// tick publishes the clock, and wakes the team where that waits for it.
func (w *worker) tick(clock float64) {
	if clock <= w.now() {
		return
	}
	w.clock.Store(math.Float64bits(clock))
	if clock > math.Float64frombits(w.awaited.Load()) {
		w.awaited.Store(math.Float64bits(inf))
		w.t.mu.Lock()
		w.t.turn.Signal()
		w.t.mu.Unlock()
	}
}

// now is the clock as published.
func (w *worker) now() float64 { return math.Float64frombits(w.clock.Load()) }

// beyond reports whether the clock has passed a time. If not, the worker will wake the team when it has.
func (w *worker) beyond(time float64) bool {
	w.awaited.Store(math.Float64bits(time))
	if w.now() <= time {
		return false
	}
	w.awaited.Store(math.Float64bits(inf))
	return true
}

// round works until the clock has run its time.
func (w *worker) round(ctx context.Context) {
	w.s.clock.resume()
	err := w.s.work(ctx, w.until, w.quota)
	w.s.clock.suspend()
	w.s.effort.rest(w.now())
	w.clock.Store(math.Float64bits(w.s.effort.clock))
	w.t.mu.Lock()
	w.state, w.err = waiting, err
	w.t.turn.Signal()
	w.t.mu.Unlock()
}

// work takes nodes until the clock has run so far, or so many nodes are done.
func (s *search) work(ctx context.Context, until float64, nodes int) error {
	for limit := s.effort.nodes + nodes; s.effort.clock < until && s.effort.nodes < limit && !s.limits.poll(ctx, s); {
		if more, err := s.advance(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// ask has the team call a hook, and waits for it. It returns false where the run ends first.
func (w *worker) ask(call func()) bool {
	t := w.t
	t.mu.Lock()
	w.state, w.request = asks, call
	t.turn.Signal()
	t.mu.Unlock()
	<-w.resume
	return !w.refused
}

// answer ends the wait of an asking worker, after the call of the hook unless that is refused.
func (w *worker) answer(refused bool) {
	if !refused {
		w.request()
	}
	w.t.mu.Lock()
	w.state, w.request, w.refused = running, nil, refused
	w.t.mu.Unlock()
	w.resume <- struct{}{}
}

// hooks are those of the caller, called by the team. What they return is copied before the next call of any.
func (w *worker) hooks(of *Hooks) Hooks {
	separate := func(f func(context.Context, Candidate) (Separation, error)) func(
		context.Context, Candidate) (Separation, error) {
		if f == nil {
			return nil
		}
		return func(ctx context.Context, c Candidate) (sep Separation, err error) {
			if !w.ask(func() {
				w.number(&c)
				sep, err = f(ctx, c)
				sep = sep.clone()
			}) {
				return Separation{}, context.Canceled
			}
			return sep, err
		}
	}
	h := Hooks{Lazy: separate(of.Lazy), User: separate(of.User), Heuristic: separate(of.Heuristic)}
	if of.Branch != nil {
		h.Branch = func(ctx context.Context, c Candidate) (b Branching, err error) {
			if !w.ask(func() {
				w.number(&c)
				b, err = of.Branch(ctx, c)
				b = b.clone()
			}) {
				return Branching{}, context.Canceled
			}
			return b, err
		}
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

// number gives the node of a candidate a number in the whole tree.
func (w *worker) number(c *Candidate) { c.Node = w.t.number(w.place, c.Node) }

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

func (b Branching) clone() Branching {
	b.Children = slices.Clone(b.Children)
	for k := range b.Children {
		b.Children[k] = slices.Clone(b.Children[k])
	}
	return b
}
