package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// JobError is the error of a run in which a handler has returned one. Of several failing jobs it is the first by
// index, whatever their order in time.
type JobError struct {
	Index int
	Kind  string
	Text  string // of the handler's error
	wraps []error
}

// Error implements error.
func (e *JobError) Error() string {
	return fmt.Sprintf("cluster: job %d (%s): %s", e.Index, e.Kind, e.Text)
}

// Unwrap returns those of Options.Errors that the handler's error wraps.
func (e *JobError) Unwrap() []error { return e.wraps }

// Cause returns the handler's error as if it were of this process: with its text, and what Unwrap returns.
func (e *JobError) Cause() error { return &cause{e.Text, e.wraps} }

// cause is the error of a handler in another process.
type cause struct {
	text  string
	wraps []error
}

func (c *cause) Error() string   { return c.text }
func (c *cause) Unwrap() []error { return c.wraps }

// kindsOf has the bit k where an error wraps Errors[k].
func (o *Options) kindsOf(err error) (kinds uint64) {
	for k, kind := range o.Errors {
		if errors.Is(err, kind) {
			kinds |= 1 << k
		}
	}
	return kinds
}

// errorsOf is the inverse of kindsOf. Bits without an error are ignored: another process may send anything.
func (o *Options) errorsOf(kinds uint64) (list []error) {
	for k, kind := range o.Errors {
		if kinds>>k&1 == 1 {
			list = append(list, kind)
		}
	}
	return list
}

// errLosses is wrapped by the error of a run that has lost too many members with the same job.
var errLosses = errors.New("members were lost while they had the same job")

// run is what Run keeps between its first and last answer.
type run struct {
	jobs    []Job
	answers [][]byte
	state   []jobState
	free    []int            // jobs without a key that wait
	unheld  []uint64         // keys that nobody holds, in order of their first waiting job
	waiting map[uint64][]int // their jobs
	limit   int              // jobs from here on are no longer needed: the first that has failed, or all
	left    int              // jobs below limit without an answer
	results chan result      // of Each, room for all jobs, closed at the end; nil for Run
	err     error
	done    chan struct{} // closed at the end
}

// result is how a job of Each ended.
type result struct {
	job    int
	answer []byte
	err    error
}

// jobState is what has happened to a job.
type jobState struct {
	answered bool
	attempts int // that are in flight
	losses   int // members that were lost with the job in flight
}

// needed returns whether the answer of a job is still missing.
func (r *run) needed(job int) bool { return job < r.limit && !r.state[job].answered }

// Run works the jobs and returns their answers by index. It returns the error of the first job by index whose handler
// failed (JobError), the cause of ctx when it ends, or ErrClosed. The loss of members is no error as long as one
// remains or another joins: without members, Run waits. An answer must not be modified.
func (c *Coordinator) Run(ctx context.Context, jobs []Job) ([][]byte, error) {
	r, err := c.begin(ctx, jobs, nil)
	if err != nil {
		return nil, err
	}
	if err := c.await(ctx, r); err != nil {
		return nil, err
	}
	return r.answers, nil
}

// Each works jobs that have nothing to do with each other, and calls done for each of them when it has ended, one call
// at a time, in the order in which they end: with the answer, or with the error of the handler (JobError), which is
// that of this job alone. A job that was in the hands of more than Options.MaxLosses lost members has an error too.
// Each returns the cause of ctx when it ends, or ErrClosed; jobs that have not ended by then have no call.
func (c *Coordinator) Each(ctx context.Context, jobs []Job, done func(job int, answer []byte, err error)) error {
	results := make(chan result, len(jobs))
	r, err := c.begin(ctx, jobs, results)
	if err != nil {
		return err
	}

	// The end of the run closes the channel.
	ended := make(chan error, 1)
	go func() { ended <- c.await(ctx, r) }()
	for out := range results {
		done(out.job, out.answer, out.err)
	}
	return <-ended
}

// begin starts a run when those before it have ended. results is where Each gets its answers from, nil for Run.
func (c *Coordinator) begin(ctx context.Context, jobs []Job, results chan result) (*run, error) {
	for k, job := range jobs {
		if job.Kind == "" || len(job.Kind) > maxName {
			return nil, fmt.Errorf("cluster: job %d: a kind has 1 to %d bytes", k, maxName)
		}
		if int64(len(job.Payload)) > c.options.MaxMessage {
			return nil, fmt.Errorf("cluster: job %d (%s): payload of %d bytes is larger than %d",
				k, job.Kind, len(job.Payload), c.options.MaxMessage)
		}
	}
	if err := c.take(ctx); err != nil {
		return nil, err
	}

	r := &run{
		jobs: jobs, answers: make([][]byte, len(jobs)), state: make([]jobState, len(jobs)),
		waiting: make(map[uint64][]int), limit: len(jobs), left: len(jobs), results: results, done: make(chan struct{}),
	}
	c.start(r)
	return r, nil
}

