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
	// At least one block is needed, also for no rows.
	blocks := max((rows+blockRows-1)/blockRows, 1)
	// The blocks are of even length, since a short last one would be slow.
	n := (rows + blocks - 1) / blocks
	return (n + rowGroup - 1) / rowGroup * rowGroup
}

// Inference evaluates an MLP without allocation. It holds a copy of the weights in the layout of the kernels;
// after the MLP has changed, Refresh renews it. One goroutine at a time.
type Inference struct {
	mlp    *MLP
	layers []packedLayer

	// Two buffers, which hold the results of every other layer.
	bufs [2][]float64

	// The normalisation of the outputs; outScale is nil if it is the identity.
	outScale []float64
	outShift []float64
}

// packedLayer is a layer ready to run; the first has the input normalisation folded in.
type packedLayer struct {
	in, out int

	// The transposed weight matrix, in x out, as the kernels read it.
	weight *f64.PackedB

	// The bias and the activation.
	ep f64.Epilogue
}

// NewInference compiles the network.
func (m *MLP) NewInference() *Inference {
	f := &Inference{mlp: m}
	// The buffers are as wide as the widest layer.
	widest := 1
	for l := range m.weights {
		widest = max(widest, m.Sizes[l+1])
		f.layers = append(f.layers, packedLayer{
			in:  m.Sizes[l],
			out: m.Sizes[l+1],
			ep: f64.Epilogue{
				Bias: make([]float64, m.Sizes[l+1]),
				Act:  kernelActivation[m.activation(l)],
			},
		})
	}
	for i := range f.bufs {
		f.bufs[i] = make([]float64, blockRows*widest)
	}
	f.Refresh()
	return f
}

// kernelActivation is the name of each activation in the kernels.
var kernelActivation = [...]f64.Activation{autodiff.Identity: f64.Identity, autodiff.ReLU: f64.ReluAct,
	autodiff.Softplus: f64.SoftplusAct}

// Refresh takes the MLP's present weights and normalisation.
func (f *Inference) Refresh() {
	m := f.mlp
	for l := range f.layers {
		p := &f.layers[l]
		w := m.weights[l].Value
		// The bias is a copy, which the normalisation of the inputs may change.
		copy(p.ep.Bias, m.biases[l].Value)
		if l == 0 {
			w = m.foldInput(p.ep.Bias)
		}

		// The packed matrix is allocated once, and filled again after that.
		if p.weight == nil {
			p.weight = f64.PackB(true, p.in, p.out, w, p.in)
		} else {
			p.weight.Repack(true, w, p.in)
		}
	}

	// The normalisation of the outputs comes after the last activation, and cannot be folded in.
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
	// Without a normalisation the weights of the network themselves are used.
	if identity(m.InScale, m.InShift) {
		return w.Value
	}

	// With x scaled and shifted, the weights are scaled by column, and the bias grows by the weights times the shift.
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

	// Blocks of rows go through all layers, one after the other.
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
		// The result of a layer is the input of the next one, in the other buffer.
		p := &f.layers[l]
		y := f.bufs[(l-first)&1]
		if l == len(f.layers)-1 {
			y = out
		}
		p.run(y[:n*p.out], x, n)
		x = y[:n*p.out]
	}

	// The results are normalised in place.
	if f.outScale != nil {
		no := len(f.outScale)
		for i := range n {
			row := out[i*no : (i+1)*no]
			f64.Mul(row, row, f.outScale)
			f64.Add(row, row, f.outShift)
		}
	}
}

// run evaluates the layer for n rows: y = act(x W' + b).
func (p *packedLayer) run(y, x []float64, n int) {
	f64.GemmPacked(false, n, 1, x, p.in, p.weight, 0, y, p.out, p.ep)
}
