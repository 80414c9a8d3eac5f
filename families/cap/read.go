package cap

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// ErrFormat is wrapped by the errors of Read and Decode that say that the input is not an OR-Library file.
var ErrFormat = errors.New("not an OR-Library cap file")

// openCapacity is wrapped by the error for a file whose capacities are the word `capacity`, without a value for it.
var openCapacity = families.Missing{Option: "capacity", Example: "8000"}

// errUncapacitated is wrapped by the error for a file without capacities (the column is all zero, or the layout has
// none): it is an instance of the uncapacitated family.
var errUncapacitated error = families.Foreign("an instance without capacities")

// errOtherLayout is wrapped where the first word already says that the file is none.
var errOtherLayout = fmt.Errorf("%w%w", ErrFormat, families.Foreign(""))

// Read reads an OR-Library file, plain or packed. The capacity takes the place of the word `capacity` in the
// capacity column (capa, capb and capc); 0 for none, and then the error of such a file wraps a families.Missing. For a
// file that has no such word a capacity is an error that wraps families.ErrOptions. The name is taken from the path,
// with the capacity where it was needed. Every error names the file, and where it applies the line and the field on it,
// counted from 1.
func Read(path string, capacity float64) (*Instance, error) {
	f, err := fields.Open(path, "cap", ErrFormat)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := Decode(f, path, capacity)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ".txt")
	in.Name = base + strings.TrimPrefix(in.Name, path)
	return in, nil
}

// Decode reads an instance, plain or packed: `n m`, for each of the n facilities its capacity and fixed cost, and
// for each of the m clients its demand and the n costs of serving all of it. White space is free. The name stands
// for the input in errors, and is the name of the instance; where the capacity was needed, it is appended.
func Decode(r io.Reader, name string, capacity float64) (*Instance, error) {
	if !validNumber(capacity) {
		return nil, fmt.Errorf("cap: %s: %w: capacity %g", name, ErrInstance, capacity)
	}
	s, err := fields.New(r, name, "cap", ErrFormat)
	if err != nil {
		return nil, err
	}
	in := &Instance{Name: name}
	if err := in.decode(s, capacity); err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("cap: %s: %w: %w", name, ErrFormat, err)
	}
	return in, nil
}

func (in *Instance) decode(s *fields.Scanner, capacity float64) (err error) {
	if !s.Next() {
		return s.Fail("the file is empty")
	}
	if s.Text() == "FILE:" {
		return s.FailWith(errUncapacitated, "the simple UflLib layout has no capacities")
	}
	if _, err := strconv.ParseFloat(s.Text(), 64); err != nil {
		return s.FailWith(errOtherLayout, "want the number of facilities, have %s", s.Quoted())
	}
	if in.Facilities, err = s.Size("the number of facilities", maxDim); err != nil {
		return err
	}
	s.Next()
	if in.Clients, err = s.Size("the number of clients", maxDim); err != nil {
		return err
	}
	if err := in.decodeFacilities(s, capacity); err != nil {
		return err
	}
	for i := range in.Clients {
		d, err := s.NonNegative("the demand of client %d", i+1, 0)
		if err != nil {
			return err
		}
		in.Demand = append(in.Demand, d)
		for j := range in.Facilities {
			c, err := s.NonNegative("the cost of client %d at facility %d", i+1, j+1)
			if err != nil {
				return err
			}
			in.Cost = append(in.Cost, c)
		}
	}
	return s.End("the last cost")
}

// decodeFacilities reads the capacities and fixed costs. Nothing is allocated for the sizes of the header: it cannot
// ask for more memory than data follows.
func (in *Instance) decodeFacilities(s *fields.Scanner, capacity float64) error {
	some, open := false, false
	for j := range in.Facilities {
		v := capacity
		if s.Next() && s.Text() == "capacity" {
			if open = true; capacity == 0 {
				return s.FailWith(openCapacity, "facility %d has the word capacity, and no value was given for it", j+1)
			}
		} else {
			var err error
			if v, err = s.Number("the capacity of facility %d", j+1, 0); err != nil {
				return err
			}
			if v < 0 {
				return s.Fail("the capacity of facility %d is negative: %s", j+1, s.Quoted())
			}
		}
		some = some || v > 0
		f, err := s.NonNegative("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return err
		}
		in.Capacity, in.Fixed = append(in.Capacity, v), append(in.Fixed, f)
	}
	if !some {
		return s.FailWith(errUncapacitated, "every capacity is 0")
	}
	if capacity != 0 && !open {
		return fmt.Errorf("cap: %s: %w: the file has a capacity for every facility, and leaves none open for %g",
			in.Name, families.ErrOptions, capacity)
	}
	if open {
		in.Name += "_" + strconv.FormatFloat(capacity, 'f', -1, 64)
	}
	return nil
}
