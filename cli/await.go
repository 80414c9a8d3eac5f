package cli

import (
	"context"
	"io"
)

// await returns what work returns, or the error of the context as soon as that ends: work does not look at the context,
// and then continues until the process ends. It is for work in memory; a function that writes a file is waited for.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	// The result of work, and what it panicked with, nil where it returned.
	type result struct {
		v     T
		err   error
		panic any
	}

	// The channel has room for the result, so that work which is waited for no longer can end.
	done := make(chan result, 1)
	go func() {
		var r result
		// A panic is recovered here, since one in this goroutine would end the process before the caller can report it.
		defer func() {
			r.panic = recover()
			done <- r
		}()
		r.v, r.err = work()
	}()

	// A panic of work is raised again in the goroutine of the caller, which reports it.
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		return r.v, r.err
	case <-ctx.Done():
		// The result of work is dropped when work ends.
		var none T
		return none, ctx.Err()
	}
}

// cancelWriter is a writer that fails once the context has ended.
type cancelWriter struct {
	// The context is checked before each write, so that a long output ends soon after an interrupt.
	ctx context.Context
	w   io.Writer
}

// Write writes, unless the context has ended.
func (c cancelWriter) Write(p []byte) (int, error) {
	// Whoever creates the file removes what has been written of it.
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
