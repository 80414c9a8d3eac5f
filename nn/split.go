package nn

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/internal/f64"
)

// Split evaluates an MLP row-wise where the inputs of row i are three groups of columns,
//
//	x_i = (a_i, s, z_i)
//
// a_i constant over many calls (a client's costs), s shared by all rows of a call and mostly sparse (the
// master's y), z_i new at every call (y in the client's own order). The first layer's terms of a_i are computed
// once; s costs one pass over the columns of its nonzeros for all rows together; z_i costs a pass over the
// columns of its nonzeros, or a product if they are more than a quarter. So a call costs about rows x h^2, not
// rows x (inputs x h + h^2), for two hidden layers of width h. It does not allocate. One goroutine at a time.
type Split struct {
	inf  *Inference
	rows int

	// The widths of the shared and of the varying group.
	s, z int

	// The bias and the terms of the constant group, rows x h.
	fixed []float64

	// The first layer's columns of the shared group as rows, s x h, and their terms at this call, h.
	columns []float64
	shared  []float64

	// The columns of the varying group, packed for a product, and as rows, z x h.
	varying *f64.PackedB
	sparse  []float64

	act f64.Activation
}

// NewSplit compiles the network for rows rows: constant is rows x a, the first columns of the input; the next
// s columns are shared; the rest varies. The weights are those of the moment.
func (m *MLP) NewSplit(rows, a, s int, constant []float64) (*Split, error) {
	// What remains of the inputs varies.
	z := m.Inputs() - a - s
	switch {
	case rows < 1 || min(a, s, z) < 0:
		return nil, fmt.Errorf("nn: cannot split %d inputs into %d constant and %d shared ones for %d rows", m.Inputs(),
			a, s, rows)
	case len(constant) != rows*a:
		return nil, fmt.Errorf("nn: %d constant inputs do not make %d rows of %d", len(constant), rows, a)
	}

	// The first hidden layer has h outputs.
	h := m.Sizes[1]
	in := m.Inputs()
	p := &Split{inf: m.NewInference(), rows: rows, s: s, z: z, shared: make([]float64, h)}
	p.act = p.inf.layers[0].ep.Act

	// The terms of the constant group include the bias of the first layer.
	bias := slices.Clone(m.biases[0].Value)
	w := m.foldInput(bias)
	p.fixed = make([]float64, rows*h)
	// The weights of the constant group are the first a columns of the matrix.
	f64.GemmEpilogue(false, true, rows, h, a, 1, constant, a, w, in, 0, p.fixed, h, f64.Epilogue{Bias: bias})
	p.columns = columnsOf(w, h, in, a, s)
	p.sparse = columnsOf(w, h, in, a+s, z)
	if z > 0 {
		p.varying = f64.PackB(true, z, h, w[a+s:], in)
	}
	return p, nil
}

// Forward writes the rows x Outputs() results for the shared inputs s, and the varying ones z, rows x their
// width (nil if there are none).
func (p *Split) Forward(out, s, z []float64) error {
	// The number of rows is that of the constant group.
	no := p.inf.mlp.Outputs()
	if len(out) != p.rows*no || len(s) != p.s || len(z) != p.rows*p.z {
		return fmt.Errorf("nn: %d outputs, %d shared and %d varying inputs, want %d, %d and %d",
			len(out), len(s), len(z), p.rows*no, p.s, p.rows*p.z)
	}

	// The shared terms are the same for all rows.
	h := len(p.shared)
	clear(p.shared)
	addColumns(p.shared, s, p.columns)
	block := blockLen(p.rows)
	// Blocks of rows go through all layers, as in Inference.Forward.
	for r := 0; r < p.rows; r += block {
		n := min(block, p.rows-r)
		p.first(r, n, z)
		last := out[r*no : (r+n)*no]
		// With one layer the first results are the outputs. run then only normalises them.
		if len(p.inf.layers) == 1 {
			copy(last, p.inf.bufs[1][:n*h])
		}
		p.inf.run(1, last, p.inf.bufs[1][:n*h], n)
	}
	return nil
}

// columnsOf copies columns from <= j < from+n of the h x in matrix w, each as a row.
func columnsOf(w []float64, h, in, from, n int) []float64 {
	t := make([]float64, n*h)
	// A column of the row-major matrix is contiguous afterwards.
	for o := range h {
		for j := range n {
			t[j*h+o] = w[o*in+from+j]
		}
	}
	return t
}

// addColumns adds the columns, stored as rows, of the nonzero inputs to dst.
func addColumns(dst, inputs, columns []float64) {
	h := len(dst)
	for j, v := range inputs {
		// Most inputs of a design are 0 or 1, which need no product.
		switch {
		case v == 0:
		case v == 1:
			f64.Add(dst, dst, columns[j*h:(j+1)*h])
		default:
			f64.Axpy(v, columns[j*h:(j+1)*h], dst)
		}
	}
}

// sparseShare is the time of addColumns for one column, in units of the time of a matrix product for one column.
const sparseShare = 4

// mostlyZero reports whether adding columns is faster than a product.
func mostlyZero(z []float64) bool {
	// A NaN is not zero, and counts.
	n := 0
	for _, v := range z {
		if v != 0 {
			n++
		}
	}
	return n*sparseShare < len(z)
}

// first writes the first layer's results for rows r to r+n to the second buffer.
func (p *Split) first(r, n int, z []float64) {
	h := len(p.shared)
	x := p.inf.bufs[1][:n*h]
	zs := z[r*p.z : (r+n)*p.z]
	// The product reads all columns at once, and adds the fixed and the shared terms.
	if p.z > 0 && !mostlyZero(zs) {
		copy(x, p.fixed[r*h:(r+n)*h])
		f64.GemmPacked(false, n, 1, zs, p.z, p.varying, 1, x, h, f64.Epilogue{Bias: p.shared, Act: p.act})
		return
	}

	// Row by row, only the columns of nonzeros are added.
	for i := range n {
		row := x[i*h : (i+1)*h]
		f64.Add(row, p.fixed[(r+i)*h:(r+i+1)*h], p.shared)
		addColumns(row, zs[i*p.z:(i+1)*p.z], p.sparse)
		// The activation comes after all terms are there.
		switch p.act {
		case f64.ReluAct:
			f64.Relu(row, row)
		case f64.SoftplusAct:
			f64.Softplus(row, row)
		}
	}
}
