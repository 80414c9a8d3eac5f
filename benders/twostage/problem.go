package twostage

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
)

// Errors that the package wraps.
var (
	// ErrProblem is about the model, the choice of the first stage, or a point or prediction of a wrong length.
	ErrProblem = errors.New("unusable two-stage model")
	// ErrUnbounded is about a recourse, or a linear relaxation, whose cost has no lower bound.
	ErrUnbounded = decompose.ErrUnbounded
	// ErrCertificate is about multipliers that could not be made dual feasible, or whose cut has a number that overflows.
	ErrCertificate = errors.New("invalid certificate")
	// ErrOptions is about options, patterns of column names and numbers of components.
	ErrOptions = errors.New("invalid options")
)

// Options steer how a model becomes a two-stage problem. The zero value is the default.
type Options struct {
	Single bool // one epigraph for the whole recourse, not one a component
}

// Problem is a two-stage program. It is read-only after New and may be shared; its solvers are Exact and
// Certifier.
type Problem struct {
	Name     string
	Compact  *lp.Model // the whole program, minimised: the first-stage columns, then the recourse columns
	Columns  []int32   // the column of the model given to New that each column of Compact was
	First    int       // first-stage columns
	Maximize bool      // the model given was a maximisation: the costs and the offset are negated

	master  *lp.Model   // the first-stage columns and the rows without recourse columns
	rows    *lp.Matrix  // of Compact, by rows
	parts   []component // in the order of their first columns
	groups  [][]int     // components of each epigraph
	partOf  []int32     // component of each column of Compact, -1 in the first stage
	implied implied     // bounds that Compact does not state and its rows imply
}

// component is a part of the recourse that shares no row and no column with the others.
type component struct {
	rows, cols []int32   // of Compact, ascending
	link       []int     // positions in rows of those with a first-stage column
	at         []segment // of each row, its first-stage part
	recourse   []segment // of each row, its recourse part, Index counting within cols
	columns    []segment // of each column, Index counting within rows
	first      []segment // of each first-stage column of touches, Index counting within rows
	touches    []int32   // first-stage columns in these rows, in the order in which the rows have them
}

// segment is a sparse vector: entry index[k] is value[k]. No index comes twice.
type segment struct {
	index []int32
	value []float64
}

// append adds an entry with an index that the vector does not have yet.
func (s *segment) append(i int32, v float64) {
	s.index, s.value = append(s.index, i), append(s.value, v)
}

// dot returns the product with a dense vector.
func (s *segment) dot(x []float64) float64 {
	v := 0.0
	for k, i := range s.index {
		v += s.value[k] * x[i]
	}
	return v
}

// New splits a model into a first stage, the given columns, and the recourse. A nil first takes the integer columns.
// Every integer column must be in the first stage. Recourse columns without rows join it.
func New(m *lp.Model, first []lp.Var, o Options) (*Problem, error) {
	if err := cmp.Or(m.Validate(), m.RowsOnly()); err != nil {
		return nil, prefixed(err)
	}
	// The columns of the first stage: those that are named, or by default the integer ones.
	inFirst := make([]bool, len(m.Cols))
	for j := range inFirst {
		inFirst[j] = first == nil && m.Cols[j].Integer
	}
	for _, v := range first {
		if v < 0 || int(v) >= len(m.Cols) {
			return nil, fmt.Errorf("twostage: %w: first-stage column %d of a model with %d", ErrProblem, v, len(m.Cols))
		}
		inFirst[v] = true
	}
	a, err := m.Matrix()
	if err != nil {
		return nil, prefixed(err)
	}

	// First-stage columns come first. A column without rows has the same value under every design, so it joins them. An
	// integer column of the recourse would have no linear-programming dual, and thus no cut.
	p := &Problem{Name: m.Name, Maximize: m.Maximize}
	chosen := 0
	var rest []int32
	for j := range m.Cols {
		switch index, _ := a.Vec(j); {
		case inFirst[j]:
			p.Columns = append(p.Columns, int32(j))
			chosen++
		case m.Cols[j].Integer:
			return nil, fmt.Errorf("twostage: %w: column %s is integer but not in the first stage", ErrProblem,
				m.ColName(lp.Var(j)))
		case len(index) == 0:
			p.Columns = append(p.Columns, int32(j))
		default:
			rest = append(rest, int32(j))
		}
	}
	if chosen == 0 {
		return nil, fmt.Errorf("twostage: %w: no column is in the first stage; name them, or mark them as integer",
			ErrProblem)
	}
	if len(rest) == 0 {
		return nil, fmt.Errorf("twostage: %w: every column is in the first stage, there is no recourse", ErrProblem)
	}

	// Components need the order of the columns, and implied bounds the matrix by rows.
	p.First = len(p.Columns)
	p.Columns = append(p.Columns, rest...)
	if err := p.reorder(m, a); err != nil {
		return nil, err
	}
	p.split(o)
	p.implied = deriveBounds(p.Compact, p.rows)
	return p, nil
}

