package nn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
)

// FitOptions control Fit. Start from DefaultFitOptions.
type FitOptions struct {
	// Widths of the ReLU layers.
	Hidden []int

	// The share of the rows, in (0, 1), that is held out to choose the weights, and the rows a batch.
	Held  float64
	Batch int

	// Options of the optimiser; the seed is that of everything random.
	Train Options
}

// DefaultFitOptions returns the defaults: two layers of 64, a fifth of the rows held out, batches of 64 rows, at most
// 10000 steps of Adam.
func DefaultFitOptions() FitOptions {
	o := FitOptions{Hidden: []int{64, 64}, Held: 0.2, Batch: 64, Train: DefaultOptions()}
	o.Train.Steps = 10000
	o.Train.ValidateEvery = 250
	o.Train.Seed = 1
	return o
}

// Fit trains a network by least squares to predict the rows of y from those of x; MLP.Predict applies it. Inputs and
// outputs are normalised. Result.Best is the mean squared error on the held-out rows, each column in units of its
// variance: the share of the variance that the network leaves unexplained.
func Fit(ctx context.Context, x, y [][]float64, o FitOptions) (*MLP, Result, error) {
	// NaN fails the comparisons.
	isShare := o.Held > 0 && o.Held < 1
	if len(x) != len(y) || !isShare || o.Batch < 1 {
		return nil, Result{}, fmt.Errorf("nn: %d rows of x and %d of y, a share of %g held out, batches of %d rows",
			len(x), len(y), o.Held, o.Batch)
	}
	for _, width := range o.Hidden {
		// The activations of a batch are a matrix of this width.
		if width > maxWeights/o.Batch {
			return nil, Result{}, fmt.Errorf("nn: a hidden layer of %d for batches of %d rows: more than %d values", width,
				o.Batch, maxWeights)
		}
	}

	// At least one row is held out, and at least one is trained on.
	held := max(1, int(o.Held*float64(len(x))))
	if held >= len(x) {
		return nil, Result{}, fmt.Errorf("nn: %d rows are too few to train on some and hold out others", len(x))
	}

	// Both tables are checked and stored row by row.
	xs, ys, err := flatten(x, y)
	if err != nil {
		return nil, Result{}, err
	}

	// The normalisation is that of all rows, the held-out ones included.
	// The widths are those of the data at both ends.
	sizes := slices.Concat([]int{len(x[0])}, o.Hidden, []int{len(y[0])})
	net, err := NewMLP(Config{Sizes: sizes, Hidden: autodiff.ReLU, Seed: o.Train.Seed})
	if err != nil {
		return nil, Result{}, err
	}
	if err := cmp.Or(net.NormaliseInputs(len(x), xs), net.normaliseOutputs(len(x), ys)); err != nil {
		return nil, Result{}, err
	}

	// The first rows of a random order are held out.
	order := rand.New(rand.NewPCG(o.Train.Seed, 0x666974)).Perm(len(x))
	t := &leastSquares{net: net, inputs: xs, targets: ys, train: order[held:], batch: o.Batch}
	for _, r := range order[:held] {
		t.heldX = append(t.heldX, x[r]...)
		t.heldY = append(t.heldY, y[r]...)
	}

	// Train leaves the network at the weights of the best check.
	res, err := Train(ctx, net.Params(), t, o.Train)
	return net, res, err
}

// flatten returns the rows of two tables one after the other.
func flatten(x, y [][]float64) (xs, ys []float64, err error) {
	// Row 0 says how many columns there are.
	for r := range x {
		sameWidths := len(x[r]) == len(x[0]) && len(y[r]) == len(y[0])
		if !sameWidths || len(x[r]) == 0 || len(y[r]) == 0 {
			return nil, nil, fmt.Errorf("nn: row %d has %d inputs and %d outputs, row 0 has %d and %d", r, len(x[r]),
				len(y[r]), len(x[0]), len(y[0]))
		}
	}
	return slices.Concat(x...), slices.Concat(y...), nil
}

// Predict returns the outputs for rows of inputs. Inference does so without allocation.
func (m *MLP) Predict(x [][]float64) ([][]float64, error) {
	flat := slices.Concat(x...)
	// The rows are evaluated together, in one call.
	out := make([]float64, len(x)*m.Outputs())
	if err := m.NewInference().Forward(out, flat, len(x)); err != nil {
		return nil, err
	}
	y := make([][]float64, len(x))
	for r := range y {
		// Rows of different lengths may add up to the right number of values.
		if len(x[r]) != m.Inputs() {
			return nil, fmt.Errorf("nn: row %d has %d inputs, not %d", r, len(x[r]), m.Inputs())
		}
		y[r] = out[r*m.Outputs() : (r+1)*m.Outputs()]
	}
	return y, nil
}

// leastSquares is the Task of Fit.
type leastSquares struct {
	net *MLP

	// All rows, one after the other, and which of them are trained on.
	inputs, targets []float64
	train           []int
	batch           int

	// The rows that are held out.
	heldX, heldY []float64

	// The inputs of the graph: a batch.
	x, y autodiff.Node
}

// Build adds the network and the mean squared error in units of the output normalisation.
func (t *leastSquares) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	// The shapes are those of a batch.
	t.x = tape.Input("x", t.batch, t.net.Inputs())
	t.y = tape.Input("y", t.batch, t.net.Outputs())
	// Errors are divided by the scale of their column, which is the standard deviation of the data.
	unit := make([]float64, t.net.Outputs())
	for j, s := range t.net.OutScale {
		unit[j] = 1 / s
	}
	e := tape.ScaleColumns(tape.Sub(t.net.Apply(tape, t.x), t.y), unit, make([]float64, len(unit)))
	return tape.Mean(tape.Mul(e, e)), nil
}

// Fill draws the rows of a batch.
func (t *leastSquares) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	in := t.net.Inputs()
	out := t.net.Outputs()
	for k := range t.batch {
		// A row may be drawn more than once.
		r := t.train[rng.IntN(len(t.train))]
		copy(t.x.Value()[k*in:], t.inputs[r*in:(r+1)*in])
		copy(t.y.Value()[k*out:], t.targets[r*out:(r+1)*out])
	}
	return nil
}

// Validate returns the loss of the held-out rows.
func (t *leastSquares) Validate(context.Context) (float64, error) {
	cols := t.net.Outputs()
	// The held-out rows are evaluated without the graph, which is for a batch alone.
	out := make([]float64, len(t.heldY))
	if err := t.net.NewInference().Forward(out, t.heldX, len(out)/cols); err != nil {
		return 0, err
	}
	sum := 0.0
	// The loss is the same as in the graph.
	for k, v := range out {
		e := (v - t.heldY[k]) / t.net.OutScale[k%cols]
		sum += e * e
	}
	return sum / float64(len(out)), nil
}
