// Package replay has states in other processes that can be lost. What a state answers depends on the operations that it
// was given so far, in their order, and on nothing else; so it does not matter where it is, and a state that is lost
// with its process is made again by giving all its operations to a new one. The coordinator keeps the operations (Log),
// and the answer of a state that lacks some of them is how many it has (State).
package replay

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/proxybd/proxybd/internal/wire"
)

// Team runs the operations of states in other processes.
type Team interface {
	// Run has payloads worked by whoever holds the state of each key, by State.Work, and returns the answers in the same
	// order. An error of the context is returned as its cause.
	Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error)
}

// Operation is what a state is given to do. It must not change after it was given.
type Operation interface {
	// Write appends the operation to a message.
	Write(w *wire.Writer)
}

// Log has the operations of the states of a run. It is for one goroutine at a time.
type Log[O Operation] struct {
	team       Team
	generation int
	ops        map[uint64][]O // of each key, all so far
}

// generations numbers the logs of this process, so that a state which worked for an earlier one begins anew.
var generations atomic.Int64

// NewLog returns the log of states in a team that have done nothing.
func NewLog[O Operation](t Team) *Log[O] {
	return &Log[O]{team: t, generation: int(generations.Add(1)), ops: make(map[uint64][]O)}
}

// Run gives the states of different keys an operation each, and returns their answers in the same order. After an
// error, as at a limit, some states have done theirs and others have not: the log and its states are of no more use.
func (l *Log[O]) Run(ctx context.Context, keys []uint64, ops []O) ([][]byte, error) {
	out := make([][]byte, len(keys))
	first := make([]int, len(keys)) // of the operations that are sent
	waiting := make([]int, len(keys))
	for k, key := range keys {
		first[k] = len(l.ops[key])
		l.ops[key] = append(l.ops[key], ops[k])
		waiting[k] = k
	}

	// Most states have done all earlier operations, so that one round is enough. Those that lack some are given them in
	// the next round.
	for len(waiting) > 0 {
		names := make([]uint64, len(waiting))
		payloads := make([][]byte, len(waiting))
		for i, k := range waiting {
			names[i] = keys[k]
			payloads[i] = l.batch(keys[k], first[k])
		}
		answers, err := l.team.Run(ctx, names, payloads)
		if err != nil {
			return nil, err
		}

		var lacking []int
		for i, k := range waiting {
			text, has, err := readAnswer(answers[i])
			if err != nil {
				return nil, err
			}
			if out[k] = text; has >= 0 {
				first[k] = min(has, first[k])
				lacking = append(lacking, k)
			}
		}
		waiting = lacking
	}
	return out, nil
}

// batch is a message with the operations of a key from a number on; the last one is to be answered.
func (l *Log[O]) batch(key uint64, first int) []byte {
	var w wire.Writer
	w.Int(l.generation)
	w.Int(first)
	w.Int(len(l.ops[key]) - first)
	for _, op := range l.ops[key][first:] {
		op.Write(&w)
	}
	return w.Bytes
}

// readAnswer returns what a state has answered, or how many operations it has where it lacks some, else -1.
func readAnswer(message []byte) (text []byte, has int, err error) {
	r := wire.Reader{Bytes: message}
	has = r.Int()
	text = r.Text()
	if err := r.End(); err != nil || has < -1 {
		return nil, 0, fmt.Errorf("an answer that cannot be read: %w", wire.ErrShort)
	}
	return text, has, nil
}

// writeAnswer is the message that readAnswer reads.
func writeAnswer(text []byte, has int) []byte {
	var w wire.Writer
	w.Int(has)
	w.Text(text)
	return w.Bytes
}

// State is a state in a process that works. It is for one goroutine at a time.
type State[O any, D any] struct {
	// New returns a doer of operations that has done nothing, for a run that has a number.
	New func(generation int) (D, error)
	// Read takes an operation from a message.
	Read func(r *wire.Reader) O
	// Do does an operation, and returns its answer. After an error the doer is dropped.
	Do func(ctx context.Context, d D, op O) ([]byte, error)

	doer       *D // nil before the first operation, and after one that was not finished
	generation int
	done       int    // operations
	last       []byte // answer of the last one
}

// Work does the operations of a message that the state has not done yet, and returns the answer of the last one.
func (s *State[O, D]) Work(ctx context.Context, message []byte) ([]byte, error) {
	r := wire.Reader{Bytes: message}
	generation := r.Int()
	first := r.Int()
	var ops []O
	for range r.Length(1) {
		ops = append(ops, s.Read(&r))
	}
	if err := r.End(); err != nil || first < 0 || len(ops) == 0 {
		return nil, fmt.Errorf("an operation that cannot be read: %w", wire.ErrShort)
	}

	// A state that was interrupted in an operation, or worked for another run, begins anew.
	if s.doer == nil || s.generation != generation {
		d, err := s.New(generation)
		if err != nil {
			return nil, err
		}
		s.doer = &d
		s.generation = generation
		s.done = 0
		s.last = nil
	}
	if s.done < first || s.done > first+len(ops) {
		return writeAnswer(nil, min(s.done, first)), nil
	}

	// The last answer may be asked for twice, where the first one did not arrive.
	for _, op := range ops[s.done-first:] {
		text, err := s.Do(ctx, *s.doer, op)
		if err != nil {
			s.doer = nil
			return nil, err
		}
		s.last = text
		s.done++
	}
	return writeAnswer(s.last, -1), nil
}
