package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// Sum appends the sum of all elements of x, 1 x 1.
func (t *Tape) Sum(x Node) Node { return t.reduce("sum", false, false, x) }

// Mean appends the mean of all elements of x, 1 x 1.
func (t *Tape) Mean(x Node) Node { return t.reduce("mean", true, false, x) }

// RowSum appends the sum of each row of x, rows x 1.
func (t *Tape) RowSum(x Node) Node { return t.reduce("row sum", false, true, x) }

// RowMean appends the mean of each row of x, rows x 1.
func (t *Tape) RowMean(x Node) Node { return t.reduce("row mean", true, true, x) }

func (t *Tape) reduce(name string, mean, perRow bool, x Node) Node {
	if !t.usable(name, x) {
		return Node{}
	}
	op := reduce{name: name, width: x.Rows() * x.Cols(), factor: 1}
	rows := 1
	if perRow {
		rows, op.width = x.Rows(), x.Cols()
	}
	if mean {
		op.factor = 1 / float64(op.width)
	}
	return t.push(op, rows, 1, x)
}

// reduce sums runs of width elements and multiplies each sum by factor.
type reduce struct {
	name   string
	width  int
	factor float64
}

func (r reduce) Name() string { return r.name }

func (r reduce) Forward(out Matrix, in []Matrix) error {
	for i := range out.Data {
		out.Data[i] = r.factor * f64.Sum(in[0].Data[i*r.width:(i+1)*r.width])
	}
	return nil
}

func (r reduce) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for i, d := range dOut.Data {
		d *= r.factor
		run := dIn[0].Data[i*r.width : (i+1)*r.width]
		for j := range run {
			run[j] += d
		}
	}
	return nil
}
