package cflp

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrFormat is wrapped by the errors of Read and Decode that say that the input is not an OR-Library file.
var ErrFormat = errors.New("not an OR-Library cap file")

// ErrUncapacitated is wrapped by the error for a file without capacities (the column is all zero, or the layout has
// none): it is an instance of the uncapacitated family.
var ErrUncapacitated = errors.New("an instance without capacities")

// ErrOpenCapacity is wrapped by the error for a file that leaves the capacity open, as capa, capb and capc do.
var ErrOpenCapacity = errors.New("the capacity is left open")

// Read reads an OR-Library file, plain or gzipped. The capacity takes the place of the word `capacity` in the
// capacity column (capa, capb and capc); 0 for none. The name is taken from the path, with the capacity where it was
// needed. Every error names the file, and where it applies the line and the field on it, counted from 1.
func Read(path string, capacity float64) (*Instance, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cflp: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("cflp: %s: %w: it is a directory", path, ErrFormat)
	}
	in, err := Decode(f, path, capacity)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".txt")
	in.Name = base + strings.TrimPrefix(in.Name, path)
	return in, nil
}

// Decode reads an instance, plain or gzipped: `n m`, for each of the n facilities its capacity and fixed cost, and
// for each of the m clients its demand and the n costs of serving all of it. White space is free. The name stands
// for the input in errors, and is the name of the instance; where the capacity was needed, it is appended.
func Decode(r io.Reader, name string, capacity float64) (*Instance, error) {
	if !validNumber(capacity) {
		return nil, fmt.Errorf("cflp: %s: %w: capacity %g", name, ErrInstance, capacity)
	}
	br := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("cflp: %s: %w: %w", name, ErrFormat, err)
		}
		br = bufio.NewReaderSize(z, 1<<16)
	}
	t := &tokens{r: br, file: name, line: 1}
	in := &Instance{Name: name}
	if err := in.decode(t, capacity); err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("cflp: %s: %w: %w", name, ErrFormat, err)
	}
	return in, nil
}

func (in *Instance) decode(t *tokens, capacity float64) error {
	if !t.next() {
		return t.fail("the file is empty")
	}
	if string(t.text) == "FILE:" {
		return t.failWith(ErrUncapacitated, "the simple UflLib layout has no capacities")
	}
	if err := in.decodeSizes(t); err != nil {
		return err
	}
	if err := in.decodeFacilities(t, capacity); err != nil {
		return err
	}
	for i := range in.Clients {
		d, err := t.cost("the demand of client %d", i+1, 0)
		if err != nil {
			return err
		}
		in.Demand = append(in.Demand, d)
		for j := range in.Facilities {
			c, err := t.cost("the cost of client %d at facility %d", i+1, j+1)
			if err != nil {
				return err
			}
			in.Cost = append(in.Cost, c)
		}
	}
	return t.end()
}

// decodeFacilities reads the capacities and fixed costs.
func (in *Instance) decodeFacilities(t *tokens, capacity float64) error {
	some, open := false, false
	for j := range in.Facilities {
		s := capacity
		if t.next() && string(t.text) == "capacity" {
			if open = true; capacity == 0 {
				return t.failWith(ErrOpenCapacity, "facility %d has the word capacity and no value was given for it", j+1)
			}
		} else {
			v, err := t.number("the capacity of facility %d", j+1, 0)
			if err != nil {
				return err
			}
			if s = v; v < 0 {
				return t.fail("the capacity of facility %d is negative: %s", j+1, t.quoted())
			}
		}
		some = some || s > 0
		f, err := t.cost("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return err
		}
		in.Capacity, in.Fixed = append(in.Capacity, s), append(in.Fixed, f)
	}
	if !some {
		return t.failWith(ErrUncapacitated, "every capacity is 0")
	}
	if open {
		in.Name += "_" + strconv.FormatFloat(capacity, 'g', -1, 64)
	}
	return nil
}

