package smps

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TwoStage returns the program as one of two stages: the first period, and below every node of the second period all
// that follows as one recourse. That is exact for any number of periods. The second-period nodes must have trees of one
// shape below them.
func (p *Program) TwoStage(o Options) (*stoch.Program, error) {
	nodes, err := p.tree(o)
	if err != nil {
		return nil, err
	}

	// Children are listed in the order of their numbers, so that positions are the same in every run.
	b := &builder{
		p:        p,
		nodes:    nodes,
		children: make([][]int32, len(nodes)),
	}
	for k := 1; k < len(nodes); k++ {
		b.children[nodes[k].parent] = append(b.children[nodes[k].parent], int32(k))
	}
	return b.build()
}

// builder makes a two-stage program of a tree. The nodes below a second-period node, that node included, have positions
// 0, 1, 2, ... in the order of below; each position has a copy of the rows and columns of its period in the skeleton.
// With three periods and two children of every node the skeleton has the first period, one copy of the second and two
// of the third.
type builder struct {
	p        *Program
	nodes    []node
	children [][]int32

	out *stoch.Program
	// shape is, by position, the position of the parent; -1 for position 0.
	shape []int32
	// order are the nodes below the second-period node at hand, by position.
	order []int32
	// span is, by position, its period and its first column in the skeleton.
	span [][2]int32
	// at is, by column of the core, its place within its period.
	at []int32
	// rowAt is, by position, the row of the skeleton for each row of the core; only rows of its period have one.
	rowAt [][]int32
	// share is, by position, the probability in the skeleton, given the second-period node.
	share []float64
}

// build makes the skeleton of the first second-period node, and scenarios of the differences of all from it.
func (b *builder) build() (*stoch.Program, error) {
	p := b.p
	b.out = &stoch.Program{Name: p.Name}
	for k, n := range b.children[0] {
		// The skeleton is that of the first second-period node.
		b.order = b.below(n, b.order[:0])
		shape := b.shapeOf()
		if k == 0 {
			b.shape = shape
			if err := b.skeleton(); err != nil {
				return nil, err
			}
		} else if !slices.Equal(b.shape, shape) {
			return nil, fmt.Errorf("smps: %w: the trees below %s and %s differ in shape, which is not supported",
				stoch.ErrProgram, b.nodes[b.children[0][0]].name, b.nodes[n].name)
		}
		b.out.Add(b.nodes[n].name, b.nodes[n].probability, b.changes()...)
	}
	return b.out, nil
}

// below lists a node and those below it, parents first.
func (b *builder) below(n int32, list []int32) []int32 {
	list = append(list, n)

	// A child comes with all nodes below it before the next child.
	for _, c := range b.children[n] {
		list = b.below(c, list)
	}
	return list
}

// shapeOf returns the position of the parent of each node of the order.
func (b *builder) shapeOf() []int32 {
	position := make(map[int32]int32, len(b.order))
	shape := make([]int32, len(b.order))
	for k, n := range b.order {
		// The parent of position 0 is the root, which has no position.
		position[n] = int32(k)
		shape[k] = -1
		if k > 0 {
			shape[k] = position[b.nodes[n].parent]
		}
	}
	return shape
}

// skeleton makes the core of the two-stage program: the first period with the root's changes, and a copy of the rows
// and columns of its period for every node below the first second-period node.
func (b *builder) skeleton() error {
	// A column keeps its place within its period in all copies.
	p := b.p
	core := p.Core
	b.at = make([]int32, len(core.Cols))
	size := make([]int32, len(p.Periods))
	for j, t := range p.ColPeriod {
		b.at[j] = size[t]
		size[t]++
	}

	// The first period, with the numbers of the root.
	root := stoch.Program{Core: core, Scenarios: []stoch.Scenario{{Changes: b.nodes[0].changes}}}
	first, err := root.Model(0)
	if err != nil {
		return prefixed(err)
	}
	m := &lp.Model{
		Name:      p.Name,
		Objective: core.Objective,
		Maximize:  core.Maximize,
		Offset:    core.Offset,
	}
	for j, t := range p.ColPeriod {
		if t == 0 {
			c := first.Cols[j]
			c.Name = core.ColName(lp.Var(j))
			m.AddCol(c)
		}
	}

	// Its rows are those of the first stage.
	b.out.Core = m
	b.out.First = len(m.Cols)
	rows := make([]int32, len(core.Rows))
	for i, t := range p.RowPeriod {
		if t == 0 {
			rows[i] = int32(m.AddRow(first.Rows[i], nil, nil))
		}
	}

	// A copy of the rows and columns of its period for every node. Costs are weighted by its probability, given the
	// second-period node.
	for k, n := range b.order {
		t := b.nodes[n].period
		b.share = append(b.share, b.nodes[n].probability/b.nodes[b.order[0]].probability)
		b.span = append(b.span, [2]int32{t, int32(len(m.Cols))})

		// Rows before columns: what the columns have in them is added at the end.
		own := make([]int32, len(core.Rows))
		for i, of := range p.RowPeriod {
			if of == t {
				r := core.Rows[i]
				r.Name = b.label(core.RowName(lp.Con(i)), k)
				own[i] = int32(m.AddRow(r, nil, nil))
			}
		}
		b.rowAt = append(b.rowAt, own)
		for j, of := range p.ColPeriod {
			if of == t {
				c := core.Cols[j]
				c.Name = b.label(core.ColName(lp.Var(j)), k)
				c.Cost *= b.share[k]
				m.AddCol(c)
			}
		}
	}

	// Every coefficient of the core is in all copies of its row.
	a, err := first.Matrix()
	if err != nil {
		return prefixed(err)
	}
	for j := range core.Cols {
		index, value := a.Vec(j)
		for e, i := range index {
			b.place(i, int32(j), func(row, col int32) { m.AddEntry(lp.Con(row), lp.Var(col), value[e]) }, rows)
		}
	}
	return nil
}

