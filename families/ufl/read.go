package ufl

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// ErrFormat is wrapped by the errors of Read and Decode that say that the input is not a UflLib file.
var ErrFormat = errors.New("not a UflLib file")

// errCapacitated is wrapped by the error for a file in the OR-Library layout with real capacities: it
// is an instance of the capacitated family.
var errCapacitated error = families.Foreign("a capacitated instance")

// errOtherLayout is wrapped where the first word already says that the file is none.
var errOtherLayout = fmt.Errorf("%w%w", ErrFormat, families.Foreign(""))

// Read reads a UflLib file in either layout, plain or packed, whichever its content says. A name that
// the file does not give is taken from the path. Every error names the file, and where it applies the
// line and the field on it, counted from 1.
func Read(path string) (*Instance, error) {
	f, err := fields.Open(path, "ufl", ErrFormat)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := Decode(f, path)
	if err != nil {
		return nil, err
	}
	if in.Name == path {
		in.Name = unpack.Plain(filepath.Base(path))
	}
	return in, nil
}

// Decode reads an instance in either UflLib layout, plain or packed. The name stands for the input in
// errors, and is the name of the instance if the input gives none.
//
// The simple layout is `FILE: name`, a line `n m 0`, and for each facility its number from 1, its fixed
// cost and its m assignment costs. The OR-Library layout is `n m`, for each facility a capacity (0, as
// there are none) and a fixed cost, and for each client a demand (ignored) and the n costs of serving
// it. White space is free in both after the first line.
func Decode(r io.Reader, name string) (*Instance, error) {
	t, err := fields.New(r, name, "ufl", ErrFormat)
	if err != nil {
		return nil, err
	}
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

func decode(t *fields.Scanner) (*Instance, error) {
	if !t.Next() {
		return nil, t.Fail("the file is empty")
	}
	if t.Text() == "FILE:" {
		return decodeSimple(t)
	}
	if _, err := strconv.Atoi(t.Text()); err != nil {
		return nil, t.FailWith(errOtherLayout, "want FILE: or the number of facilities, have %s", t.Quoted())
	}
	return decodeCap(t)
}

func decodeSimple(t *fields.Scanner) (*Instance, error) {
	in := &Instance{Name: t.RestOfLine()}
	if err := in.decodeSizes(t, true); err != nil {
		return nil, err
	}
	if zero, err := t.Want("the 0 that ends the line of sizes", 0, 0); err != nil {
		return nil, err
	} else if zero != 0 {
		return nil, t.Fail("want the 0 that ends the line of sizes, have %s", t.Quoted())
	}
	n, m := in.Facilities, in.Clients
	var columns []float64 // facility by facility
	start := t.Line()
	for j := range n {
		index, err := t.Want("the number of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		if index != float64(j+1) {
			return nil, t.Fail("want facility number %d, have %s (the facility before begins on line %d)", j+1, t.Quoted(),
				start)
		}
		start = t.Line()
		f, err := t.NonNegative("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		in.Fixed = append(in.Fixed, f)
		for i := range m {
			c, err := t.NonNegative("the cost of facility %d for client %d", j+1, i+1)
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
	return in, t.End("the last cost")
}

func decodeCap(t *fields.Scanner) (*Instance, error) {
	in := &Instance{}
	if err := in.decodeSizes(t, false); err != nil {
		return nil, err
	}
	for j := range in.Facilities {
		if t.Next() && t.Text() == "capacity" {
			return nil, t.FailWith(errCapacitated, "the capacity of facility %d is left open", j+1)
		}
		capacity, err := t.Number("the capacity of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		if capacity > 0 {
			return nil, t.FailWith(errCapacitated, "facility %d has capacity %s", j+1, t.Text())
		}
		if capacity < 0 {
			return nil, t.Fail("the capacity of facility %d is negative: %s", j+1, t.Quoted())
		}
		f, err := t.NonNegative("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		in.Fixed = append(in.Fixed, f)
	}
	for i := range in.Clients {
		if _, err := t.Want("the demand of client %d", i+1, 0); err != nil {
			return nil, err
		}
		for j := range in.Facilities {
			c, err := t.NonNegative("the cost of client %d at facility %d", i+1, j+1)
			if err != nil {
				return nil, err
			}
			in.Cost = append(in.Cost, c)
		}
	}
	return in, t.End("the last cost")
}

// decodeSizes reads the numbers of facilities and clients. In the cap layout the first of them has been
// read already. Nothing is allocated for them: a header cannot ask for more memory than data follows.
func (in *Instance) decodeSizes(t *fields.Scanner, fresh bool) (err error) {
	if fresh {
		t.Next()
	}
	if in.Facilities, err = t.Size("the number of facilities", maxDim); err != nil {
		return err
	}
	t.Next()
	in.Clients, err = t.Size("the number of clients", maxDim)
	return err
}
