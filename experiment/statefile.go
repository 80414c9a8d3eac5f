package experiment

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// A states file is a header and records, little-endian, every part aligned to eight bytes:
//
//	header  8 bytes  the magic "PBDSTATE"
//	        4        format version, 2
//	        4        CRC-32C of the twelve bytes before
//	record  4        length of the metadata, M
//	        4        length of the instance data, D
//	        4        number of states, S
//	        4        number of first-stage columns, N
//	        4        CRC-32C of the body
//	        4        CRC-32C of the twenty bytes before
//	        body     M bytes of JSON (StateMeta), padded with zeros to a multiple of eight
//	                 D bytes, the instance as its family writes it, padded
//	                 S bytes of flags, padded: 1 for an integer design, 2 for a point without a recourse
//	                 S x N float64, the points
//
// A record is appended by one write and synced. An unfinished last record, which a crash has left, is cut off by the
// next writer and skipped by readers; damage before a sound record is an error. Files of version 1, which had no flag
// of points without a recourse, are still read, and become files of version 2 when a record is appended.
const (
	statesMagic   = "PBDSTATE"
	statesVersion = 2
	oldestStates  = 1 // version that is read
	headerBytes   = 16
	recordBytes   = 24
)

// The flags of a state.
const (
	integerFlag    = 1 << iota // the point is an integer design
	infeasibleFlag             // the point has no recourse
)

// crcTable is the polynomial of the check sums, which processors have an instruction for.
var crcTable = crc32.MakeTable(crc32.Castagnoli)

// StateMeta says where the states of a record come from.
type StateMeta struct {
	Schema int    `json:"schema"`
	ID     string `json:"id"`
	Family string `json:"family"`
	Shape  string `json:"shape"`
	Part   Part   `json:"part"`
	Hash   string `json:"hash"` // of the instance

	// A name for the instance data, with its ending.
	File string `json:"file"`

	// The result of the exact run.
	Status    string       `json:"status"`
	Objective jsonl.Number `json:"objective"`
	Bound     jsonl.Number `json:"bound"`

	// The time of collecting, the exact run included, and the limit of the exact run.
	Seconds   jsonl.Number `json:"seconds"`
	TimeLimit jsonl.Number `json:"time_limit"`
}

// StateRecord is an instance with its states. One that was read from a StateFile is valid, and may be read and not
// written, until the file is closed.
type StateRecord struct {
	Meta     StateMeta
	Instance []byte // the file that Instance.Write made
	States   []benders.State
}

// padded rounds a length up to a multiple of eight.
func padded(n int64) int64 { return (n + 7) &^ 7 }

// encode returns the bytes of a record.
func (r *StateRecord) encode() ([]byte, error) {
	meta, err := json.Marshal(&r.Meta)
	if err != nil {
		return nil, err
	}

	// All states of an instance have as many columns.
	n := 0
	if len(r.States) > 0 {
		n = len(r.States[0].Y)
	}

	// The lengths of the header have 32 bits.
	h := recordHeader{uint32(len(meta)), uint32(len(r.Instance)), uint32(len(r.States)), uint32(n)}
	if int64(len(r.Instance)) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: an instance of %d bytes", ErrStates, len(r.Instance))
	}

	// The header is written last, when the check sum of the body is known.
	out := make([]byte, recordBytes, recordBytes+h.body())
	pad := func() {
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
	}

	// Metadata and instance come first, each padded, so that the points are aligned.
	out = append(out, meta...)
	pad()
	out = append(out, r.Instance...)
	pad()

	// A byte a state has its flags.
	for _, s := range r.States {
		if len(s.Y) != n {
			return nil, fmt.Errorf("%w: states of %d and %d columns", ErrStates, n, len(s.Y))
		}
		flags := byte(0)
		if s.Integer {
			flags |= integerFlag
		}
		if s.Infeasible {
			flags |= infeasibleFlag
		}
		out = append(out, flags)
	}
	pad()
	// The points are written as bits, so that they are read back without loss.
	for _, s := range r.States {
		for _, v := range s.Y {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	h.put(out, crc32.Checksum(out[recordBytes:], crcTable))
	return out, nil
}

// recordHeader holds the sizes of a record.
type recordHeader struct{ meta, data, states, columns uint32 }

// body returns the length of what follows the header.
func (h recordHeader) body() int64 {
	return padded(int64(h.meta)) + padded(int64(h.data)) + padded(int64(h.states)) + 8*int64(h.states)*int64(h.columns)
}

// put writes the header and its own check sum.
func (h recordHeader) put(to []byte, crc uint32) {
	// The header has its own check sum, so that a damaged length is found.
	for k, v := range []uint32{h.meta, h.data, h.states, h.columns, crc} {
		binary.LittleEndian.PutUint32(to[4*k:], v)
	}
	binary.LittleEndian.PutUint32(to[20:], crc32.Checksum(to[:20], crcTable))
}

// parseHeader reads a record header; ok is true if it is sound.
func parseHeader(b []byte) (h recordHeader, crc uint32, ok bool) {
	u := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
	h = recordHeader{u(0), u(1), u(2), u(3)}

	// The limits keep body from overflowing; no writer makes such sizes.
	ok = u(5) == crc32.Checksum(b[:20], crcTable) && h.states < 1<<28 && h.columns < 1<<28
	return h, u(4), ok
}

// fileHeader is the beginning of every states file of a version.
func fileHeader(version uint32) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(statesMagic), version)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crcTable))
}

