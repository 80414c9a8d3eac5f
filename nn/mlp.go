package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
)

// Config describes an MLP to make.
type Config struct {
	// Inputs, hidden widths, outputs: at least two, all positive.
	Sizes []int

	// The activation after every layer but the last, and after the last.
	Hidden autodiff.Activation
	Output autodiff.Activation

	// The seed of the initial weights.
	Seed uint64
}

// MLP is a multilayer perceptron
//
//	h_0 = x*InScale + InShift
//	h_l = Hidden(h_{l-1} W_l' + b_l),  l = 1, ..., L-1
//	y   = Output(h_{L-1} W_L' + b_L)*OutScale + OutShift
//
// on rows x; the scales and shifts act by column. W_l is Sizes[l] x Sizes[l-1], as PyTorch stores it. Its
// parameters are named layers.0.weight, layers.0.bias, layers.1.weight, ...
type MLP struct {
	Sizes          []int
	Hidden, Output autodiff.Activation

	// Normalisation of inputs and outputs, one value a column; stored with the model, not trained. The slices
	// keep their lengths; change their entries.
	InScale, InShift   []float64
	OutScale, OutShift []float64

	weights, biases []*Param
}

// maxWeights bounds the weights of a layer: 2 GiB, and the optimiser keeps a few times as many numbers.
const maxWeights = 1 << 28

// NewMLP allocates an MLP and draws its weights: uniform with variance 2/fan-in (He et al., 2015) before a
// ReLU, and 2/(fan-in + fan-out) (Glorot and Bengio, 2010) elsewhere. Biases are 0; the normalisation is the
// identity.
func NewMLP(c Config) (*MLP, error) {
	if len(c.Sizes) < 2 {
		return nil, fmt.Errorf("nn: an MLP needs at least two sizes, not %d", len(c.Sizes))
	}
	for i, n := range c.Sizes {
		// A quotient is compared, since the product of two sizes could overflow.
		if n < 1 {
			return nil, fmt.Errorf("nn: size %d of the MLP is %d", i, n)
		}
		if n > maxWeights || i > 0 && n > maxWeights/c.Sizes[i-1] {
			return nil, fmt.Errorf("nn: layer sizes %d: a layer has more than %d weights", c.Sizes, maxWeights)
		}
	}

	// The activations may come from a file.
	if c.Hidden > autodiff.Softplus || c.Output > autodiff.Softplus {
		return nil, fmt.Errorf("nn: unknown activation (hidden %d, output %d)", c.Hidden, c.Output)
	}

	// The normalisation is the identity at first.
	m := &MLP{Sizes: slices.Clone(c.Sizes), Hidden: c.Hidden, Output: c.Output}
	m.InScale = slices.Repeat([]float64{1}, m.Inputs())
	m.InShift = make([]float64, m.Inputs())
	m.OutScale = slices.Repeat([]float64{1}, m.Outputs())
	m.OutShift = make([]float64, m.Outputs())

	// A uniform distribution on [-b, b] has the variance b^2/3.
	rng := rand.New(rand.NewPCG(c.Seed, 0x6e6e2e4d4c50))
	for l := range len(c.Sizes) - 1 {
		w := NewParam(fmt.Sprintf("layers.%d.weight", l), c.Sizes[l+1], c.Sizes[l])
		m.weights = append(m.weights, w)
		m.biases = append(m.biases, NewVector(fmt.Sprintf("layers.%d.bias", l), c.Sizes[l+1]))

		// The fan decides how large the weights are, so that the variance stays the same from layer to layer.
		fan := w.Rows + w.Cols
		if m.activation(l) == autodiff.ReLU {
			fan = w.Cols
		}
		uniform(w.Value, math.Sqrt(6/float64(fan)), rng)
	}
	return m, nil
}

// uniform draws each entry of x from [-bound, bound).
func uniform(x []float64, bound float64, rng *rand.Rand) {
	for i := range x {
		// The generator gives numbers from 0 to 1.
		x[i] = bound * (2*rng.Float64() - 1)
	}
}

