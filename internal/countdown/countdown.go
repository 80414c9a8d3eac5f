// Package countdown has a context for tests of interrupts.
package countdown

import (
	"context"
	"sync/atomic"
)

// Context is over once its error has been asked for a number of times, by any goroutines. Its channel Done is that of
// the background.
type Context struct {
	context.Context
	left atomic.Int64
}

// After returns a context whose error is nil the given number of times, and context.Canceled from then on.
func After(calls int) *Context {
	c := &Context{Context: context.Background()}
	c.left.Store(int64(calls))
	return c
}

// Err implements context.Context.
func (c *Context) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Over reports whether the error has been other than nil.
func (c *Context) Over() bool { return c.left.Load() < 0 }
