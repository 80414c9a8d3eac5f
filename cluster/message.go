package cluster

import (
	"errors"
	"fmt"
)

// messageType says what a message means.
type messageType uint64

const (
	typeHello     messageType = iota + 1 // worker: name is its version, slots; payload is the name of its host
	typeWelcome                          // coordinator: id is that of the member
	typeBroadcast                        // coordinator: name is the kind
	typeHold                             // coordinator: payload is the holding of the key
	typeDrop                             // coordinator: the key is held by another member
	typeJob                              // coordinator: id of the attempt, key, name is the kind
	typeCancel                           // coordinator: the answer to id is no longer needed
	typeBye                              // coordinator: there are no more jobs
	typeAnswer                           // worker: id of the attempt, error or payload, nanos
	typeEnd                              // one after the last
)

// Limits of the fields of a message.
const (
	maxName  = 1 << 10 // bytes of a name
	maxError = 1 << 14 // bytes of an error; longer ones are cut
	maxSlots = 4096
	maxChunk = 1 << 20 // bytes of a chunk of a payload
	maxFrame = maxChunk + 1<<16
)

// message is what one side sends to the other.
type message struct {
	kind    messageType
	id      uint64
	key     uint64
	name    string
	failure string
	kinds   uint64 // bit k: the error wraps Options.Errors[k]
	nanos   uint64
	slots   uint64
	skipped bool
	payload []byte
}

// check refuses fields that are out of range, whoever has sent them.
func (m message) check() error {
	switch {
	case m.kind == 0 || m.kind >= typeEnd:
		return fmt.Errorf("message of type %d", m.kind)
	case len(m.name) > maxName:
		return fmt.Errorf("a name of %d bytes is longer than %d", len(m.name), maxName)
	case len(m.failure) > maxError:
		return fmt.Errorf("an error of %d bytes is longer than %d", len(m.failure), maxError)
	case m.slots > maxSlots:
		return fmt.Errorf("%d slots are more than %d", m.slots, maxSlots)
	}
	return nil
}

// link is a connection between the coordinator and a member; the coordinator's own member has one in memory. Each
// direction is used by one goroutine at a time.
type link interface {
	send(message) error
	// receive fails once the connection is lost or the other side has closed it.
	receive() (message, error)
	// traffic returns the bytes that were received and sent.
	traffic() (in, out int64)
}

// errClosed is the error of a link in memory that either side has closed.
var errClosed = errors.New("the link is closed")

// pipe is one end of a link in memory.
type pipe struct {
	in   <-chan message
	out  chan<- message
	done <-chan struct{}
}

// newPipe returns the two ends of a link that ends when done is closed.
func newPipe(done <-chan struct{}) (pipe, pipe) {
	down := make(chan message)
	up := make(chan message)
	return pipe{in: up, out: down, done: done}, pipe{in: down, out: up, done: done}
}

func (p pipe) send(m message) error {
	select {
	case p.out <- m:
		return nil
	case <-p.done:
		return errClosed
	}
}

func (p pipe) receive() (message, error) {
	select {
	case m := <-p.in:
		return m, nil
	case <-p.done:
		return message{}, errClosed
	}
}

// traffic is zero: nothing leaves the process.
func (p pipe) traffic() (in, out int64) { return 0, 0 }
