package autodiff

import (
	"errors"
	"fmt"
	"unsafe"
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
	// in and out hold what Forward saw and wrote.
	Backward(out, dOut Matrix, in, dIn []Matrix) error
}

// overwriter is an op that can write the gradient of an input instead of adding to it, where it is the first to
// reach it: the buffer need not be cleared, nor read.
type overwriter interface {
	// overwrite asks for that in input k and reports whether the op will.
	overwrite(k int) bool
}

// Tape is a graph of ops and the buffers of their values and gradients. It is for one goroutine at a time.
type Tape struct {
	nodes    []node
	err      error
	zeroed   [][]float64 // gradients that Backward starts from zero
	compiled bool
	loss     int // node of the loss
}

// node is one matrix of the graph and the op that makes it (nil for a leaf).
type node struct {
	name       string
	rows, cols int
	op         Op
	inputs     []int
	param      bool
	needsGrad  bool
	onPath     bool // the loss depends on it

	value, grad Matrix
	in, dIn     []Matrix
}

// Node is a handle on a matrix of a tape. The zero Node belongs to no tape; ops refuse it.
type Node struct {
	tape *Tape
	id   int
}

// NewTape returns an empty tape.
func NewTape() *Tape { return &Tape{} }

// Err returns the first error of building the graph, if any.
func (t *Tape) Err() error { return t.err }

// Rows returns the number of rows, 0 for a node that an error left undefined.
func (n Node) Rows() int {
	if n.tape == nil {
		return 0
	}
	return n.tape.nodes[n.id].rows
}

// Cols returns the number of columns, 0 for a node that an error left undefined.
func (n Node) Cols() int {
	if n.tape == nil {
		return 0
	}
	return n.tape.nodes[n.id].cols
}

// Value returns the node's values, a view that stays valid for the life of the tape. It is nil before Compile
// (but for parameters and constants). The caller fills an input by writing to it.
func (n Node) Value() []float64 {
	if n.tape == nil {
		return nil
	}
	return n.tape.nodes[n.id].value.Data
}

// Grad returns the gradient buffer, nil where none is kept. For parameters it holds the
// gradient of the loss after Backward; for other nodes it is scratch.
func (n Node) Grad() []float64 {
	if n.tape == nil {
		return nil
	}
	return n.tape.nodes[n.id].grad.Data
}

// Scalar returns the value of a 1 x 1 node, such as the loss after Forward.
func (n Node) Scalar() float64 { return n.Value()[0] }

// fail records the first error and returns the undefined node.
func (t *Tape) fail(op, format string, args ...any) Node {
	if t.err == nil {
		t.err = fmt.Errorf("autodiff: %s (node %d): %s", op, len(t.nodes), fmt.Sprintf(format, args...))
	}
	return Node{}
}

// usable reports whether all inputs of a new op are nodes of this tape and the graph is still open. After an
// earlier error it reports false without recording another.
func (t *Tape) usable(op string, in ...Node) bool {
	if t.err != nil {
		return false
	}
	if t.compiled {
		t.fail(op, "the tape is compiled")
		return false
	}
	for k, n := range in {
		if n.tape != t {
			t.fail(op, "input %d is not a node of this tape", k)
			return false
		}
	}
	return true
}

// leaf appends a node without op.
func (t *Tape) leaf(name string, rows, cols int) Node {
	if !t.usable(name) {
		return Node{}
	}
	if rows < 1 || cols < 1 {
		return t.fail(name, "shape %d x %d is empty", rows, cols)
	}
	t.nodes = append(t.nodes, node{name: name, rows: rows, cols: cols,
		value: Matrix{rows, cols, nil}, grad: Matrix{rows, cols, nil}})
	return Node{t, len(t.nodes) - 1}
}

// push appends the node of an op whose shapes have been checked.
func (t *Tape) push(op Op, rows, cols int, in ...Node) Node {
	n := t.leaf(op.Name(), rows, cols)
	if n.tape == nil {
		return n
	}
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
	if t.err == nil && len(value) != rows*cols {
		return t.fail("const "+name, "%d values for a shape of %d x %d", len(value), rows, cols)
	}
	n := t.leaf("const "+name, rows, cols)
	if n.tape != nil {
		t.nodes[n.id].value.Data = value
	}
	return n
}

