package general

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Train fits the model to certify strong cuts at the states with a feasible recourse: it maximises the mean certified value
// by the residual d(y) - B x of the completion (paper, section 4.1), each instance in units of its linear relaxation.
func (Family) Train(ctx context.Context, m families.Model, train, held []families.Sample, o families.TrainOptions) (nn.Result, error) {
	u, err := families.OwnModel[model](m)
	if err != nil {
		return nn.Result{}, err
	}
	if o.Batch < 1 {
		return nn.Result{}, fmt.Errorf("general: %w: batches of %d states", families.ErrOptions, o.Batch)
	}
	t := &task{model: u.Model, batch: o.Batch}
	if t.train, err = u.examples(ctx, train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = u.examples(ctx, held); err != nil {
		return nn.Result{}, err
	}
	if err := t.normalise(); err != nil {
		return nn.Result{}, err
	}
	return nn.Train(ctx, u.Net.Params(), t, o.NN)
}

// example is a state with what its instance needs.
type example struct {
	features  *features
	certifier *twostage.Certifier
	y         []float64
}

func (e *example) fill(x []float64) { copy(x[copy(x, e.features.constant):], e.y) }

func (m *Model) examples(ctx context.Context, samples []families.Sample) ([]example, error) {
	var list []example
	for _, s := range samples {
		in, err := families.Own[instance](s.In)
		if err != nil {
			return nil, err
		}
		if err := m.fits(in.Instance); err != nil {
			return nil, err
		}
		p := in.Problem.Aggregated()
		c, err := twostage.NewCertifier(p, twostage.CompletionOptions{})
		if err != nil {
			return nil, err
		}
		f, err := newFeatures(in.Instance, c)
		if err != nil {
			return nil, err
		}
		e, err := twostage.NewExact(p, twostage.DefaultExactOptions())
		if err != nil {
			return nil, err
		}
		q := make([]float64, 1)
		for _, state := range s.States {
			if len(state.Y) != in.Problem.First {
				return nil, fmt.Errorf("general: %w: a state of %s with %d columns", families.ErrOptions, in.model.Name, len(state.Y))
			}
			feasible, err := e.Recourse(ctx, state.Y, q)
			if err != nil {
				return nil, err
			}
			if feasible {
				list = append(list, example{features: f, certifier: c, y: state.Y})
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("general: %w: no states with a feasible recourse to train on or to validate with", families.ErrOptions)
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
}

// normalise sets the input normalisation from a sample of the training states, evenly spread.
func (t *task) normalise() error {
	const most = 512
	rows, size := min(len(t.train), most), t.model.Net.Inputs()
	x := make([]float64, rows*size)
	for r := range rows {
		t.train[r*len(t.train)/rows].fill(x[r*size : (r+1)*size])
	}
	return t.model.Net.NormaliseInputs(rows, x)
}

// Build adds the network and the certified loss.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	t.drawn = make([]*example, t.batch)
	t.x = tape.Input("features", t.batch, t.model.Net.Inputs())
	out := t.model.Net.Apply(tape, t.x)
	value := tape.RowValue("certified value", t.certify, out)
	return tape.Scale(-1, tape.Mean(value)), nil
}

// certify returns the certified value of each state and its slope in the network's outputs.
func (t *task) certify(value []float64, slope, out autodiff.Matrix) error {
	m := t.model.Net.Outputs()
	lambda := make([]float64, m)
	for r, e := range t.drawn {
		g := slope.Data[r*m : (r+1)*m]
		v, err := e.value(g, lambda, out.Data[r*m:(r+1)*m])
		if err != nil {
			return err
		}
		value[r] = v
	}
	return nil
}

// value returns the certified value of outputs, in units of the instance, and fills in its slope.
func (e *example) value(g, lambda, out []float64) (float64, error) {
	f := e.features
	f.duals(lambda, out)
	e.certifier.Project(lambda)
	v, err := e.certifier.Supergradient(context.Background(), g, lambda, e.y)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(v) { // infeasible by a hair: nothing to learn
		clear(g)
		return 0, nil
	}
	for i := range g {
		g[i] *= f.span / f.norm
	}
	return v / f.norm, nil
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
	net := t.model.Net.NewInference()
	x, out := make([]float64, t.model.Net.Inputs()), make([]float64, t.model.Net.Outputs())
	g, lambda := make([]float64, len(out)), make([]float64, len(out))
	total := 0.0
	for k := range t.held {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		t.held[k].fill(x)
		if err := net.Forward(out, x, 1); err != nil {
			return 0, err
		}
		v, err := t.held[k].value(g, lambda, out)
		if err != nil {
			return 0, err
		}
		total -= v
	}
	return total / float64(len(t.held)), nil
}
