package nl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// Problem is a model as a .nl file holds it.
type Problem struct {
	Model *lp.Model

	Options    []int     // of the first line, which a .sol file repeats
	Tolerance  string    // behind them, "" for none
	Objectives int       // in the file; the model has one of them, or none
	Objective  int       // the one it has, from 1; 0 for none
	Start      []float64 // values to begin with, NaN for a column without one; nil for none
	Warnings   []string  // what was read and is not used
}

// ReadFile reads a file and the names in the files .col and .row beside it, where these are there. Objective is the
// number of the objective that the model gets, from 1, and 0 for none. A file without objectives has none in any case.
func ReadFile(path string, objective int) (*Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathless(path, err)
	}
	defer f.Close()
	p, err := Read(f, path, objective)
	if err != nil {
		return nil, err
	}

	// Names are for messages and files: a list of another length belongs to another model.
	stem := strings.TrimSuffix(unpack.Plain(path), ".nl")
	set := func(ending string, count int, name func(k int) *string) error {
		data, err := os.ReadFile(stem + ending)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		} else if err != nil {
			return pathless(stem+ending, err)
		}
		names := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
		if len(names) < count {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s%s: %d names for %d; none is used", stem, ending, len(names), count))
			return nil
		}
		for k := range count {
			*name(k) = strings.TrimRight(names[k], "\r")
		}
		return nil
	}
	m := p.Model
	return p, errors.Join(
		set(".col", len(m.Cols)-hidden(m), func(k int) *string { return &m.Cols[k].Name }),
		set(".row", p.rows(), func(k int) *string { return &m.Rows[k].Name }))
}

// hidden counts the columns that stand for special ordered sets.
func hidden(m *lp.Model) (n int) {
	for j := range m.Cols {
		if m.Cols[j].Hidden {
			n++
		}
	}
	return n
}

// rows is the number of rows of the file: those of special ordered sets come behind them.
func (p *Problem) rows() (n int) {
	for i := range p.Model.Rows {
		if !p.Model.Rows[i].Hidden {
			n++
		}
	}
	return n
}

