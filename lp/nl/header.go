package nl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// header is what the first ten lines say.
type header struct {
	binary    bool
	options   []int // of the first line, which the .sol file repeats
	tolerance string

	columns, rows, objectives, logical int

	nonlinearNetwork int // nonlinear constraints on a network
	functions        int
	byteOrder        int // 1 little-endian, 2 big-endian, 0 that of this machine

	// Nonlinear columns: in rows, in objectives, in both.
	inRows, inObjectives, inBoth int

	// Integer columns: 0-1 and others among the linear ones, then among the nonlinear ones of each kind.
	binaries, integers                                       int
	integersInBoth, integersInRowsOnly, integersInObjectives int

	defined int // defined variables
}

// headerLines is the number of text lines that both layouts begin with.
const headerLines = 10

// parseHeader reads the first lines and returns the rest of the data.
func parseHeader(data []byte) (h header, rest []byte, bad *Error) {
	rest = data
	for k := range headerLines {
		line, after, found := bytes.Cut(rest, []byte{'\n'})
		if !found {
			return h, nil, &Error{Line: k + 1, Kind: ErrFormat, Msg: "the file ends within its first ten lines"}
		}
		rest = after
		text, _, _ := strings.Cut(string(line), "#")
		if err := h.line(k, strings.Fields(text)); err != nil {
			return h, nil, &Error{Line: k + 1, Kind: ErrFormat, Msg: err.Error()}
		}
	}

	// Memory is allocated for these counts. Each column and row takes at least a byte of the file, so that larger counts
	// are wrong.
	if max(h.columns, h.rows, h.objectives, h.defined) > len(data) {
		return h, nil, &Error{Line: 2, Kind: ErrFormat,
			Msg: fmt.Sprintf("%d columns, %d rows and %d objectives in a file of %d bytes", h.columns, h.rows,
				h.objectives, len(data))}
	}
	return h, rest, h.order()
}

// line reads line k of the header, from 0.
func (h *header) line(k int, fields []string) error {
	if k == 0 {
		return h.first(fields)
	}

	// All other lines are lists of counts; those at the end of a line may be missing.
	counts := make([]int, 8)
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 {
			return fmt.Errorf("%q is not a count", f)
		}
		if i < len(counts) {
			counts[i] = v
		}
	}
	switch k {
	case 1:
		h.columns = counts[0]
		h.rows = counts[1]
		h.objectives = counts[2]
		h.logical = counts[5]
	case 3:
		h.nonlinearNetwork = counts[0]
	case 4:
		h.inRows = counts[0]
		h.inObjectives = counts[1]
		h.inBoth = counts[2]
	case 5:
		h.functions = counts[1]
		h.byteOrder = counts[2]
	case 6:
		h.binaries = counts[0]
		h.integers = counts[1]
		h.integersInBoth = counts[2]
		h.integersInRowsOnly = counts[3]
		h.integersInObjectives = counts[4]
	case 9:
		for _, n := range counts[:5] {
			h.defined += n
		}
	}
	return nil
}

// first reads the first line: g or b, the number of options, the options.
func (h *header) first(fields []string) error {
	if len(fields) == 0 || fields[0][0] != 'g' && fields[0][0] != 'b' {
		return fmt.Errorf("a .nl file begins with g or b")
	}
	h.binary = fields[0][0] == 'b'

	// The number of options may follow the letter without a blank, or be missing.
	if count := fields[0][1:]; count != "" {
		fields = append([]string{count}, fields[1:]...)
	} else {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return nil
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil || n < 0 || n > 9 {
		return fmt.Errorf("%q is not a number of options", fields[0])
	}
	for k, f := range fields[1:] {
		// A tolerance may follow the options.
		if k == n {
			h.tolerance = f
			break
		}
		v, err := strconv.Atoi(f)
		if err != nil {
			return fmt.Errorf("option %q is not a whole number", f)
		}
		h.options = append(h.options, v)
	}
	return nil
}

// order checks that the counts of columns fit into each other.
func (h *header) order() *Error {
	nonlinear := max(h.inRows, h.inObjectives)
	onlyObjective := max(0, h.inObjectives-h.inRows)
	fits := h.inBoth <= min(h.inRows, h.inObjectives) || h.inBoth == 0
	fits = fits && h.integersInBoth <= h.inBoth && h.integersInRowsOnly <= h.inRows-h.inBoth
	if !fits || h.integersInObjectives > onlyObjective || nonlinear+h.binaries+h.integers > h.columns {
		return &Error{Line: 7, Kind: ErrFormat,
			Msg: fmt.Sprintf("the counts of integer and nonlinear columns do not fit %d columns", h.columns)}
	}
	return nil
}

// integer reports whether a column is integer, which its place says: columns in rows and objectives come first, then
// those in rows alone, then those in objectives alone, and the linear ones last; the integer columns of each kind are
// its last ones.
func (h *header) integer(j int) bool {
	last := func(from, to, n int) bool { return j >= max(from, to-n) && j < to }
	nonlinear := max(h.inRows, h.inObjectives)
	switch {
	case j < h.inBoth:
		return last(0, h.inBoth, h.integersInBoth)
	case j < h.inRows:
		return last(h.inBoth, h.inRows, h.integersInRowsOnly)
	case j < nonlinear:
		return last(h.inRows, h.inObjectives, h.integersInObjectives)
	}
	return last(nonlinear, h.columns, h.binaries+h.integers)
}
