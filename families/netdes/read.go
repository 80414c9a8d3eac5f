package netdes

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/unpack"
)

// errFormat is wrapped by the errors of Read about the content of a file.
var errFormat = instance.FormatError("not a .dat file of stochastic network design")

// errOtherLayout is wrapped where the first lines are those of another layout.
var errOtherLayout error = families.Foreign("no line with a + begins the data")

// read reads a file, plain or packed. The name is taken from the path. Every error names the file, and where it
// applies the line and the entry on it. warn is called with what had to be interpreted; it may be nil.
func read(path string, warn func(string)) (*Instance, error) {
	r, err := instance.ReadText(path, name, errFormat, func(s *fields.Scanner) (*reader, error) { return decode(s, path) })
	if err != nil {
		return nil, err
	}
	if r.loops > 0 && warn != nil {
		warn(fmt.Sprintf("%s: arcs from a node to itself can carry nothing: %d are left out", path, r.loops))
	}

	// The file has no place for a name, so it has that of the path.
	d := r.d
	d.Name = strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ".dat")
	d.Scenarios, err = instance.WeighScenarios(d.Scenarios, probability, path, warn)
	if err != nil {
		return nil, err
	}
	in, err := newInstance(d)
	if err != nil {
		return nil, fmt.Errorf("netdes: %s: %w: %w", path, errFormat, err)
	}
	return in, nil
}

// maxLine is how many bytes a line of numbers may have in addition to what its numbers need.
const maxLine = 1 << 16

// maxPreamble is how many lines may come before the data.
const maxPreamble = 200

// reader reads lines of numbers between commas and semicolons.
type reader struct {
	s *fields.Scanner
	d *Data
	// loops counts the arcs from a node to itself, which are left out.
	loops int
}

// decode reads the data: after a line that begins with + the number of nodes, two numbers that mean
// nothing here, the adjacency matrix, the fixed costs, the number of scenarios and their probabilities, a line
// --Scenarios--, and for every scenario unit costs, capacities and demands, each on a line, and a line that ends it.
// Commas part the entries of a row, semicolons the rows. The path stands for the input in errors. The probabilities are
// as they are. An arc from a node to itself, which can only cost, is left out.
func decode(s *fields.Scanner, path string) (*reader, error) {
	// Until the file has been read the instance has the path as its name, for errors.
	in := &reader{s: s, d: &Data{Name: path}}
	if err := in.preamble(); err != nil {
		return nil, err
	}
	return in, in.body()
}

// preamble passes over the lines up to the one that begins with +.
func (r *reader) preamble() error {
	for range maxPreamble {
		if !r.s.Next() {
			break
		}

		// What stands in the lines does not matter.
		last := strings.HasPrefix(r.s.Text(), "+")
		r.s.RestOfLine()
		if last {
			return nil
		}
	}
	return r.s.FailWith(errOtherLayout, "the first %d lines have none", maxPreamble)
}

// body reads what follows the preamble.
func (r *reader) body() (err error) {
	d := r.d
	r.s.Next()
	if d.Nodes, err = r.s.Size("the number of nodes", maxNodes); err != nil {
		return err
	}
	if d.Density, err = r.s.Want("the density", 0, 0); err != nil {
		return err
	}
	if d.Ratio, err = r.s.Want("the ratio of costs", 0, 0); err != nil {
		return err
	}

	// An entry of 1 is an arc from the node of the row to the node of the column.
	matrix, err := r.numbers("the adjacency matrix", d.Nodes, d.Nodes)
	if err != nil {
		return err
	}
	for k, a := range matrix {
		v, w := k/d.Nodes, k%d.Nodes
		switch {
		case a == 1 && v == w:
			r.loops++
		case a == 1:
			d.Tail = append(d.Tail, int32(v))
			d.Head = append(d.Head, int32(w))
		case a != 0:
			return r.s.Fail("the adjacency matrix: row %d, entry %d: it is %g: 1 stands for an arc, 0 for none", v+1, w+1, a)
		}
	}
	if d.Fixed, err = r.ofArcs("the fixed costs"); err != nil {
		return err
	}

	// All probabilities come before the scenarios.
	r.s.Next()
	count, err := r.s.Size("the number of scenarios", 1<<24)
	if err != nil {
		return err
	}
	probability, err := r.numbers("the probabilities", 1, count)
	if err != nil {
		return err
	}
	if err := r.mark("--Scenarios--", "the scenarios"); err != nil {
		return err
	}
	for k, p := range probability {
		if p < 0 || p > 1 {
			return fmt.Errorf("netdes: %s: %w: the probability of scenario %d is %g", d.Name, errFormat, k+1, p)
		}
		if err := r.scenario(k, p); err != nil {
			return err
		}
	}
	return r.s.End("the last scenario")
}

