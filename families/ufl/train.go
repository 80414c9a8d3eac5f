package ufl

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Train fits the model to certify strong cuts at the states: it maximises the certified value
//
//	(1/S) sum_s (m/|I|) sum_{i in I} V(pi_i, y_s) / (m scale)
//
// over batches of S states with a random set I of the m clients of each, so that the sum over clients is
// estimated without bias (paper, Appendix A.2), by the supergradient 1 - sum_j y_j [pi_i > c_ij]; no dual
// is ever solved for. scale is the instance's mean cost. The value counts a little off the state, towards the mean of the
// instance's states: duals are seldom unique at y itself, and the network learns which of them make a cut that is good
// elsewhere too, as the exact separator's CorePoint does. The best weights on the validation states are kept. The
// validation loss is the negative of the same value, over all clients.
func Train(ctx context.Context, m *Model, train, validation []Sample, o families.TrainOptions) (nn.Result, error) {
	if o.Batch < 1 || o.Rows < 1 {
		return nn.Result{}, fmt.Errorf("ufl: %w: batches of %d states with %d clients", families.ErrOptions, o.Batch, o.Rows)
	}
	t := &task{model: m, batch: o.Batch, clients: o.Rows}
	var err error
	if t.train, err = t.collect(train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = m.trials(validation); err != nil {
		return nn.Result{}, err
	}
	return nn.Train(ctx, m.Net.Params(), t, o.NN)
}

// example is a state with what its instance needs.
type example struct {
	features  *Features
	certifier *Certifier
	in        *Instance
	y, at     []float64 // the state, and where its value counts
}

// coreWeight is how far from a state, towards the mean state, the value of its prediction counts in training. Proxy runs on
// variants of MP3 took 1819 nodes with 0.1 and 550 with 0.3.
const coreWeight = 0.3

// meanState returns the mean of the recorded points of a sample.
func meanState(s Sample) []float64 {
	mean := make([]float64, s.In.Facilities)
	for _, state := range s.States {
		for j, v := range state.Y {
			mean[j] += v / float64(len(s.States))
		}
	}
	return mean
}

// task implements nn.Task.
type task struct {
	model          *Model
	batch, clients int
	train          []example
	held           []proxy.Trial

	x    autodiff.Node // (batch*clients) x inputs
	rows []drawn       // of the batch
}

// drawn is one row of a batch: a client of an example.
type drawn struct {
	*example
	client int
	normal Normal
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
		c, core := NewCertifier(s.In, true), meanState(s)
		for _, state := range s.States {
			e := example{features: f, certifier: c, in: s.In, y: state.Y, at: make([]float64, len(state.Y))}
			proxy.Mix(e.at, e.y, core, coreWeight)
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("ufl: %w: no states to train on", families.ErrOptions)
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
		pi := d.normal.Dual(out.Data[r])
		v, g := d.certifier.Row(d.client, pi, d.at)
		value[r] = v / d.features.Scale
		slope.Data[r] = g * d.normal.Span / d.features.Scale
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
			client := rng.IntN(e.in.Clients)
			t.rows[r] = drawn{e, client, e.features.FillRow(x[r*size:(r+1)*size], client, e.y)}
		}
	}
	return nil
}

// Validate returns the mean certified value of the held-out states, negated.
func (t *task) Validate(ctx context.Context) (float64, error) { return proxy.Loss(ctx, t.held) }

// trials returns what validates a model in training.
func (m *Model) trials(samples []Sample) ([]proxy.Trial, error) {
	var list []proxy.Trial
	for _, s := range samples {
		f, err := NewFeatures(s.In, m.Kind, m.K)
		if err != nil {
			return nil, err
		}
		if len(s.States) > 0 {
			list = append(list, proxy.Trial{States: s.States, Certifier: NewCertifier(s.In, true), Unit: f.Scale * float64(s.In.Clients), Core: meanState(s), Weight: coreWeight,
				Predictor: func() (proxy.Predictor, error) { return m.predictor(s.In) }})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("ufl: %w: no states to validate with", families.ErrOptions)
	}
	return list, nil
}

// Score returns the share of the exact recourse cost that the model certifies, summed over the samples' states.
func Score(ctx context.Context, m *Model, samples []Sample) (float64, error) {
	return families.Share(ctx, samples, func(in *Instance) (certified, exact benders.Separator, err error) {
		certified, err = m.Separator(in, true)
		return certified, NewExact(in, true), err
	})
}
