package cap

import (
	"context"
	"maps"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// fullState is the paper's network (section 5.3 and Appendix B): it sees the whole instance and the point, 3n + m + mn
// numbers, and predicts the multiplier of every client's demand row, in mean costs. Softplus keeps the multipliers
// positive. It implements proxy.Architecture.
type fullState struct{ network }

// predicts is the metadata by which a file says what the outputs are; prices where it is not there.
const (
	predicts    = "predicts"
	multipliers = "multipliers"
)

// Describe implements proxy.Architecture.
func (n fullState) Describe() map[string]string {
	meta := n.network.Describe()
	maps.Copy(meta, map[string]string{predicts: multipliers})
	return meta
}

// Form implements proxy.Architecture. The paper does not say how inputs are normalised; see network.Form.
func (n fullState) Form() proxy.Form {
	fixed := constants(n.Facilities, n.Clients)
	return proxy.Form{Inputs: fixed + n.Facilities, Outputs: n.Clients, Output: autodiff.Softplus,
		Normal: &proxy.Normal{Centred: fixed}}
}

// On implements proxy.Architecture.
func (n fullState) On(in any) (proxy.View, error) {
	own, err := n.fit(in)
	if err != nil {
		return nil, err
	}
	return stateView{view{own}}, nil
}

// stateView implements proxy.View.
type stateView struct{ view }

// whole is the instance as the network reads it.
func (v stateView) whole(f *features) *proxy.Whole {
	w := &proxy.Whole{Constant: f.constant, Unit: slices.Repeat([]float64{f.mean}, v.in.Clients)}
	for j := range v.in.Facilities {
		w.Order = append(w.Order, j)
	}
	return w
}

// Predictor implements proxy.View.
func (v stateView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	return v.whole(newFeatures(v.in)).Predictor(net)
}

// Lesson implements proxy.View: what is maximised is the certified value of the multipliers, in units of the instance,
// by the supergradient 1 - sum_j y_j a_ij (paper, section 4.1).
func (v stateView) Lesson(_ context.Context, states []benders.State) (proxy.Lesson, error) {
	f, c := newFeatures(v.in), newCertifier(v.in)
	return v.whole(f).Lesson(states, func(slope, _, lambda []float64, s *benders.State) float64 {
		if slope == nil {
			c.Project(lambda)
			return c.Value(lambda, s.Y) / f.norm
		}
		value := c.Supergradient(slope, lambda, s.Y) / f.norm
		for i := range slope {
			slope[i] *= f.mean / f.norm
		}
		return value
	}), feasible(v.in, states)
}
