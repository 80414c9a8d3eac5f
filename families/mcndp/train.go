package mcndp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Train fits the model to certify strong cuts at the states: over batches that mix states with and without a feasible
// recourse it maximises the mean of the certified recourse cost of the first head at the former, in units of the
// instance, and of the separation value of the second at the latter, in the slice (paper, sections 3.3 and 4.1), by the
// supergradient b_iv - (sum_out y_j a_ij - sum_in y_j a_ij) and the chain rule along shortest paths; no dual is ever
// solved for. The inputs are normalised over the training states first. The best weights on the held-out states are kept.
func Train(ctx context.Context, m *Model, train, held []Sample, o families.TrainOptions) (nn.Result, error) {
	if o.Batch < 1 {
		return nn.Result{}, fmt.Errorf("mcndp: %w: batches of %d states", families.ErrOptions, o.Batch)
	}
	t := &task{model: m, batch: o.Batch}
	var err error
	if t.train, err = m.examples(train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = m.examples(held); err != nil {
		return nn.Result{}, err
	}
	if err := t.normalise(); err != nil {
		return nn.Result{}, err
	}
	return nn.Train(ctx, m.Net.Params(), t, o.NN)
}

// example is a state with what its instance needs.
type example struct {
	on        *lesson
	y         []float64
	x         []float64
	estimates estimates
	kind      benders.Kind
	norm      float64 // what its certified cost is divided by
}

// lesson is what the states of an instance share.
type lesson struct {
	in         *Instance
	features   *features
	potentials *potentials
	certifier  *Certifier
	u, slope   []float64
	length     []float64
}

func (m *Model) examples(samples []Sample) ([]example, error) {
	var list []example
	for _, s := range samples {
		if err := m.Fits(s.In); err != nil {
			return nil, err
		}
		n := s.In.Arcs()
		on := &lesson{in: s.In, features: newFeatures(s.In), potentials: newPotentials(s.In), certifier: m.certifiers(s.In).certifier,
			u: make([]float64, s.In.size()), slope: make([]float64, s.In.size()), length: make([]float64, n)}
		for _, state := range s.States {
			if len(state.Y) != n {
				return nil, fmt.Errorf("mcndp: %w: a state of %s with %d columns", families.ErrOptions, s.In.Name, len(state.Y))
			}
			if state.Infeasible && !state.Integer { // the cut sets of the master deal with these
				continue
			}
			e := example{on: on, y: state.Y, x: make([]float64, arcFeatures*n), estimates: newEstimates(n)}
			on.features.inputs(e.x, e.estimates, e.y)
			if e.norm = on.features.norm; state.Infeasible {
				e.kind = benders.Feasibility
			} else {
				e.norm *= max(1, e.certify(make([]float64, heads*n), nil)) // what the estimates certify
			}
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("mcndp: %w: no states to train on or to validate with", families.ErrOptions)
	}
	return list, nil
}

// certify returns what the network's outputs certify at the state and, where slope is not nil, its slope in them.
func (e *example) certify(out, slope []float64) float64 {
	if e.kind == benders.Feasibility {
		return e.certifyInfeasible(out, slope)
	}
	l := e.on
	l.features.lengths(l.length, e.estimates, out)
	l.potentials.set(l.u, l.length)
	value := l.certifier.Supergradient(benders.Optimality, l.slope, l.u, e.y) / e.norm
	if slope == nil {
		return value
	}
	l.potentials.back(l.length, l.slope)
	for j, g := range l.length {
		if slope[heads*j] = g * l.features.jam.unit / e.norm; g < 0 && e.estimates.price[j]+l.features.jam.unit*out[heads*j] <= 0 {
			slope[heads*j] = 0 // a price of zero that would fall
		}
		slope[heads*j+1] = 0
	}
	return value
}

// certifyInfeasible is certify of the second head: the separation value over the largest sum of a commodity's multipliers.
func (e *example) certifyInfeasible(out, slope []float64) float64 {
	l := e.on
	l.features.stretched(l.length, e.estimates, out)
	l.potentials.set(l.u, l.length)
	widest, width := slice(l.in, l.u)
	value := l.certifier.Supergradient(benders.Feasibility, l.slope, l.u, e.y)
	if slope == nil || !(width > 0) {
		clear(slope)
		return value
	}
	m := l.in.Commodities()
	for v := range l.in.Nodes { // the value is F / N, N the largest sum: (dF - value dN) / N
		l.slope[v*m+widest] -= value
	}
	l.potentials.back(l.length, l.slope)
	for j, g := range l.length {
		slope[heads*j] = 0
		slope[heads*j+1] = g / width * e.estimates.metric[j] * stretch(out[heads*j+1])
	}
	return value
}

// task implements nn.Task.
type task struct {
	model       *Model
	batch       int
	train, held []example

	x     autodiff.Node // the arcs of all states of the batch x inputs
	drawn []*example    // of the batch
}

// normalise sets the input normalisation of the network from a sample of the training states, evenly spread. A feature that
// hardly varies is not blown up.
func (t *task) normalise() error {
	const most, least = 512, 0.05
	rows, size := min(len(t.train), most), t.model.Net.Inputs()
	var x []float64
	for r := range rows {
		x = append(x, t.train[r*len(t.train)/rows].x...)
	}
	net := t.model.Net
	if err := net.NormaliseInputs(len(x)/size, x); err != nil {
		return err
	}
	for k, scale := range net.InScale {
		if scale > 1/least {
			net.InShift[k] /= scale * least
			net.InScale[k] = 1 / least
		}
	}
	return nil
}

// Build adds the network, applied to the arcs of all states of a batch, and the certified loss. The value of a state stands
// in the row of its first arc; since the loss adds the rows up, the slopes of the others take effect just the same.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	n := t.model.Arcs
	t.drawn = make([]*example, t.batch)
	t.x = tape.Input("features", t.batch*n, arcFeatures)
	out := t.model.Net.Apply(tape, t.x)
	value := tape.RowValue("certified value", func(value []float64, slope, out autodiff.Matrix) error {
		clear(value)
		for r, e := range t.drawn {
			from, to := r*n*heads, (r+1)*n*heads
			value[r*n] = e.certify(out.Data[from:to], slope.Data[from:to])
		}
		return nil
	}, out)
	return tape.Scale(-float64(n), tape.Mean(value)), nil
}

// Fill draws the states of a batch.
func (t *task) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	size := t.model.Arcs * arcFeatures
	for r := range t.drawn {
		t.drawn[r] = &t.train[rng.IntN(len(t.train))]
		copy(t.x.Value()[r*size:], t.drawn[r].x)
	}
	return nil
}

// Validate returns the mean certified value of the held-out states, negated.
func (t *task) Validate(ctx context.Context) (float64, error) {
	net := t.model.Net.NewInference()
	out, total := make([]float64, heads*t.model.Arcs), 0.0
	for k := range t.held {
		e := &t.held[k]
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := net.Forward(out, e.x, t.model.Arcs); err != nil {
			return 0, err
		}
		total -= e.certify(out, nil)
	}
	return total / float64(len(t.held)), nil
}

// Score returns the share of the exact recourse cost that the model certifies, summed over the samples' states that have a
// feasible recourse.
func Score(ctx context.Context, m *Model, samples []Sample) (float64, error) {
	return families.Share(ctx, samples, func(in *Instance) (certified, exact benders.Separator, err error) {
		if certified, err = m.Separator(in); err == nil {
			exact, err = NewExact(in)
		}
		return certified, exact, err
	})
}
