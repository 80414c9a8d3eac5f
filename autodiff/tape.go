package autodiff

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/internal/f64"
)

// ErrNotCompiled is returned by Forward and Backward before a successful Compile.
var ErrNotCompiled = errors.New("autodiff: the tape is not compiled")

// Matrix is a row-major view: element (i, j) is Data[i*Cols+j]. Data may be nil where a gradient is not wanted.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// Row returns row i.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

// Op is a differentiable function of matrices: the one gradient rule of a node. The tape's own ops implement it,
// and a caller's (see Tape.Custom).
type Op interface {
	// Name names the op in errors.
	Name() string
	// Forward writes out, whose old contents are undefined, from the inputs.
	Forward(out Matrix, in []Matrix) error
	// Backward adds to dIn[k] the gradient of the loss in input k, given the gradient dOut in the output.
	// dIn[k].Data is nil for an input that needs none. Backward may use dOut.Data as scratch.
	// in and out hold the operands and the result of the last Forward.
	Backward(out, dOut Matrix, in, dIn []Matrix) error
}

// overwriter is an op that can write the gradient of an input instead of adding to it. Where such an op is the first
// that Backward runs on a buffer, the buffer needs neither be cleared nor read.
type overwriter interface {
	// overwrite asks the op to write the gradient of input k, and reports whether the op will do so.
	overwrite(k int) bool
}

// Tape is a graph of ops and the buffers of their values and gradients. It is for one goroutine at a time.
type Tape struct {
	nodes []node
	err   error // the first one of building the graph

	// Gradients that Backward starts from zero.
	zeroed [][]float64

	compiled bool
	loss     int // node of the loss
}

// node is one matrix of the graph and the op that makes it (nil for a leaf).
type node struct {
	name       string
	rows, cols int

	// The op and the nodes that it reads, which were appended before.
	op     Op
	inputs []int

	needsGrad bool // a parameter is among the nodes that it depends on
	onPath    bool // the loss depends on it

	// The matrix and its gradient, and those of the inputs.
	value, grad Matrix
	in, dIn     []Matrix
}

// Node is a handle on a matrix of a tape. The zero Node belongs to no tape, and an op on it is an error.
type Node struct {
	tape *Tape
	id   int
}

// NewTape returns an empty tape.
func NewTape() *Tape { return &Tape{} }

// Err returns the first error of building the graph, if any.
func (t *Tape) Err() error { return t.err }

// undefined is the content of a node after an error.
var undefined node

// content returns the node on the tape.
func (n Node) content() *node {
	// A node that an error left undefined has no tape, and so no content.
	if n.tape == nil {
		return &undefined
	}
	return &n.tape.nodes[n.id]
}

// Rows returns the number of rows, 0 for a node that an error left undefined.
func (n Node) Rows() int { return n.content().rows }

// Cols returns the number of columns, 0 for a node that an error left undefined.
func (n Node) Cols() int { return n.content().cols }

// Value returns the node's values, a view that stays valid for the life of the tape. It is nil before Compile
// (but for parameters and constants). The caller fills an input by writing to it.
func (n Node) Value() []float64 { return n.content().value.Data }

// Grad returns the gradient buffer, nil where none is kept. For parameters it holds the
// gradient of the loss after Backward; for other nodes it is scratch.
func (n Node) Grad() []float64 { return n.content().grad.Data }

// Scalar returns the value of a 1 x 1 node, such as the loss after Forward. It panics before Compile, when such a node
// has no value.
func (n Node) Scalar() float64 { return n.Value()[0] }

// fail records the first error and returns the undefined node.
func (t *Tape) fail(op, format string, args ...any) Node {
	// Later errors are mostly consequences of the first one.
	if t.err == nil {
		t.err = fmt.Errorf("autodiff: %s (node %d): %s", op, len(t.nodes), fmt.Sprintf(format, args...))
	}
	return Node{}
}

// usable reports whether all inputs of a new op are nodes of this tape and the graph is still open. After an
// earlier error it reports false without recording another.
func (t *Tape) usable(op string, in ...Node) bool {
	// fail keeps the first error, so that none of these replaces an earlier one.
	if t.compiled {
		t.fail(op, "the tape is compiled")
	}
	for k, n := range in {
		if n.tape != t {
			t.fail(op, "input %d is not a node of this tape", k)
		}
	}
	return t.err == nil
}

