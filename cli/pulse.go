package cli

import (
	"sync"
	"time"
)

// pulse repeats the last news of a search while nothing else happens, so that people see that it goes on: a long linear
// program at the root has no rows of its own.
type pulse[T any] struct {
	show  func(T)   // writes news
	again func(T) T // news as they are repeated

	mu      sync.Mutex // guards what follows, and show
	last    T
	at      time.Time // of the last news
	some    bool
	stopped chan struct{}
}

// leastPulse is the least time between two rows that repeat each other.
const leastPulse = time.Second

// newPulse begins to repeat news that are older than every, and at least a second old, until stop.
func newPulse[T any](every time.Duration, show func(T), again func(T) T) *pulse[T] {
	p := &pulse[T]{show: show, again: again, stopped: make(chan struct{})}
	every = max(every, leastPulse)
	go func() {
		tick := time.NewTicker(leastPulse / 4)
		defer tick.Stop()
		for {
			select {
			case <-p.stopped:
				return
			case <-tick.C:
				p.repeat(every)
			}
		}
	}()
	return p
}

// news shows what has happened.
func (p *pulse[T]) news(v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.again(v)
	p.at = time.Now()
	p.some = true
	p.show(v)
}

// repeat shows the last news again if they are old.
func (p *pulse[T]) repeat(every time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.some && time.Since(p.at) >= every {
		p.at = time.Now()
		p.show(p.last)
	}
}

// stop ends the repetitions. What is shown after it is the caller's.
func (p *pulse[T]) stop() {
	close(p.stopped)

	// A repetition that has begun ends before this returns; none begins after it.
	p.mu.Lock()
	defer p.mu.Unlock()
	p.some = false
}
