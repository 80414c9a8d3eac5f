package prove

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// Bounder proves lower bounds on linear functions over the points of a mixed-integer program, each by a plain branch
// and bound tree whose leaves have dual multipliers. Its linear program stays warm from one function to the next. It
// is not safe for concurrent use.
type Bounder struct {
	p     *prover
	model *lp.Model

	// The row of the model that each row of a proof is a side of: i for its lower side, -1-i for its upper one.
	sides []int
}

// NewBounder returns a bounder of the points of a model, whose costs do not matter. maxNodes limits the nodes of a
// tree. The model must not be changed.
func NewBounder(m *lp.Model, maxNodes int) (*Bounder, error) {
	own := m.Clone()
	own.Offset = 0
	for j := range own.Cols {
		own.Cols[j].Cost = 0
	}

	// A subject without epigraphs and cuts: its tree is over the columns of the model.
	s := &Subject{Problem: &benders.Problem{Master: own}}
	o := benders.DefaultOptions()
	o.MaxNodes = maxNodes
	p, err := newProver(s, nil, benders.Nothing(benders.Unfinished), o)
	if err != nil {
		return nil, err
	}

	b := &Bounder{p: p, model: own, sides: make([]int, len(p.rows))}
	for i, side := range p.sides {
		if side.lower >= 0 {
			b.sides[side.lower] = i
		}
		if side.upper >= 0 {
			b.sides[side.upper] = -1 - i
		}
	}
	return b, nil
}

// Bound proves a lower bound on cost'x over the points of the model whose first columns are between lower and upper,
// nil for the bounds of the model. The search ends where it reaches the goal, or where a point shows that the bound
// cannot. The tree is in the form of record.Cut.Proof; it is nil, and the bound is -Inf, where nothing is proven, and
// the bound is +Inf where there is no such point. Without a context that ends, the result depends on the calls alone.
func (b *Bounder) Bound(ctx context.Context, cost, lower, upper []float64, goal float64) (tree []record.Node,
	bound float64, err error) {
	// A design is never known: the goal stands for its cost.
	p := b.p
	p.objective = goal
	p.nodes = 0
	p.unbounded = 0
	p.unresolved = false
	for j, c := range cost {
		if own := &b.p.s.Problem.Master.Cols[j].Cost; *own != c {
			*own = c
			p.lp.SetCost(lp.Var(j), p.shifted(j))
		}
	}

	// The box of the first columns, until the end.
	defer func() {
		for j := range lower {
			b.setBounds(j, b.model.Cols[j].Lower, b.model.Cols[j].Upper)
		}
	}()
	for j := range lower {
		b.setBounds(j, max(lower[j], b.model.Cols[j].Lower), min(upper[j], b.model.Cols[j].Upper))
	}

	if p.root, err = p.explore(ctx, 0, proof{bound: math.Inf(-1)}); err != nil {
		return nil, math.Inf(-1), err
	}
	tree, bound = p.proof()
	for k := range tree {
		b.number(&tree[k])
	}
	return tree, bound, nil
}

// setBounds sets the bounds of a column, rounded inward for an integer one.
func (b *Bounder) setBounds(j int, lower, upper float64) {
	if b.model.Cols[j].Integer {
		lower = math.Ceil(lower)
		upper = math.Floor(upper)
	}
	if lower != b.p.lower[j] || upper != b.p.upper[j] {
		b.p.setBounds(j, lower, upper)
	}
}

// number makes the rows of a leaf those of the model, with negative weights on upper sides. The weights of a tree are
// shared between nodes, so that they are copied.
func (b *Bounder) number(nd *record.Node) {
	nd.Weights = slices.Clone(nd.Weights)
	nd.Exact = slices.Clone(nd.Exact)
	for k, row := range nd.Rows {
		at := b.sides[-1-row]
		if at >= 0 {
			nd.Rows[k] = int32(at)
			continue
		}

		nd.Rows[k] = int32(-1 - at)
		nd.Weights[k] = -nd.Weights[k]
		if len(nd.Exact) > 0 && nd.Exact[k] != "" {
			nd.Exact[k] = "-" + nd.Exact[k]
		}
	}
}