// Inputs returns the number of input columns.
func (m *MLP) Inputs() int { return m.Sizes[0] }

// Outputs returns the number of output columns.
func (m *MLP) Outputs() int { return m.Sizes[len(m.Sizes)-1] }

// Params returns the trainable parameters, layer by layer, weight before bias.
func (m *MLP) Params() []*Param {
	var ps []*Param
	// The order is that of the layers, which files and optimisers rely on.
	for l := range m.weights {
		ps = append(ps, m.weights[l], m.biases[l])
	}
	return ps
}

// Layer returns the parameters of layer l = 0, ..., len(Sizes)-2.
func (m *MLP) Layer(l int) (weight, bias *Param) { return m.weights[l], m.biases[l] }

// Apply adds the network to a tape: x is rows x Inputs(), the result rows x Outputs(). Errors stay with the tape.
func (m *MLP) Apply(t *autodiff.Tape, x autodiff.Node) autodiff.Node {
	h := x
	// A normalisation that changes nothing costs no node.
	if !identity(m.InScale, m.InShift) {
		h = t.ScaleColumns(h, m.InScale, m.InShift)
	}
	for l, w := range m.weights {
		h = t.Dense(h, w.Node(t), m.biases[l].Node(t), m.activation(l))
	}
	if !identity(m.OutScale, m.OutShift) {
		h = t.ScaleColumns(h, m.OutScale, m.OutShift)
	}
	return h
}

// activation returns the activation after layer l.
func (m *MLP) activation(l int) autodiff.Activation {
	// The last layer has an activation of its own.
	if l == len(m.Sizes)-2 {
		return m.Output
	}
	return m.Hidden
}

// identity reports whether a normalisation changes nothing.
func identity(scale, shift []float64) bool {
	for j := range scale {
		// The comparison is exact: any other scale is applied.
		if scale[j] != 1 || shift[j] != 0 {
			return false
		}
	}
	return true
}

// NormaliseInputs sets InScale and InShift so that the columns of the rows x Inputs() data get mean 0 and
// variance 1. A constant column is only centred.
func (m *MLP) NormaliseInputs(rows int, data []float64) error {
	return moments(rows, m.Inputs(), data, func(j int, mean, deviation float64) {
		m.InScale[j] = 1 / deviation
		m.InShift[j] = -mean * m.InScale[j]
	})
}

// normaliseOutputs sets OutScale and OutShift so that outputs of mean 0 and variance 1 become those of the columns of
// the data.
func (m *MLP) normaliseOutputs(rows int, data []float64) error {
	return moments(rows, m.Outputs(), data, func(j int, mean, deviation float64) {
		m.OutScale[j] = deviation
		m.OutShift[j] = mean
	})
}

// moments calls set with the mean and the standard deviation of each of the n columns of data, 1 for that of a
// constant one.
func moments(rows, n int, data []float64, set func(j int, mean, deviation float64)) error {
	// The sizes are checked before the data, so that the message is about the first mistake.
	if rows < 1 || len(data) != rows*n {
		return fmt.Errorf("nn: %d values to normalise %d rows of %d columns", len(data), rows, n)
	}

	// A NaN would spread to all weights.
	if !finite(data) {
		return fmt.Errorf("nn: the data to normalise by are not finite")
	}

	for j := range n {
		// Welford's update of the mean and of the sum of squared deviations.
		var mean, sq float64
		for i := range rows {
			d := data[i*n+j] - mean
			mean += d / float64(i+1)
			sq += d * (data[i*n+j] - mean)
		}

		// A deviation of the size of rounding errors is that of a constant column.
		dev := math.Sqrt(sq / float64(rows))
		if !(dev > 1e-12*(1+math.Abs(mean))) {
			dev = 1
		}
		set(j, mean, dev)
	}
	return nil
}
