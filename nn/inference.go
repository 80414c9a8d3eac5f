package nn

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/internal/f64"
)

// At most blockRows rows go through all layers together, so that their activations stay in the cache. A block has a
// multiple of rowGroup rows, the height of the largest tile of the matrix kernels.
const (
	blockRows = 240
	rowGroup  = 12
)

// blockLen cuts rows into the fewest blocks and returns their even length.
func blockLen(rows int) int {
	blocks := max((rows+blockRows-1)/blockRows, 1)
	n := (rows + blocks - 1) / blocks
	return (n + rowGroup - 1) / rowGroup * rowGroup
}

// Inference evaluates an MLP without allocation. It holds a copy of the weights in the layout of the kernels;
// after the MLP has changed, Refresh renews it. One goroutine at a time.
type Inference struct {
	mlp      *MLP
	layers   []packedLayer
	bufs     [2][]float64
	outScale []float64 // nil if the output normalisation is the identity
	outShift []float64
}

// packedLayer is a layer ready to run; the first has the input normalisation folded in.
type packedLayer struct {
	in, out int
	weight  *f64.PackedB // the transposed weight matrix, in x out
	ep      f64.Epilogue
}

// NewInference compiles the network.
func (m *MLP) NewInference() *Inference {
	f := &Inference{mlp: m}
	widest := 1
	for l := range m.weights {
		widest = max(widest, m.Sizes[l+1])
		f.layers = append(f.layers, packedLayer{in: m.Sizes[l], out: m.Sizes[l+1],
			ep: f64.Epilogue{Bias: make([]float64, m.Sizes[l+1]), Act: kernelActivation(m.activation(l))}})
	}
	for i := range f.bufs {
		f.bufs[i] = make([]float64, blockRows*widest)
	}
	f.Refresh()
	return f
}

func kernelActivation(a autodiff.Activation) f64.Activation {
	switch a {
	case autodiff.ReLU:
		return f64.ReluAct
	case autodiff.Softplus:
		return f64.SoftplusAct
	}
	return f64.Identity
}

// Refresh takes the MLP's present weights and normalisation.
func (f *Inference) Refresh() {
	m := f.mlp
	for l := range f.layers {
		p := &f.layers[l]
		w := m.weights[l].Value
		copy(p.ep.Bias, m.biases[l].Value)
		if l == 0 {
			w = m.foldInput(p.ep.Bias)
		}
		if p.weight == nil {
			p.weight = f64.PackB(true, p.in, p.out, w, p.in)
		} else {
			p.weight.Repack(true, w, p.in)
		}
	}

	f.outScale = nil
	if !identity(m.OutScale, m.OutShift) {
		f.outScale = slices.Clone(m.OutScale)
		f.outShift = slices.Clone(m.OutShift)
	}
}

// foldInput returns the first layer's weights with the input scale multiplied in, and adds the shift's part to
// the bias.
func (m *MLP) foldInput(bias []float64) []float64 {
	w := m.weights[0]
	if identity(m.InScale, m.InShift) {
		return w.Value
	}
	folded := make([]float64, len(w.Value))
	for o := range w.Rows {
		row := w.Value[o*w.Cols : (o+1)*w.Cols]
		bias[o] += f64.Dot(row, m.InShift)
		f64.Mul(folded[o*w.Cols:(o+1)*w.Cols], row, m.InScale)
	}
	return folded
}

// Forward writes the rows x Outputs() results for rows x Inputs() inputs x, both row-major. out must not
// overlap x.
func (f *Inference) Forward(out, x []float64, rows int) error {
	if rows < 0 || len(x) != rows*f.mlp.Inputs() || len(out) != rows*f.mlp.Outputs() {
		return fmt.Errorf("nn: %d inputs and %d outputs do not make %d rows of %d and %d", len(x), len(out), rows,
			f.mlp.Inputs(), f.mlp.Outputs())
	}

	in := f.mlp.Inputs()
	no := f.mlp.Outputs()
	block := blockLen(rows)
	for r := 0; r < rows; r += block {
		n := min(block, rows-r)
		f.run(0, out[r*no:(r+n)*no], x[r*in:(r+n)*in], n)
	}
	return nil
}

// run evaluates the layers from first on, and the output normalisation, for n <= blockRows rows. The results of the
// layers alternate between the two buffers, so x may be bufs[1] but not bufs[0].
func (f *Inference) run(first int, out, x []float64, n int) {
	for l := first; l < len(f.layers); l++ {
		p := &f.layers[l]
		y := f.bufs[(l-first)&1]
		if l == len(f.layers)-1 {
			y = out
		}
		p.run(y[:n*p.out], x, n)
		x = y[:n*p.out]
	}

	if f.outScale != nil {
		no := len(f.outScale)
		for i := range n {
			row := out[i*no : (i+1)*no]
			f64.Mul(row, row, f.outScale)
			f64.Add(row, row, f.outShift)
		}
	}
}

func (p *packedLayer) run(y, x []float64, n int) {
	f64.GemmPacked(false, n, 1, x, p.in, p.weight, 0, y, p.out, p.ep)
}