// pathless names a file once in an error of the os package.
func pathless(path string, err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Read reads a file, plain or packed, with the given objective (see ReadFile). The name stands for the file in errors.
func Read(in io.Reader, name string, objective int) (*Problem, error) {
	data, err := unpack.All(in)
	if err != nil {
		return nil, pathless(name, err)
	}
	p, bad := parse(data, objective)
	if bad != nil {
		bad.File = name
		return nil, bad
	}
	return p, nil
}

// parse reads the header and all segments.
func parse(data []byte, objective int) (*Problem, *Error) {
	h, rest, bad := parseHeader(data)
	if bad != nil {
		return nil, bad
	}
	r := &reader{
		h:         h,
		objective: min(objective, h.objectives),
		defined:   map[int]affine{},
		sets:      map[int]int{},
		weight:    map[int]float64{},
	}
	if r.src, bad = newSource(&h, rest, len(data)-len(rest)); bad != nil {
		return nil, bad
	}

	// What no linear model has is refused before its segments are read.
	switch {
	case objective < 0 || objective > 1 && objective > h.objectives:
		return nil, &Error{Line: 2, Kind: ErrFormat, Msg: fmt.Sprintf("objective %d of %d", objective, h.objectives)}
	case h.logical > 0:
		return nil, &Error{Line: 2, Kind: ErrNonlinear, Msg: fmt.Sprintf("%d logical constraints", h.logical)}
	case h.nonlinearNetwork > 0:
		return nil, &Error{Line: 4, Kind: ErrNonlinear, Msg: "nonlinear constraints on a network"}
	}

	r.begin()
	for r.src.failed() == nil && r.refused == nil {
		key := r.src.key()
		if key == 0 {
			break
		}
		r.segment(key)
	}
	switch {
	case r.refused != nil:
		return nil, r.refused
	case r.src.failed() != nil:
		return nil, r.src.failed()
	}
	return r.finish()
}

// newSource returns the source of what is behind the header.
func newSource(h *header, rest []byte, from int) (source, *Error) {
	if !h.binary {
		return &textSource{data: rest, line: headerLines + 1}, nil
	}

	// 1 and 2 are the two orders of IEEE numbers; 0 is that of the machine that wrote the file.
	order := map[int]binary.ByteOrder{0: binary.NativeEndian, 1: binary.LittleEndian, 2: binary.BigEndian}[h.byteOrder]
	if order == nil {
		return nil, &Error{Line: 6, Kind: ErrFormat, Msg: fmt.Sprintf("arithmetic %d is not IEEE's", h.byteOrder)}
	}
	all := make([]byte, from+len(rest)) // offsets in messages are those in the file
	copy(all[from:], rest)
	return &binarySource{data: all, at: from, order: order}, nil
}

// reader makes a model of the segments.
type reader struct {
	h         header
	src       source
	objective int // the one that counts, from 1
	refused   *Error

	model   *lp.Model
	row     []affine       // of each row; the constant moves to the sides
	cost    affine         // of the objective
	start   []float64      // nil for none
	defined map[int]affine // defined variables by number

	sets     map[int]int     // number of the special ordered set of a column
	weight   map[int]float64 // of a column in its set
	warnings []string
}

// nonlinear refuses the model for what an owner does.
func (r *reader) nonlinear(owner, what string) {
	if r.refused == nil && r.src.failed() == nil {
		e := r.src.place()
		e.Field = owner
		e.Msg = what
		e.Kind = ErrNonlinear
		r.refused = &e
	}

	// Nothing behind it is read.
	r.src.fail(what)
}

// begin makes the columns and rows without bounds.
func (r *reader) begin() {
	r.model = &lp.Model{}
	for j := range r.h.columns {
		r.model.AddCol(lp.Col{Lower: math.Inf(-1), Upper: lp.Inf, Integer: r.h.integer(j)})
	}
	for range r.h.rows {
		r.model.AddRow(lp.Row{Lower: math.Inf(-1), Upper: lp.Inf}, nil, nil)
	}
	r.row = make([]affine, r.h.rows)
}

// index reads a number below a count.
func (r *reader) index(what string, count int) int {
	k := r.src.count()
	if k >= count {
		r.src.fail(fmt.Sprintf("%s %d of %d", what, k, count))
		return 0
	}
	return k
}

// segment reads one segment, which begins with the key.
func (r *reader) segment(key byte) {
	switch key {
	case 'C':
		if i := r.index("row", r.h.rows); r.src.failed() == nil {
			r.row[i] = r.row[i].plus(r.expression(r.rowName(i), 0))
		}
	case 'O':
		r.objectiveSegment()
	case 'V':
		r.definition()
	case 'J':
		if i := r.index("row", r.h.rows); r.src.failed() == nil {
			r.row[i].terms = append(r.row[i].terms, r.linear(r.h.columns)...)
		}
	case 'G':
		k := r.index("objective", r.h.objectives)
		if terms := r.linear(r.h.columns); k == r.objective-1 {
			r.cost.terms = append(r.cost.terms, terms...)
		}
	case 'b':
		for j := range r.model.Cols {
			if r.src.failed() != nil {
				return
			}
			c := &r.model.Cols[j]
			r.bound(fmt.Sprintf("column v%d", j), &c.Lower, &c.Upper)
		}
	case 'r':
		for i := range r.model.Rows {
			if r.src.failed() != nil {
				return
			}
			row := &r.model.Rows[i]
			r.bound(r.rowName(i), &row.Lower, &row.Upper)
		}
	case 'k', 'K':
		// The lengths of the columns, which nothing here needs. Of no column some tools write that there is one less.
		for range max(0, r.src.integer()) {
			if r.src.failed() != nil {
				return
			}
			r.src.integer()
		}
	case 'x':
		r.point()
	case 'd':
		r.pairs(r.h.rows, func(int, float64) {})
	case 'S':
		r.suffix()
	case 'L':
		r.nonlinear(fmt.Sprintf("logical constraint %d", r.src.count()), "is not linear")
	case 'F':
		r.function()
	default:
		r.src.fail(fmt.Sprintf("%q begins no segment", key))
	}
}

// rowName is the name of a row in messages: the files with the names are read last.
func (r *reader) rowName(i int) string { return fmt.Sprintf("row c%d", i) }

// function reads the declaration of an imported function. Only its use is refused: some tools declare all they have.
func (r *reader) function() {
	r.src.count()   // its number
	r.src.count()   // whether it takes texts
	r.src.integer() // its arguments
	r.src.text()
}

// objectiveSegment reads an objective: its number, its sense, its expression.
func (r *reader) objectiveSegment() {
	k := r.index("objective", r.h.objectives)
	sense := r.src.count()
	a := affine{}
	if owner := fmt.Sprintf("objective %d", k+1); k == r.objective-1 {
		a = r.expression(owner, 0)
		r.cost = r.cost.plus(a)
		r.model.Maximize = sense == 1
		return
	}

	// An objective that does not count may be anything; it is read past.
	other := &reader{h: r.h, src: r.src, defined: r.defined}
	other.expression("", 0)
	if other.refused != nil {
		r.refused = &Error{Line: other.refused.Line, Byte: other.refused.Byte, Kind: ErrNonlinear,
			Field: fmt.Sprintf("objective %d", k+1), Msg: other.refused.Msg}
	}
}

// definition reads a defined variable: its linear part and its expression.
func (r *reader) definition() {
	k := r.src.count()
	n := r.src.count()
	r.src.count() // where it is used
	var a affine
	for range n {
		if r.src.failed() != nil {
			return
		}
		// A defined variable may rest on those before it.
		j := r.src.count()
		v := r.src.number()
		a = a.plus(r.variable(fmt.Sprintf("defined variable v%d", k), j).times(v))
	}
	r.defined[k] = a.plus(r.expression(fmt.Sprintf("defined variable v%d", k), 0)).merged()
}

// linear reads a list of columns with coefficients.
func (r *reader) linear(columns int) (list []term) {
	r.pairs(columns, func(j int, v float64) { list = append(list, term{j, v}) })
	return list
}

// pairs reads a count and so many numbers with values.
func (r *reader) pairs(limit int, each func(k int, v float64)) {
	for range r.src.count() {
		k := r.index("entry", limit)
		v := r.src.number()
		if r.src.failed() != nil {
			return
		}
		each(k, v)
	}
}

// bound reads one line of the segments b and r.
func (r *reader) bound(owner string, lower, upper *float64) {
	switch kind := r.src.kind(); kind {
	case '0':
		*lower = r.src.number()
		*upper = r.src.number()
	case '1':
		*upper = r.src.number()
	case '2':
		*lower = r.src.number()
	case '3':
	case '4':
		*lower = r.src.number()
		*upper = *lower
	case '5':
		r.nonlinear(owner, "has a complementarity condition")
	default:
		r.src.fail(fmt.Sprintf("%s: bound of kind %q", owner, kind))
	}
}

// point reads the values to begin with.
func (r *reader) point() {
	r.start = make([]float64, r.h.columns)
	for j := range r.start {
		r.start[j] = math.NaN()
	}
	r.pairs(r.h.columns, func(j int, v float64) { r.start[j] = v })
}

// Bits of the kind of a suffix.
const (
	suffixOf   = 3 // 0 columns, 1 rows, 2 objectives, 3 the problem
	suffixReal = 4
)

// suffix reads a suffix: special ordered sets count, others are for other solvers.
func (r *reader) suffix() {
	kind := r.src.count()
	n := r.src.count()
	name := r.src.text()
	limit := []int{r.h.columns, r.h.rows, r.h.objectives, 1}[kind&suffixOf]
	for range n {
		k := r.index("entry", limit)
		v := 0.0
		if kind&suffixReal != 0 {
			v = r.src.number()
		} else {
			v = float64(r.src.integer())
		}
		switch {
		case r.src.failed() != nil:
			return
		case kind&suffixOf != 0:
		case name == "sosno":
			r.sets[k] = int(v)
		case name == "ref":
			r.weight[k] = v
		}
	}
	if kind&suffixOf != 0 || name != "sosno" && name != "ref" {
		if text := fmt.Sprintf("suffix %s is not used", name); !slices.Contains(r.warnings, text) {
			r.warnings = append(r.warnings, text)
		}
	}
}
