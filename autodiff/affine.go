package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Activation is the elementwise function that ends a Dense layer.
type Activation uint8

const (
	Identity Activation = iota
	ReLU                // max(x, 0); its derivative at 0 is 0
	Softplus            // log(1 + exp(x))
)

// String returns "identity", "relu" or "softplus".
func (a Activation) String() string {
	if a > Softplus {
		return "unknown"
	}
	return [...]string{"identity", "relu", "softplus"}[a]
}

// Affine appends y = x w' + b: x is m x in, w out x in (one row an output, as PyTorch stores it), b 1 x out,
// y m x out. A zero Node as b leaves the bias out.
func (t *Tape) Affine(x, w, b Node) Node { return t.Dense(x, w, b, Identity) }

// Dense is Affine followed by an activation, in one node.
func (t *Tape) Dense(x, w, b Node, act Activation) Node {
	// The bias is an input of its own, so that a layer without one has a shorter list.
	in := []Node{x, w}
	if b != (Node{}) {
		in = append(in, b)
	}
	op := &dense{act: act}
	// After an earlier error the shapes of the inputs are not known.
	if !t.usable(op.Name(), in...) {
		return Node{}
	}

	switch {
	case act > Softplus:
		// The output has a row for each row of x, and a column for each row of w.
		return t.fail(op.Name(), "unknown activation %d", act)
	case x.Cols() != w.Cols():
		return t.fail(op.Name(), "x is %d x %d but w is %d x %d", x.Rows(), x.Cols(), w.Rows(), w.Cols())
	case len(in) == 3 && (b.Rows() != 1 || b.Cols() != w.Rows()):
		return t.fail(op.Name(), "w is %d x %d but b is %d x %d", w.Rows(), w.Cols(), b.Rows(), b.Cols())
	}
	return t.push(op, x.Rows(), w.Rows(), in...)
}

// dense is y = act(x w' + b), with or without the bias b.
type dense struct {
	act   Activation
	write [3]bool // the gradient in this input is written, not added to
}

// overwrite implements overwriter: the gradients are products, whose old contents have the factor beta.
func (d *dense) overwrite(k int) bool {
	// Backward writes the gradient of a marked input, whatever the buffer held before.
	d.write[k] = true
	return true
}

// Name is affine, or dense with the activation.
func (d *dense) Name() string {
	// Without an activation the op is what Affine appends.
	if d.act == Identity {
		return "affine"
	}
	return "dense " + d.act.String()
}

// Forward computes the product, the bias and the activation in one pass over the output.
func (d *dense) Forward(out Matrix, in []Matrix) error {
	x := in[0]
	w := in[1]
	ep := f64.Epilogue{Act: epilogueOf[d.act]}
	if len(in) == 3 {
		ep.Bias = in[2].Data
	}

	// The weights have a row for each output, and so they are the transposed factor.
	f64.GemmEpilogue(false, true, x.Rows, w.Rows, x.Cols, 1, x.Data, x.Cols, w.Data, w.Cols, 0, out.Data, out.Cols, ep)
	return nil
}

// epilogueOf is the name of each activation in the kernels.
var epilogueOf = [...]f64.Activation{Identity: f64.Identity, ReLU: f64.ReluAct, Softplus: f64.SoftplusAct}

// Backward turns dOut into the gradient before the activation, in place; then dx = dOut w, dw = dOut' x and
// db = the column sums of dOut, from the first row to the last.
func (d *dense) Backward(out, dOut Matrix, in, dIn []Matrix) error {
	// Both masks need only the output of the activation, not its input.
	switch d.act {
	case ReLU:
		f64.ReluMask(dOut.Data, out.Data)
	case Softplus:
		f64.SoftplusMask(dOut.Data, out.Data)
	}

	// dOut now holds the gradient of the affine part.
	m := dOut.Rows
	n := dOut.Cols
	k := in[0].Cols
	// An input without a gradient, such as the data, is left out.
	if dx := dIn[0].Data; dx != nil {
		f64.Gemm(false, false, m, k, n, 1, dOut.Data, n, in[1].Data, k, d.beta(0), dx, k)
	}
	if dw := dIn[1].Data; dw != nil {
		f64.Gemm(true, false, n, k, m, 1, dOut.Data, n, in[0].Data, k, d.beta(1), dw, k)
	}
	if len(in) == 3 && dIn[2].Data != nil {
		// A sum over rows has no factor for the old gradient, which is cleared instead.
		if d.write[2] {
			clear(dIn[2].Data)
		}
		f64.AddRows(dIn[2].Data, m, dOut.Data, n)
	}
	return nil
}

// beta returns the factor of the old gradient in input k, the beta of f64.Gemm.
func (d *dense) beta(k int) float64 {
	// A factor of zero writes the gradient, whatever the buffer held before.
	if d.write[k] {
		return 0
	}
	return 1
}
