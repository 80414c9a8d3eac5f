package proxy

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/nn"
)

// TrainingSet is the training data of the states of one instance. States and rows are counted from 0.
type TrainingSet interface {
	// States returns the number of states; states without a value to learn from do not count.
	States() int

	// Rows returns the number of rows of inputs of a state, at least one.
	Rows(state int) int

	// Fill writes the inputs of the listed rows of a state to x, and to notes, Form.Notes numbers a row, the numbers
	// that Certify needs again. Where Form.Drawn is 0, all rows are listed in order.
	Fill(x, notes []float64, state int, rows []int)

	// Certify writes the value that the outputs of the listed rows certify, in a unit of the instance, and a
	// supergradient of it in the outputs: one value a row where Form.Drawn is above 0, else the one value of the state,
	// into value[0]. slope is zero before. The value of outputs that Project would move may be any concave extension.
	Certify(value, slope, out, notes []float64, state int, rows []int) error

	// Value returns the value that the outputs of all rows of a state certify in a run, in the same unit.
	Value(out, notes []float64, state int) (float64, error)
}

// Sample is an instance with Benders states of it.
type Sample struct {
	Instance any
	States   []benders.State
	Base     string // the instance that this is a variant of, for Model.Score; "" for none
}

// Split holds every fourth state out.
func (s Sample) Split() (train, held Sample) {
	train = Sample{Instance: s.Instance, Base: s.Base}
	held = train

	// States are in the order of a run: both parts have some of its beginning and of its end.
	for k, state := range s.States {
		if k%4 == 0 {
			held.States = append(held.States, state)
		} else {
			train.States = append(train.States, state)
		}
	}
	return train, held
}

// TrainOptions steer Model.Train.
type TrainOptions struct {
	NN    nn.Options
	Batch int // states a batch
}

// DefaultTrainOptions returns a budget of minutes on one core, for networks that see the whole state.
func DefaultTrainOptions() TrainOptions {
	// Validation is frequent enough to find the best weights, and rare enough to cost little.
	o := TrainOptions{NN: nn.DefaultOptions(), Batch: 32}
	o.NN.Steps = 6000
	o.NN.ValidateEvery = 250
	o.NN.Seed = 1
	return o
}

// Train fits the model to certify strong cuts at the states (paper, section 4.1, self-supervised learning): over
// batches of states it maximises the mean value of the examples by a supergradient. That value is the certified one
// in most families, so that no recourse is solved for its dual, and minus the distance to prices that were computed
// before in mcndp. The best weights on the held-out states are kept.
func (m *Model) Train(ctx context.Context, train, held []Sample, o TrainOptions) (nn.Result, error) {
	if o.Batch < 1 {
		return nn.Result{}, fmt.Errorf("proxy: %w: batches of %d states", ErrOptions, o.Batch)
	}
	t := &task{
		net:   m.Net,
		form:  m.Form(),
		batch: o.Batch,
	}
	var err error
	if t.train, err = m.examples(ctx, train); err != nil {
		return nn.Result{}, err
	}
	if t.held, err = m.examples(ctx, held); err != nil {
		return nn.Result{}, err
	}

	// The inputs are normalised over the training states.
	if err := t.normalise(); err != nil {
		return nn.Result{}, err
	}
	if !t.form.AtZero {
		return nn.Train(ctx, m.Net.Params(), t, o.NN)
	}

	// Outputs of zero are a control: training has to be better than they are, or leaves them.
	untrained, err := t.Validate(ctx)
	if err != nil {
		return nn.Result{}, err
	}
	r, err := nn.Train(ctx, m.Net.Params(), t, o.NN)

	// A loss that is NaN is no better either.
	if err == nil && !(r.Best < untrained) {
		r.Best = untrained
		t.form.begin(m.Net)
	}
	return r, err
}

// Validation returns the loss by which training judges the model: the mean value of the states, negated.
func (m *Model) Validation(ctx context.Context, held []Sample) (float64, error) {
	t := &task{net: m.Net, form: m.Form()}
	var err error
	if t.held, err = m.examples(ctx, held); err != nil {
		return 0, err
	}
	return t.Validate(ctx)
}

