package cflp

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

// Train fits the model to certify strong cuts at the states: it maximises the mean of the bound W(mu) of features on the
// certified value, over batches of states, each in units of its instance, by the supergradient load less capacity; no
// dual is ever solved for (paper, section 4.1). The inputs are normalised over the training instances first. The best
// weights on the validation states are kept.
func Train(ctx context.Context, m *Model, train, validation []Sample, o families.TrainOptions) (nn.Result, error) {
	if o.Batch < 1 {
		return nn.Result{}, fmt.Errorf("cflp: %w: batches of %d states", families.ErrOptions, o.Batch)
	}
	t := &task{model: m, batch: o.Batch}
	var err error
	if t.train, err = m.examples(train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = m.trials(validation); err != nil {
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
		return nil, fmt.Errorf("cflp: %w: no states to train on", families.ErrOptions)
	}
	return list, nil
}

// task implements nn.Task.
type task struct {
	model *Model
	batch int
	train []example
	held  []proxy.Trial

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

// certify returns W of each state and its slope in the network's outputs. At an output below zero, whose price is zero,
// the slope is that of a price that may only rise: no output is lost for good.
func (t *task) certify(value []float64, slope, out autodiff.Matrix) error {
	n := t.model.Facilities
	for r, e := range t.drawn {
		f, at := e.features, t.at
		if !f.price(out.Data[r*n:(r+1)*n], at) {
			return fmt.Errorf("cflp: %w: prices that are not finite", nn.ErrDiverged)
		}
		value[r] = f.relax(t.lambda, e.y, at) / f.norm
		for j := range n {
			g := (at.load[j] - e.in.Capacity[j]*e.y[j]) * f.unit / f.norm
			if out.Data[r*n+j] < 0 {
				g = max(0, g)
			}
			slope.Data[r*n+j] = g
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
func (t *task) Validate(ctx context.Context) (float64, error) { return proxy.Loss(ctx, t.held) }

// trials returns what validates a model in training.
func (m *Model) trials(samples []Sample) ([]proxy.Trial, error) {
	var list []proxy.Trial
	for _, s := range samples {
		if err := m.Fits(s.In); err != nil {
			return nil, err
		}
		if len(s.States) > 0 {
			list = append(list, proxy.Trial{States: s.States, Certifier: NewCertifier(s.In), Unit: newFeatures(s.In).norm,
				Predictor: func() (proxy.Predictor, error) { return m.predictor(s.In) }})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("cflp: %w: no states to validate with", families.ErrOptions)
	}
	return list, nil
}

// Score returns the share of the exact recourse cost that the model certifies, summed over the samples' states.
func Score(ctx context.Context, m *Model, samples []Sample) (float64, error) {
	return families.Share(ctx, samples, func(in *Instance) (certified, exact benders.Separator, err error) {
		certified, err = m.Separator(in)
		return certified, NewExact(in), err
	})
}
