package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Sum appends the sum of all elements of x, 1 x 1.
func (t *Tape) Sum(x Node) Node { return t.reduce("sum", false, x) }

// Mean appends the mean of all elements of x, 1 x 1.
func (t *Tape) Mean(x Node) Node { return t.reduce("mean", true, x) }

// reduce appends the sum, or the mean, of all elements.
func (t *Tape) reduce(name string, mean bool, x Node) Node {
	op := reduce{name, 1}
	// The mean is the sum times one over the number of elements.
	if mean {
		op.factor = 1 / float64(x.Rows()*x.Cols())
	}
	return t.push(op, 1, 1, x)
}

// reduce multiplies the sum of all elements by factor.
type reduce struct {
	name   string
	factor float64
}

func (r reduce) Name() string { return r.name }

func (r reduce) Forward(out Matrix, in []Matrix) error {
	out.Data[0] = r.factor * f64.Sum(in[0].Data)
	return nil
}

// Backward adds the same number to every element of the gradient.
func (r reduce) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	d := r.factor * dOut.Data[0]
	// The derivative in every element is the factor.
	for j := range dIn[0].Data {
		dIn[0].Data[j] += d
	}
	return nil
}
