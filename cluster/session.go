package cluster

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// session is a membership: it takes messages from the coordinator and works jobs.
type session struct {
	link    link
	program Program
	options Options
	held    map[uint64]*state // of the receiving goroutine alone
	tasks   *queue[task]
	workers sync.WaitGroup
	barrier sync.RWMutex // held for reading by jobs, for writing by broadcasts
	failure error        // of a broadcast; written under the barrier
	sending sync.Mutex
	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc // of jobs without an answer
}

// state is a holding and what the program has made of it.
type state struct {
	mu    sync.Mutex // held while a job of the key runs
	key   uint64
	data  []byte // nil once the state is made
	made  bool
	value any
	err   error
}

// task is a job that this member was given.
type task struct {
	ctx   context.Context
	job   message
	state *state // nil without a key
}

func newSession(l link, program Program, options Options) *session {
	return &session{
		link: l, program: program, options: options,
		held: make(map[uint64]*state), tasks: newQueue[task](), cancels: make(map[uint64]context.CancelFunc),
	}
}

// serve works jobs until the coordinator ends the run, which returns nil, until the link is lost, or until ctx ends.
// Then handlers have Options.Grace to end.
func (s *session) serve(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	for range s.options.Slots {
		s.workers.Go(func() { s.work(inner) })
	}
	err := s.listen(inner)
	cancel()
	s.tasks.close()

	// A handler that does not end by its context is left behind.
	idle := make(chan struct{})
	go func() { s.workers.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(s.options.Grace):
		s.options.Logger.Warn("cluster: a job has not ended with its context", "seconds", s.options.Grace.Seconds())
	}
	return err
}

// listen takes messages in their order.
func (s *session) listen(ctx context.Context) error {
	for {
		m, err := s.link.receive()
		if err != nil {
			return err
		}

		// Jobs run beside each other; everything else is done before the next message.
		switch m.kind {
		case typeWelcome: // nothing depends on the number of a member
		case typeHold:
			s.held[m.key] = &state{key: m.key, data: m.payload}
		case typeDrop:
			delete(s.held, m.key)
		case typeJob:
			s.accept(ctx, m)
		case typeCancel:
			s.mu.Lock()
			if cancel := s.cancels[m.id]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		case typeBroadcast:
			s.broadcast(ctx, m)
		case typeBye:
			return nil
		default:
			return fmt.Errorf("%w: type %d from the coordinator", errProtocol, m.kind)
		}
	}
}

// accept lets a job wait for a free slot. Its state is found now, as the key may be dropped before the job runs.
func (s *session) accept(ctx context.Context, m message) {
	inner, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.cancels[m.id] = cancel
	s.mu.Unlock()
	held := s.held[m.key]
	if held == nil && m.key != 0 {
		held = &state{key: m.key, made: true, err: fmt.Errorf("key %d is not held", m.key)}
	}
	s.tasks.push(task{ctx: inner, job: m, state: held})
}

// broadcast runs when no job does.
func (s *session) broadcast(ctx context.Context, m message) {
	s.barrier.Lock()
	defer s.barrier.Unlock()
	if s.failure != nil {
		return
	}
	receive := s.program.Broadcasts[m.name]
	if receive == nil {
		s.failure = fmt.Errorf("there is no function for broadcasts of kind %q", m.name)
		return
	}
	_, err := s.protect("broadcast "+m.name, func() ([]byte, error) { return nil, receive(ctx, m.payload) })
	if err != nil {
		s.failure = fmt.Errorf("broadcast (%s): %w", m.name, err)
	}
}

// work answers jobs until the queue is closed.
func (s *session) work(ctx context.Context) {
	for {
		t, ok := s.tasks.pop()
		if !ok {
			return
		}
		begin := time.Now()
		payload, err := s.run(ctx, t)
		answer := message{kind: typeAnswer, id: t.job.id, payload: payload, nanos: uint64(time.Since(begin))}

		// Where the membership has ended, an error may be that of the context: it is not an answer.
		if ctx.Err() != nil {
			return
		}
		if t.ctx.Err() != nil {
			answer = message{kind: typeAnswer, id: t.job.id, nanos: answer.nanos, skipped: true}
		} else if err == nil && int64(len(payload)) > s.options.MaxMessage {
			err = fmt.Errorf("the answer has %d bytes, more than %d", len(payload), s.options.MaxMessage)
		}
		if err != nil && !answer.skipped {
			// An answer with a text is an error, so that an error without one gets a text.
			text := cmp.Or(err.Error(), fmt.Sprintf("an error of type %T without a text", err))
			answer.payload = nil
			answer.failure = text[:min(len(text), maxError)]
			answer.kinds = s.options.kindsOf(err)
		}
		s.forget(t)

		// The receiving goroutine finds out about a lost link by itself.
		s.sending.Lock()
		err = s.link.send(answer)
		s.sending.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *session) forget(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancels[t.job.id]()
	delete(s.cancels, t.job.id)
}

// run works a job beside others, but after the broadcasts before it and after other jobs of its key.
func (s *session) run(ctx context.Context, t task) ([]byte, error) {
	s.barrier.RLock()
	defer s.barrier.RUnlock()
	if s.failure != nil {
		return nil, s.failure
	}
	handler := s.program.Jobs[t.job.name]
	if handler == nil {
		return nil, fmt.Errorf("there is no handler for jobs of kind %q", t.job.name)
	}

	// A job that was cancelled while it waited needs no state.
	var value any
	if t.state != nil {
		t.state.mu.Lock()
		defer t.state.mu.Unlock()
	}
	if t.ctx.Err() != nil {
		return nil, t.ctx.Err()
	}
	if t.state != nil {
		s.make(ctx, t.state)
		if t.state.err != nil {
			return nil, t.state.err
		}
		value = t.state.value
	}
	return s.protect("job "+t.job.name, func() ([]byte, error) { return handler(t.ctx, value, t.job.payload) })
}

// make lets the program make the state of a holding, once. The state is that of the membership, so that the end of a
// job does not end its making.
func (s *session) make(ctx context.Context, held *state) {
	if held.made {
		return
	}
	data := held.data
	held.made = true
	held.data = nil
	if s.program.Hold == nil {
		held.err = fmt.Errorf("key %d: the program has no function Hold", held.key)
		return
	}
	_, held.err = s.protect(fmt.Sprintf("data of key %d", held.key), func() ([]byte, error) {
		var err error
		held.value, err = s.program.Hold(ctx, held.key, data)
		if err != nil {
			err = fmt.Errorf("key %d: %w", held.key, err)
		}
		return nil, err
	})
}

// protect turns a panic into an error, as it would end one worker after another.
func (s *session) protect(what string, call func() ([]byte, error)) (payload []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.options.Logger.Error("cluster: panic", "in", what, "cause", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return call()
}
