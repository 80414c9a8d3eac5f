package cli

import (
	"context"
	"io"
)

// await returns what work returns, or the error of the context as soon as that ends: then work, which does not heed it,
// is left to itself until the process ends. It is for work in memory; files are written by who waits for them.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		v     T
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover()
			done <- r
		}()
		r.v, r.err = work()
	}()
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// heeding is a writer that fails once the context has ended.
type heeding struct {
	ctx context.Context
	w   io.Writer
}

// Write writes, unless the context has ended.
func (h heeding) Write(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}
