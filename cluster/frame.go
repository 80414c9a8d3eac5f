package cluster

import (
	"errors"
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// frame is a part of a message that is sent in one piece; frame.proto describes its encoding.
type frame struct {
	message // its payload is the chunk
	total   uint64
}

// The numbers of the fields in frame.proto.
const (
	fieldType protowire.Number = iota + 1
	fieldID
	fieldKey
	fieldName
	fieldError
	fieldNanos
	fieldSlots
	fieldTotal
	fieldChunk
	fieldSkipped
	fieldKinds
)

// head encodes the fields of a frame up to the length of the chunk, which is the last field, so that the chunk itself
// is not copied.
func (f *frame) head() []byte {
	var b []byte
	number := func(field protowire.Number, v uint64) {
		if v != 0 {
			b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
		}
	}
	text := func(field protowire.Number, s string) {
		if s != "" {
			b = protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
		}
	}

	number(fieldType, uint64(f.kind))
	number(fieldID, f.id)
	number(fieldKey, f.key)
	text(fieldName, f.name)
	text(fieldError, f.failure)
	number(fieldNanos, f.nanos)
	number(fieldSlots, f.slots)
	number(fieldTotal, f.total)
	number(fieldKinds, f.kinds)
	if f.skipped {
		number(fieldSkipped, 1)
	}
	if len(f.payload) > 0 {
		b = protowire.AppendTag(b, fieldChunk, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(len(f.payload)))
	}
	return b
}

// decode reads a frame; its chunk is a part of b. Unknown fields are an error, as both sides are the same build.
func (f *frame) decode(b []byte) error {
	*f = frame{}
	for len(b) > 0 {
		field, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("frame: %w", protowire.ParseError(n))
		}
		b = b[n:]

		// A field is a number or bytes.
		var number uint64
		var bytes []byte
		switch wire {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		default:
			return fmt.Errorf("frame: field %d has the wire type %d", field, wire)
		}
		if n < 0 {
			return fmt.Errorf("frame: field %d: %w", field, protowire.ParseError(n))
		}
		b = b[n:]
		if isBytes := wire == protowire.BytesType; isBytes != hasBytes(field) {
			return fmt.Errorf("frame: field %d has the wire type %d", field, wire)
		}
		if err := f.set(field, number, bytes); err != nil {
			return err
		}
	}
	return nil
}

// hasBytes returns whether a field is a string or bytes.
func hasBytes(field protowire.Number) bool {
	return field == fieldName || field == fieldError || field == fieldChunk
}

// set takes a field that was read: its number, or its bytes where it hasBytes.
func (f *frame) set(field protowire.Number, number uint64, bytes []byte) error {
	// Numbers, each into its part of the frame.
	switch field {
	case fieldType:
		f.kind = messageType(number)
	case fieldID:
		f.id = number
	case fieldKey:
		f.key = number
	case fieldNanos:
		f.nanos = number
	case fieldSlots:
		f.slots = number
	case fieldTotal:
		f.total = number
	case fieldKinds:
		f.kinds = number
	case fieldSkipped:
		f.skipped = number != 0

	// Bytes.
	case fieldName:
		f.name = string(bytes)
	case fieldError:
		f.failure = string(bytes)
	case fieldChunk:
		f.payload = bytes

	// Both sides are the same build, so that a field that is not known is damage.
	default:
		return fmt.Errorf("frame: there is no field %d", field)
	}
	return nil
}

// codec lets gRPC send frames.
type codec struct{}

var _ encoding.CodecV2 = codec{}

func (codec) Name() string { return "proxybd-frame" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("frame: cannot encode a %T", v)
	}
	buffers := mem.BufferSlice{mem.SliceBuffer(f.head())}
	if len(f.payload) > 0 {
		buffers = append(buffers, mem.SliceBuffer(f.payload))
	}
	return buffers, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("frame: cannot decode into a %T", v)
	}
	return f.decode(data.Materialize())
}

// stream is what the streams of client and server of gRPC have in common.
type stream interface {
	SendMsg(any) error
	RecvMsg(any) error
}

// streamLink sends messages as frames over a stream.
type streamLink struct {
	stream  stream
	limit   uint64 // largest payload in bytes
	in, out atomic.Int64
}

func (l *streamLink) traffic() (in, out int64) { return l.in.Load(), l.out.Load() }

// send splits the payload into chunks.
func (l *streamLink) send(m message) error {
	if uint64(len(m.payload)) > l.limit {
		return fmt.Errorf("a payload of %d bytes is larger than %d", len(m.payload), l.limit)
	}
	f := frame{message: m, total: uint64(len(m.payload))}
	rest := m.payload
	for {
		n := min(len(rest), maxChunk)
		f.payload = rest[:n]
		rest = rest[n:]
		if err := l.stream.SendMsg(&f); err != nil {
			return err
		}
		l.out.Add(int64(len(f.head()) + n))
		if len(rest) == 0 {
			return nil
		}
		f = frame{}
	}
}

// receive puts a message together. A stated size above the limit is refused before anything is reserved for it, and
// memory grows with the bytes that have arrived, not with those that are announced.
func (l *streamLink) receive() (message, error) {
	var f frame
	if err := l.next(&f); err != nil {
		return message{}, err
	}
	m, total := f.message, f.total
	if total > l.limit {
		return message{}, fmt.Errorf("a payload of %d bytes is announced, more than %d", total, l.limit)
	}
	if err := m.check(); err != nil {
		return message{}, err
	}

	for uint64(len(m.payload)) < total {
		if err := l.next(&f); err != nil {
			return message{}, err
		}
		if f.kind != 0 || len(f.payload) == 0 {
			return message{}, errors.New("a message ends before its payload")
		}
		m.payload = append(m.payload, f.payload...)
	}
	if uint64(len(m.payload)) != total {
		return message{}, fmt.Errorf("a payload has %d bytes instead of %d", len(m.payload), total)
	}
	return m, nil
}

func (l *streamLink) next(f *frame) error {
	if err := l.stream.RecvMsg(f); err != nil {
		return err
	}
	l.in.Add(int64(len(f.head()) + len(f.payload)))
	return nil
}