// reorder builds Compact, as a minimisation, and the master.
func (p *Problem) reorder(m *lp.Model, a *lp.Matrix) error {
	// Compact is the model with its columns in the order of the stages.
	sign := pick(m.Maximize, -1, 1)
	c := &lp.Model{
		Name:      m.Name,
		Objective: m.Objective,
		Offset:    sign * m.Offset,
		Rows:      slices.Clone(m.Rows),
	}
	c.Grow(m.NumEntries())
	for _, j := range p.Columns {
		// Names are made explicit, since the default name of a column is its number and that changes.
		col := m.Cols[j]
		col.Name = m.ColName(lp.Var(j))
		col.Cost *= sign
		k := c.AddCol(col)
		index, value := a.Vec(int(j))
		for t, i := range index {
			// A stored zero would link components that are independent.
			if value[t] != 0 {
				c.AddEntry(lp.Con(i), k, value[t])
			}
		}
	}
	p.Compact = c
	b, err := c.Matrix()
	if err != nil {
		return prefixed(err)
	}
	p.rows = b.Transpose()

	// The master has the first-stage columns, and the rows that have no others.
	p.master = &lp.Model{
		Name:      m.Name,
		Objective: m.Objective,
		Offset:    c.Offset,
		Cols:      slices.Clone(c.Cols[:p.First]),
	}
	for i := range c.Rows {
		if index, value := p.rows.Vec(i); len(index) == 0 || int(index[len(index)-1]) < p.First {
			p.master.AddRow(c.Rows[i], index, value)
		}
	}
	return nil
}

// firstStage returns a copy of the first-stage model.
func (p *Problem) firstStage() *lp.Model { return p.master.Clone() }

// Epigraphs returns the number of epigraph columns.
func (p *Problem) Epigraphs() int { return len(p.groups) }

// Components returns the number of independent parts of the recourse.
func (p *Problem) Components() int { return len(p.parts) }

// Aggregated returns the same problem with one epigraph for the whole recourse.
func (p *Problem) Aggregated() *Problem {
	// The copy shares the components with p; only their grouping is new.
	q := *p
	all := make([]int, len(p.parts))
	for k := range all {
		all[k] = k
	}
	q.groups = [][]int{all}
	return &q
}

// lower is the lower bound of column j that a certificate may price: that of the model or, where it has none, that
// which its rows imply. It is -Inf where there is neither.
func (p *Problem) lower(j int32) float64 {
	if l := p.Compact.Cols[j].Lower; !math.IsInf(l, -1) {
		return l
	}
	return p.implied.lower[j]
}

// upper is the upper bound of column j that a certificate may price.
func (p *Problem) upper(j int32) float64 {
	if u := p.Compact.Cols[j].Upper; !math.IsInf(u, 1) {
		return u
	}
	return p.implied.upper[j]
}

