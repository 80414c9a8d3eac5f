package ufl

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// errFormat is wrapped by the errors of Read for an input that is not a UflLib file.
var errFormat = instance.FormatError("not a UflLib file")

// errCapacitated is wrapped by the error for a file in the OR-Library layout with real capacities: it
// is an instance of the capacitated family.
var errCapacitated error = families.Foreign("a capacitated instance")

// errOtherLayout is wrapped where the first word already shows that the file has another layout.
var errOtherLayout = fmt.Errorf("%w%w", errFormat, families.Foreign(""))

// Read reads a UflLib file in either layout, plain or packed; its content decides which. A file without a name is
// named by its path.
func Read(path string) (*Instance, error) {
	return instance.ReadText(path, name, errFormat, func(s *fields.Scanner) (*Instance, error) {
		return decode(s, path, unpack.Plain(filepath.Base(path)))
	})
}

// decode reads an instance in either UflLib layout. Errors name the path; called is the name of the instance if the
// input has none.
//
// The simple layout is `FILE: name`, a line `n m 0`, and for each facility its number from 1, its fixed cost and its m
// assignment costs. The other is OR-Library's, with capacities of 0 and demands without a meaning. White space is free
// in both after the first line.
func decode(t *fields.Scanner, path, called string) (in *Instance, err error) {
	if !t.Next() {
		return nil, t.Fail("the file is empty")
	}

	// The first word distinguishes the layouts.
	if t.Text() == "FILE:" {
		in, err = decodeSimple(t)
	} else if _, bad := strconv.Atoi(t.Text()); bad != nil {
		err = t.FailWith(errOtherLayout, "want FILE: or the number of facilities, have %s", t.Quoted())
	} else {
		in, err = decodeCap(t)
	}
	if err != nil {
		return nil, err
	}

	// Only the simple layout has a place for a name.
	if in.Name == "" {
		in.Name = called
	}
	return instance.Checked(in, "ufl: "+path, errFormat)
}

// decodeSimple reads the simple layout after its first word.
func decodeSimple(t *fields.Scanner) (*Instance, error) {
	in := &Instance{&location.Location{Name: t.RestOfLine()}}
	t.Next()
	n, err := t.Size("the number of facilities", instance.MaxDim)
	if err != nil {
		return nil, err
	}
	t.Next()
	m, err := t.Size("the number of clients", instance.MaxDim)
	if err != nil {
		return nil, err
	}
	if zero, err := t.Want("the 0 that ends the line of sizes", 0, 0); err != nil {
		return nil, err
	} else if zero != 0 {
		return nil, t.Fail("want the 0 that ends the line of sizes, have %s", t.Quoted())
	}

	// The costs come facility by facility. The line on which a facility begins is kept for errors, since a missing number
	// shows only at the next facility.
	var columns []float64
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

	// An instance has its costs client by client.
	in.Facilities = n
	in.Clients = m
	in.Cost = make([]float64, len(columns))
	for j := range n {
		for i, c := range columns[j*m : (j+1)*m] {
			in.Cost[i*n+j] = c
		}
	}
	return in, t.End("the last cost")
}

// decodeCap reads OR-Library's layout. A capacity above 0 makes the file one of the capacitated family.
func decodeCap(t *fields.Scanner) (*Instance, error) {
	data, err := location.DecodeFacilities(t, func(j int) (float64, error) {
		if t.Text() == "capacity" {
			return 0, t.FailWith(errCapacitated, "the capacity of facility %d is left open", j+1)
		}
		v, err := location.Capacity(t, j)
		if err == nil && v > 0 {
			err = t.FailWith(errCapacitated, "facility %d has capacity %s", j+1, t.Text())
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}

	// The demands have no meaning here.
	err = data.DecodeClients(t)
	data.Capacity = nil
	data.Demand = nil
	return &Instance{data}, err
}
