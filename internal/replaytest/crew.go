// Package replaytest has a team of workers in this process for tests.
package replaytest

import (
	"context"
	"sync"
)

// Worker is what works for a team.
type Worker interface {
	Hold(key uint64, data []byte) (any, error)
	Work(ctx context.Context, state any, payload []byte) ([]byte, error)
}

// Crew is a team of workers in this process. Now and then one loses all its states, which another one is given. It
// implements replay.Team.
type Crew struct {
	Lose func() bool          // whether a worker is lost before a run
	See  func(payload []byte) // is called with what workers get; nil for nobody
	Lost int                  // workers so far

	workers []Worker
	states  []map[uint64]any // of each worker, by key
	of      map[uint64]int   // the worker of a key
}

// New returns a team of n workers, none of them lost.
func New(n int, worker func() Worker) *Crew {
	c := &Crew{of: map[uint64]int{}, Lose: func() bool { return false }}
	for range n {
		c.workers = append(c.workers, worker())
		c.states = append(c.states, map[uint64]any{})
	}
	return c
}

// Run implements replay.Team.
func (c *Crew) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	if c.Lose() {
		c.lose()
	}

	// Different keys are worked at the same time.
	out := make([][]byte, len(keys))
	errs := make([]error, len(keys))
	var wait sync.WaitGroup
	for k, key := range keys {
		w, state, err := c.hold(key)
		if err != nil {
			return nil, err
		}
		if c.See != nil {
			c.See(payloads[k])
		}
		wait.Go(func() { out[k], errs[k] = w.Work(ctx, state, payloads[k]) })
	}
	wait.Wait()

	// The first error by number counts.
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lose takes the states of a worker and gives their keys to the next one.
func (c *Crew) lose() {
	w := c.Lost % len(c.workers)
	c.Lost++
	clear(c.states[w])
	for key, at := range c.of {
		if at == w {
			c.of[key] = (w + 1) % len(c.workers)
		}
	}
}

// hold returns the worker of a key and its state.
func (c *Crew) hold(key uint64) (Worker, any, error) {
	w, known := c.of[key]
	if !known {
		w = int(key) % len(c.workers)
		c.of[key] = w
	}
	state := c.states[w][key]
	if state == nil {
		var err error
		if state, err = c.workers[w].Hold(key, nil); err != nil {
			return nil, nil, err
		}
		c.states[w][key] = state
	}
	return c.workers[w], state, nil
}