// split finds the components of the recourse: the connected parts of the graph whose nodes are the recourse columns,
// joined where a row that is not free has both.
func (p *Problem) split(o Options) {
	// A forest of parents (union and find), in which the root of a component is its first column.
	n := len(p.Compact.Cols)
	parent := make([]int32, n)
	for j := range parent {
		parent[j] = int32(j)
	}
	find := func(j int32) int32 { // the root of j; paths are halved on the way
		for parent[j] != j {
			parent[j] = parent[parent[j]]
			j = parent[j]
		}
		return j
	}

	// The last column of a row is of the recourse if any is, since first-stage columns come first and the columns of a
	// row ascend. Rows without a finite side join nothing.
	last := func(i int) int32 { // a recourse column of row i, or -1
		if index, _ := p.rows.Vec(i); len(index) > 0 && int(index[len(index)-1]) >= p.First && !p.freeRow(i) {
			return index[len(index)-1]
		}
		return -1
	}
	for i := range p.Compact.Rows {
		if r := last(i); r >= 0 {
			index, _ := p.rows.Vec(i)
			for _, j := range index {
				if int(j) >= p.First {
					// The smaller index becomes the root, so that a root is the first column of its component.
					a, b := find(j), find(r)
					parent[max(a, b)] = min(a, b)
				}
			}
		}
	}

	// Components are numbered by their first columns; columns and rows are listed in ascending order.
	p.partOf = slices.Repeat([]int32{-1}, n)
	for j := p.First; j < n; j++ {
		root := find(int32(j))
		if int(root) == j {
			p.partOf[j] = int32(len(p.parts))
			p.parts = append(p.parts, component{})
		}
		p.partOf[j] = p.partOf[root] // a root comes before its other columns, so that it has its number
		c := &p.parts[p.partOf[j]]
		c.cols = append(c.cols, int32(j))
	}
	for i := range p.Compact.Rows {
		if r := last(i); r >= 0 {
			c := &p.parts[p.partOf[r]]
			c.rows = append(c.rows, int32(i))
		}
	}

	// The matrices of the components. Each has its own epigraph, unless there is one for all of them.
	for k := range p.parts {
		p.fill(&p.parts[k])
		p.groups = append(p.groups, []int{k})
	}
	if o.Single {
		p.groups = p.Aggregated().groups
	}
}

// freeRow reports whether row i has no finite side.
func (p *Problem) freeRow(i int) bool {
	r := &p.Compact.Rows[i]
	return math.IsInf(r.Lower, -1) && math.IsInf(r.Upper, 1)
}

// fill builds the matrices of a component from its rows and columns.
func (p *Problem) fill(c *component) {
	// Columns are numbered within the component.
	local := make(map[int32]int32, len(c.cols))
	for k, j := range c.cols {
		local[j] = int32(k)
	}
	c.columns = make([]segment, len(c.cols))
	c.at = make([]segment, len(c.rows))
	c.recourse = make([]segment, len(c.rows))

	// Each row is divided into its recourse part, also kept by columns, and its first-stage part, also kept by the
	// columns that it touches.
	position := map[int32]int{} // of a first-stage column in touches
	var first []segment
	for k, i := range c.rows {
		index, value := p.rows.Vec(int(i))
		for t, j := range index {
			if int(j) >= p.First {
				c.recourse[k].append(local[j], value[t])
				c.columns[local[j]].append(int32(k), value[t])
				continue
			}
			c.at[k].append(j, value[t])
			// A first-stage column that no earlier row of the component has is added to touches.
			at, ok := position[j]
			if !ok {
				at = len(first)
				position[j] = at
				first = append(first, segment{})
				c.touches = append(c.touches, j)
			}
			first[at].append(int32(k), value[t])
		}
		if len(c.at[k].index) > 0 {
			c.link = append(c.link, k)
		}
	}
	c.first = first
}

// RecourseRows reports for every row whether it is part of the recourse.
func (p *Problem) RecourseRows() []bool {
	// All other rows are of the first stage, or have no finite side.
	out := make([]bool, len(p.Compact.Rows))
	for k := range p.parts {
		for _, i := range p.parts[k].rows {
			out[i] = true
		}
	}
	return out
}
