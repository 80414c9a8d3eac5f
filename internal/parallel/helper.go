package parallel

import (
	"runtime"
	"sync/atomic"
)

// While a Helper has no job it looks for one maxLooks times before it sleeps, and lets other goroutines run every
// yieldEvery times. All looks together take some hundred microseconds; to wake it may take fifty. Chosen by hand.
const (
	maxLooks   = 1 << 16
	yieldEvery = 1 << 6
)

// Helper does one job at a time on a goroutine of its own, next to the goroutine that starts the jobs. It is made for
// jobs of some ten microseconds, for which a new goroutine each would take too long. The zero value is ready for use;
// Stop ends the goroutine. All methods are called from one goroutine.
type Helper struct {
	routine *routine // nil without a goroutine
}

// routine is the goroutine of a Helper.
type routine struct {
	state  atomic.Int32 // one of the following
	asleep atomic.Bool  // it waits for wake, or is about to
	wake   chan struct{}
	job    func()
}

// States of a routine.
const (
	helperIdle    = iota // there is nothing to do
	helperOffered        // there is a job that nobody has begun
	helperBusy           // the goroutine is doing it
	helperDone           // the goroutine has done it
	helperEnded          // the goroutine is to end
)

// Start begins a job. Wait comes before the next Start.
func (h *Helper) Start(job func()) {
	if h.routine == nil {
		h.routine = &routine{wake: make(chan struct{}, 1)}
		go h.routine.run()
	}
	h.routine.job = job
	h.routine.set(helperOffered)
}

// Wait returns when the job is done. It does the job itself if the goroutine has not begun with it.
func (h *Helper) Wait() {
	r := h.routine
	if r.state.CompareAndSwap(helperOffered, helperIdle) {
		r.job()
		return
	}
	for k := 1; r.state.Load() != helperDone; k++ {
		if k%yieldEvery == 0 {
			runtime.Gosched()
		}
	}
	r.state.Store(helperIdle)
}

// Stop ends the goroutine, which has no job. The next Start makes a new one.
func (h *Helper) Stop() {
	if h.routine != nil {
		h.routine.set(helperEnded)
		h.routine = nil
	}
}

// set changes the state and wakes the goroutine where it sleeps.
func (r *routine) set(state int32) {
	r.state.Store(state)
	if r.asleep.Load() {
		select {
		case r.wake <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// run does jobs until the state is helperEnded.
func (r *routine) run() {
	idle := 0
	for {
		switch {
		case r.state.CompareAndSwap(helperOffered, helperBusy):
			r.job()
			r.state.Store(helperDone)
			idle = 0
		case r.state.Load() == helperEnded:
			return
		case idle < maxLooks:
			idle++
			if idle%yieldEvery == 0 {
				runtime.Gosched()
			}
		default:
			r.sleep()
			idle = 0
		}
	}
}

// sleep waits until set is called.
func (r *routine) sleep() {
	// A state that was set before the mark is found here; whoever sets one after it leaves a token.
	r.asleep.Store(true)
	if s := r.state.Load(); s != helperOffered && s != helperEnded {
		<-r.wake
	}
	r.asleep.Store(false)
}
