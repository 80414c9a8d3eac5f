package autodiff

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
)

// LayerNorm appends the rows of x brought to mean 0 and variance 1, then scaled and shifted by column (Ba,
// Kiros and Hinton, 2016): y[i][j] = gain[j] (x[i][j] - mean_i) / sqrt(var_i + epsilon) + bias[j], var_i over
// the columns without Bessel's correction. gain and bias are 1 x cols; epsilon > 0.
func (t *Tape) LayerNorm(x, gain, bias Node, epsilon float64) Node {
	op := &layerNorm{epsilon: epsilon}
	if !t.usable(op.Name(), x, gain, bias) {
		return Node{}
	}

	// Gain and bias are rows with an entry for each column of x.
	for _, p := range []Node{gain, bias} {
		if p.Rows() != 1 || p.Cols() != x.Cols() {
			return t.fail(op.Name(), "x is %d x %d but a parameter is %d x %d", x.Rows(), x.Cols(), p.Rows(), p.Cols())
		}
	}

	// The negation makes NaN an error, too.
	if !(epsilon > 0) {
		return t.fail(op.Name(), "epsilon is %g", epsilon)
	}

	// The buffers of the normalised rows live as long as the tape, so that a step allocates nothing.
	op.normal = make([]float64, x.Rows()*x.Cols())
	op.inverse = make([]float64, x.Rows())
	op.scratch = make([]float64, x.Cols())
	return t.push(op, x.Rows(), x.Cols(), x, gain, bias)
}

// layerNorm stores the normalised rows of the last Forward for Backward.
type layerNorm struct {
	epsilon float64

	// The normalised rows (x - mean) / sqrt(var + epsilon), and the factors 1 / sqrt(var + epsilon), one a row.
	normal  []float64
	inverse []float64

	// A row of e = gain * dy in Backward.
	scratch []float64
}

func (*layerNorm) Name() string { return "layer norm" }

// Forward normalises every row, and scales and shifts it by column.
func (l *layerNorm) Forward(out Matrix, in []Matrix) error {
	x := in[0]
	n := float64(x.Cols)
	for i := range x.Rows {
		// The deviations from the mean give the variance; divided by its root they are the normalised row.
		h := l.row(i, x.Cols)
		mean := f64.Sum(x.Row(i)) / n
		for j, v := range x.Row(i) {
			h[j] = v - mean
		}
		l.inverse[i] = 1 / math.Sqrt(f64.Dot(h, h)/n+l.epsilon)
		f64.Scal(l.inverse[i], h)

		// Gain and bias are the same for all rows.
		y := out.Row(i)
		f64.Mul(y, h, in[1].Data)
		f64.Add(y, y, in[2].Data)
	}
	return nil
}

// row returns row i of the normalised matrix.
func (l *layerNorm) row(i, cols int) []float64 { return l.normal[i*cols : (i+1)*cols] }

// Backward: with h the normalised row and e = gain * dy, dx = (e - mean(e) - h mean(e h)) / sqrt(var + epsilon).
func (l *layerNorm) Backward(_, dOut Matrix, in, dIn []Matrix) error {
	n := float64(dOut.Cols)
	for i := range dOut.Rows {
		dy := dOut.Row(i)
		h := l.row(i, dOut.Cols)
		// The gradients of gain and bias are sums over the rows, in their order.
		if dIn[1].Data != nil {
			f64.MulAdd(dIn[1].Data, dy, h)
		}
		if dIn[2].Data != nil {
			f64.Add(dIn[2].Data, dIn[2].Data, dy)
		}

		// Only the gradient of x couples the columns of a row.
		if dIn[0].Data == nil {
			continue
		}

		// The means of e and of e times h are what the normalisation takes away.
		e := l.scratch
		f64.Mul(e, dy, in[1].Data)
		meanE := f64.Sum(e) / n
		meanEH := f64.Dot(e, h) / n
		dx := dIn[0].Row(i)
		for j := range dx {
			// The conversion rounds the product, so that no fused multiplication changes the bits on some processors.
			dx[j] += l.inverse[i] * (e[j] - meanE - float64(h[j]*meanEH))
		}
	}
	return nil
}
