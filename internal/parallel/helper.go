package parallel

import (
	"runtime"
	"sync/atomic"
)

// While a Helper has no job it looks for one so many times before it sleeps, and lets other goroutines run after every
// yieldEvery times. All looks together take some hundred microseconds; to wake it may take fifty. Chosen by hand.
const (
	looks      = 1 << 16
	yieldEvery = 1 << 6
)

// Helper does one job at a time on a goroutine of its own, next to the goroutine that starts the jobs. It is made for
// jobs of some ten microseconds, for which a new goroutine each would take too long. The zero value is ready for use;
// Stop ends the goroutine. All methods are called from one goroutine.
type Helper struct {
	other *helping // nil without a goroutine
}

// helping is the goroutine of a Helper.
type helping struct {
	state  atomic.Int32 // one of the following
	asleep atomic.Bool  // it waits for wake, or is about to
	wake   chan struct{}
	job    func()
}

// States of a helping.
const (
	helperIdle    = iota // there is nothing to do
	helperOffered        // there is a job that nobody has begun
	helperBusy           // the goroutine is doing it
	helperDone           // the goroutine has done it
	helperEnded          // the goroutine is to end
)

// Start begins a job. Wait comes before the next Start.
func (h *Helper) Start(job func()) {
	if h.other == nil {
		h.other = &helping{wake: make(chan struct{}, 1)}
		go h.other.run()
	}
	h.other.job = job
	h.other.set(helperOffered)
}

// Wait returns when the job is done. It does the job itself if the goroutine has not begun with it.
func (h *Helper) Wait() {
	o := h.other
	if o.state.CompareAndSwap(helperOffered, helperIdle) {
		o.job()
		return
	}
	for k := 1; o.state.Load() != helperDone; k++ {
		if k%yieldEvery == 0 {
			runtime.Gosched()
		}
	}
	o.state.Store(helperIdle)
}

// Stop ends the goroutine, which has no job. The next Start makes a new one.
func (h *Helper) Stop() {
	if h.other != nil {
		h.other.set(helperEnded)
		h.other = nil
	}
}

// set changes the state and wakes the goroutine where it sleeps.
func (o *helping) set(state int32) {
	o.state.Store(state)
	if o.asleep.Load() {
		select {
		case o.wake <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// run does jobs until the state is helperEnded.
func (o *helping) run() {
	idle := 0
	for {
		switch {
		case o.state.CompareAndSwap(helperOffered, helperBusy):
			o.job()
			o.state.Store(helperDone)
			idle = 0
		case o.state.Load() == helperEnded:
			return
		case idle < looks:
			idle++
			if idle%yieldEvery == 0 {
				runtime.Gosched()
			}
		default:
			o.sleep()
			idle = 0
		}
	}
}

// sleep waits until set is called.
func (o *helping) sleep() {
	// A state that was set before the mark is found here; whoever sets one after it leaves a token.
	o.asleep.Store(true)
	if s := o.state.Load(); s != helperOffered && s != helperEnded {
		<-o.wake
	}
	o.asleep.Store(false)
}
