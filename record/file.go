package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
)

// ErrFormat is wrapped by the errors of Read about a file that is not a record, or was altered.
var ErrFormat = errors.New("not a sound record")

// The lines of a file: a kind and the part of the record that it holds. The end has the number of lines before it and
// their check sum.
type (
	headerLine struct {
		Kind string `json:"kind"`
		Header
	}
	instanceLine struct {
		Kind string `json:"kind"`
		Instance
	}
	rowLine struct {
		Kind string `json:"kind"`
		Row
	}
	cutLine struct {
		Kind string `json:"kind"`
		Cut
	}
	nodeLine struct {
		Kind string `json:"kind"`
		Node
	}
	designLine struct {
		Kind string `json:"kind"`
		Design
	}
	endLine struct {
		Kind   string `json:"kind"`
		Lines  int
		SHA256 string
	}
)

// Write writes a record.
func Write(w io.Writer, r *Record) error {
	// The encoder keeps the first error, and the lines after it are not written.
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16), sum: sha256.New()}
	e.line(headerLine{"header", r.Header})
	e.line(instanceLine{"instance", r.Instance})
	for k := range r.Rows {
		e.line(rowLine{"row", r.Rows[k]})
	}
	for k := range r.Cuts {
		e.line(cutLine{"cut", r.Cuts[k]})
	}
	for k := range r.Tree {
		e.line(nodeLine{"node", r.Tree[k]})
	}
	if r.Design != nil {
		e.line(designLine{"design", *r.Design})
	}

	// The sum is that of the bytes so far, since arguments are evaluated before the call.
	e.line(endLine{"end", e.lines, hex.EncodeToString(e.sum.Sum(nil))})
	if e.err != nil {
		return fmt.Errorf("record: %w", e.err)
	}
	return e.w.Flush()
}

// encoder writes the lines of a record.
type encoder struct {
	w     *bufio.Writer
	sum   hash.Hash // of the lines written
	lines int
	err   error // the first one
}

// line writes a line, unless one before it failed.
func (e *encoder) line(v any) {
	if e.err != nil {
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		e.err = err
		return
	}

	// Writing to a hash never fails.
	b = append(b, '\n')
	e.sum.Write(b)
	e.lines++
	_, e.err = e.w.Write(b)
}

// Read reads a record; the name stands for the input in errors, which name the line too.
func Read(r io.Reader, name string) (*Record, error) {
	d := &decoder{
		r:    bufio.NewReaderSize(r, 1<<16),
		name: name,
		sum:  sha256.New(),
	}
	for {
		done, err := d.next()
		if err != nil {
			return nil, err
		}
		if done {
			return &d.rec, nil
		}
	}
}

// decoder reads the lines of a record.
type decoder struct {
	r    *bufio.Reader
	name string    // of the input, for errors
	sum  hash.Hash // of the lines read, but for the last one
	line int       // lines read
	last int       // place of the last line's kind in kinds
	rec  Record
}

// kinds lists the kinds in the order of a file.
var kinds = []string{"header", "instance", "row", "cut", "node", "design", "end"}

// fail returns an error that wraps ErrFormat and names the line.
func (d *decoder) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", d.name, d.line, ErrFormat, fmt.Sprintf(format, args...))
}

// longestHeader bounds the first line, so that an endless input that is no record is not read to its end.
const longestHeader = 1 << 20

// longestLine bounds every other line; the longest one of a record is the instance's.
const longestLine = 1 << 28

// read reads a line.
func (d *decoder) read() ([]byte, error) {
	d.line++
	longest := longestLine
	if d.line == 1 {
		longest = longestHeader
	}

	// A line that does not fit into the buffer comes in parts. Any error, the end of the file included, ends the line.
	var b []byte
	for len(b) < longest {
		part, err := d.r.ReadSlice('\n')
		if b = append(b, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return b, err
		}
	}
	if d.line == 1 {
		return nil, d.fail("the first line is no header")
	}
	return nil, d.fail("the line has more than %d bytes", longest)
}