// decodeSizes reads the numbers of facilities and clients; the first of them is the current token. Nothing is allocated for them: a header cannot ask for more memory than data follows.
func (in *Instance) decodeSizes(t *tokens) (err error) {
	if in.Facilities, err = t.size("the number of facilities"); err != nil {
		return err
	}
	t.next()
	in.Clients, err = t.size("the number of clients")
	return err
}

// tokens splits the input at white space and knows where it is.
type tokens struct {
	r     *bufio.Reader
	file  string
	text  []byte // the current token; empty at the end
	line  int    // of the current token
	field int
	broke bool // a line break was consumed after the current token
	err   error
}

// next moves to the next token and reports whether there is one.
func (t *tokens) next() bool {
	t.text = t.text[:0]
	if t.broke {
		t.line, t.field, t.broke = t.line+1, 0, false
	}
	for {
		b, err := t.r.ReadByte()
		if err != nil {
			if err != io.EOF && t.err == nil {
				t.err = err
			}
			break
		}
		if b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			t.text = append(t.text, b)
			continue
		}
		if len(t.text) > 0 {
			t.broke = b == '\n'
			break
		}
		if b == '\n' {
			t.line, t.field = t.line+1, 0
		}
	}
	t.field++
	return len(t.text) > 0
}

func (t *tokens) quoted() string {
	const most = 24
	if len(t.text) > most {
		return strconv.Quote(string(t.text[:most])) + "..."
	}
	return strconv.Quote(string(t.text))
}

func (t *tokens) fail(format string, args ...any) error {
	if t.err != nil {
		return fmt.Errorf("cflp: %s: line %d, field %d: %w: %w", t.file, t.line, t.field, ErrFormat, t.err)
	}
	return t.failWith(ErrFormat, format, args...)
}

func (t *tokens) failWith(sentinel error, format string, args ...any) error {
	return fmt.Errorf("cflp: %s: line %d, field %d: %w: %s", t.file, t.line, t.field, sentinel, fmt.Sprintf(format, args...))
}

// want moves on and returns the finite number there. The format with the %d in it filled from a and b
// says what it should be; it is used only when it is not.
func (t *tokens) want(format string, a, b int) (float64, error) {
	t.next()
	return t.number(format, a, b)
}

// cost is want for a number that must not be negative.
func (t *tokens) cost(format string, a, b int) (float64, error) {
	v, err := t.want(format, a, b)
	if err == nil && v < 0 {
		return 0, t.fail("%s is negative: %s", describe(format, a, b), t.quoted())
	}
	return v, err
}

// number returns the current token as a finite decimal number.
func (t *tokens) number(format string, a, b int) (float64, error) {
	if len(t.text) == 0 {
		return 0, t.fail("the file ends before %s", describe(format, a, b))
	}
	decimal := true
	for _, b := range t.text {
		decimal = decimal && (b >= '0' && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E')
	}
	if decimal {
		if v, err := strconv.ParseFloat(string(t.text), 64); err == nil {
			return v, nil
		}
	}
	return 0, t.fail("want %s, have %s", describe(format, a, b), t.quoted())
}

func describe(format string, a, b int) string {
	args := []any{a, b}
	return fmt.Sprintf(format, args[:strings.Count(format, "%d")]...)
}

// size returns the current token as a positive dimension.
func (t *tokens) size(what string) (int, error) {
	if len(t.text) == 0 {
		return 0, t.fail("the file ends before %s", what)
	}
	v, err := strconv.Atoi(string(t.text))
	if err != nil || v < 1 || v > maxDim {
		return 0, t.fail("want %s, have %s", what, t.quoted())
	}
	return v, nil
}

// end makes sure that nothing follows.
func (t *tokens) end() error {
	if t.next() {
		return t.fail("text after the last cost: %s", t.quoted())
	}
	if t.err != nil {
		return t.fail("")
	}
	return nil
}
