package verify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/record"
)

// traversal visits the leaves of a proof tree in preorder, each with its box. The boxes of the leaves cover the box
// that the traversal begins with, up to points whose integer columns are fractional. Its stack is a list of its own,
// so that no tree is too deep.
type traversal struct {
	tree    []record.Node
	integer []bool

	// The box of the node: that of the root before and after the traversal.
	lower, upper []float64

	// The splits of the path to the node, and the number of the next node.
	splits []split
	next   int
}

// split is a split of the present path: the bounds of its column before it, and whether the subtree above At has begun.
type split struct {
	node         int
	lower, upper float64
	above        bool
}

// nodeError is the error of a node of a tree, by its number.
type nodeError struct {
	node int
	err  error
}

// Error implements error.
func (e *nodeError) Error() string { return fmt.Sprintf("node %d: %v", e.node, e.err) }

// Errors of trees.
var (
	errUncovered = errors.New("the proof tree ends before all designs are covered")
	errNoSubtree = errors.New("a node that belongs to no subtree")
)

// leaves calls leaf for every leaf. An error that is not one of the context is a *nodeError.
func (t *traversal) leaves(ctx context.Context, leaf func(nd *record.Node) error) error {
	for open := true; open; {
		if err := ctx.Err(); err != nil {
			return err
		}

		// A subtree that is not in the file would leave points uncovered.
		k := t.next
		if k == len(t.tree) {
			return &nodeError{k, errUncovered}
		}
		t.next++
		nd := &t.tree[k]

		// A node is a split, or a leaf with weights: one that is both is no node of the format.
		weighted := len(nd.Rows)+len(nd.Weights)+len(nd.Exact) > 0
		var err error
		switch {
		case nd.Split < -1:
			err = fmt.Errorf("a split of column %d", nd.Split)
		case nd.Split >= 0 && (nd.Infeasible || weighted):
			err = errors.New("a split with the weights of a leaf")
		case nd.Split >= 0:
			err = t.down(k)
		default:
			// A leaf is proven at once, and the traversal goes on with the next subtree.
			err = leaf(nd)
			open = t.up()
		}
		if err != nil {
			return &nodeError{k, err}
		}
	}

	// Nodes after the last subtree would be proven for nothing.
	if t.next != len(t.tree) {
		return &nodeError{t.next, errNoSubtree}
	}
	return nil
}

// down enters the first subtree of a split, which has the points whose column is at most At.
func (t *traversal) down(k int) error {
	nd := &t.tree[k]
	j := nd.Split
	if j >= len(t.integer) || !finite(nd.At) {
		return fmt.Errorf("a split of column %d at %g", j, nd.At)
	}

	// Beyond 2^52 the next integer may be no float64.
	integral := nd.At == math.Trunc(nd.At) && math.Abs(nd.At) < 1<<52
	if t.integer[j] && !integral {
		return fmt.Errorf("a split of column %d at %g", j, nd.At)
	}
	t.splits = append(t.splits, split{node: k, lower: t.lower[j], upper: t.upper[j]})
	t.upper[j] = min(t.upper[j], nd.At)
	return nil
}

// up leaves the subtrees that are done and enters the next one; it returns false if there is none.
func (t *traversal) up() bool {
	for n := len(t.splits); n > 0; n = len(t.splits) {
		// The last split of the path is the one to go on with.
		s := &t.splits[n-1]
		nd := &t.tree[s.node]
		j := nd.Split
		t.upper[j] = s.upper

		// The second subtree has the points whose column is above At: at least the next integer, where it is integer.
		if !s.above {
			s.above = true
			from := nd.At
			if t.integer[j] {
				from++
			}
			t.lower[j] = max(s.lower, from)
			return true
		}

		// Both subtrees are done: the bounds are those of the node above.
		t.lower[j] = s.lower
		t.splits = t.splits[:n-1]
	}
	return false
}

// empty reports whether the box has no point, by the columns that are split on the path.
func (t *traversal) empty() bool {
	for _, s := range t.splits {
		if j := t.tree[s.node].Split; t.lower[j] > t.upper[j] {
			return true
		}
	}
	return false
}
