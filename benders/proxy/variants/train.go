package variants

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// Options steer Train. Start from DefaultOptions.
type Options struct {
	Hidden []int // widths of the ReLU layers
	Held   int   // models, the last ones, held out to choose the weights; of a single one, a quarter of its states
	States proxy.StatesOptions
	Train  proxy.TrainOptions
	Seed   uint64     // of everything random
	Head   Projection // of the feasibility head, where the recourse needs one
}

// DefaultOptions returns the defaults: two layers of 64, one model held out, a budget of minutes.
func DefaultOptions() Options {
	return Options{
		Hidden: []int{64, 64},
		Held:   1,
		States: proxy.DefaultStatesOptions(),
		Train:  proxy.DefaultTrainOptions(),
		Seed:   1,
	}
}

// Trained is the outcome of Train.
type Trained struct {
	Model  *proxy.Model
	Share  float64   // of the exact recourse cost that the model certifies at the held-out states
	States int       // those held out included
	Result nn.Result // of the training
}

// Train makes a proxy for the variants of a model from some of them: it solves these exactly, records the points that
// were separated, and trains a network there without labels. More variants make a network that fits more of them; one
// variant makes a network for that one. first are the columns of the first stage, nil for the integer ones, as in
// twostage.Solve, which takes the trained model in its options.
func Train(ctx context.Context, models []*lp.Model, first []lp.Var, o Options) (*Trained, error) {
	canHold := o.Held >= 1 && o.Held < len(models)
	if len(models) == 0 || len(models) > 1 && !canHold {
		return nil, fmt.Errorf("variants: %w: %d of %d models held out", proxy.ErrOptions, o.Held, len(models))
	}

	// The states of every model, each with a seed of its own.
	samples := make([]proxy.Sample, len(models))
	out := &Trained{}
	for k, m := range models {
		p, err := twostage.New(m, first, twostage.Options{})
		if err != nil {
			return nil, err
		}

		// A run that was cancelled has states of its beginning alone, which would be a poor sample.
		so := o.States
		so.Seed = o.Seed + uint64(k)
		states, _, err := decompose.States(ctx, p.Program(), so)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("variants: states of %s: %w", p.Name, err)
		}
		samples[k] = proxy.Sample{Instance: p, States: states}
		out.States += len(states)
	}

	// Whole models are held out, or a part of the states of the only one.
	if len(samples) == 1 {
		train, held := samples[0].Split()
		samples = []proxy.Sample{train, held}
		o.Held = 1
	}
	train := samples[:len(samples)-o.Held]
	held := samples[len(samples)-o.Held:]

	// All variants have the structure of the first one.
	a, err := New("mps", samples[0].Instance.(*twostage.Problem), o.Head)
	if err != nil {
		return nil, err
	}
	if out.Model, err = proxy.New(a, o.Hidden, o.Seed); err != nil {
		return nil, err
	}
	to := o.Train
	to.NN.Seed = o.Seed
	if out.Result, err = out.Model.Train(ctx, train, held, to); err != nil {
		return nil, err
	}

	// The share is measured even where the training was cut short.
	out.Share, err = out.Model.Share(context.WithoutCancel(ctx), held)
	return out, err
}
