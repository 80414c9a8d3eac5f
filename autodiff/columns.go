package autodiff

import "github.com/proxybd/proxybd/internal/f64"

// ConcatColumns appends the matrices side by side; they have the same number of rows.
func (t *Tape) ConcatColumns(x ...Node) Node {
	op := concat{}
	if !t.usable(op.Name(), x...) {
		return Node{}
	}
	if len(x) == 0 {
		return t.fail(op.Name(), "no matrices are given")
	}
	cols := 0
	for k, n := range x {
		if n.Rows() != x[0].Rows() {
			return t.fail(op.Name(), "input 0 has %d rows but input %d has %d", x[0].Rows(), k, n.Rows())
		}
		cols += n.Cols()
	}
	return t.push(op, x[0].Rows(), cols, x...)
}

// SliceColumns appends columns from <= j < to of x, such as one head of a network with two.
func (t *Tape) SliceColumns(x Node, from, to int) Node {
	op := sliceColumns{from}
	if !t.usable(op.Name(), x) {
		return Node{}
	}
	if from < 0 || to > x.Cols() || from >= to {
		return t.fail(op.Name(), "columns [%d, %d) of a matrix of %d x %d", from, to, x.Rows(), x.Cols())
	}
	return t.push(op, x.Rows(), to-from, x)
}

type concat struct{}

func (concat) Name() string { return "concat columns" }

func (concat) Forward(out Matrix, in []Matrix) error {
	for i := range out.Rows {
		row := out.Row(i)
		for _, x := range in {
			row = row[copy(row, x.Row(i)):]
		}
	}
	return nil
}

func (concat) Backward(_, dOut Matrix, in, dIn []Matrix) error {
	for i := range dOut.Rows {
		row := dOut.Row(i)
		for k, x := range in {
			if dIn[k].Data != nil {
				d := dIn[k].Row(i)
				f64.Add(d, d, row[:x.Cols])
			}
			row = row[x.Cols:]
		}
	}
	return nil
}

type sliceColumns struct{ from int }

func (sliceColumns) Name() string { return "slice columns" }

func (s sliceColumns) Forward(out Matrix, in []Matrix) error {
	for i := range out.Rows {
		copy(out.Row(i), in[0].Row(i)[s.from:])
	}
	return nil
}

func (s sliceColumns) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for i := range dOut.Rows {
		d := dIn[0].Row(i)[s.from : s.from+dOut.Cols]
		f64.Add(d, d, dOut.Row(i))
	}
	return nil
}
