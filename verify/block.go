package verify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/record"
)

// A cut on the cost of one epigraph, or a derived row, says that a linear function of the columns of a block is at
// least some value. The block of an epigraph is the mixed-integer program of the columns of the first stage and its
// own, with the rows that only these appear in. A tree over its boxes proves the statement: at each leaf weights on
// rows give a lower bound by weak duality, as at a leaf of the proof of a run.

// statement is sum_j cost_j x_j >= bound for every point of a block, or, with empty, that the sum is positive wherever
// it is to show that there is no such point.
type statement struct {
	epigraph int
	cost     map[int]*num
	bound    *num
	derived  int // derived rows up to this one, and without it, may be used
}

// blocks of the model that are proven by trees.
type blockProof struct {
	*model
	*statement
	traversal
}

// byTree proves a statement about the points of a block, within a box of first-stage columns.
func (p *model) byTree(st *statement, tree []record.Node, box []record.Domain) error {
	if p.boxLower == nil {
		p.openBox()
	}

	// The box is that of the model again afterwards, whatever the proof says.
	defer func() {
		for _, d := range box {
			j := p.columns[d.Column]
			p.boxLower[j], p.boxUpper[j] = p.extended(j)
		}
	}()
	for _, d := range box {
		j := p.columns[d.Column]
		p.boxLower[j] = max(p.boxLower[j], float64(d.Lower))
		p.boxUpper[j] = min(p.boxUpper[j], float64(d.Upper))
	}

	b := &blockProof{model: p, statement: st, traversal: traversal{
		tree:    tree,
		integer: p.Integer,
		lower:   p.boxLower,
		upper:   p.boxUpper,
	}}
	err := b.leaves(context.Background(), b.leaf)

	// A traversal that ends in the middle leaves its splits behind.
	for _, s := range b.splits {
		j := tree[s.node].Split
		p.boxLower[j], p.boxUpper[j] = p.extended(j)
	}
	return err
}

// openBox makes the box of all columns.
func (p *model) openBox() {
	p.boxLower = make([]float64, len(p.Cost))
	p.boxUpper = make([]float64, len(p.Cost))
	for j := range p.Cost {
		p.boxLower[j], p.boxUpper[j] = p.extended(j)
	}
}

// extended are the bounds of a column, implied ones where it has none.
func (p *model) extended(j int) (lower, upper float64) {
	lower, upper = p.bounds(j)
	if math.IsInf(lower, -1) && p.low[j] != nil {
		lower, _ = p.low[j].Float64() // implied bounds are float64
	}
	if math.IsInf(upper, 1) && p.high[j] != nil {
		upper, _ = p.high[j].Float64()
	}
	return lower, upper
}

// leaf proves the statement in the present box.
func (b *blockProof) leaf(nd *record.Node) error {
	if b.empty() {
		return nil
	}
	if len(nd.Rows) != len(nd.Weights) {
		return fmt.Errorf("%d rows but %d weights", len(nd.Rows), len(nd.Weights))
	}
	weights, err := exactNumbers(nd.Weights, nd.Exact)
	if err != nil {
		return err
	}
	digits := 0
	for _, text := range nd.Exact {
		digits += len(text)
	}
	if digits > maxDigits {
		return fmt.Errorf("fractions of %d digits", digits)
	}

	// A leaf without points is proven by weights on the zero function.
	reduced := make(map[int]*num)
	value := of(0)
	if !nd.Infeasible {
		for j, v := range b.cost {
			reduced[j] = v.clone()
		}
		value.sub(b.bound)
	}

	// The weighted rows leave the costs, and their weighted sides add up.
	for k, row := range nd.Rows {
		if err := b.subtract(int(row), weights[k], value, reduced); err != nil {
			return err
		}
	}
	for j, d := range reduced {
		if !value.addLeast(d, b.lower[j], b.upper[j]) {
			return unboundedError(j, d)
		}
	}
	switch {
	case nd.Infeasible && value.sign() <= 0:
		return errors.New("the weights do not prove that the leaf is empty")
	case !nd.Infeasible && value.sign() < 0:
		return fmt.Errorf("it exceeds what the leaf proves by up to %g", -value.float())
	}
	return nil
}

