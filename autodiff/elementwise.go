package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Relu appends max(x, 0); its derivative at 0 is 0.
func (t *Tape) Relu(x Node) Node { return t.unary(elementwise{"relu", f64.Relu, f64.ReluGrad}, x) }

// Softplus appends log(1 + exp(x)).
func (t *Tape) Softplus(x Node) Node {
	return t.unary(elementwise{"softplus", f64.Softplus, f64.SoftplusGrad}, x)
}

// Scale appends alpha * x.
func (t *Tape) Scale(alpha float64, x Node) Node { return t.unary(scale{alpha}, x) }

// Add appends x + y, of equal shapes.
func (t *Tape) Add(x, y Node) Node { return t.binary(sum{"add", f64.Add}, x, y) }

// Sub appends x - y, of equal shapes.
func (t *Tape) Sub(x, y Node) Node { return t.binary(sum{"sub", f64.Sub}, x, y) }

// Mul appends the elementwise product of x and y, of equal shapes. x and y may be the same node.
func (t *Tape) Mul(x, y Node) Node { return t.binary(mul{}, x, y) }

// ScaleColumns appends x[i][j]*scale[j] + shift[j] for constants scale and shift, one a column of x, which
// are read at every Forward: the normalisation of a model's inputs and outputs.
func (t *Tape) ScaleColumns(x Node, scale, shift []float64) Node {
	op := scaleColumns{scale, shift}
	// The op is checked before its shapes, which an undefined node does not have.
	if !t.usable(op.Name(), x) {
		return Node{}
	}

	// The constants belong to the columns of x.
	if len(scale) != x.Cols() || len(shift) != x.Cols() {
		return t.fail(op.Name(), "x is %d x %d but there are %d scales and %d shifts",
			x.Rows(), x.Cols(), len(scale), len(shift))
	}
	return t.push(op, x.Rows(), x.Cols(), x)
}

// unary appends an op on one input whose output has the shape of the input.
func (t *Tape) unary(op Op, x Node) Node { return t.push(op, x.Rows(), x.Cols(), x) }

// binary appends an op on two inputs of equal shapes.
func (t *Tape) binary(op Op, x, y Node) Node {
	if !t.usable(op.Name(), x, y) {
		return Node{}
	}

	// There is no broadcasting: a scalar does not stretch to a matrix.
	if x.Rows() != y.Rows() || x.Cols() != y.Cols() {
		return t.fail(op.Name(), "shapes %d x %d and %d x %d differ", x.Rows(), x.Cols(), y.Rows(), y.Cols())
	}
	return t.push(op, x.Rows(), x.Cols(), x, y)
}

// elementwise is a function of each element whose derivative is a function of its value.
type elementwise struct {
	name string

	// The value of every element, and the gradient that the value implies.
	value    func(y, x []float64)
	gradient func(dx, y, dy []float64)
}

func (e elementwise) Name() string { return e.name }

func (e elementwise) Forward(out Matrix, in []Matrix) error {
	e.value(out.Data, in[0].Data)
	return nil
}

// Backward adds the gradient, which depends on the output and not on the input.
func (e elementwise) Backward(out, dOut Matrix, _, dIn []Matrix) error {
	e.gradient(dIn[0].Data, out.Data, dOut.Data)
	return nil
}

// scale is alpha x; its gradient in x is alpha dOut.
type scale struct{ alpha float64 }

func (scale) Name() string { return "scale" }

// Forward copies the input and scales the copy.
func (s scale) Forward(out Matrix, in []Matrix) error {
	copy(out.Data, in[0].Data)
	f64.Scal(s.alpha, out.Data)
	return nil
}

// Backward adds alpha times the gradient of the output.
func (s scale) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	f64.Axpy(s.alpha, dOut.Data, dIn[0].Data)
	return nil
}

// sum is x + y or x - y, as combine does. The gradient in y has the same sign as y.
type sum struct {
	name    string
	combine func(dst, x, y []float64)
}

func (s sum) Name() string { return s.name }

func (s sum) Forward(out Matrix, in []Matrix) error {
	s.combine(out.Data, in[0].Data, in[1].Data)
	return nil
}

// Backward adds the gradient of the output to that of x, and combines it with that of y.
func (s sum) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	// Either input may need no gradient; both may be the same node.
	if d := dIn[0].Data; d != nil {
		f64.Add(d, d, dOut.Data)
	}
	if d := dIn[1].Data; d != nil {
		s.combine(d, d, dOut.Data)
	}
	return nil
}

// mul is the elementwise product; the gradient in one input is dOut times the other input.
type mul struct{}

func (mul) Name() string { return "mul" }

func (mul) Forward(out Matrix, in []Matrix) error {
	f64.Mul(out.Data, in[0].Data, in[1].Data)
	return nil
}

// Backward adds to the gradient of one input the product of dOut and the other input.
func (mul) Backward(_, dOut Matrix, in, dIn []Matrix) error {
	for k, d := range dIn {
		// For two inputs, 1-k is the other one. If they are the same node, both products are added.
		if d.Data != nil {
			f64.MulAdd(d.Data, in[1-k].Data, dOut.Data)
		}
	}
	return nil
}

// scaleColumns multiplies and shifts every column by constants; its gradient in x is dOut times the scales.
type scaleColumns struct{ scale, shift []float64 }

func (scaleColumns) Name() string { return "scale columns" }

func (s scaleColumns) Forward(out Matrix, in []Matrix) error {
	for i := range out.Rows {
		row := out.Row(i)
		// The row of the output holds the products until the shifts are added.
		f64.Mul(row, in[0].Row(i), s.scale)
		f64.Add(row, row, s.shift)
	}
	return nil
}

// Backward adds dOut times the scales, row by row. The shifts have no influence.
func (s scaleColumns) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for i := range dOut.Rows {
		f64.MulAdd(dIn[0].Row(i), dOut.Row(i), s.scale)
	}
	return nil
}
