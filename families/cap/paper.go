package cap

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/nn"
)

// fullState is the paper's network (section 5.3 and Appendix B): its inputs are the whole instance and the point,
// 3n + m + mn numbers, and it predicts the multiplier of every client's demand row, in mean costs. Softplus keeps the
// multipliers positive. It is made for one shape. It implements proxy.Architecture.
type fullState struct{ Facilities, Clients int }

// multipliers is the kind of its outputs, in the metadata of a model.
const multipliers = "multipliers"

// Describe implements proxy.Architecture.
func (n fullState) Describe() map[string]string {
	return map[string]string{
		"family":     name,
		predicts:     multipliers,
		"facilities": strconv.Itoa(n.Facilities),
		"clients":    strconv.Itoa(n.Clients),
	}
}

// describeFullState is the inverse of Describe.
func describeFullState(meta map[string]string) (n fullState, err error) {
	if n.Facilities, err = proxy.MetaInt(meta, "facilities", 1, instance.MaxDim); err != nil {
		return n, err
	}
	n.Clients, err = proxy.MetaInt(meta, "clients", 1, instance.MaxDim)
	return n, err
}

// Form implements proxy.Architecture. The paper does not describe how inputs are normalised. Inputs that do not depend
// on y are centred only: they are of order one already, their variance is that of a few instances, and the network
// would learn to distinguish these by noise.
func (n fullState) Form() proxy.Form {
	fixed := 2*n.Facilities + n.Clients + n.Facilities*n.Clients
	return proxy.Form{
		Inputs:  fixed + n.Facilities,
		Outputs: n.Clients,
		Output:  autodiff.Softplus,
		Normal:  &proxy.Normal{Centred: fixed},
	}
}

// On implements proxy.Architecture.
func (n fullState) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}

	// Its inputs are as many as an instance of one shape has numbers.
	if n.Facilities != own.Facilities || n.Clients != own.Clients {
		return nil, fmt.Errorf("cap: %w: it is for %d facilities and %d clients, the instance %s has %d and %d",
			proxy.ErrModel, n.Facilities, n.Clients, own.Name, own.Facilities, own.Clients)
	}
	return stateView{view{own}}, nil
}

// stateView implements proxy.View.
type stateView struct{ view }

// Certifier implements proxy.View, with the paper's projection. Cuts are aggregated always.
func (v stateView) Certifier(bool) (proxy.Certifier, error) { return newPlainCertifier(v.in), nil }

// state is an instance as inputs of the network: the capacities divided by the mean capacity that is needed, D/n, the
// demands divided by their mean, D/m, the fixed costs divided by the mean cost of a facility's share of the clients,
// and the costs divided by their mean; and y.
type state struct {
	proxy.Whole
	norm float64 // divisor of certified values in training
}

// newState returns the inputs of an instance.
func newState(in *Instance) *state {
	n := float64(in.Facilities)
	m := float64(in.Clients)
	demand := positive(in.TotalDemand())
	mean := positive(outward.Total(in.Cost) / float64(len(in.Cost)))

	// Each list in its own unit, so that the inputs are of order one.
	s := &state{Whole: proxy.Whole{Unit: slices.Repeat([]float64{mean}, in.Clients)}}
	for _, v := range in.Capacity {
		s.Constant = append(s.Constant, v/(demand/n))
	}
	for _, v := range in.Fixed {
		s.Constant = append(s.Constant, v/(mean*m/n))
	}
	for _, d := range in.Demand {
		s.Constant = append(s.Constant, d/(demand/m))
	}

	// The sum of the mean costs of the clients is the order of magnitude of a certified value.
	for i, span := range scales(in) {
		row := in.Row(i)
		for _, c := range row {
			s.Constant = append(s.Constant, c/mean)
		}
		s.norm += slices.Min(row) + span
	}
	s.norm = positive(s.norm)

	// The facilities in the order of the instance.
	for j := range in.Facilities {
		s.Order = append(s.Order, j)
	}
	return s
}

// Predictor implements proxy.View.
func (v stateView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	return newState(v.in).Predictor(net)
}

// TrainingSet implements proxy.View: training maximises the certified value of the multipliers, in units of the
// instance, by the supergradient 1 - sum_j y_j a_ij (paper, section 4.1).
func (v stateView) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	whole := newState(v.in)
	c := newPlainCertifier(v.in)
	return whole.TrainingSet(states, func(slope, _, lambda []float64, s *benders.State) float64 {
		if slope == nil {
			c.Project(lambda)
			return c.Value(lambda, s.Y) / whole.norm
		}
		value := c.Supergradient(slope, lambda, s.Y) / whole.norm
		for i := range slope {
			slope[i] *= whole.Unit[i] / whole.norm
		}
		return value
	}), feasible(v.in, states)
}