// checkHeader checks the first bytes of a file.
func checkHeader(b []byte) error {
	// A file that is new, or was cut off at once, has a part of a header.
	if len(b) < headerBytes {
		for version := uint32(oldestStates); version <= statesVersion; version++ {
			if bytes.HasPrefix(fileHeader(version), b) {
				return nil
			}
		}
	}
	if len(b) < headerBytes || string(b[:8]) != statesMagic {
		return fmt.Errorf("%w: it is no states file", ErrStates)
	}

	switch version := binary.LittleEndian.Uint32(b[8:]); {
	case version < oldestStates || version > statesVersion:
		return fmt.Errorf("%w: its version is %d, this program reads %d to %d", ErrStates, version, oldestStates,
			statesVersion)
	case string(b[:headerBytes]) != string(fileHeader(version)):
		return fmt.Errorf("%w: its header is damaged", ErrStates)
	}
	return nil
}

// stateWriter appends records to a states file.
type stateWriter struct {
	f *os.File

	// Bytes of an unfinished record that were cut off.
	Cut int64
}

// AppendStates opens a states file for appending, or makes one. Only one process at a time may hold it: another one
// gets ErrBusy where the system has file locks.
func AppendStates(path string) (*stateWriter, error) {
	f, err := openLocked(path)
	if err != nil {
		return nil, err
	}

	// The file stays open only where the writer is returned.
	w := &stateWriter{f: f}
	if err := w.recover(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// recover reads the file and moves to the end of the last complete record.
func (w *stateWriter) recover() error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}

	// Reading the file checks all of its records.
	s, err := ReadStates(w.f.Name())
	if err != nil {
		return err
	}
	w.Cut = s.Cut
	if err := s.Close(); err != nil {
		return err
	}

	// What follows that record is cut off. A new file gets its header.
	end := max(headerBytes, info.Size()-w.Cut)
	// The header is written in any case, since a crash may have cut it off.
	if _, err := w.f.WriteAt(fileHeader(statesVersion), 0); err != nil {
		return err
	}
	if err := w.f.Truncate(end); err != nil {
		return err
	}

	// The truncated file is on the disk before anything is appended.
	if err := w.f.Sync(); err != nil {
		return err
	}
	_, err = w.f.Seek(end, io.SeekStart)
	return err
}

// Append adds a record and waits until it is on the disk.
func (w *stateWriter) Append(r *StateRecord) error {
	b, err := r.encode()
	if err != nil {
		return err
	}

	// A record is one write, so that a crash leaves a part of one record at most.
	if _, err := w.f.Write(b); err != nil {
		return err
	}
	return w.f.Sync()
}

// Close closes the file.
func (w *stateWriter) Close() error { return w.f.Close() }

// stateFile is an open states file, mapped into memory where the system can do that.
type stateFile struct {
	Records []StateRecord

	// Bytes at the end that a crash left of an unfinished record.
	Cut int64

	// The bytes of the file, which the records refer to, and what gives them back.
	data  []byte
	unmap func() error
}

// ReadStates opens a states file. Its damage, apart from an unfinished last record, wraps ErrStates.
func ReadStates(path string) (*stateFile, error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, err
	}

	// The records refer to the mapped bytes, which stay mapped until Close.
	s := &stateFile{data: data, unmap: unmap}
	if err := s.parse(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
	}
	return s, nil
}

// Close unmaps the file. The records must not be used any more.
func (s *stateFile) Close() error {
	s.Records = nil
	return s.unmap()
}

// parse finds the records.
func (s *stateFile) parse() error {
	if err := checkHeader(s.data); err != nil {
		return err
	}

	// A file with a part of a header has no record.
	if len(s.data) < headerBytes {
		s.Cut = int64(len(s.data))
		return nil
	}

	rest := s.data[headerBytes:]
	for len(rest) > 0 {
		// Until the record has proven sound, it and what follows count as cut off.
		s.Cut = int64(len(rest))
		if len(rest) < recordBytes {
			return nil
		}
		h, crc, ok := parseHeader(rest)
		// The lengths are checked before the body is read.
		if !ok || h.body() > int64(len(rest)-recordBytes) {
			return nil
		}

		// A damaged body at the end of the file is an unfinished record, elsewhere it is an error.
		body := rest[recordBytes : recordBytes+h.body()]
		after := rest[recordBytes+len(body):]
		if crc32.Checksum(body, crcTable) != crc {
			if len(after) == 0 {
				return nil // its pages did not all reach the disk
			}
			return fmt.Errorf("%w: record %d is damaged", ErrStates, len(s.Records))
		}

		r, err := h.decode(body)
		if err != nil {
			return fmt.Errorf("%w: record %d: %w", ErrStates, len(s.Records), err)
		}
		s.Records = append(s.Records, r)
		s.Cut = 0
		rest = after
	}
	return nil
}

// decode splits the body of a record without copying its points.
func (h recordHeader) decode(body []byte) (StateRecord, error) {
	var r StateRecord
	// The parts follow each other, each padded to eight bytes.
	take := func(n int64) []byte {
		part := body[:n:n]
		body = body[padded(n):]
		return part
	}
	if err := json.Unmarshal(take(int64(h.meta)), &r.Meta); err != nil {
		return r, err
	}

	// The points are a view of the bytes, where the system allows it.
	r.Instance = take(int64(h.data))
	flags := take(int64(h.states))
	values := floats(body)
	r.States = make([]benders.State, h.states)
	n := int(h.columns)
	for k := range r.States {
		// The capacity of each slice is its length, so that appending to one cannot write into the next.
		r.States[k] = benders.State{
			Y:          values[k*n : (k+1)*n : (k+1)*n],
			Integer:    flags[k]&integerFlag != 0,
			Infeasible: flags[k]&infeasibleFlag != 0,
		}
	}
	return r, nil
}