// Param appends a leaf over the caller's values and gradient, both rows x cols. Backward overwrites the
// gradient; parameters that share a gradient buffer add up.
func (t *Tape) Param(name string, rows, cols int, value, grad []float64) Node {
	if t.err == nil && (len(value) != rows*cols || len(grad) != rows*cols) {
		return t.fail("param "+name, "%d values and %d gradients for a shape of %d x %d", len(value), len(grad), rows,
			cols)
	}
	n := t.leaf("param "+name, rows, cols)
	if n.tape != nil {
		nd := &t.nodes[n.id]
		nd.value.Data, nd.grad.Data = value, grad
		nd.param, nd.needsGrad = true, true
	}
	return n
}

// Compile closes the graph, lays out its buffers, and makes loss, a 1 x 1 node, what Backward differentiates.
// It returns the first error that building met.
func (t *Tape) Compile(loss Node) error {
	if !t.usable("compile", loss) {
		return t.err
	}
	if loss.Rows() != 1 || loss.Cols() != 1 {
		t.fail("compile", "the loss is %d x %d, not 1 x 1", loss.Rows(), loss.Cols())
		return t.err
	}
	if !t.nodes[loss.id].needsGrad {
		t.fail("compile", "the loss depends on no parameter")
		return t.err
	}
	t.loss = loss.id
	t.layOut()
	return nil
}

// layOut allocates the arenas and cuts them into the nodes' buffers, each on a cache line of its own.
func (t *Tape) layOut() {
	t.nodes[t.loss].onPath = true
	for i := t.loss; i >= 0; i-- {
		if t.nodes[i].onPath {
			for _, k := range t.nodes[i].inputs {
				t.nodes[k].onPath = true
			}
		}
	}
	size := func(n *node) int { return (n.rows*n.cols + 7) &^ 7 }
	values, grads := 0, 0
	for i := range t.nodes {
		n := &t.nodes[i]
		n.needsGrad = n.needsGrad && n.onPath
		if n.value.Data == nil {
			values += size(n)
		}
		if n.needsGrad && !n.param {
			grads += size(n)
		}
	}
	arena, rest := aligned(values), aligned(grads)
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.value.Data == nil {
			n.value.Data, arena = arena[:n.rows*n.cols:n.rows*n.cols], arena[size(n):]
		}
		if n.needsGrad && !n.param {
			n.grad.Data, rest = rest[:n.rows*n.cols:n.rows*n.cols], rest[size(n):]
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		for _, k := range n.inputs {
			n.in = append(n.in, t.nodes[k].value)
			d := t.nodes[k].grad
			if !t.nodes[k].needsGrad {
				d.Data = nil
			}
			n.dIn = append(n.dIn, d)
		}
	}
	t.planZeroing()
	t.compiled = true
}

// planZeroing decides which gradients Backward clears: all but those whose first writer overwrites them.
func (t *Tape) planZeroing() {
	owners := map[*float64]int{} // leaves that share a gradient buffer are all added to
	for i := range t.nodes {
		if g := t.nodes[i].grad.Data; g != nil {
			owners[&g[0]]++
		}
	}
	reached, overwritten := make([]bool, len(t.nodes)), make([]bool, len(t.nodes))
	reached[t.loss] = true
	for i := t.loss; i >= 0; i-- {
		n := &t.nodes[i]
		if n.op == nil || !n.needsGrad {
			continue
		}
		for k, id := range n.inputs {
			if g := n.dIn[k].Data; g != nil && !reached[id] {
				reached[id] = true
				if o, ok := n.op.(overwriter); ok && owners[&g[0]] == 1 {
					overwritten[id] = o.overwrite(k)
				}
			}
		}
	}
	for i := range t.nodes {
		if g := t.nodes[i].grad.Data; g != nil && !overwritten[i] {
			t.zeroed = append(t.zeroed, g)
		}
	}
}

// aligned allocates n zeros that start on a cache line.
func aligned(n int) []float64 {
	s := make([]float64, n+8)
	off := 0
	if r := uintptr(unsafe.Pointer(unsafe.SliceData(s))) & 63; r != 0 {
		off = int(64-r) / 8
	}
	return s[off : off+n]
}

// Forward evaluates every op in the order of creation.
func (t *Tape) Forward() error {
	if !t.compiled {
		return ErrNotCompiled
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.op == nil {
			continue
		}
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
	t.nodes[t.loss].grad.Data[0] = 1
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
