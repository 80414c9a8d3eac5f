package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Custom appends the rows x cols output of a caller's op. The caller checks the shapes of the inputs before the call;
// the op's Forward and Backward get matrices with the shapes of the nodes.
func (t *Tape) Custom(op Op, rows, cols int, in ...Node) Node {
	if op == nil {
		// The tape cannot name an op that does not exist.
		return t.fail("custom", "the op is nil")
	}
	if len(in) == 0 {
		// Without an input the op would have no gradient to pass on.
		return t.fail(op.Name(), "a custom op needs an input")
	}
	return t.push(op, rows, cols, in...)
}

// RowValueFunc evaluates a function of each row of x: it writes value[i], the value at row i, and
// slope.Row(i), a gradient (or any sub- or supergradient) of that value in the row. slope has the shape of x;
// it is zero when the function is called, so only nonzero entries need be written.
type RowValueFunc func(value []float64, slope, x Matrix) error

// RowValue appends rows x 1 values of a caller's function of the rows of x, with the slopes that it returns: the
// certified value of each prediction, with its supergradient. The function runs once a Forward.
func (t *Tape) RowValue(name string, f RowValueFunc, x Node) Node {
	// The function is called at every Forward, and has to be there from the beginning.
	if f == nil {
		return t.fail(name, "the function is nil")
	}

	// The slopes have a buffer of their own, since Forward computes them and Backward uses them.
	slope := Matrix{x.Rows(), x.Cols(), make([]float64, x.Rows()*x.Cols())}
	return t.push(&rowValue{name, f, slope}, x.Rows(), 1, x)
}

// rowValue stores the slopes of the last Forward for Backward.
type rowValue struct {
	name string
	f    RowValueFunc

	// A row of slopes for each row of the input.
	slope Matrix
}

func (r *rowValue) Name() string { return r.name }

// Forward calls the function for all rows at once.
func (r *rowValue) Forward(out Matrix, in []Matrix) error {
	// The function writes nonzero slopes only.
	clear(r.slope.Data)
	return r.f(out.Data, r.slope, in[0])
}

// Backward is the chain rule: row i of the gradient grows by dOut_i times the slope of row i.
func (r *rowValue) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for i, d := range dOut.Data {
		// The slopes are those of the last Forward.
		f64.Axpy(d, r.slope.Row(i), dIn[0].Row(i))
	}
	return nil
}