// leaf appends a node without op.
func (t *Tape) leaf(name string, rows, cols int) Node {
	if !t.usable(name) {
		return Node{}
	}

	// An empty matrix would have no place in the arena.
	if rows < 1 || cols < 1 {
		return t.fail(name, "shape %d x %d is empty", rows, cols)
	}
	t.nodes = append(t.nodes, node{
		name:  name,
		rows:  rows,
		cols:  cols,
		value: Matrix{rows, cols, nil},
		grad:  Matrix{rows, cols, nil},
	})
	return Node{t, len(t.nodes) - 1}
}

// push appends the node of an op on inputs of this tape, whose shapes have been checked.
func (t *Tape) push(op Op, rows, cols int, in ...Node) Node {
	if !t.usable(op.Name(), in...) {
		return Node{}
	}
	n := t.leaf(op.Name(), rows, cols)
	// The name is that of the op, and so is the error where its shape is empty.
	if n.tape == nil {
		return n
	}

	// A node has a gradient if one of its inputs has one.
	nd := &t.nodes[n.id]
	nd.op = op
	for _, x := range in {
		nd.inputs = append(nd.inputs, x.id)
		nd.needsGrad = nd.needsGrad || t.nodes[x.id].needsGrad
	}
	return n
}

// Input appends a leaf whose values the caller writes before each Forward. It has no gradient.
func (t *Tape) Input(name string, rows, cols int) Node { return t.leaf("input "+name, rows, cols) }

// Const appends a leaf over the caller's values, rows x cols, which are read at every Forward. It has no
// gradient.
func (t *Tape) Const(name string, rows, cols int, value []float64) Node {
	// The length is checked first, since only this message says what the caller has passed.
	if t.err == nil && len(value) != rows*cols {
		return t.fail("const "+name, "%d values for a shape of %d x %d", len(value), rows, cols)
	}
	n := t.leaf("const "+name, rows, cols)
	// The values stay with the caller, who may change them between steps.
	if n.tape != nil {
		t.nodes[n.id].value.Data = value
	}
	return n
}

// Param appends a leaf over the caller's values and gradient, both rows x cols. Backward overwrites the
// gradient; parameters that share a gradient buffer add up.
func (t *Tape) Param(name string, rows, cols int, value, grad []float64) Node {
	// Values and gradient have the shape of the matrix.
	if t.err == nil && (len(value) != rows*cols || len(grad) != rows*cols) {
		return t.fail("param "+name, "%d values and %d gradients for a shape of %d x %d", len(value), len(grad), rows,
			cols)
	}
	n := t.leaf("param "+name, rows, cols)
	// The optimiser of the caller reads and writes both buffers.
	if n.tape != nil {
		nd := &t.nodes[n.id]
		nd.value.Data = value
		nd.grad.Data = grad
		nd.needsGrad = true
	}
	return n
}

// Compile closes the graph, lays out its buffers, and makes loss, a 1 x 1 node, what Backward differentiates.
// It returns the first error of building the graph.
func (t *Tape) Compile(loss Node) error {
	switch {
	case !t.usable("compile", loss):
		// An error that was recorded before, or by usable, is returned below.
	case loss.Rows() != 1 || loss.Cols() != 1:
		t.fail("compile", "the loss is %d x %d, not 1 x 1", loss.Rows(), loss.Cols())
	case !t.nodes[loss.id].needsGrad:
		t.fail("compile", "the loss depends on no parameter")
	default:
		// The steps depend on each other: the path decides on gradients, these on buffers, and these on views.
		t.loss = loss.id
		t.markPath()
		t.layOut()
		t.connect()
		t.planZeroing()
		t.compiled = true
	}
	return t.err
}

// markPath marks the nodes that the loss depends on. Only these keep a gradient. Inputs are created before the nodes
// that use them, so one pass in reverse order reaches all.
func (t *Tape) markPath() {
	// The loss is on its own path.
	t.nodes[t.loss].onPath = true
	for i := t.loss; i >= 0; i-- {
		if t.nodes[i].onPath {
			for _, k := range t.nodes[i].inputs {
				t.nodes[k].onPath = true
			}
		}
	}

	// A gradient is of use where the loss depends on the node and the node on a parameter.
	for i := range t.nodes {
		t.nodes[i].needsGrad = t.nodes[i].needsGrad && t.nodes[i].onPath
	}
}

