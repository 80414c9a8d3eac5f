package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/replay"
	"github.com/proxybd/proxybd/internal/wire"
)

// Worker works the operations of chunks of a problem. Its methods may be called from several goroutines, for one chunk
// by one at a time.
type Worker struct {
	p     *Problem // without scenarios where open is set
	parts [][]int
	open  func(data []byte) (*Problem, error) // makes the problem of a chunk from its data; nil where p has all
}

// NewWorker returns a worker for the chunks of a problem, which must be that of the coordinator.
func NewWorker(p *Problem) *Worker { return &Worker{p: p, parts: p.chunks()} }

// worked is a chunk in a worker.
type worked = replay.State[*operation, *chunk]

// Hold returns a chunk that has done nothing. data is what Problem.Range returns, for a worker that has an outline;
// others do not read it.
func (w *Worker) Hold(key uint64, data []byte) (any, error) {
	if key == 0 || key > uint64(len(w.parts)) {
		return nil, fmt.Errorf("scenario: chunk %d of %d", key, len(w.parts))
	}
	number := int(key) - 1
	part := w.parts[number]
	p := w.p
	if w.open != nil {
		// The scenarios have to be those of the chunk, since operations have their numbers.
		var err error
		if p, err = w.open(data); err != nil {
			return nil, err
		}
		if from, to := p.scenarios.Numbers(); from != part[0] || to != part[len(part)-1]+1 {
			return nil, fmt.Errorf("scenario: chunk %d with the scenarios %d to %d", key, from, to-1)
		}
	}

	return &worked{
		New: func(generation int) (*chunk, error) {
			c, err := newChunk(p, number, part)
			if err == nil {
				c.made = generation << 32 // so that its bases have names of their own
			}
			return c, err
		},
		Read: readOperation,
		Do: func(ctx context.Context, c *chunk, op *operation) ([]byte, error) {
			r, err := c.do(ctx, p, op)
			return r.encode(), err
		},
	}, nil
}

// Work does the operations of a payload that the chunk has not done yet, and returns the answer of the last one.
func (w *Worker) Work(ctx context.Context, state any, payload []byte) ([]byte, error) {
	s, ok := state.(*worked)
	if !ok {
		return nil, fmt.Errorf("scenario: a state of type %T", state)
	}
	out, err := s.Work(ctx, payload)
	if errors.Is(err, wire.ErrShort) {
		err = fmt.Errorf("scenario: %w", err)
	}
	return out, err
}

// fits reports whether an operation is one of a chunk of a problem: its numbers are read as positions.
func (op *operation) fits(c *chunk, p *Problem) bool {
	of := func(s int) bool { return slices.Contains(c.scenarios, s) }
	ok := op.Times >= 0 && op.Times <= maxChunks
	for _, s := range op.Scenarios {
		ok = ok && of(s)
	}
	if op.Kind == solveChunk {
		ok = ok && len(op.Y) == len(p.master.Cols)
		for _, v := range op.Y {
			ok = ok && !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	}
	if op.Jumps {
		ok = ok && len(op.From) == len(c.scenarios)
		for _, k := range op.From {
			ok = ok && k >= 0 && int(k) <= len(op.Bases)
		}
	}
	return ok
}

// do does an operation.
func (c *chunk) do(ctx context.Context, p *Problem, op *operation) (r reply, err error) {
	if !op.fits(c, p) {
		return r, fmt.Errorf("scenario: an operation of another chunk or problem")
	}
	if op.After != nil && c.view.Follows() {
		if err := c.view.BeginAfter(op.After.named().basis); err != nil {
			return r, err
		}
	}

	// What the chunk answers depends on the operations so far, and on nothing else.
	switch op.Kind {
	case solveChunk:
		var out outcome
		if out, err = c.solve(ctx, op.task(c)); err == nil {
			r.Outcome, err = out.data()
		}
	case lowestChunk:
		r.Lowest, r.Like, err = c.lowestOf(ctx, p, op)
	case lastBasis:
		// Reading a basis is noted by the linear program, so that it is read as often as without other processes.
		for range op.Times {
			b := c.view.Basis()
			r.Last = basisData{Cols: b.Cols, Rows: b.Rows}
		}
	default:
		err = fmt.Errorf("scenario: an operation of kind %d", op.Kind)
	}

	r.Begun = c.view.Begun()
	r.Follows = c.view.Follows()
	return r, err
}

// task is the task of an operation.
func (op *operation) task(c *chunk) task {
	t := task{y: op.Y, done: op.Done, few: op.Few, keep: op.Keep}
	if op.Jumps {
		named := make([]*namedBasis, len(op.Bases))
		for k := range op.Bases {
			named[k] = op.Bases[k].named()
		}
		t.from = func(s int) *namedBasis {
			if k := op.From[s-c.scenarios[0]]; k > 0 {
				return named[k-1]
			}
			return nil
		}
	}
	return t
}

// lowestOf bounds scenarios from below, each with the certificate of the one before.
func (c *chunk) lowestOf(ctx context.Context, p *Problem, op *operation) (low []float64, last []byte, err error) {
	var like *twostage.Certificate
	if op.Like != nil {
		like = new(twostage.Certificate)
		if err := like.UnmarshalBinary(op.Like); err != nil {
			return nil, nil, prefixed(err)
		}
		if !c.view.Fits(like) {
			return nil, nil, fmt.Errorf("scenario: a certificate of another problem")
		}
	}
	for _, s := range op.Scenarios {
		var v float64
		if v, like, err = c.lowest(ctx, p, s, like); err != nil {
			return nil, nil, err
		}
		low = append(low, v)
	}
	if like != nil {
		last, err = like.MarshalBinary()
	}
	return low, last, err
}
