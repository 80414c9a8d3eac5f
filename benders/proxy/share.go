package proxy

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/nn"
)

// Bare is implemented by views whose predictor improves the outputs of the network by other means.
type Bare interface {
	// Bare returns the predictor of the outputs of the network alone.
	Bare(net *nn.MLP) (Predictor, error)
}

// Share returns the share of the exact recourse cost Q that the cuts of the model reach at the states where Q is known
// and finite: 1 - sum (Q - certified) / sum |Q|.
func (m *Model) Share(ctx context.Context, samples []Sample) (float64, error) {
	var t tally
	for _, s := range samples {
		// The cuts are aggregated, since the share is one of the whole recourse cost.
		v, err := m.On(s.Instance)
		if err != nil {
			return 0, err
		}
		certified, err := m.separator(v, true)
		if err != nil {
			return 0, err
		}
		truth, err := costs(ctx, v, s.States)
		if err != nil {
			return 0, err
		}
		if err := t.add(ctx, certified, truth); err != nil {
			return 0, err
		}
	}
	return t.share(), nil
}

// priced is a state with its exact recourse cost.
type priced struct {
	benders.Point
	cost float64
}

// costs prices the states that have a feasible recourse and an exact cost.
func costs(ctx context.Context, v View, states []benders.State) (list []priced, err error) {
	exact, err := v.Exact()
	if err != nil {
		return nil, err
	}

	// At a state without a recourse there is no cost, and no share of it to be certified. An exact separator that cannot
	// certify what it found there, a cost or that there is no recourse, returns -Inf for the cost.
	for _, state := range states {
		p := benders.Point{Y: state.Y, Integer: state.Integer}
		s, err := exact.Separate(ctx, p)
		if err != nil {
			return nil, err
		}
		if finite := !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0); finite && !s.Infeasible {
			list = append(list, priced{p, s.Value})
		}
	}
	return list, nil
}

// tally sums the costs of states, and the part of them that is not certified.
type tally struct {
	lost  float64 // what is not certified
	whole float64 // the costs
}

// add adds what a separator certifies at states.
func (t *tally) add(ctx context.Context, certified *Separator, truth []priced) error {
	for _, p := range truth {
		s, err := certified.Separate(ctx, p.Point)
		if err != nil {
			return err
		}
		t.lost += p.cost - s.Value
		t.whole += math.Abs(p.cost)
	}
	return nil
}

// share is NaN where no state has a recourse that costs anything.
func (t *tally) share() float64 { return 1 - t.lost/t.whole }
