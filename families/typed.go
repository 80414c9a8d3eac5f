package families

import (
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

// TrainOwn calls the training of a family on samples in its own types.
func TrainOwn[W Instance, I, R any](train, held []Sample, inner func(W) I, fit func(train, held []Typed[I]) (R, error)) (r R, err error) {
	a, err := OwnSamples(train, inner)
	if err != nil {
		return r, err
	}
	b, err := OwnSamples(held, inner)
	if err != nil {
		return r, err
	}
	return fit(a, b)
}
