package tables

import (
	"cmp"

	"github.com/proxybd/proxybd/internal/sheet"
)

// Nodes are the nodes of a network in a table file: those of the table of nodes or, without one, those at the ends of
// the arcs, in the order of these.
type Nodes struct {
	Axis
	sheet *sheet.Sheet
	// closed says that no other node may be added.
	closed bool
}

// ReadNodes reads the table of nodes, which may be missing.
func ReadNodes(s *sheet.Sheet) (*Nodes, error) {
	axis, err := ReadAxis(s, "nodes", "node")
	return &Nodes{Axis: axis, sheet: s, closed: len(axis.Names) > 0}, err
}

// Close says that all arcs were read: a name that no node has is an error from then on.
func (n *Nodes) Close() { n.closed = true }

// find returns the node in a column of a record.
func (n *Nodes) find(r *sheet.Record, column string) (int32, error) {
	// An unknown name is an error where the nodes are known, else it is that of another node.
	name := r.Text(column)
	if _, known := n.Index[name]; known || n.closed {
		v, err := n.sheet.Find(r, column, n.Index, "node")
		return int32(v), err
	}
	n.Index[name] = len(n.Names)
	n.Names = append(n.Names, name)
	return int32(len(n.Names) - 1), nil
}

// Ends returns the nodes in two columns of a record. They must be two.
func (n *Nodes) Ends(r *sheet.Record, one, other string) (from, to int32, err error) {
	from, errFrom := n.find(r, one)
	to, errTo := n.find(r, other)
	if err := cmp.Or(errFrom, errTo); err != nil {
		return 0, 0, err
	}

	// A check of the instance would find it too, but without the line of the file.
	if from == to {
		return 0, 0, n.sheet.Fail(r, other, "it leads from node %q to itself", r.Text(one))
	}
	return from, to, nil
}
