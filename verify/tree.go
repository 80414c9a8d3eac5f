package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/record"
)

// bound walks through the proof tree and proves the claimed bound.
func (c *checker) bound(ctx context.Context, progress func(string, int, int)) error {
	claim := float64(c.r.Header.Bound)
	if math.IsNaN(claim) {
		return failure(1, "the bound is not a number")
	}

	// Without a tree nothing is proven, which a bound of minus infinity claims.
	if len(c.r.Tree) == 0 {
		if !math.IsInf(claim, -1) {
			return failure(1, "a bound of %g without a proof tree", claim)
		}
		return nil
	}

	// The box begins as that of the first stage.
	w := &walk{checker: c, claim: claim, traversal: traversal{
		tree:    c.r.Tree,
		integer: c.stage.integer,
		lower:   slices.Clone(c.stage.lower),
		upper:   slices.Clone(c.stage.upper),
	}}
	err := w.leaves(ctx, func(nd *record.Node) error {
		progress("nodes", w.next, len(c.r.Tree))
		return w.leaf(nd)
	})
	var at *nodeError
	if errors.As(err, &at) {
		return failure(c.nodeLine(at.node), "%v", at.err)
	}
	if err != nil {
		return err
	}

	// Without a leaf that holds a design there is none.
	c.report.Bound = math.Inf(1)
	if w.least != nil {
		c.report.Bound = roundDown(w.least.rat())
	}
	return nil
}

// walk is a traversal of the tree of a record.
type walk struct {
	*checker
	traversal
	claim float64

	// The least bound of the leaves, nil while all of them are empty.
	least *num
}

// leaf proves one leaf.
func (w *walk) leaf(nd *record.Node) error {
	w.report.Leaves++
	// A box without a point needs no proof.
	for j := range w.lower {
		if w.lower[j] > w.upper[j] {
			return nil // there is no such design
		}
	}

	v, err := w.lagrangian(nd)
	if err != nil {
		return fmt.Errorf("leaf %d: %v", w.report.Leaves-1, err)
	}

	// An empty leaf is proven by a positive value of the zero objective.
	switch {
	case nd.Infeasible:
		if v.sign() <= 0 {
			return fmt.Errorf("leaf %d: the weights do not prove that it is empty (%g)", w.report.Leaves-1, v.float())
		}
		return nil
	case math.IsInf(w.claim, 1) || !math.IsInf(w.claim, -1) && v.cmp(of(w.claim)) < 0:
		// Every leaf must reach the claimed bound, which for an infinite claim none can.
		return fmt.Errorf("leaf %d: its bound is %.17g, below the claimed %.17g", w.report.Leaves-1, v.float(), w.claim)
	}

	// What is proven in all is the least of the bounds.
	if w.least == nil || v.cmp(w.least) < 0 {
		w.least = v
	}
	return nil
}

// lagrangian returns the least value in the box of the objective (of zero, if the leaf is to be empty) less the
// weighted rows, plus their weighted sides. No point of the box that satisfies the rows has a lower objective.
func (w *walk) lagrangian(nd *record.Node) (*num, error) {
	// The lengths and the number of digits are checked before anything is computed.
	if len(nd.Rows) != len(nd.Weights) {
		return nil, fmt.Errorf("%d rows but %d weights", len(nd.Rows), len(nd.Weights))
	}
	weights, err := exactNumbers(nd.Weights, nd.Exact)
	if err != nil {
		return nil, err
	}
	if n := w.digits(nd); n > maxDigits {
		return nil, fmt.Errorf("fractions of %d digits", n)
	}

	// The objective: the costs of the columns, and each epigraph once.
	reduced := make([]num, len(w.stage.cost))
	theta := make([]num, w.p.epigraphs())
	value := of(0)
	if !nd.Infeasible {
		value.add(of(w.stage.offset))
		for j := range reduced {
			reduced[j].add(of(w.stage.cost[j]))
		}
		for k := range theta {
			theta[k].add(of(1))
		}
	}

	// Rows with weights that are not negative are relaxed into the objective.
	for k, row := range nd.Rows {
		if weights[k].sign() < 0 {
			return nil, fmt.Errorf("a weight of %g", weights[k].float())
		}
		if err := w.subtract(row, weights[k], value, reduced, theta); err != nil {
			return nil, err
		}
	}

	// The box and the proven bounds of the epigraphs limit the least value.
	// The least value of every column over its bounds, and of every epigraph over its proven one.
	for j := range reduced {
		if !value.addLeast(&reduced[j], w.lower[j], w.upper[j]) {
			return nil, unboundedError(j, &reduced[j])
		}
	}
	for k := range theta {
		// Without a lower bound on the epigraph a positive reduced cost has no least value.
		switch s := theta[k].sign(); {
		case s < 0 || s > 0 && w.theta[k] == nil:
			return nil, fmt.Errorf("epigraph %d has the reduced cost %g and no bound", k, theta[k].float())
		case s > 0:
			value.add(times(&theta[k], w.theta[k]))
		}
	}
	return value, nil
}

// subtract subtracts a weighted row from the reduced costs and adds its weighted side to the value. A negative number
// is that of a row of the master, -1 the first; others are numbers of cuts.
func (w *walk) subtract(row int32, weight *num, value *num, reduced, theta []num) error {
	// The weighted row is subtracted from the costs, and its weighted side added to the value.
	if row < 0 {
		r := int(-1 - row)
		if r >= len(w.r.Rows) {
			return fmt.Errorf("there is no row %d", r)
		}
		m := &w.r.Rows[r]
		value.add(times(weight, of(m.Lower)))
		for k, j := range m.Index {
			reduced[j].sub(times(weight, of(m.Value[k])))
		}
		return nil
	}

	// Cuts are numbered from 0.
	if int(row) >= len(w.r.Cuts) {
		return fmt.Errorf("there is no cut %d", row)
	}
	c := &w.r.Cuts[row]
	if !w.inside(c.Box) {
		return fmt.Errorf("cut %d does not hold in all of its box", row)
	}
	slopes, err := exactNumbers(c.Beta, c.Slopes)
	if err != nil {
		return err
	}

	// A cut theta >= alpha + beta'y is theta - beta'y >= alpha.
	value.add(times(weight, of(c.Alpha)))
	for k, j := range c.Index {
		reduced[j].add(times(weight, slopes[k]))
	}

	// A feasibility cut has no epigraph.
	if c.Feasibility {
		return nil
	}

	// A cut on the sum of all epigraphs has each of them with the coefficient 1.
	for k := range theta {
		if c.Theta == record.AllEpigraphs || c.Theta == k {
			theta[k].sub(weight)
		}
	}
	return nil
}

// inside reports whether the box of the node lies in another one.
func (w *walk) inside(box []record.Domain) bool {
	for _, d := range box {
		if !(float64(d.Lower) <= w.lower[d.Column] && w.upper[d.Column] <= float64(d.Upper)) {
			return false
		}
	}
	return true
}
