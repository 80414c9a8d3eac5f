package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Relu appends max(x, 0); its derivative at 0 is 0.
func (t *Tape) Relu(x Node) Node { return t.unary(relu{}, x) }

// Softplus appends log(1 + exp(x)).
func (t *Tape) Softplus(x Node) Node { return t.unary(softplus{}, x) }

// Scale appends alpha * x.
func (t *Tape) Scale(alpha float64, x Node) Node { return t.unary(scale{alpha}, x) }

// Add appends x + y, of equal shapes.
func (t *Tape) Add(x, y Node) Node { return t.binary(add{}, x, y) }

// Sub appends x - y, of equal shapes.
func (t *Tape) Sub(x, y Node) Node { return t.binary(sub{}, x, y) }

// Mul appends the elementwise product of x and y, of equal shapes. x and y may be the same node.
func (t *Tape) Mul(x, y Node) Node { return t.binary(mul{}, x, y) }

// ScaleColumns appends x[i][j]*scale[j] + shift[j] for constants scale and shift, one a column of x, which
// are read at every Forward: the normalisation of a model's inputs and outputs.
func (t *Tape) ScaleColumns(x Node, scale, shift []float64) Node {
	op := scaleColumns{scale, shift}
	if !t.usable(op.Name(), x) {
		return Node{}
	}
	if len(scale) != x.Cols() || len(shift) != x.Cols() {
		return t.fail(op.Name(), "x is %d x %d but there are %d scales and %d shifts",
			x.Rows(), x.Cols(), len(scale), len(shift))
	}
	return t.push(op, x.Rows(), x.Cols(), x)
}

func (t *Tape) unary(op Op, x Node) Node {
	if !t.usable(op.Name(), x) {
		return Node{}
	}
	return t.push(op, x.Rows(), x.Cols(), x)
}

func (t *Tape) binary(op Op, x, y Node) Node {
	if !t.usable(op.Name(), x, y) {
		return Node{}
	}
	if x.Rows() != y.Rows() || x.Cols() != y.Cols() {
		return t.fail(op.Name(), "shapes %d x %d and %d x %d differ", x.Rows(), x.Cols(), y.Rows(), y.Cols())
	}
	return t.push(op, x.Rows(), x.Cols(), x, y)
}

type relu struct{}

func (relu) Name() string { return "relu" }

func (relu) Forward(out Matrix, in []Matrix) error {
	f64.Relu(out.Data, in[0].Data)
	return nil
}

func (relu) Backward(out, dOut Matrix, _, dIn []Matrix) error {
	f64.ReluGrad(dIn[0].Data, out.Data, dOut.Data)
	return nil
}

type softplus struct{}

func (softplus) Name() string { return "softplus" }

func (softplus) Forward(out Matrix, in []Matrix) error {
	f64.Softplus(out.Data, in[0].Data)
	return nil
}

func (softplus) Backward(out, dOut Matrix, _, dIn []Matrix) error {
	f64.SoftplusGrad(dIn[0].Data, out.Data, dOut.Data)
	return nil
}

type scale struct{ alpha float64 }

func (scale) Name() string { return "scale" }

func (s scale) Forward(out Matrix, in []Matrix) error {
	copy(out.Data, in[0].Data)
	f64.Scal(s.alpha, out.Data)
	return nil
}

func (s scale) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	f64.Axpy(s.alpha, dOut.Data, dIn[0].Data)
	return nil
}

type add struct{}

func (add) Name() string { return "add" }

func (add) Forward(out Matrix, in []Matrix) error {
	f64.Add(out.Data, in[0].Data, in[1].Data)
	return nil
}

func (add) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for _, d := range dIn {
		if d.Data != nil {
			f64.Add(d.Data, d.Data, dOut.Data)
		}
	}
	return nil
}

type sub struct{}

func (sub) Name() string { return "sub" }

func (sub) Forward(out Matrix, in []Matrix) error {
	f64.Sub(out.Data, in[0].Data, in[1].Data)
	return nil
}

func (sub) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	if d := dIn[0].Data; d != nil {
		f64.Add(d, d, dOut.Data)
	}
	if d := dIn[1].Data; d != nil {
		f64.Sub(d, d, dOut.Data)
	}
	return nil
}

type mul struct{}

func (mul) Name() string { return "mul" }

func (mul) Forward(out Matrix, in []Matrix) error {
	f64.Mul(out.Data, in[0].Data, in[1].Data)
	return nil
}

func (mul) Backward(_, dOut Matrix, in, dIn []Matrix) error {
	for k, d := range dIn {
		if d.Data != nil {
			f64.MulAdd(d.Data, in[1-k].Data, dOut.Data)
		}
	}
	return nil
}

type scaleColumns struct{ scale, shift []float64 }

func (scaleColumns) Name() string { return "scale columns" }

func (s scaleColumns) Forward(out Matrix, in []Matrix) error {
	for i := range out.Rows {
		row := out.Row(i)
		f64.Mul(row, in[0].Row(i), s.scale)
		f64.Add(row, row, s.shift)
	}
	return nil
}

func (s scaleColumns) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for i := range dOut.Rows {
		f64.MulAdd(dIn[0].Row(i), dOut.Row(i), s.scale)
	}
	return nil
}