// layOut cuts the buffers of the values, and after them those of the gradients, out of one arena. Each buffer starts
// on a cache line of its own. Parameters and constants keep the buffers of the caller.
func (t *Tape) layOut() {
	// Values come first, since Forward touches them alone.
	var values, grads []*Matrix
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.value.Data == nil {
			values = append(values, &n.value)
		}
		if n.needsGrad && n.grad.Data == nil {
			grads = append(grads, &n.grad)
		}
	}

	// The arena is allocated once, and has no gaps but those between lines.
	buffers := append(values, grads...)
	total := 0
	for _, m := range buffers {
		total += wholeLines(m.Rows * m.Cols)
	}
	arena := f64.Aligned(total)
	for _, m := range buffers {
		size := m.Rows * m.Cols
		// The capacity ends with the buffer, so that an append cannot reach the next one.
		m.Data = arena[:size:size]
		arena = arena[wholeLines(size):]
	}
}

// wholeLines rounds a number of elements up to whole cache lines of 64 bytes.
func wholeLines(n int) int { return (n + 7) &^ 7 }

// connect gives every node views of the values and gradients of its inputs.
func (t *Tape) connect() {
	for i := range t.nodes {
		n := &t.nodes[i]
		// An input without a gradient has an empty one among dIn, which the op leaves alone.
		for _, k := range n.inputs {
			n.in = append(n.in, t.nodes[k].value)
			d := t.nodes[k].grad
			if !t.nodes[k].needsGrad {
				d.Data = nil
			}
			n.dIn = append(n.dIn, d)
		}
	}
}

// planZeroing decides which gradients Backward clears: all but those that the first op to reach them overwrites.
func (t *Tape) planZeroing() {
	// A buffer that several parameters share holds the sum of their gradients, so no op may overwrite it.
	// Buffers are identified by the address of their first element.
	owners := map[*float64]int{}
	for i := range t.nodes {
		if g := t.nodes[i].grad.Data; g != nil {
			owners[&g[0]]++
		}
	}

	// Nodes are visited in the order of Backward, so the first visit of an input is the first write to its gradient.
	// Backward itself writes the gradient of the loss.
	reached := make([]bool, len(t.nodes))
	reached[t.loss] = true
	overwritten := make([]bool, len(t.nodes))
	for i := t.loss; i >= 0; i-- {
		n := &t.nodes[i]
		if !n.needsGrad {
			continue
		}
		for k, id := range n.inputs {
			// Only the first op to reach a buffer may write it; the others add to what is there.
			g := n.dIn[k].Data
			if g == nil || reached[id] {
				continue
			}
			reached[id] = true
			if o, ok := n.op.(overwriter); ok && owners[&g[0]] == 1 {
				overwritten[id] = o.overwrite(k)
			}
		}
	}

	// What no op overwrites is cleared before each Backward.
	for i := range t.nodes {
		if g := t.nodes[i].grad.Data; g != nil && !overwritten[i] {
			t.zeroed = append(t.zeroed, g)
		}
	}
}

// Forward evaluates every op in the order of creation.
func (t *Tape) Forward() error {
	if !t.compiled {
		return ErrNotCompiled
	}

	// Leaves have their values from the caller.
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.op == nil {
			continue
		}

		// The error names the node, which is easier to find in the caller's code than the op alone.
		if err := n.op.Forward(n.value, n.in); err != nil {
			return fmt.Errorf("autodiff: %s (node %d): %w", n.name, i, err)
		}
	}
	return nil
}

// Backward clears all gradients, sets the loss's to 1 and applies the gradient rules in the reverse order of
// creation, after a Forward. Nodes that the loss does not depend on, or that depend on no parameter, are skipped.
func (t *Tape) Backward() error {
	if !t.compiled {
		return ErrNotCompiled
	}

	for _, g := range t.zeroed {
		clear(g)
	}

	// The derivative of the loss in itself is 1.
	t.nodes[t.loss].grad.Data[0] = 1

	// The reverse order of creation passes every gradient on after it is complete.
	for i := t.loss; i >= 0; i-- {
		n := &t.nodes[i]
		if n.op == nil || !n.needsGrad {
			continue
		}
		if err := n.op.Backward(n.value, n.grad, n.in, n.dIn); err != nil {
			return fmt.Errorf("autodiff: gradient of %s (node %d): %w", n.name, i, err)
		}
	}
	return nil
}
