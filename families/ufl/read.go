package ufl

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

// ErrFormat is wrapped by the errors of Read and Decode that say that the input is not a UflLib file.
var ErrFormat = errors.New("not a UflLib file")

// ErrCapacitated is wrapped by the error for a file in the OR-Library layout with real capacities: it
// is an instance of the capacitated family.
var ErrCapacitated = errors.New("a capacitated instance")

// Read reads a UflLib file in either layout, plain or gzipped, whichever its content says. A name that
// the file does not give is taken from the path. Every error names the file, and where it applies the
// line and the field on it, counted from 1.
func Read(path string) (*Instance, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ufl: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("ufl: %s: %w: it is a directory", path, ErrFormat)
	}
	in, err := Decode(f, path)
	if err != nil {
		return nil, err
	}
	if in.Name == path {
		in.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
	}
	return in, nil
}

// Decode reads an instance in either UflLib layout, plain or gzipped. The name stands for the input in
// errors, and is the name of the instance if the input gives none.
//
// The simple layout is `FILE: name`, a line `n m 0`, and for each facility its number from 1, its fixed
// cost and its m assignment costs. The OR-Library layout is `n m`, for each facility a capacity (0, as
// there are none) and a fixed cost, and for each client a demand (ignored) and the n costs of serving
// it. White space is free in both after the first line.
func Decode(r io.Reader, name string) (*Instance, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("ufl: %s: %w: %w", name, ErrFormat, err)
		}
		br = bufio.NewReaderSize(z, 1<<16)
	}
	t := &tokens{r: br, file: name, line: 1}
	in, err := decode(t)
	if err != nil {
		return nil, err
	}
	if in.Name == "" {
		in.Name = name
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("ufl: %s: %w: %w", name, ErrFormat, err)
	}
	return in, nil
}

func decode(t *tokens) (*Instance, error) {
	if !t.next() {
		return nil, t.fail("the file is empty")
	}
	if string(t.text) == "FILE:" {
		return decodeSimple(t)
	}
	if _, err := strconv.Atoi(string(t.text)); err != nil {
		return nil, t.fail("want FILE: or the number of facilities, have %s", t.quoted())
	}
	return decodeCap(t)
}

func decodeSimple(t *tokens) (*Instance, error) {
	in := &Instance{Name: t.restOfLine()}
	if err := in.decodeSizes(t, true); err != nil {
		return nil, err
	}
	if zero, err := t.want("the 0 that ends the line of sizes", 0, 0); err != nil {
		return nil, err
	} else if zero != 0 {
		return nil, t.fail("want the 0 that ends the line of sizes, have %s", t.quoted())
	}
	n, m := in.Facilities, in.Clients
	var columns []float64 // facility by facility
	start := t.line
	for j := range n {
		index, err := t.want("the number of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		if index != float64(j+1) {
			return nil, t.fail("want facility number %d, have %s (the facility before begins on line %d)", j+1, t.quoted(), start)
		}
		start = t.line
		f, err := t.cost("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		in.Fixed = append(in.Fixed, f)
		for i := range m {
			c, err := t.cost("the cost of facility %d for client %d", j+1, i+1)
			if err != nil {
				return nil, err
			}
			columns = append(columns, c)
		}
	}
	in.Cost = make([]float64, len(columns))
	for j := range n {
		for i, c := range columns[j*m : (j+1)*m] {
			in.Cost[i*n+j] = c
		}
	}
	return in, t.end()
}

func decodeCap(t *tokens) (*Instance, error) {
	in := &Instance{}
	if err := in.decodeSizes(t, false); err != nil {
		return nil, err
	}
	for j := range in.Facilities {
		if t.next() && string(t.text) == "capacity" {
			return nil, t.failWith(ErrCapacitated, "the capacity of facility %d is left open", j+1)
		}
		capacity, err := t.number("the capacity of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		if capacity > 0 {
			return nil, t.failWith(ErrCapacitated, "facility %d has capacity %s", j+1, t.text)
		}
		if capacity < 0 {
			return nil, t.fail("the capacity of facility %d is negative: %s", j+1, t.quoted())
		}
		f, err := t.cost("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		in.Fixed = append(in.Fixed, f)
	}
	for i := range in.Clients {
		if _, err := t.want("the demand of client %d", i+1, 0); err != nil {
			return nil, err
		}
		for j := range in.Facilities {
			c, err := t.cost("the cost of client %d at facility %d", i+1, j+1)
			if err != nil {
				return nil, err
			}
			in.Cost = append(in.Cost, c)
		}
	}
	return in, t.end()
}

// decodeSizes reads the numbers of facilities and clients. In the cap layout the first of them has been
// read already. Nothing is allocated for them: a header cannot ask for more memory than data follows.
func (in *Instance) decodeSizes(t *tokens, fresh bool) (err error) {
	if fresh {
		t.next()
	}
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

// restOfLine returns what follows the current token on its line, without the blanks around it.
func (t *tokens) restOfLine() string {
	if t.broke {
		return ""
	}
	s, err := t.r.ReadString('\n')
	if err != nil && err != io.EOF && t.err == nil {
		t.err = err
	}
	t.broke = err == nil
	return strings.TrimSpace(s)
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
		return fmt.Errorf("ufl: %s: line %d, field %d: %w: %w", t.file, t.line, t.field, ErrFormat, t.err)
	}
	return t.failWith(ErrFormat, format, args...)
}

func (t *tokens) failWith(sentinel error, format string, args ...any) error {
	return fmt.Errorf("ufl: %s: line %d, field %d: %w: %s", t.file, t.line, t.field, sentinel, fmt.Sprintf(format, args...))
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