// subtract subtracts a weighted row of the model, or a derived one, from the reduced costs and adds its weighted side
// to the value.
func (b *blockProof) subtract(row int, weight *num, value *num, reduced map[int]*num) error {
	sign := weight.sign()
	if sign == 0 {
		return nil
	}
	take := func(j int, v float64) {
		if reduced[j] == nil {
			reduced[j] = of(0)
		}
		reduced[j].sub(times(weight, of(v)))
	}

	// A derived row has a lower side alone.
	if k := row - len(b.block); k >= 0 {
		if k >= b.derived || b.Derived[k].Block != b.epigraph || sign < 0 {
			return fmt.Errorf("derived row %d has the weight %g but no part in the proof", k, weight.float())
		}
		d := &b.Derived[k]
		for i, j := range d.Index {
			take(int(j), d.Value[i])
		}
		value.add(times(weight, of(d.Lower)))
		return nil
	}

	// Rows of the first stage hold for every design; those of other epigraphs are about other columns.
	if row < 0 || b.block[row] >= 0 && b.block[row] != b.epigraph {
		return fmt.Errorf("row %d has a weight but no part in the epigraph", row)
	}
	side := float64(b.RowLower[row])
	if sign < 0 {
		side = float64(b.RowUpper[row])
	}
	if math.IsInf(side, 0) {
		return fmt.Errorf("row %d has a weight of the sign of its infinite side", row)
	}
	for k := b.Start[row]; k < b.Start[row+1]; k++ {
		take(int(b.Index[k]), b.Value[k])
	}
	value.add(times(weight, of(side)))
	return nil
}

// deriveRows proves the derived rows, one after the other.
func (p *model) deriveRows() error {
	for k := range p.Derived {
		d := &p.Derived[k]
		if d.Block < 0 || d.Block >= p.parts || !finite(d.Lower) {
			return fmt.Errorf("derived row %d: epigraph %d, side %g", k, d.Block, d.Lower)
		}
		if err := sparseVector(d.Index, d.Value, len(p.Cost)); err != nil {
			return fmt.Errorf("derived row %d: %w", k, err)
		}

		st := &statement{epigraph: d.Block, cost: make(map[int]*num), bound: of(d.Lower), derived: k}
		for i, j := range d.Index {
			st.cost[int(j)] = of(d.Value[i])
		}
		if err := p.byTree(st, d.Proof, nil); err != nil {
			return fmt.Errorf("derived row %d: its proof: %w", k, err)
		}
	}
	return nil
}

// checkTree proves a cut that has a tree as its proof.
func (p *model) checkTree(c *record.Cut) error {
	if len(c.Certificate) > 0 || len(c.Exact) > 0 {
		return errors.New("a certificate beside a tree")
	}

	// The tree is about one epigraph.
	e := c.Theta
	switch {
	case c.Feasibility:
		e = c.Case
	case e == record.AllEpigraphs && p.parts == 1:
		e = 0
	}
	if e < 0 || e >= p.parts {
		return fmt.Errorf("a tree of the epigraph %d", e)
	}
	if err := p.checkBox(c.Box); err != nil {
		return err
	}

	// The cut says that the costs of the epigraph less its slopes are at least its constant.
	slopes, err := exactNumbers(c.Beta, c.Slopes)
	if err != nil {
		return err
	}
	st := &statement{epigraph: e, cost: make(map[int]*num), bound: of(c.Alpha), derived: len(p.Derived)}
	for k, j := range c.Index {
		st.cost[p.columns[j]] = of(0).sub(slopes[k])
	}
	if !c.Feasibility {
		for _, j := range p.ofBlock(e) {
			st.cost[j] = of(p.Cost[j])
		}
	}
	if err := p.byTree(st, c.Proof, c.Box); err != nil {
		return fmt.Errorf("its proof: %w", err)
	}
	return nil
}

// ofBlock lists the recourse columns of an epigraph.
func (p *model) ofBlock(e int) []int {
	if p.members == nil {
		p.members = make([][]int, p.parts)
		for j := range p.Cost {
			if !p.First[j] {
				p.members[p.Block[j]] = append(p.members[p.Block[j]], j)
			}
		}
	}
	return p.members[e]
}

// checkBox checks that each column of a box is one of the first stage, once, and its bounds are numbers.
func (p *model) checkBox(box []record.Domain) error {
	seen := make(map[int]bool, len(box))
	for _, d := range box {
		inside := d.Column >= 0 && d.Column < len(p.columns)
		lower, upper := float64(d.Lower), float64(d.Upper)
		numbers := !math.IsNaN(lower) && !math.IsNaN(upper)
		if !inside || seen[d.Column] || !numbers {
			return fmt.Errorf("a box of column %d from %g to %g", d.Column, lower, upper)
		}
		seen[d.Column] = true
	}
	return nil
}
