package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// ErrClosed is returned for a coordinator that was closed.
var ErrClosed = errors.New("cluster: the coordinator is closed")

// closeTime is how long Close waits for workers to take their leave.
const closeTime = 2 * time.Second

// Coordinator is rank 0: it admits workers, gives them jobs, and works jobs itself. Its methods may be called from
// several goroutines; runs and broadcasts follow each other in the order of their calls.
type Coordinator struct {
	options  Options
	channel  channel
	server   *grpc.Server
	meet     rendezvous
	turn     chan struct{} // has one element, which Run and Broadcast take
	cancel   context.CancelFunc
	ended    <-chan struct{}  // closed by Close
	services sync.WaitGroup   // goroutines that end after ended is closed
	mu       sync.Mutex       // of all that follows
	members  []*member        // by id, those that have left excluded
	changed  chan struct{}    // closed and replaced when members change
	holders  map[uint64]*keep // who holds which key
	log      []broadcast      // what a late worker gets
	current  *run             // nil between runs
	attempts uint64           // the id of the last attempt at a job
	past     []MemberStats    // of members that have left
	nextID   int
	closed   bool
}

// member is what the coordinator holds of a process that works jobs.
type member struct {
	id       int
	name     string
	local    bool
	slots    int
	window   int // jobs that it may have at the same time
	link     link
	outbox   *queue[message]
	left     bool
	inFlight map[uint64]*attempt // by the id of the attempt
	keys     map[uint64]bool     // held
	ready    []int               // jobs of the current run whose key it holds, in order
	jobs     int
	busy     time.Duration
	since    time.Time
}

// keep has the holders of a key: one, or two while a slow job of the key has two attempts.
type keep struct {
	members []*member
	jobs    int // of the key that were given, since it has holders
	moved   int // jobs when the key was taken over last
}

// attempt is a job that a member was given.
type attempt struct {
	run  *run
	job  int
	sent time.Time
}

// broadcast is what all members have; one with the same kind and slot replaces an earlier one.
type broadcast struct {
	kind, slot string
	payload    []byte
}

// Listen makes this process the coordinator: it listens, passes address and secret to the others through the launcher,
// and works jobs itself (Options.Slots). The coordinator lasts until Close; the end of ctx ends a running Run, but
// does not close.
func Listen(ctx context.Context, place Place, options Options, program NewProgram) (*Coordinator, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	c, err := listen(ctx, place, options, program)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", place.Launcher, err)
	}
	return c, nil
}

func listen(ctx context.Context, place Place, options Options, program NewProgram) (*Coordinator, error) {
	if !place.Coordinator() {
		return nil, fmt.Errorf("rank %d is not the coordinator", place.Rank)
	}
	channel, err := place.open(options)
	if err != nil {
		return nil, err
	}

	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &Coordinator{
		options: options,
		channel: channel,
		turn:    make(chan struct{}, 1),
		cancel:  cancel,
		ended:   inner.Done(),
		changed: make(chan struct{}),
		holders: make(map[uint64]*keep),
	}
	c.turn <- struct{}{}
	listener, err := c.bind(ctx)
	if err != nil {
		cancel()
		return nil, errors.Join(err, channel.close())
	}

	// From here on workers join. The secret has travelled before, so that the server never runs without it.
	c.services.Go(func() { c.serve(inner, listener) })
	if err := channel.publish(ctx, c.meet); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	options.Logger.Info("cluster: coordinator listens", "place", place.String(), "addresses", c.meet.addresses)
	if options.Slots > 0 {
		c.joinLocal(inner, program)
	}
	if options.SlowAfter > 0 {
		c.services.Go(func() { c.watch(inner) })
	}
	return c, nil
}

