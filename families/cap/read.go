package cap

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// errFormat is wrapped by the errors of read for an input that is not an OR-Library file.
var errFormat = instance.FormatError("not an OR-Library cap file")

// openCapacity is wrapped by the error for a file whose capacities are the word `capacity`, without a value for it.
var openCapacity = families.Missing{Option: "capacity", Example: "8000"}

// errUncapacitated is wrapped by the error for a file without capacities (the column is all zero, or the layout has
// none): it is an instance of the uncapacitated family.
var errUncapacitated error = families.Foreign("an instance without capacities")

// errOtherLayout is wrapped where the first word already shows that the file has another layout.
var errOtherLayout = fmt.Errorf("%w%w", errFormat, families.Foreign(""))

// read reads an OR-Library file, plain or packed. The capacity replaces the word `capacity` in the capacity column
// (capa, capb and capc); 0 for none, and then the error of such a file wraps a families.Missing. For a file without
// that word a capacity is an error that wraps families.ErrOptions. The name is taken from the path, with the capacity
// if it was needed.
func read(path string, capacity float64) (*Instance, error) {
	return instance.ReadText(path, name, errFormat, func(s *fields.Scanner) (*Instance, error) {
		in, err := decode(s, path, capacity)

		// The name that decode gives is the path, with the capacity behind it if that was needed.
		if err == nil {
			in.Name = strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ".txt") + strings.TrimPrefix(in.Name, path)
		}
		return in, err
	})
}

// decode reads OR-Library's layout (see location.DecodeFacilities and DecodeClients). The path names the input in
// errors, and the instance; if the capacity was needed, it is appended to the name.
func decode(s *fields.Scanner, path string, capacity float64) (*Instance, error) {
	if !(capacity >= 0 && capacity <= math.MaxFloat64) {
		return nil, fmt.Errorf("cap: %s: %w: capacity %g", path, instance.ErrInstance, capacity)
	}

	// The first word distinguishes the layouts.
	if !s.Next() {
		return nil, s.Fail("the file is empty")
	}
	if s.Text() == "FILE:" {
		return nil, s.FailWith(errUncapacitated, "the simple UflLib layout has no capacities")
	}
	if _, err := strconv.ParseFloat(s.Text(), 64); err != nil {
		return nil, s.FailWith(errOtherLayout, "want the number of facilities, have %s", s.Quoted())
	}

	// Only a file that leaves a capacity open may be given one.
	open := false
	data, err := location.DecodeFacilities(s, func(j int) (float64, error) {
		if s.Text() != "capacity" {
			return location.Capacity(s, j)
		}
		if open = true; capacity == 0 {
			return 0, s.FailWith(openCapacity, "facility %d has the word capacity, and no value was given for it", j+1)
		}
		return capacity, nil
	})
	if err != nil {
		return nil, err
	}

	// An uncapacitated instance in this layout has a column of zeros.
	if slices.Max(data.Capacity) == 0 {
		return nil, s.FailWith(errUncapacitated, "every capacity is 0")
	}
	if capacity != 0 && !open {
		return nil, leftOpen(path, capacity)
	}
	if err := data.DecodeClients(s); err != nil {
		return nil, err
	}

	in := &Instance{data}
	if in.Name = path; open {
		in.Name += "_" + strconv.FormatFloat(capacity, 'f', -1, 64)
	}
	return instance.Checked(in, "cap: "+path, errFormat)
}

// leftOpen is the error of a capacity for a file that needs none.
func leftOpen(path string, capacity float64) error {
	return fmt.Errorf("cap: %s: %w: the file has a capacity for every facility, and leaves none open for %g", path,
		families.ErrOptions, capacity)
}