// await waits for the end of a run, or ends it with ctx.
func (c *Coordinator) await(ctx context.Context, r *run) error {
	defer func() { c.turn <- struct{}{} }()
	select {
	case <-r.done:
	case <-ctx.Done():
		c.mu.Lock()
		if c.current == r {
			c.finish(context.Cause(ctx))
		}
		c.mu.Unlock()
	}
	return r.err
}

// take waits for the end of the run or broadcast before.
func (c *Coordinator) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ended:
		return ErrClosed
	}
}

func (c *Coordinator) start(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = r
	for k := range r.jobs {
		c.enqueue(k)
	}
	if c.closed {
		c.finish(ErrClosed)
		return
	}
	if r.left == 0 {
		c.finish(nil)
		return
	}
	c.dispatch()
}

// finish ends the current run; attempts that are still in flight are cancelled. The caller has c.mu.
func (c *Coordinator) finish(err error) {
	r := c.current
	if r == nil {
		return
	}
	c.current = nil
	if r.err == nil {
		r.err = err
	}
	for _, m := range c.members {
		m.ready = nil
		for id := range m.inFlight {
			m.outbox.push(message{kind: typeCancel, id: id})
		}
	}
	if r.results != nil {
		close(r.results)
	}
	close(r.done)
}

// failHolding ends the current run because the data of a key is not there. The member that was to get it does not hold
// the key.
func (c *Coordinator) failHolding(m *member, key uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.keys[key] {
		c.unhold(m, key)
	}
	c.finish(err)
}

// answered takes an answer. The first answer of a job counts, as all attempts give the same.
func (c *Coordinator) answered(m *member, in message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := m.inFlight[in.id]
	if !ok && m.left {
		return nil
	}
	r := c.current
	isNeeded := ok && r != nil && a.run == r && r.needed(a.job)
	if !ok || in.skipped && isNeeded {
		return errProtocol
	}
	delete(m.inFlight, in.id)
	m.busy += time.Duration(in.nanos)
	if !in.skipped {
		m.jobs++
	}

	// The member is free again whatever becomes of the answer.
	if r != nil && a.run == r {
		r.state[a.job].attempts--
		if isNeeded {
			c.settle(m, a.job, in)
		}
	}
	c.dispatch()
	return nil
}

// failed returns the error of a job of the current run.
func (c *Coordinator) failed(job int, in message) *JobError {
	return &JobError{Index: job, Kind: c.current.jobs[job].Kind, Text: in.failure, wraps: c.options.errorsOf(in.kinds)}
}

// settle records the answer or the error of a job of the current run.
func (c *Coordinator) settle(m *member, job int, in message) {
	r := c.current
	switch {
	case r.results != nil:
		// The other jobs do not depend on this one.
		out := result{job: job, answer: in.payload}
		if in.failure != "" {
			out.err = c.failed(job, in)
		}
		c.conclude(out)
		c.prefer(m, job)

	case in.failure != "":
		// Jobs before the failed one are still worked, so that the error does not depend on their order in time.
		r.err = c.failed(job, in)
		r.limit = job
		r.left = 0
		for k := range r.limit {
			if !r.state[k].answered {
				r.left++
			}
		}

	default:
		r.answers[job] = in.payload
		r.state[job].answered = true
		r.left--
		c.prefer(m, job)
	}
	if r.left == 0 {
		c.finish(nil)
	}
}

// conclude passes on how a job of Each ended. The caller has c.mu.
func (c *Coordinator) conclude(out result) {
	r := c.current
	r.state[out.job].answered = true
	r.left--
	r.results <- out
}

// Broadcast passes a payload to all members, before any job of a later Run and after the jobs of an earlier one; a
// member that joins later gets it too. Where slot is not empty, it replaces an earlier broadcast of the same kind and
// slot: a member that joins later gets only the last. The payload must not be modified.
func (c *Coordinator) Broadcast(ctx context.Context, kind, slot string, payload []byte) error {
	if kind == "" || len(kind) > maxName {
		return fmt.Errorf("cluster: the kind of a broadcast has 1 to %d bytes", maxName)
	}
	if int64(len(payload)) > c.options.MaxMessage {
		return fmt.Errorf("cluster: broadcast (%s): payload of %d bytes is larger than %d",
			kind, len(payload), c.options.MaxMessage)
	}
	if err := c.take(ctx); err != nil {
		return err
	}
	defer func() { c.turn <- struct{}{} }()

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if slot != "" {
		for k, b := range c.log {
			if b.kind == kind && b.slot == slot {
				c.log = append(c.log[:k:k], c.log[k+1:]...)
				break
			}
		}
	}
	c.log = append(c.log, broadcast{kind, slot, payload})
	for _, m := range c.members {
		m.outbox.push(message{kind: typeBroadcast, name: kind, payload: payload})
	}
	return nil
}
