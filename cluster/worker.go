package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// Errors that Work wraps.
var (
	// ErrLost says that the coordinator has gone without an end of the run.
	ErrLost = errors.New("the coordinator is lost")
	// ErrRefused says that the coordinator does not admit this worker: another secret or another version.
	ErrRefused = errors.New("the coordinator refuses this worker")
)

// retryInterval is the time between two attempts to reach the coordinator.
const retryInterval = 300 * time.Millisecond

// minClientInterval is how often the RPC library lets a client ask for a sign of life at most.
const minClientInterval = 10 * time.Second

// Work joins the coordinator and works jobs until it ends the run, for which Work returns nil. Where the connection is
// lost, handlers are cancelled, and the worker tries to join again for Options.Grace, or Options.Rejoin where that is
// longer; then the error wraps ErrLost. A coordinator that is never found gives an error after Options.Join. An error
// that wraps ErrRefused states both versions where they differ. The end of ctx ends Work with its cause.
func Work(ctx context.Context, place Place, options Options, program NewProgram) error {
	if err := options.Validate(); err != nil {
		return err
	}
	if options.Slots < 1 {
		return errors.New("cluster: invalid options: a worker has at least one slot")
	}
	if place.Coordinator() {
		return fmt.Errorf("cluster: %s: rank 0 is the coordinator", place.Launcher)
	}
	channel, err := place.open(options)
	if err != nil {
		return fmt.Errorf("cluster: %s: %w", place.Launcher, err)
	}
	err = errors.Join(work(ctx, channel, options, program), channel.close())
	if err != nil {
		return fmt.Errorf("cluster: %s: %w", place.Launcher, err)
	}
	return nil
}

// work joins again and again, for as long as the options allow.
func work(ctx context.Context, channel channel, options Options, program NewProgram) error {
	patience := options.Join
	cause := errors.New("no coordinator was found")
	for {
		member, err := joinWithin(ctx, patience, channel, options)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrRefused):
			return err
		case err != nil:
			return fmt.Errorf("%w (last attempt: %w)", cause, err)
		}

		// The membership has a program of its own.
		err = newSession(member, program(), options).serve(member.ctx)
		if err == nil {
			member.leave()
			return nil
		}
		member.close()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if final := refusal(err); final != nil {
			return final
		}
		options.Logger.Warn("cluster: the coordinator is lost", "error", err)
		patience = max(options.Grace, options.Rejoin)
		cause = fmt.Errorf("%w: %w", ErrLost, err)
	}
}

// joinWithin tries to join until it succeeds, until the coordinator refuses, or until the time is over.
func joinWithin(ctx context.Context, limit time.Duration, channel channel, options Options) (*membership, error) {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last error
	for {
		// The rendezvous is read anew, as the coordinator may be another one by now.
		meet, err := channel.await(inner)
		if err != nil {
			return nil, errors.Join(err, last)
		}
		member, err := dial(ctx, inner, meet, options)
		if err == nil {
			return member, nil
		}
		last = err
		if errors.Is(err, errFingerprint) && !channel.renewable() {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if errors.Is(err, ErrRefused) {
			return nil, err
		}

		select {
		case <-inner.Done():
			return nil, last
		case <-time.After(retryInterval):
		}
	}
}

// membership is a connection that the coordinator has accepted; it is the link of a session.
type membership struct {
	*streamLink
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	conn   *grpc.ClientConn
	wire   *wire
}

// wire is what is known of the connection below the RPC library, which passes on errors as texts.
type wire struct {
	mu      sync.Mutex
	failure error // of the handshake, or an alert of the other side
}

func (w *wire) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
}

// explain returns the error of the connection if there is one, else the given one.
func (w *wire) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure != nil {
		return w.failure
	}
	return err
}