// bind listens on the port and makes the certificate, the secret and the server.
func (c *Coordinator) bind(ctx context.Context) (net.Listener, error) {
	want, err := c.channel.terms()
	if err != nil {
		return nil, err
	}

	// Where the secret cannot travel, certificate and secret are those of the manifest.
	c.meet.secret = want.secret
	var own identity
	if want.secret == nil {
		c.meet.secret = randomSecret()
		own, err = newIdentity(randomSecret())
	} else {
		own, err = derivedIdentity(want.secret, "coordinator")
	}
	if err != nil {
		return nil, err
	}
	c.meet.fingerprint = own.fingerprint
	config, err := serverTLS(own, c.meet.secret)
	if err != nil {
		return nil, err
	}

	// The address of the options comes before that of the launcher.
	address := c.options.Listen
	if address == "" {
		address = want.listen
	}
	if address == "" {
		address = ":0"
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c.meet.addresses, err = addresses(listener.Addr(), c.options.Advertise, want.hosts)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	c.server = newServer(config, c.options, c.attend)
	return listener, nil
}

// joinLocal makes the coordinator's own process a member, by the same messages as a worker.
func (c *Coordinator) joinLocal(ctx context.Context, program NewProgram) {
	near, far := newPipe(ctx.Done())
	m, err := c.join(near, "coordinator", c.options.Slots, true)
	if err != nil {
		return // it was closed in the meantime
	}
	c.services.Go(func() { c.deliver(m) })
	c.services.Go(func() { c.listen(m) })
	c.services.Go(func() { newSession(far, program(), c.options).serve(ctx) })
}

// join admits a member, which gets all broadcasts so far before any job.
func (c *Coordinator) join(l link, name string, slots int, local bool) (*member, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}

	// In the same process there is no message to wait for, so nothing is sent ahead.
	m := &member{
		id: c.nextID, name: name, local: local, slots: slots, window: slots, link: l,
		outbox:   newQueue[message](),
		inFlight: make(map[uint64]*attempt), keys: make(map[uint64]bool), since: time.Now(),
	}
	if !local {
		m.window += c.options.Ahead
	}
	c.nextID++

	m.outbox.push(message{kind: typeWelcome, id: uint64(m.id)})
	for _, b := range c.log {
		m.outbox.push(message{kind: typeBroadcast, name: b.kind, payload: b.payload})
	}
	c.members = append(c.members, m)
	c.membersChanged()
	c.options.Logger.Info("cluster: member joined", "member", m.id, "name", name, "slots", slots)
	c.dispatch()
	return m, nil
}

// leave removes a member that is lost or has gone; what it held and was given goes to others.
func (c *Coordinator) leave(m *member, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.left {
		return
	}
	m.left = true
	m.outbox.close()

	// The statistics of the member stay.
	c.past = append(c.past, m.stats(time.Now()))
	for k, other := range c.members {
		if other == m {
			c.members = append(c.members[:k:k], c.members[k+1:]...)
			break
		}
	}
	c.membersChanged()
	if c.closed {
		return
	}
	c.options.Logger.Warn("cluster: member lost", "member", m.id, "name", m.name, "jobs", len(m.inFlight), "error", cause)
	c.release(m)
	c.dispatch()
}

func (c *Coordinator) membersChanged() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Wait returns once there are n members, the coordinator's own included if it works jobs.
func (c *Coordinator) Wait(ctx context.Context, n int) error {
	return c.waitFor(ctx, n, func() int { return len(c.members) })
}

// WaitJoined returns once n members have joined, also where some of them have left again.
func (c *Coordinator) WaitJoined(ctx context.Context, n int) error {
	return c.waitFor(ctx, n, func() int { return len(c.members) + len(c.past) })
}

// waitFor waits until a number that depends on the members is n. count is called with c.mu held.
func (c *Coordinator) waitFor(ctx context.Context, n int, count func() int) error {
	for {
		c.mu.Lock()
		have := count()
		changed := c.changed
		c.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-c.ended:
			return ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("cluster: %d of %d members: %w", have, n, context.Cause(ctx))
		}
	}
}

// Close ends a run, lets the workers end, stops listening and removes what the launcher's channel has left (the
// address file). It returns within a few seconds, also where workers do not answer.
func (c *Coordinator) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.finish(ErrClosed)
	for _, m := range c.members {
		m.outbox.push(message{kind: typeBye})
	}
	c.mu.Unlock()

	// Workers close their connections when they have got the last message; the others are cut off.
	deadline := time.After(closeTime)
	for waiting := true; waiting; {
		c.mu.Lock()
		remote, changed := 0, c.changed
		for _, m := range c.members {
			if !m.local {
				remote++
			}
		}
		c.mu.Unlock()
		if remote == 0 {
			break
		}
		select {
		case <-changed:
		case <-deadline:
			waiting = false
		}
	}

	// Stopping the server ends the streams, and with them the goroutines that serve them.
	c.cancel()
	c.server.Stop()
	c.mu.Lock()
	for _, m := range c.members {
		m.outbox.close()
	}
	c.mu.Unlock()
	c.services.Wait()
	if err := c.channel.close(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// holding returns the data of a key by the function of the options.
func (c *Coordinator) holding(key uint64) ([]byte, error) {
	if c.options.Holding == nil {
		return nil, fmt.Errorf("cluster: a job needs key %d, but the options have no Holding", key)
	}
	data, err := c.options.Holding(key)
	if err != nil {
		return nil, fmt.Errorf("cluster: data of key %d: %w", key, err)
	}
	if int64(len(data)) > c.options.MaxMessage {
		return nil, fmt.Errorf("cluster: data of key %d: %d bytes are more than %d", key, len(data), c.options.MaxMessage)
	}
	return data, nil
}
