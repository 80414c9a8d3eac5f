package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// serviceName and methodName are those of frame.proto.
const (
	serviceName = "proxybd.cluster.Cluster"
	methodName  = "Attend"
)

// maxRefusalsLogged bounds the lines that peers without the secret can put into the log.
const maxRefusalsLogged = 100

// newServer returns the gRPC server whose only method is attend.
func newServer(config *tls.Config, options Options, attend func(grpc.ServerStream) error) *grpc.Server {
	interval := max(options.Silence/3, time.Second)
	server := grpc.NewServer(
		grpc.Creds(&loggedCredentials{credentials.NewTLS(config), options.Logger, new(atomic.Int64)}),
		grpc.ForceServerCodecV2(codec{}),
		grpc.ConnectionTimeout(options.Handshake),
		grpc.MaxRecvMsgSize(maxFrame),
		grpc.MaxHeaderListSize(8<<10),
		grpc.MaxConcurrentStreams(1),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: interval, Timeout: options.Silence - interval}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)

	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: serviceName,
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{
			StreamName:    methodName,
			Handler:       func(_ any, stream grpc.ServerStream) error { return attend(stream) },
			ServerStreams: true,
			ClientStreams: true,
		}},
	}, nil)
	return server
}

// loggedCredentials writes a line to the log for a peer that fails the TLS handshake.
type loggedCredentials struct {
	credentials.TransportCredentials
	log      *slog.Logger
	refusals *atomic.Int64
}

func (l *loggedCredentials) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := l.TransportCredentials.ServerHandshake(raw)
	if err == nil {
		return conn, info, nil
	}

	// What the peer has sent is not part of the line: only the reason and the address are.
	count := l.refusals.Add(1)
	switch {
	case count < maxRefusalsLogged:
		l.log.Warn("cluster: peer refused: no proof of the secret", "peer", raw.RemoteAddr().String(), "error", err)
	case count == maxRefusalsLogged:
		l.log.Warn("cluster: more peers were refused; no more are logged")
	}
	return conn, info, err
}

func (l *loggedCredentials) Clone() credentials.TransportCredentials {
	return &loggedCredentials{l.TransportCredentials.Clone(), l.log, l.refusals}
}

// attend serves a worker from its first message until it is lost or the run ends.
func (c *Coordinator) attend(stream grpc.ServerStream) error {
	from := "unknown"
	if p, ok := peer.FromContext(stream.Context()); ok {
		from = p.Addr.String()
	}

	// Until its version is checked, a peer can make the coordinator keep no more than a few bytes.
	l := &streamLink{stream: stream, limit: maxName}
	hello, err := c.greet(l)
	if err != nil {
		c.options.Logger.Warn("cluster: peer refused", "peer", from, "error", err)
		return err
	}
	l.limit = uint64(c.options.MaxMessage)

	// The name of a host is shown to people, so that it is cut to what one has.
	host := hello.payload[:min(len(hello.payload), maxHostName)]
	m, err := c.join(l, string(host)+" "+from, int(hello.slots), false)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	sent := make(chan error, 1)
	go func() { sent <- c.deliver(m) }()

	// The stream ends when the handler returns, which then ends the other direction too.
	received := make(chan error, 1)
	go func() { received <- c.listen(m) }()
	select {
	case err = <-sent:
	case err = <-received:
	}
	c.leave(m, err)
	if errors.Is(err, errProtocol) {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return nil
}

// greet receives the first message of a worker within the time of a handshake, and compares the versions.
func (c *Coordinator) greet(l link) (message, error) {
	type received struct {
		message
		err error
	}
	first := make(chan received, 1)
	go func() {
		m, err := l.receive()
		first <- received{m, err}
	}()

	var hello received
	select {
	case hello = <-first:
	case <-time.After(c.options.Handshake):
		return message{}, status.Error(codes.DeadlineExceeded, "no version within the time of a handshake")
	}
	if hello.err != nil {
		return message{}, status.Error(codes.InvalidArgument, hello.err.Error())
	}
	if hello.kind != typeHello || hello.slots == 0 {
		return message{}, status.Error(codes.InvalidArgument, "the first message does not state version and slots")
	}
	if hello.name != c.options.Version {
		return message{}, status.Errorf(codes.FailedPrecondition,
			"versions differ: the coordinator is %q, the worker %q", c.options.Version, hello.name)
	}
	return hello.message, nil
}

// deliver sends what is in the outbox of a member. The data of a holding is asked for only when its turn comes, so that
// no more than one for each member is in memory.
func (c *Coordinator) deliver(m *member) error {
	for {
		out, ok := m.outbox.pop()
		if !ok {
			return nil
		}
		if hasData := m.local && c.options.LocalData; out.kind == typeHold && !hasData {
			data, err := c.holding(out.key)
			if err != nil {
				c.failHolding(m, out.key, err)
				continue
			}
			out.payload = data
		}
		if err := m.link.send(out); err != nil {
			return err
		}
	}
}

// listen takes the answers of a member.
func (c *Coordinator) listen(m *member) error {
	for {
		in, err := m.link.receive()
		if err != nil {
			return err
		}
		if in.kind != typeAnswer {
			return errProtocol
		}
		if err := c.answered(m, in); err != nil {
			return err
		}
	}
}

// errProtocol is wrapped where a member sends what it must not.
var errProtocol = errors.New("a member may only send answers to jobs that it was given")

// serve accepts connections until the server is stopped.
func (c *Coordinator) serve(ctx context.Context, listener net.Listener) {
	if err := c.server.Serve(listener); err != nil && ctx.Err() == nil {
		c.options.Logger.Error("cluster: the coordinator accepts no more workers", "error", err)
	}
}