// mark reads a line that begins with a text.
func (r *reader) mark(begin, what string) error {
	if !r.s.Next() || !strings.HasPrefix(r.s.Text(), begin) {
		return r.s.Fail("want the line %s that marks %s, have %s", begin, what, r.s.Quoted())
	}

	// What follows on the line is a remark.
	r.s.RestOfLine()
	return nil
}

// scenario reads the three lines of scenario k and the line that ends it.
func (r *reader) scenario(k int, probability float64) (err error) {
	s := Scenario{Probability: probability}
	if s.Cost, err = r.ofArcs(fmt.Sprintf("the costs of scenario %d", k+1)); err != nil {
		return err
	}

	// The three lines come in this order.
	if s.Capacity, err = r.ofArcs(fmt.Sprintf("the capacities of scenario %d", k+1)); err != nil {
		return err
	}
	if s.Demand, err = r.numbers(fmt.Sprintf("the demands of scenario %d", k+1), 1, r.d.Nodes); err != nil {
		return err
	}
	r.d.Scenarios = append(r.d.Scenarios, s)
	return r.mark("---", fmt.Sprintf("the end of scenario %d", k+1))
}

// ofArcs reads a matrix and keeps its entries where there is an arc. They must not be negative.
func (r *reader) ofArcs(what string) ([]float64, error) {
	n := r.d.Nodes
	matrix, err := r.numbers(what, n, n)
	if err != nil {
		return nil, err
	}

	out := make([]float64, r.d.arcs())
	for e := range out {
		// What the matrix has where there is no arc means nothing.
		v, w := int(r.d.Tail[e]), int(r.d.Head[e])
		out[e] = matrix[v*n+w]
		if out[e] < 0 || out[e] >= tooLarge {
			return nil, r.s.Fail("%s: row %d, entry %d: it is %g", what, v+1, w+1, out[e])
		}
	}
	return out, nil
}

// numbers reads a matrix of the given size from the next line that is not empty, and returns it row by row. Rows and
// entries are counted from 1 in errors.
func (r *reader) numbers(what string, rows, n int) (out []float64, err error) {
	// A number and the comma behind it are much shorter than this in any file. A line of other sizes is an error of its
	// own, which must not be hidden by its length.
	const entry = 64 // bytes
	if !r.s.NextLine(maxLine + entry*rows*n) {
		return nil, r.s.Fail("the file ends before %s", what)
	}
	list := strings.Split(r.s.Text(), ";")
	if len(list) != rows {
		return nil, r.s.Fail("%s: %d rows, want %d", what, len(list), rows)
	}

	// The numbers of rows and entries are checked before anything is made for them: a line cannot ask for more memory
	// than it has text.
	for v, row := range list {
		entries := strings.Split(row, ",")
		if len(entries) != n {
			return nil, r.s.Fail("%s: row %d: %d entries, want %d", what, v+1, len(entries), n)
		}
		for w, entry := range entries {
			// Go reads hexadecimal numbers and digits with underscores; the format has neither. a - a is 0 for finite
			// numbers only.
			entry = strings.TrimSpace(entry)
			a, err := strconv.ParseFloat(entry, 64)
			if err != nil || a-a != 0 || strings.ContainsAny(entry, "xXpP_") {
				return nil, r.s.Fail("%s: row %d, entry %d: want a number, have %.24q", what, v+1, w+1, entry)
			}
			out = append(out, a)
		}
	}
	return out, nil
}
