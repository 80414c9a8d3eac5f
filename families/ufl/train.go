package ufl

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Sample is an instance with Benders states of it.
type Sample struct {
	In     *Instance
	States []benders.State
}

// TrainOptions steer Train. Start from DefaultTrainOptions.
type TrainOptions struct {
	NN             nn.Options
	StatesPerBatch int
	Clients        int // clients drawn of every state in a batch, at most all
}

// DefaultTrainOptions returns a budget of minutes: batches of 16 states with 32 clients each.
func DefaultTrainOptions() TrainOptions {
	o := nn.DefaultOptions()
	o.Steps, o.ValidateEvery, o.Seed = 6000, 250, 1
	return TrainOptions{NN: o, StatesPerBatch: 16, Clients: 32}
}

// Train fits the model to certify strong cuts at the states: it maximises the certified value
//
//	(1/S) sum_s (m/|I|) sum_{i in I} V(pi_i, y_s) / (m scale)
//
// over batches of S states with a random set I of the m clients of each, so that the sum over clients is
// estimated without bias (paper, Appendix A.2), by the supergradient 1 - sum_j y_j [pi_i > c_ij]; no dual
// is ever solved for. scale is the instance's mean cost. The best weights on the validation states
// are kept. The validation loss is the negative of the same value, over all clients.
func Train(ctx context.Context, m *Model, train, validation []Sample, o TrainOptions) (nn.Result, error) {
	if o.StatesPerBatch < 1 || o.Clients < 1 {
		return nn.Result{}, fmt.Errorf("ufl: %w: batches of %d states with %d clients", families.ErrOptions, o.StatesPerBatch, o.Clients)
	}
	t := &task{model: m, batch: o.StatesPerBatch, clients: o.Clients}
	var err error
	if t.train, err = t.collect(train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = t.collect(validation); err != nil {
		return nn.Result{}, err
	}
	return nn.Train(ctx, m.Net.Params(), t, o.NN)
}

// example is a state with what its instance needs.
type example struct {
	features  *Features
	certifier *Certifier
	in        *Instance
	y         []float64
}

// task implements nn.Task.
type task struct {
	model          *Model
	batch, clients int
	train, held    []example

	x    autodiff.Node // (batch*clients) x inputs
	rows []drawn       // of the batch
}

// drawn is one row of a batch: a client of an example.
type drawn struct {
	*example
	client int
}

func (t *task) collect(samples []Sample) ([]example, error) {
	var list []example
	for _, s := range samples {
		if err := t.model.Fits(s.In); err != nil {
			return nil, err
		}
		f, err := NewFeatures(s.In, t.model.Kind, t.model.K)
		if err != nil {
			return nil, err
		}
		c := NewCertifier(s.In, true)
		for _, state := range s.States {
			list = append(list, example{features: f, certifier: c, in: s.In, y: state.Y})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("ufl: %w: no states to train on or to validate with", families.ErrOptions)
	}
	return list, nil
}

// Build adds the network and the certified loss.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	t.rows = make([]drawn, t.batch*t.clients)
	t.x = tape.Input("features", len(t.rows), t.model.Net.Inputs())
	out := t.model.Net.Apply(tape, t.x)
	value := tape.RowValue("certified value", t.certify, out)
	return tape.Scale(-1, tape.Mean(value)), nil
}

// certify returns each row's certified value over the mean cost, and its slope in the network's output. An output
// beyond the projection's box has its value and slope there, so that training is drawn back.
func (t *task) certify(value []float64, slope, out autodiff.Matrix) error {
	for r, d := range t.rows {
		pi := d.features.Dual(d.client, out.Data[r])
		v, g := d.certifier.Row(d.client, pi, d.y)
		value[r] = v / d.features.Scale
		slope.Data[r] = g * d.features.Slope(d.client) / d.features.Scale
	}
	return nil
}

// Fill draws the states of a batch and the clients of each.
func (t *task) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	size := t.model.Net.Inputs()
	x := t.x.Value()
	for s := range t.batch {
		e := &t.train[rng.IntN(len(t.train))]
		for k := range t.clients {
			r := s*t.clients + k
			t.rows[r] = drawn{e, rng.IntN(e.in.Clients)}
			e.features.FillRow(x[r*size:(r+1)*size], t.rows[r].client, e.y)
		}
	}
	return nil
}

// Validate returns the mean certified value of the held-out states, negated.
func (t *task) Validate(ctx context.Context) (float64, error) {
	sum := 0.0
	var p *predictor
	var of *Instance
	for k := range t.held {
		e := &t.held[k]
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if e.in != of {
			fresh, err := t.model.predictor(e.in)
			if err != nil {
				return 0, err
			}
			p, of = fresh, e.in
		}
		pi := make([]float64, e.in.Clients)
		if err := p.Predict(e.y, pi); err != nil {
			return 0, err
		}
		e.certifier.Project(pi)
		sum -= e.certifier.Value(pi, e.y) / (e.features.Scale * float64(e.in.Clients))
	}
	return sum / float64(len(t.held)), nil
}

// Score returns the share of the exact recourse cost that the model certifies, summed over the samples' states.
func Score(ctx context.Context, m *Model, samples []Sample) (float64, error) {
	certified, exact := 0.0, 0.0
	for _, s := range samples {
		prox, err := m.Separator(s.In, true)
		if err != nil {
			return 0, err
		}
		oracle := NewExact(s.In, true)
		for _, state := range s.States {
			p := benders.Point{Y: state.Y, Integer: state.Integer}
			a, err := prox.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			b, err := oracle.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			certified += a.Value
			exact += b.Value
		}
	}
	return certified / exact, nil
}
