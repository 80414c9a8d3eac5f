package families

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
)

// Typed is a Sample whose instance has its family's own type.
type Typed[I any] struct {
	In     I
	States []benders.State
}

// Own returns the instance as W, the type by which a family implements Instance.
func Own[W Instance](in Instance) (W, error) {
	own, ok := in.(W)
	if !ok {
		return own, fmt.Errorf("families: %w: %s is of the family %s", ErrForeign, in.Name(), in.Family())
	}
	return own, nil
}

// OwnModel returns the model as W, the type by which a family implements Model.
func OwnModel[W Model](m Model) (W, error) {
	own, ok := m.(W)
	if !ok {
		return own, fmt.Errorf("families: %w: a trained model of the family is needed", ErrModel)
	}
	return own, nil
}

// OwnSamples returns samples of one family in its own types.
func OwnSamples[W Instance, I any](samples []Sample, inner func(W) I) ([]Typed[I], error) {
	out := make([]Typed[I], len(samples))
	for k, s := range samples {
		own, err := Own[W](s.In)
		if err != nil {
			return nil, err
		}
		out[k] = Typed[I]{In: inner(own), States: s.States}
	}
	return out, nil
}

// TrainOwn calls the training of a family with the model and the samples in its own types.
func TrainOwn[M Model, W Instance, N, I, O, R any](ctx context.Context, m Model, train, held []Sample, o O, net func(M) N, inner func(W) I,
	fit func(context.Context, N, []Typed[I], []Typed[I], O) (R, error)) (r R, err error) {
	own, err := OwnModel[M](m)
	if err != nil {
		return r, err
	}
	a, err := OwnSamples(train, inner)
	if err != nil {
		return r, err
	}
	b, err := OwnSamples(held, inner)
	if err != nil {
		return r, err
	}
	return fit(ctx, net(own), a, b, o)
}

// ScoreOwn calls the scoring of a family in the same way.
func ScoreOwn[M Model, W Instance, N, I any](ctx context.Context, m Model, held []Sample, net func(M) N, inner func(W) I,
	score func(context.Context, N, []Typed[I]) (float64, error)) (float64, error) {
	own, err := OwnModel[M](m)
	if err != nil {
		return 0, err
	}
	samples, err := OwnSamples(held, inner)
	if err != nil {
		return 0, err
	}
	return score(ctx, net(own), samples)
}
