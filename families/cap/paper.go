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

// fullState is the paper's network (section 5.3 and Appendix B): it sees the whole instance and the point, 3n + m + mn
// numbers, and predicts the multiplier of every client's demand row, in mean costs. Softplus keeps the multipliers
// positive. It is made for one shape. It implements proxy.Architecture.
type fullState struct{ Facilities, Clients int }

// multipliers are what its outputs are.
const multipliers = "multipliers"

// Describe implements proxy.Architecture.
func (n fullState) Describe() map[string]string {
	return map[string]string{"family": name, predicts: multipliers, "facilities": strconv.Itoa(n.Facilities),
		"clients": strconv.Itoa(n.Clients)}
}

// describeFullState is the inverse of Describe.
func describeFullState(meta map[string]string) (n fullState, err error) {
	if n.Facilities, err = proxy.MetaInt(meta, "facilities", 1, instance.MaxDim); err != nil {
		return n, err
	}
	n.Clients, err = proxy.MetaInt(meta, "clients", 1, instance.MaxDim)
	return n, err
}

// Form implements proxy.Architecture. The paper does not say how inputs are normalised. What does not depend on y is
// centred only: it is of order one already, its variance is that of a few instances, and the network would learn to
// tell them apart by noise.
func (n fullState) Form() proxy.Form {
	fixed := 2*n.Facilities + n.Clients + n.Facilities*n.Clients
	return proxy.Form{Inputs: fixed + n.Facilities, Outputs: n.Clients, Output: autodiff.Softplus,
		Normal: &proxy.Normal{Centred: fixed}}
}

// On implements proxy.Architecture.
func (n fullState) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}
	if n.Facilities != own.Facilities || n.Clients != own.Clients {
		return nil, fmt.Errorf("cap: %w: it is for %d facilities and %d clients, the instance %s has %d and %d",
			proxy.ErrModel, n.Facilities, n.Clients, own.Name, own.Facilities, own.Clients)
	}
	return stateView{view{own}}, nil
}

// stateView implements proxy.View.
type stateView struct{ view }

// state is an instance as the network reads it: capacities and demands over the mean ones that would be needed, D/n and
// D/m, the fixed costs over the mean cost of a facility's share of the clients, and the costs over their mean; and y.
type state struct {
	proxy.Whole
	norm float64 // what certified values are divided by in training
}

func newState(in *Instance) *state {
	n, m := in.Facilities, in.Clients
	demand := positive(in.TotalDemand())
	mean := positive(outward.Total(in.Cost) / float64(len(in.Cost)))
	s := &state{Whole: proxy.Whole{Unit: slices.Repeat([]float64{mean}, m)}}
	for _, v := range in.Capacity {
		s.Constant = append(s.Constant, v/(demand/float64(n)))
	}
	for _, v := range in.Fixed {
		s.Constant = append(s.Constant, v/(mean*float64(m)/float64(n)))
	}
	for _, d := range in.Demand {
		s.Constant = append(s.Constant, d/(demand/float64(m)))
	}
	for i, span := range scales(in) {
		row := in.Row(i)
		for _, c := range row {
			s.Constant = append(s.Constant, c/mean)
		}
		s.norm += slices.Min(row) + span
	}
	s.norm = positive(s.norm)
	for j := range n {
		s.Order = append(s.Order, j)
	}
	return s
}

// Predictor implements proxy.View.
func (v stateView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	return newState(v.in).Predictor(net)
}

// Lesson implements proxy.View: what is maximised is the certified value of the multipliers, in units of the instance,
// by the supergradient 1 - sum_j y_j a_ij (paper, section 4.1).
func (v stateView) Lesson(_ context.Context, states []benders.State) (proxy.Lesson, error) {
	whole, c := newState(v.in), newCertifier(v.in)
	return whole.Lesson(states, func(slope, _, lambda []float64, s *benders.State) float64 {
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
