package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/nn"
)

// inputs is the number of features of a column of the first stage in a scenario. None of them depends on the sizes of
// the program, or on the unit of its costs.
const inputs = 12

// instance is a program with the duals of its scenarios and the features of their columns.
type instance struct {
	scenarios []*scenario
	features  [][]float64 // of each scenario, columns x inputs
	unit      []float64   // of the multipliers of each scenario
	columns   int
}

// newInstance computes the features.
func newInstance(list []*scenario) *instance {
	in := &instance{scenarios: list, columns: len(list[0].point)}
	n := in.columns

	// Means over the scenarios, of multipliers and of sides.
	mean := make([]float64, n)
	spread := make([]float64, n)
	sides := make([]float64, len(list[0].rhs))
	for _, s := range list {
		for j := range n {
			mean[j] += s.split[j] / float64(len(list))
		}
		for i, v := range s.rhs {
			sides[i] += v / float64(len(list))
		}
	}
	for _, s := range list {
		for j := range n {
			spread[j] += math.Abs(s.split[j]-mean[j]) / float64(len(list))
		}
	}

	for _, s := range list {
		unit := 1e-9
		for j := range n {
			unit += (math.Abs(s.split[j]) + math.Abs(s.model.Cols[j].Cost)) / float64(n)
		}
		f := make([]float64, 0, n*inputs)
		for j := range n {
			c := s.model.Cols[j]
			width := max(c.Upper-c.Lower, 1e-9)
			at := (s.point[j] - c.Lower) / width
			rows, moved := s.touched(j, sides)
			f = append(f,
				s.split[j]/unit, s.lp[j]/unit, (s.split[j]-s.lp[j])/unit,
				at, math.Abs(s.point[j]-math.Round(s.point[j])),
				c.Cost/unit, mean[j]/unit, spread[j]/unit, (s.split[j]-mean[j])/unit,
				rows, moved, boolean(c.Integer))
		}
		in.features = append(in.features, f)
		in.unit = append(in.unit, unit)
	}
	return in
}

// touched returns the share of the rows that a column stands in, and the mean relative distance of their sides from
// those of the mean scenario.
func (s *scenario) touched(j int, sides []float64) (share, moved float64) {
	a, err := s.model.Matrix()
	if err != nil {
		panic(err) // the model was read before
	}
	index, _ := a.Vec(j)
	count := 0
	for _, i := range index {
		if int(i) < len(sides) {
			count++
			moved += (s.rhs[i] - sides[i]) / (1 + math.Abs(sides[i]))
		}
	}
	if count == 0 {
		return 0, 0
	}
	return float64(count) / float64(len(sides)), moved / float64(count)
}

func boolean(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// multipliers adds what the network says to those of the disaggregated rows.
func (in *instance) multipliers(net *nn.MLP, s int) []float64 {
	out := make([]float64, in.columns)
	net.NewInference().Forward(out, in.features[s], in.columns)
	for j := range out {
		out[j] = in.scenarios[s].split[j] + in.unit[s]*out[j]
	}
	return out
}

// newNetwork returns a network with random weights.
func newNetwork(seed uint64) (*nn.MLP, error) {
	net, err := nn.NewMLP(nn.Config{
		Sizes:  []int{inputs, 32, 32, 1},
		Hidden: autodiff.ReLU,
		Output: autodiff.Identity,
		Seed:   seed,
	})
	if err == nil {
		net.OutScale[0] = 0.1 // corrections are small against the multipliers
	}
	return net, err
}

// task trains a network by the supergradients of the duals.
type task struct {
	net        *nn.MLP
	train      []*instance
	validation []*instance
	columns    int // of the largest instance

	input autodiff.Node
	batch []pick
}

// pick is a scenario of an instance.
type pick struct{ in, s int }

// batchSize is the number of scenarios of a step: one mixed-integer program each.
const batchSize = 4

// Build implements nn.Task.
func (t *task) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	t.batch = make([]pick, batchSize)
	t.input = tape.Input("features", batchSize*t.columns, inputs)
	return tape.Custom(&dualOp{task: t}, 1, 1, t.net.Apply(tape, t.input)), nil
}

// Fill implements nn.Task.
func (t *task) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	x := t.input.Value()
	clear(x)
	for k := range t.batch {
		i := rng.IntN(len(t.train))
		p := pick{i, rng.IntN(len(t.train[i].scenarios))}
		t.batch[k] = p
		copy(x[k*t.columns*inputs:], t.train[i].features[p.s])
	}
	return nil
}

// Validate implements nn.Task: the mean share that is not closed.
func (t *task) Validate(ctx context.Context) (float64, error) {
	loss, count := 0.0, 0
	for _, in := range t.validation {
		for s, own := range in.scenarios {
			if !own.open() {
				continue
			}
			v, _, err := own.value(ctx, in.multipliers(t.net, s))
			if err != nil {
				return 0, err
			}
			loss += 1 - own.share(v)
			count++
		}
	}
	return loss / float64(max(1, count)), nil
}

// dualOp is the mean share of the duals that is not closed.
type dualOp struct {
	task  *task
	slope [][]float64 // of the loss in the outputs, a scenario of the batch each
}

// Name implements autodiff.Op.
func (o *dualOp) Name() string { return "lagrangian dual" }

// Forward implements autodiff.Op.
func (o *dualOp) Forward(out autodiff.Matrix, in []autodiff.Matrix) error {
	loss := 0.0
	o.slope = o.slope[:0]
	for k, p := range o.task.batch {
		from := o.task.train[p.in]
		s := from.scenarios[p.s]
		slope := make([]float64, from.columns)
		o.slope = append(o.slope, slope)
		if !s.open() {
			continue
		}
		pi := make([]float64, from.columns)
		for j := range pi {
			pi[j] = s.split[j] + from.unit[p.s]*in[0].Data[k*o.task.columns+j]
		}
		v, g, err := s.value(context.Background(), pi)
		if err != nil {
			return err
		}

		// A dual far below the others would drown them.
		scale := 1 / (batchSize * s.gap())
		if share := s.share(v); share < -3 {
			scale /= 1 - share
		}
		loss += (s.top - v) * scale
		for j := range slope {
			slope[j] = -g[j] * from.unit[p.s] * scale
		}
	}
	out.Data[0] = loss
	return nil
}

// Backward implements autodiff.Op.
func (o *dualOp) Backward(_, dOut autodiff.Matrix, _, dIn []autodiff.Matrix) error {
	for k, slope := range o.slope {
		for j, g := range slope {
			dIn[0].Data[k*o.task.columns+j] += dOut.Data[0] * g
		}
	}
	return nil
}

// gap is what the best known multipliers close beyond the linear relaxation.
func (s *scenario) gap() float64 { return s.top - s.base }

// open reports whether the dual has something to close.
func (s *scenario) open() bool { return s.gap() > 1e-4*max(1, math.Abs(s.top)) }

// share is the part of the gap that a value closes: 0 for the cut of the linear relaxation.
func (s *scenario) share(v float64) float64 { return (v - s.base) / s.gap() }
