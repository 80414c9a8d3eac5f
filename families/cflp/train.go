package cflp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// TrainOptions steer Train. Start from DefaultTrainOptions.
type TrainOptions struct {
	NN             nn.Options
	StatesPerBatch int
}

// DefaultTrainOptions returns a budget of minutes for 50 clients and 50 facilities.
func DefaultTrainOptions() TrainOptions {
	o := nn.DefaultOptions()
	o.Steps, o.ValidateEvery, o.Seed = 6000, 250, 1
	return TrainOptions{NN: o, StatesPerBatch: 32}
}

// Train fits the model to certify strong cuts at the states: it maximises the mean of the bound W(mu) of features on the
// certified value, over batches of states, each in units of its instance, by the supergradient load less capacity; no
// dual is ever solved for (paper, section 4.1). The inputs are normalised over the training instances first. The best
// weights on the validation states are kept.
func Train(ctx context.Context, m *Model, train, validation []Sample, o TrainOptions) (nn.Result, error) {
	if o.StatesPerBatch < 1 {
		return nn.Result{}, fmt.Errorf("cflp: %w: batches of %d states", families.ErrOptions, o.StatesPerBatch)
	}
	t := &task{model: m, batch: o.StatesPerBatch}
	var err error
	if t.train, err = m.examples(train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = m.examples(validation); err != nil {
		return nn.Result{}, err
	}
	if err := t.normalise(); err != nil {
		return nn.Result{}, err
	}
	return nn.Train(ctx, m.Net.Params(), t, o.NN)
}

// example is a state with what its instance needs.
type example struct {
	features  *features
	certifier *Certifier
	in        *Instance
	y         []float64
	varying   []float64 // the inputs that depend on y
}

func (e *example) fill(x []float64) { copy(x[copy(x, e.features.constant):], e.varying) }

func (m *Model) examples(samples []Sample) ([]example, error) {
	var list []example
	for _, s := range samples {
		if err := m.Fits(s.In); err != nil {
			return nil, err
		}
		f, c := newFeatures(s.In), NewCertifier(s.In)
		at, lambda := f.newPoint(), make([]float64, s.In.Clients)
		for _, state := range s.States {
			if len(state.Y) != s.In.Facilities || !s.In.Feasible(state.Y) {
				return nil, fmt.Errorf("cflp: %w: a state of %s without a feasible recourse", families.ErrOptions, s.In.Name)
			}
			e := example{features: f, certifier: c, in: s.In, y: state.Y, varying: make([]float64, m.Net.Inputs()-len(f.constant))}
			f.fill(e.varying, lambda, e.y, at)
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("cflp: %w: no states to train on or to validate with", families.ErrOptions)
	}
	return list, nil
}

// task implements nn.Task.
type task struct {
	model       *Model
	batch       int
	train, held []example

	x     autodiff.Node // batch x inputs
	drawn []*example    // of the batch

	at     *point // scratch of certify
	lambda []float64
}

// normalise sets the input normalisation of the network from a sample of the training states, evenly spread. What
// does not depend on y is centred only: it is of order one already, its variance is that of a few instances, and the
// network would learn to tell them apart by noise.
func (t *task) normalise() error {
	const most = 512
	rows, size := min(len(t.train), most), t.model.Net.Inputs()
	x := make([]float64, rows*size)
	for r := range rows {
		t.train[r*len(t.train)/rows].fill(x[r*size : (r+1)*size])
	}
	net := t.model.Net
	if err := net.NormaliseInputs(rows, x); err != nil {
		return err
	}
	for k := range net.InScale[:len(t.train[0].features.constant)] {
		net.InShift[k] /= net.InScale[k]
		net.InScale[k] = 1
	}
	return nil
}

// Build adds the network and the certified loss.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	t.drawn = make([]*example, t.batch)
	t.at, t.lambda = t.train[0].features.newPoint(), make([]float64, t.model.Clients)
	t.x = tape.Input("features", t.batch, t.model.Net.Inputs())
	out := t.model.Net.Apply(tape, t.x)
	value := tape.RowValue("certified value", t.certify, out)
	return tape.Scale(-1, tape.Mean(value)), nil
}

// certify returns W of each state and its slope in the network's outputs.
func (t *task) certify(value []float64, slope, out autodiff.Matrix) error {
	n := t.model.Facilities
	for r, e := range t.drawn {
		f, at := e.features, t.at
		if !f.price(out.Data[r*n:(r+1)*n], at) {
			return fmt.Errorf("cflp: %w: prices that are not finite", nn.ErrDiverged)
		}
		value[r] = f.relax(t.lambda, e.y, at) / f.norm
		for j := range n {
			slope.Data[r*n+j] = (at.load[j] - e.in.Capacity[j]*e.y[j]) * f.unit / f.norm
		}
	}
	return nil
}

// Fill draws the states of a batch.
func (t *task) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	size := t.model.Net.Inputs()
	x := t.x.Value()
	for r := range t.drawn {
		t.drawn[r] = &t.train[rng.IntN(len(t.train))]
		t.drawn[r].fill(x[r*size : (r+1)*size])
	}
	return nil
}

// Validate returns the mean certified value of the held-out states, negated.
func (t *task) Validate(ctx context.Context) (float64, error) {
	total := 0.0
	lambda := make([]float64, t.model.Clients)
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
		if err := p.Predict(e.y, lambda); err != nil {
			return 0, err
		}
		e.certifier.Project(lambda)
		total -= e.certifier.Value(lambda, e.y) / e.features.norm
	}
	return total / float64(len(t.held)), nil
}

// Score returns the share of the exact recourse cost that the model certifies, summed over the samples' states.
func Score(ctx context.Context, m *Model, samples []Sample) (float64, error) {
	certified, exact := 0.0, 0.0
	for _, s := range samples {
		prox, err := m.Separator(s.In)
		if err != nil {
			return 0, err
		}
		transport := NewTransport(s.In)
		for _, state := range s.States {
			a, err := prox.Separate(ctx, benders.Point{Y: state.Y, Integer: state.Integer})
			if err != nil {
				return 0, err
			}
			q, feasible, err := transport.Solve(ctx, state.Y)
			if err != nil {
				return 0, err
			}
			if feasible {
				certified += a.Value
				exact += q
			}
		}
	}
	return certified / exact, nil
}