// dial connects and states the version. The connection lasts as long as ctx, the attempt as long as trial.
func dial(ctx, trial context.Context, meet rendezvous, options Options) (*membership, error) {
	config, err := clientTLS(meet.fingerprint, meet.secret)
	if err != nil {
		return nil, err
	}

	// The TLS handshake is part of dialling, so that an address whose certificate is another one is followed by the next.
	w := &wire{}
	dialer := func(ctx context.Context, _ string) (net.Conn, error) {
		conn, err := connect(ctx, meet.addresses, config, options.Handshake)
		if err != nil {
			w.fail(err)
			return nil, err
		}
		return watchedConn{conn, w}, nil
	}
	interval := max(options.Silence/3, minClientInterval)
	conn, err := grpc.NewClient("passthrough:///coordinator",
		grpc.WithContextDialer(dialer),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // the connection that dialer returns is TLS
		grpc.WithDisableServiceConfig(),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec{}), grpc.MaxCallRecvMsgSize(maxFrame)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: interval, Timeout: max(options.Silence-interval, 2*time.Second), PermitWithoutStream: true,
		}),
	)
	if err != nil {
		return nil, err
	}

	inner, cancel := context.WithCancel(ctx)
	m := &membership{ctx: inner, cancel: cancel, conn: conn, wire: w}
	stop := context.AfterFunc(trial, cancel)
	err = m.greet(options)
	if err == nil && !stop() {
		err = context.Cause(trial)
	}
	if err != nil {
		stop()
		m.close()
		return nil, err
	}
	return m, nil
}

// greet opens the stream, states version and slots, and waits for the welcome within the time of a handshake.
func (m *membership) greet(options Options) error {
	timer := time.AfterFunc(options.Handshake, m.cancel)
	defer timer.Stop()
	description := &grpc.StreamDesc{StreamName: methodName, ServerStreams: true, ClientStreams: true}
	stream, err := m.conn.NewStream(m.ctx, description, "/"+serviceName+"/"+methodName)
	if err != nil {
		return m.wire.explain(err)
	}

	m.streamLink = &streamLink{stream: stream, limit: uint64(options.MaxMessage)}
	host, _ := os.Hostname() // shown to people alone: it may be empty
	hello := message{kind: typeHello, name: options.Version, slots: uint64(options.Slots), payload: []byte(host)}
	sendErr := m.send(hello)
	if sendErr != nil && !errors.Is(sendErr, io.EOF) {
		return m.wire.explain(sendErr)
	}

	// After a failed sending, receiving gives the reason.
	welcome, err := m.receive()
	if err != nil {
		if final := refusal(err); final != nil {
			return final
		}
		return m.wire.explain(err)
	}
	if welcome.kind != typeWelcome {
		return fmt.Errorf("%w: the coordinator does not begin with a welcome", errProtocol)
	}
	options.Logger.Info("cluster: joined", "member", welcome.id)
	return nil
}

// refusal returns the error of a coordinator that will not admit this worker later either, else nil.
func refusal(err error) error {
	switch s := status.Convert(err); s.Code() {
	case codes.FailedPrecondition, codes.InvalidArgument:
		return fmt.Errorf("%w: %s", ErrRefused, s.Message())
	}
	return nil
}

// leave ends the connection after what was sent has arrived.
func (m *membership) leave() {
	if stream, ok := m.stream.(grpc.ClientStream); ok {
		stream.CloseSend()
	}
	m.close()
}

func (m *membership) close() {
	m.cancel()
	m.conn.Close()
}

// connect tries the addresses in turn.
func connect(ctx context.Context, addresses []string, config *tls.Config, limit time.Duration) (net.Conn, error) {
	var failures []error
	for _, address := range addresses {
		conn, err := connectTo(ctx, address, config, limit)
		if err == nil {
			return conn, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", address, err))
	}
	return nil, errors.Join(failures...)
}

func connectTo(ctx context.Context, address string, config *tls.Config, limit time.Duration) (net.Conn, error) {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(inner, "tcp", address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(inner); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return conn, nil
}

// watchedConn notes an alert of the other side: under TLS 1.3 it comes after the handshake of the client has ended.
type watchedConn struct {
	net.Conn
	wire *wire
}

func (c watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "remote error" {
		c.wire.fail(fmt.Errorf("%w: the secret is not the coordinator's: %w", ErrRefused, err))
	}
	return n, err
}