// next reads a line; done is true at the last one.
func (d *decoder) next() (done bool, err error) {
	b, err := d.read()
	switch {
	case errors.Is(err, ErrFormat):
		return false, err
	case errors.Is(err, io.EOF):
		return false, d.fail("the file ends without its last line")
	case err != nil:
		return false, fmt.Errorf("%s: %w", d.name, err)
	}

	// The last line holds the sum of the lines before it, and is not part of it.
	kind, err := d.kind(b)
	if err != nil {
		return false, err
	}
	if kind == "end" {
		return true, d.end(b)
	}
	d.sum.Write(b)
	return false, d.store(kind, b)
}

// kind returns the kind of a line and checks that it may come here.
func (d *decoder) kind(b []byte) (string, error) {
	// Write puts the kind in front, where it is found without parsing the line.
	kind, ok := begin(b)
	if !ok {
		var k struct{ Kind string }
		if err := json.Unmarshal(b, &k); err != nil {
			return "", d.fail("%v", err)
		}
		kind = k.Kind
	}

	// Kinds come in their order; those after the second line may be missing.
	place := slices.Index(kinds, kind)
	repeats := kind == "row" || kind == "cut" || kind == "node"
	again := place == d.last && d.line > 1
	switch {
	case place < 0:
		return "", d.fail("kind %.20q is unknown", kind)
	case d.line <= 2 && place != d.line-1:
		return "", d.fail("a %s where the %s belongs", kind, kinds[d.line-1])
	case place < d.last || again && !repeats:
		return "", d.fail("a %s after a %s", kind, kinds[d.last])
	}
	d.last = place
	return kind, nil
}

// begin returns the kind of a line that begins with it, as Write writes them.
func begin(b []byte) (kind string, ok bool) {
	if b, ok = bytes.CutPrefix(b, []byte(`{"kind":"`)); !ok {
		return "", false
	}

	// The quote behind the kind ends it: no kind is a part of another one then.
	for _, kind := range kinds {
		if bytes.HasPrefix(b, []byte(kind+`"`)) {
			return kind, true
		}
	}
	return "", false
}

// store adds a line to the record.
func (d *decoder) store(kind string, b []byte) error {
	// A part that could not be decoded does no harm, since an error ends the reading without a record.
	var err error
	switch kind {
	case "header":
		var l headerLine
		err = strict(b, &l)
		d.rec.Header = l.Header
	case "instance":
		var l instanceLine
		err = strict(b, &l)
		d.rec.Instance = l.Instance

	// These kinds may come any number of times, or not at all.
	case "row":
		var l rowLine
		err = strict(b, &l)
		d.rec.Rows = append(d.rec.Rows, l.Row)
	case "cut":
		var l cutLine
		err = strict(b, &l)
		d.rec.Cuts = append(d.rec.Cuts, l.Cut)
	case "node":
		var l nodeLine
		err = strict(b, &l)
		d.rec.Tree = append(d.rec.Tree, l.Node)

	// There is one design at most, which kind has checked.
	case "design":
		var l designLine
		err = strict(b, &l)
		d.rec.Design = &l.Design
	}
	if err != nil {
		return d.fail("%v", err)
	}

	// The fields of a header depend on the version, which is checked before the next line is read.
	if kind == "header" {
		return d.checkSchema()
	}
	return nil
}

// checkSchema checks that the version is one that is read, and that the header is of this version.
func (d *decoder) checkSchema() error {
	switch h := &d.rec.Header; {
	case h.Schema < oldest || h.Schema > Schema:
		return d.fail("schema %d: this version reads %d to %d", h.Schema, oldest, Schema)
	case h.Schema < RunSchema && h.Run != nil:
		return d.fail("field Run is not of schema %d", h.Schema)
	case h.Schema >= RunSchema && h.Run == nil:
		return d.fail("field Run is missing")
	}
	return nil
}

// end checks the last line, byte by byte, and that nothing follows.
func (d *decoder) end(b []byte) error {
	// The line is compared with the one that Write would write here, its line end included.
	want, err := json.Marshal(endLine{"end", d.line - 1, hex.EncodeToString(d.sum.Sum(nil))})
	if err != nil {
		return err
	}
	if !bytes.Equal(b, append(want, '\n')) {
		return d.fail("the check sum does not match: the file was altered")
	}
	if _, err := d.r.ReadByte(); !errors.Is(err, io.EOF) {
		return d.fail("something follows the last line")
	}
	return nil
}
