package mcndp

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// Errors about the content of files: of a .dow file, of a .scen file.
var (
	errFormat    = instance.FormatError("not a .dow network design file")
	errScenarios = instance.FormatError("not a .scen file of demand scenarios")
)

// errOtherLayout is wrapped where the first word already says that the file is none.
var errOtherLayout error = families.Foreign("the first word is not " + title)

// title is the first line of a .dow file.
const title = "MULTIGEN.DAT:"

// stem is the name of a file without its folder and endings.
func stem(path, ext string) string {
	return strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ext)
}

// decodeNetwork reads a network, which other things may follow: the word MULTIGEN.DAT:, the numbers of nodes, arcs and
// commodities, for each arc its two ends, cost, capacity, fixed cost and two numbers that mean nothing here, and for
// each commodity its origin, destination and demand. Nodes are counted from 1. White space is free. The path stands for
// the input in errors.
func decodeNetwork(s *fields.Scanner, path string) (*Instance, error) {
	in := &Instance{Name: stem(path, ".dow")}
	if err := in.decode(s); err != nil {
		return nil, err
	}
	return instance.Checked(in, "mcndp: "+path, errFormat)
}

// decode fills the instance. Nothing is allocated for the sizes of the header: it cannot ask for more memory than data
// follows.
func (in *Instance) decode(s *fields.Scanner) (err error) {
	if !s.Next() {
		return s.Fail("the file is empty")
	}
	if s.Text() != title {
		return s.FailWith(errOtherLayout, "it is %s", s.Quoted())
	}

	var arcs, commodities int
	for _, size := range []struct {
		what string
		to   *int
	}{
		{"the number of nodes", &in.Nodes},
		{"the number of arcs", &arcs},
		{"the number of commodities", &commodities},
	} {
		s.Next()
		if *size.to, err = s.Size(size.what, maxDim); err != nil {
			return err
		}
	}
	for j := range arcs {
		if err := in.decodeArc(s, j); err != nil {
			return err
		}
	}

	// Demands are divided by: one that is next to nothing is refused.
	for i := range commodities {
		from, to, err := in.decodeEnds(s, "commodity", i)
		if err != nil {
			return err
		}
		d, err := s.NonNegative("the demand of commodity %d", i+1, 0)
		if err != nil {
			return err
		}
		if d < tooSmall {
			return s.Fail("the demand of commodity %d is not positive: %s", i+1, s.Quoted())
		}
		in.Origin = append(in.Origin, from)
		in.Destination = append(in.Destination, to)
		in.Demand = append(in.Demand, d)
	}
	return nil
}

// decodeArc reads arc j, from 0.
func (in *Instance) decodeArc(s *fields.Scanner, j int) error {
	from, to, err := in.decodeEnds(s, "arc", j)
	if err != nil {
		return err
	}

	// The lists grow with the arcs that have been read.
	in.Tail = append(in.Tail, from)
	in.Head = append(in.Head, to)

	// Its cost, capacity and fixed cost.
	for _, part := range []struct {
		format string
		to     *[]float64
	}{
		{"the cost of arc %d", &in.Cost},
		{"the capacity of arc %d", &in.Capacity},
		{"the fixed cost of arc %d", &in.Fixed},
	} {
		v, err := s.NonNegative(part.format, j+1, 0)
		if err != nil {
			return err
		}
		*part.to = append(*part.to, v)
	}

	// Two numbers more, whose meaning no description of the format gives.
	for k := range 2 {
		if _, err := s.Want("number %d of the two that end arc %d", k+1, j+1); err != nil {
			return err
		}
	}
	return nil
}

// decodeEnds reads the two ends of an arc or a commodity.
func (in *Instance) decodeEnds(s *fields.Scanner, what string, k int) (from, to int32, err error) {
	var ends [2]int

	// Nodes are numbers up to that in the first line.
	for e := range ends {
		s.Next()
		if ends[e], err = s.Size(fmt.Sprintf("the %s node of %s %d", [...]string{"first", "second"}[e], what, k+1),
			in.Nodes); err != nil {
			return 0, 0, err
		}
	}

	// Nodes are counted from 1 in the file.
	if ends[0] == ends[1] {
		return 0, 0, s.Fail("%s %d leads from node %d to itself", what, k+1, ends[0])
	}
	return int32(ends[0] - 1), int32(ends[1] - 1), nil
}
