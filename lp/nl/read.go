package nl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
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

	m := p.Model
	stem := strings.TrimSuffix(unpack.Plain(path), ".nl")
	err = errors.Join(
		p.readNames(stem+".col", len(m.Cols)-hidden(m), func(k int) *string { return &m.Cols[k].Name }),
		p.readNames(stem+".row", p.rows(), func(k int) *string { return &m.Rows[k].Name }))
	return p, err
}

// readNames reads a file with a name a line, if it is there. A list that is too short belongs to another model, and is
// not used.
func (p *Problem) readNames(path string, count int, name func(k int) *string) error {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return pathless(path, err)
	}

	names := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	if len(names) < count {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d names for %d; none is used", path, len(names), count))
		return nil
	}
	for k := range count {
		*name(k) = strings.TrimRight(names[k], "\r")
	}
	return nil
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
	if r.src, bad = newSource(&h, data, len(data)-len(rest)); bad != nil {
		return nil, bad
	}

	// The header already shows some things that no linear model has.
	switch {
	case objective < 0 || objective > 1 && objective > h.objectives:
		return nil, &Error{Line: 2, Kind: ErrFormat,
			Msg: fmt.Sprintf("objective %d is asked for, and there are %d", objective, h.objectives)}
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

// newSource returns the source of what is behind the header, which ends at a byte of the data.
func newSource(h *header, data []byte, end int) (source, *Error) {
	if !h.binary {
		return &textSource{data: data, at: end, line: headerLines + 1}, nil
	}

	// 1 and 2 are the two orders of IEEE numbers; 0 is that of the machine that wrote the file.
	order := map[int]binary.ByteOrder{0: binary.NativeEndian, 1: binary.LittleEndian, 2: binary.BigEndian}[h.byteOrder]
	if order == nil {
		return nil, &Error{Line: 6, Kind: ErrFormat, Msg: fmt.Sprintf("arithmetic %d is not IEEE's", h.byteOrder)}
	}
	return &binarySource{data: data, at: end, order: order}, nil
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

// nonlinear refuses the model: an owner has something that is not linear.
func (r *reader) nonlinear(own owner, what string) {
	if r.refused == nil && r.src.failed() == nil {
		e := r.src.place()
		e.Field = own.String()
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

// owner is the row, objective or variable of an expression or a bound. Messages have its number, since files with names
// are read last.
type owner struct {
	what   string // such as "row c"
	number int
}

// String is such as "row c3".
func (o owner) String() string { return o.what + strconv.Itoa(o.number) }

// ownerRow returns the owner that row i is.
func ownerRow(i int) owner { return owner{"row c", i} }

// index reads a number below a limit.
func (r *reader) index(what string, limit int) int {
	k := count(r.src)
	if k >= limit {
		r.src.fail(fmt.Sprintf("%s number %d, counted from 0, where the header says that there are %d", what, k, limit))
		return 0
	}
	return k
}

// segment reads one segment, which begins with the key.
func (r *reader) segment(key byte) {
	switch key {
	// These segments have expressions and linear parts.
	case 'C':
		if i := r.index("row", r.h.rows); r.src.failed() == nil {
			r.row[i].add(r.expression(ownerRow(i), 0), 1)
		}
	case 'J':
		if i := r.index("row", r.h.rows); r.src.failed() == nil {
			r.row[i].terms = append(r.row[i].terms, r.linear()...)
		}
	case 'O':
		r.objectiveSegment()
	case 'G':
		k := r.index("objective", r.h.objectives)
		if terms := r.linear(); k == r.objective-1 {
			r.cost.terms = append(r.cost.terms, terms...)
		}
	case 'V':
		r.definition()

	// These are the bounds and the values to begin with; dual values are not used.
	case 'b', 'r':
		r.bounds(key)
	case 'x':
		r.point()
	case 'd':
		r.pairs(r.h.rows, func(int, float64) {})

	// These do not change the model, except for special ordered sets among the suffixes.
	case 'k', 'K':
		r.lengths()
	case 'S':
		r.suffix()
	case 'F':
		r.function()
	case 'L':
		r.nonlinear(owner{"logical constraint ", count(r.src)}, "is not linear")
	default:
		r.src.fail(fmt.Sprintf("%q begins no segment", key))
	}
}

// bounds reads the segment of the columns (b) or that of the rows (r).
func (r *reader) bounds(key byte) {
	if key == 'b' {
		for j := range r.model.Cols {
			c := &r.model.Cols[j]
			r.bound(owner{"column v", j}, &c.Lower, &c.Upper)
		}
		return
	}
	for i := range r.model.Rows {
		row := &r.model.Rows[i]
		r.bound(ownerRow(i), &row.Lower, &row.Upper)
	}
}

// lengths reads past the lengths of the columns, which nothing here needs. There is one less than columns, so that some
// tools write -1 where there is no column.
func (r *reader) lengths() {
	for range max(0, r.src.integer()) {
		if r.src.integer(); r.src.failed() != nil {
			return
		}
	}
}

// function reads the declaration of an imported function. Only its use is refused: some tools declare all they have.
func (r *reader) function() {
	count(r.src)    // its number
	count(r.src)    // whether it takes texts
	r.src.integer() // its arguments
	r.src.text()
}

// objectiveSegment reads an objective: its number, its sense, its expression.
func (r *reader) objectiveSegment() {
	k := r.index("objective", r.h.objectives)
	sense := count(r.src)
	a := r.expression(owner{"objective ", k + 1}, 0)

	// The model has one of the objectives; the others are read past.
	if k == r.objective-1 {
		r.cost.add(a, 1)
		r.model.Maximize = sense == 1
	}
}

// definition reads a defined variable: its linear part and its expression.
func (r *reader) definition() {
	k := count(r.src)
	n := count(r.src)
	count(r.src) // where it is used

	// A defined variable may rest on those before it.
	var a affine
	own := owner{"defined variable v", k}
	for range n {
		j := count(r.src)
		v := r.src.number()
		if r.src.failed() != nil {
			return
		}
		a.add(r.variable(own, j), v)
	}
	a.add(r.expression(own, 0), 1)
	r.defined[k] = a.merged()
}

// linear reads a list of columns with coefficients.
func (r *reader) linear() (list []term) {
	r.pairs(r.h.columns, func(j int, v float64) { list = append(list, term{j, v}) })
	return list
}

// pairs reads a list of numbers below a limit, each with a value. The length of the list comes first.
func (r *reader) pairs(limit int, each func(k int, v float64)) {
	for range count(r.src) {
		k := r.index("entry", limit)
		v := r.src.number()
		if r.src.failed() != nil {
			return
		}
		each(k, v)
	}
}

// bound reads one line of the segments b and r.
func (r *reader) bound(own owner, lower, upper *float64) {
	if r.src.failed() != nil {
		return
	}
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
		r.nonlinear(own, "has a complementarity condition")
	default:
		r.src.fail(fmt.Sprintf("%s: bound of kind %q", own, kind))
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
	kind := count(r.src)
	n := count(r.src)
	name := r.src.text()
	ofColumns := kind&suffixOf == 0
	limit := []int{r.h.columns, r.h.rows, r.h.objectives, 1}[kind&suffixOf]

	// The values are read past also where the suffix is not used.
	for range n {
		k := r.index("entry", limit)
		v := 0.0
		if kind&suffixReal != 0 {
			v = r.src.number()
		} else {
			v = float64(r.src.integer())
		}
		if r.src.failed() != nil {
			return
		}

		switch {
		case ofColumns && name == "sosno":
			r.sets[k] = int(v)
		case ofColumns && name == "ref":
			r.weight[k] = v
		}
	}

	// Several suffixes may have the same name, of columns and of rows.
	text := fmt.Sprintf("suffix %s is not used", name)
	used := ofColumns && (name == "sosno" || name == "ref")
	if !used && !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}