// example is a state of a training set.
type example struct {
	TrainingSet
	state int
}

// rows returns the number of rows of inputs.
func (e example) rows() int { return e.Rows(e.state) }

// examples returns the states of all samples that have a value to learn from.
func (m *Model) examples(ctx context.Context, samples []Sample) ([]example, error) {
	var list []example
	for _, s := range samples {
		v, err := m.On(s.Instance)
		if err != nil {
			return nil, err
		}
		l, err := v.TrainingSet(ctx, s.States)
		if err != nil {
			return nil, err
		}

		// A training set may have left states out.
		for k := range l.States() {
			list = append(list, example{l, k})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("proxy: %w: no states to train on or to validate with", ErrOptions)
	}
	return list, nil
}

// task implements nn.Task. A batch has a slot of rows for each of its states.
type task struct {
	net         *nn.MLP
	form        Form
	batch       int
	train, held []example

	x      autodiff.Node // batch*rows x inputs
	rows   int           // of a slot
	drawn  []example     // of the batch
	chosen []int         // the rows of each slot
	notes  []float64
	roll   roll
}

// normalise sets the input normalisation of the network from a sample of the training states, evenly spread.
func (t *task) normalise() error {
	n := t.form.Normal
	if n == nil {
		return nil
	}

	// The sample is limited in states and in numbers.
	const largest, numbers = 512, 1 << 24
	b := &block{form: t.form}
	rows := 1
	for _, e := range t.train {
		rows = max(rows, e.rows())
	}
	states := min(len(t.train), largest, max(1, numbers/(rows*t.form.Inputs)))
	for r := range states {
		b.add(t.train[r*len(t.train)/states])
	}

	net := t.net
	if err := net.NormaliseInputs(b.rows, b.x); err != nil {
		return err
	}

	// Some inputs keep their variance, others would be magnified too much by theirs.
	for k, scale := range net.InScale {
		// An input becomes x*scale + shift with the shift -mean*scale: both change by the same factor.
		if k < n.Centred {
			net.InShift[k] /= scale
			net.InScale[k] = 1
		} else if scale*n.MinSpread > 1 {
			net.InShift[k] /= scale * n.MinSpread
			net.InScale[k] = 1 / n.MinSpread
		}
	}
	return nil
}

// Build adds the network and the certified loss. Where the rows of a state have one value, it stands in the first row
// of its slot; the loss is the sum over the rows, so that the slopes of the others have the same effect.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	// Training minimises, so that values are negated. A slot has room for the largest state, and the mean over the rows
	// of all slots is scaled to the mean over states.
	t.rows = t.form.Drawn
	scale := -1.0
	if t.rows == 0 {
		for _, e := range t.train {
			t.rows = max(t.rows, e.rows())
		}
		scale = -float64(t.rows)
	}

	t.drawn = make([]example, t.batch)
	t.chosen = make([]int, t.batch*t.rows)
	for k := range t.chosen {
		t.chosen[k] = k % t.rows
	}
	t.notes = make([]float64, t.batch*t.rows*t.form.Notes)

	// The tape is built once, and its inputs are filled before each step.
	t.x = tape.Input("features", t.batch*t.rows, t.form.Inputs)
	out := t.net.Apply(tape, t.x)
	value := tape.RowValue("certified value", t.certify, out)
	return tape.Scale(scale, tape.Mean(value)), nil
}

// slot returns the part of slot s of a matrix with the given columns, without rows that its state does not have.
func (t *task) slot(data []float64, s, cols int) []float64 {
	return data[s*t.rows*cols:][:len(t.listed(s))*cols]
}

// listed returns the rows in slot s.
func (t *task) listed(s int) []int {
	n := t.rows
	if t.form.Drawn == 0 {
		n = t.drawn[s].rows()
	}
	return t.chosen[s*t.rows:][:n]
}