// label is the name of a copy.
func (b *builder) label(name string, position int) string {
	if len(b.order) == 1 {
		return name
	}

	// With several nodes each copy has the number of its position.
	return fmt.Sprintf("%s_%d", name, position+1)
}

// place calls put for every copy of a coefficient of the core. rows are those of the first stage.
func (b *builder) place(i, j int32, put func(row, col int32), rows []int32) {
	t := b.p.RowPeriod[i]
	if t == 0 {
		put(rows[i], b.at[j])
		return
	}

	// A row of a later period has a copy at every position of its period.
	for k := range b.order {
		if b.span[k][0] == t {
			put(b.rowAt[k][i], b.column(k, j))
		}
	}
}

// column returns the skeleton's copy of a column of the core for the rows at a position: the copy of this position or
// of a node above.
func (b *builder) column(position int, j int32) int32 {
	t := b.p.ColPeriod[j]
	if t == 0 {
		return b.at[j]
	}

	// The node above of the column's period is the one that decides about it.
	for b.span[position][0] > t {
		position = int(b.shape[position])
	}
	return b.span[position][1] + b.at[j]
}

// changes returns the differences of the scenario at hand from the skeleton.
func (b *builder) changes() []stoch.Change {
	var out []stoch.Change
	for k, n := range b.order {
		t := b.nodes[n].period
		share := b.nodes[n].probability / b.nodes[b.order[0]].probability

		// Costs of the skeleton have its weights. Where those of this scenario differ, all costs are changes.
		known := b.known(n, t)

		// A cost that no change names is weighted by the skeleton's probability, which is another one here.
		if share != b.share[k] {
			known = b.weighted(known, t)
		}

		// Rows and columns of the core become those of the copy.
		for _, c := range known {
			byRow := c.Kind != stoch.Cost && c.Kind != stoch.ColLower && c.Kind != stoch.ColUpper
			if c.Kind == stoch.Cost {
				c.Value *= share
			}
			if c.Kind == stoch.Entry || !byRow {
				c.Col = lp.Var(b.column(k, int32(c.Col)))
			}
			if byRow {
				c.Row = lp.Con(b.rowAt[k][c.Row])
			}
			out = append(out, c)
		}
	}
	return out
}

// known returns the numbers of a period that are set on the path to a node. The last node that sets one counts.
func (b *builder) known(n, period int32) []stoch.Change {
	// The path is followed upwards, so that what is known later stays and what is known earlier goes below it.
	var out []stoch.Change
	for ; n > 0; n = b.nodes[n].parent {
		var own []stoch.Change
		for _, c := range b.nodes[n].changes {
			// Numbers of later periods go on to the nodes of these.
			if b.p.needed(c) == period {
				own = append(own, c)
			}
		}
		out = merge(own, out)
	}
	return out
}

// weighted adds the costs of the period's columns that are not among the changes: their weight differs from the
// skeleton's.
func (b *builder) weighted(known []stoch.Change, period int32) []stoch.Change {
	var base []stoch.Change
	for j, t := range b.p.ColPeriod {
		// A cost of zero is zero with any weight.
		if c := b.p.Core.Cols[j].Cost; t == period && c != 0 {
			base = append(base, stoch.SetCost(lp.Var(int32(j)), c))
		}
	}
	return merge(base, known)
}