// certify fills the values of a batch and their slopes in the outputs, slot by slot.
func (t *task) certify(value []float64, slope, out autodiff.Matrix) error {
	// Rows without a value of their own add nothing to the loss.
	clear(value)
	for s, e := range t.drawn {
		err := e.Certify(t.slot(value, s, 1), t.slot(slope.Data, s, slope.Cols), t.slot(out.Data, s, out.Cols),
			t.slot(t.notes, s, t.form.Notes), e.state, t.listed(s))
		if err != nil {
			return err
		}
	}
	return nil
}

// Fill draws the states of a batch, and their rows.
func (t *task) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	// The weights have changed since the last batch.
	t.roll.stale = true
	for s := range t.drawn {
		e := t.train[rng.IntN(len(t.train))]
		t.drawn[s] = e

		// Rows are drawn with replacement, or are all rows of the state.
		rows := t.listed(s)
		if t.form.Drawn > 0 {
			for k := range rows {
				rows[k] = rng.IntN(e.rows())
			}
		}

		// The slot gets the inputs, those of a random time for a recurrent network.
		x := t.slot(t.x.Value(), s, t.form.Inputs)
		notes := t.slot(t.notes, s, t.form.Notes)
		e.Fill(x, notes, e.state, rows)
		if err := t.roll.draw(e, t.net, x, notes, rng); err != nil {
			return err
		}
	}
	return nil
}

// Validate returns the mean value of the held-out states, negated.
func (t *task) Validate(ctx context.Context) (float64, error) {
	const rows = 240 // of a block, to which the network is applied at once
	net := t.net.NewInference()
	b := &block{form: t.form}
	total := 0.0
	for k, e := range t.held {
		if err := ctx.Err(); err != nil {
			return 0, err
		}

		// A block is evaluated when the next state would make it too large, and at the end.
		b.add(e)
		if k < len(t.held)-1 && b.rows+t.held[k+1].rows() <= rows {
			continue
		}
		v, err := b.value(net)
		if err != nil {
			return 0, err
		}
		total -= v
	}
	return total / float64(len(t.held)), nil
}

// block gathers states, each with all of its rows.
type block struct {
	form          Form
	states        []example
	rows          int       // of all states
	x, notes, out []float64 // of these rows
	all           []int     // 0, 1, 2, ...
}

// add appends a state.
func (b *block) add(e example) {
	n := e.rows()
	for len(b.all) < n {
		b.all = append(b.all, len(b.all))
	}

	// The rows of the state follow those of the states before.
	b.x = extended(b.x, n*b.form.Inputs)
	b.notes = extended(b.notes, n*b.form.Notes)
	e.Fill(b.x[b.rows*b.form.Inputs:], b.notes[b.rows*b.form.Notes:], e.state, b.all[:n])
	b.states = append(b.states, e)
	b.rows += n
}

// value returns the sum of the states' values, and empties the block.
func (b *block) value(net *nn.Inference) (sum float64, err error) {
	b.out = extended(b.out[:0], b.rows*b.form.Outputs)
	if err := b.forward(net); err != nil {
		return 0, err
	}
	err = b.each(func(e example, _, notes, out []float64) error {
		v, err := e.Value(out, notes, e.state)
		sum += v
		return err
	})

	// The memory is kept for the next states.
	*b = block{
		form:   b.form,
		states: b.states[:0],
		x:      b.x[:0],
		notes:  b.notes[:0],
		out:    b.out,
		all:    b.all,
	}
	return sum, err
}

// each calls a function with the rows of each state.
func (b *block) each(do func(e example, x, notes, out []float64) error) error {
	at := 0 // first row of the state
	for _, e := range b.states {
		to := at + e.rows()
		part := func(list []float64, cols int) []float64 { return list[at*cols : to*cols] }
		err := do(e, part(b.x, b.form.Inputs), part(b.notes, b.form.Notes), part(b.out, b.form.Outputs))
		if err != nil {
			return err
		}
		at = to
	}
	return nil
}

// extended returns v with n more entries.
func extended(v []float64, n int) []float64 {
	if len(v)+n <= cap(v) {
		return v[:len(v)+n]
	}
	return append(v, make([]float64, n)...)
}
