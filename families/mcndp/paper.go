package mcndp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// structured is the paper's network (section 5.3 and Appendix B): one encoder of the instance and the point, and two
// heads, each with a multiplier for every commodity and node. Its input is cost, capacity, fixed cost and y of each
// arc, the arcs by ascending cost, and the demands; so it is made for one shape, and for instances with the same
// numbering of commodities and nodes. It implements proxy.Architecture.
type structured struct {
	network
	Nodes, Arcs, Commodities int
}

// describeStructured is the inverse of Describe.
func describeStructured(meta map[string]string) (proxy.Architecture, error) {
	var n structured
	var err error

	// The sizes are bounded, so that no file asks for a network beyond memory.
	for _, part := range []struct {
		name string
		to   *int
		low  int
	}{
		{"nodes", &n.Nodes, 2},
		{"arcs", &n.Arcs, 1},
		{"commodities", &n.Commodities, 1},
	} {
		if *part.to, err = proxy.MetaInt(meta, part.name, part.low, maxDim); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// fits reports why the network is not for the shape of an instance, or nil.
func (n structured) fits(in *Instance) error {
	// The numbering of nodes and commodities must be the same too, which nothing can check.
	if n.Nodes != in.Nodes || n.Arcs != in.arcs() || n.Commodities != in.commodities() {
		return fmt.Errorf("mcndp: %w: it is for the shape %s, the instance %s has %s", proxy.ErrModel,
			families.FormatShape(n.Nodes, n.Arcs, n.Commodities), in.Name, in.shape())
	}
	return nil
}

// predicts is the metadata by which a file says what the outputs are; lengths of arcs where it is not there.
const (
	predicts    = "predicts"
	multipliers = "multipliers"
)

// perArc is how many inputs an arc has.
const perArc = 4

// Describe implements proxy.Architecture.
func (n structured) Describe() map[string]string {
	meta := n.network.Describe()

	// The sizes say which instances the network is for.
	maps.Copy(meta, map[string]string{
		"nodes":       fmt.Sprint(n.Nodes),
		"arcs":        fmt.Sprint(n.Arcs),
		"commodities": fmt.Sprint(n.Commodities),
		predicts:      multipliers,
	})
	return meta
}

// Form implements proxy.Architecture. All multipliers of a head start near one value above 0: where the projection
// takes a negative output to 0 it has no slope. What does not depend on y is centred only: its variance is that of a
// few bases, by which others are far off.
func (n structured) Form() proxy.Form {
	// Of the inputs only y, one in perArc of an arc, changes from point to point.
	return proxy.Form{
		Inputs:  perArc*n.Arcs + n.Commodities,
		Outputs: 2 * n.Nodes * n.Commodities,
		Bias:    1,
		Normal:  &proxy.Normal{Centred: (perArc-1)*n.Arcs + n.Commodities},
	}
}

// On implements proxy.Architecture.
func (n structured) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}

	// The sizes of the instance must be those of the network.
	if err := n.fits(own); err != nil {
		return nil, err
	}
	return structuredView{structured: n, common: common{in: own, plain: true}}, nil
}

// structuredView implements proxy.View for the paper's network.
type structuredView struct {
	structured
	common
}

// whole is an instance as the network reads it, and what certified costs are divided by in training. A multiplier of
// the optimality head is in demands by the mean cost of a cheapest path.
func whole(in *Instance) (w *proxy.Whole, norm float64) {
	if norm = in.cheapest(); !(norm > 0) {
		norm = max(in.totalDemand(), tooSmall)
	}

	// The units of the outputs: those of the optimality head, and one for all of the feasibility head, whose multipliers
	// sum to at most 1 over the nodes of a commodity.
	w = &proxy.Whole{}
	price := norm / max(in.totalDemand(), tooSmall)
	for range in.Nodes {
		for _, d := range in.Demand {
			w.Unit = append(w.Unit, d*price)
		}
	}
	w.Unit = append(w.Unit, slices.Repeat([]float64{1 / float64(in.Nodes)}, in.size())...)

	// Arcs by ascending cost, and their numbers by the means.
	for j := range in.arcs() {
		w.Order = append(w.Order, j)
	}
	slices.SortStableFunc(w.Order, func(a, b int) int { return cmp.Compare(in.Cost[a], in.Cost[b]) })
	for _, values := range [][]float64{in.Cost, in.Capacity, in.Fixed} {
		mean := meanOf(values)
		for _, j := range w.Order {
			w.Constant = append(w.Constant, values[j]/mean)
		}
	}

	mean := meanOf(in.Demand)
	for _, d := range in.Demand {
		w.Constant = append(w.Constant, d/mean)
	}
	return w, norm
}

// meanOf is the mean of nonnegative values, 1 where that is 0.
func meanOf(values []float64) float64 {
	// Values that are all zero stay zero.
	if sum := sumOf(values); sum != 0 {
		return sum / float64(len(values))
	}
	return 1
}

// Predictor implements proxy.View.
func (v structuredView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	w, _ := whole(v.in)
	return w.Predictor(net)
}

// structuredLesson is what training maximises: the certified recourse cost of the optimality head at states with a
// feasible recourse, and the separation value of the feasibility head at the others, both behind their projections.
type structuredLesson struct {
	in        *Instance
	unit      []float64 // of each output: the multiplier is the output times the unit
	norm      float64   // what certified recourse costs are divided by
	certifier *certifier
	slope     []float64 // the slope in the projected multipliers of one head
}

// TrainingSet implements proxy.View.
func (v structuredView) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	for _, s := range states {
		if len(s.Y) != v.in.arcs() {
			return nil, fmt.Errorf("mcndp: %w: a state of %s with %d columns", proxy.ErrOptions, v.in.Name, len(s.Y))
		}
	}

	// Whole makes the inputs of a state, and passes the multipliers and their units on to certify.
	w, norm := whole(v.in)
	l := &structuredLesson{v.in, w.Unit, norm, v.heads().certifier, make([]float64, v.in.size())}
	return w.TrainingSet(states, l.certify), nil
}

// certify returns what the head that the state is for certifies and, where slope is not nil, its slope in the outputs.
func (l *structuredLesson) certify(slope, out, u []float64, s *benders.State) float64 {
	n := l.in.size()
	clear(slope)

	// The value of a feasibility cut counts as a mean over the commodities.
	if s.Infeasible {
		// The second half of the multipliers is that of the feasibility head.
		u = u[n:]
		l.certifier.ProjectFeasibility(u)
		value := l.certifier.Supergradient(benders.Feasibility, l.slope, u, s.Y) / float64(l.in.commodities())
		if slope != nil {
			l.backFeasibility(slope[n:], out[n:], u)
		}
		return value
	}

	u = u[:n]
	l.certifier.Project(u)
	value := l.certifier.Supergradient(benders.Optimality, l.slope, u, s.Y) / l.norm
	if slope != nil {
		l.backOptimality(slope[:n], out[:n], u)
	}
	return value
}

// backOptimality takes the slope in the projected multipliers u back to the outputs.
func (l *structuredLesson) backOptimality(slope, out, u []float64) {
	m := l.in.commodities()
	for i := range m {
		o := int(l.in.Origin[i])*m + i
		t := int(l.in.Destination[i])*m + i
		// An origin that was lowered is its destination's multiplier plus the penalty, and moves with that.
		if u[o] < l.unit[o]*out[o] {
			l.slope[t] += l.slope[o]
			l.slope[o] = 0
		}
	}

	// By the chain rule; an output that is not positive was projected to zero.
	for k, v := range out {
		if v > 0 {
			slope[k] = l.slope[k] * l.unit[k] / l.norm
		}
	}
}

// backFeasibility is backOptimality of the other head: where a commodity's multipliers were lowered together, they can
// only be exchanged for each other.
func (l *structuredLesson) backFeasibility(slope, out, u []float64) {
	m := l.in.commodities()

	// All units of this head are the same.
	slice := l.unit[len(l.unit)-1]
	for i := range m {
		// The multipliers above zero, the sum of their slopes, and whether the projection has lowered any.
		lowered := false
		count := 0
		sum := 0.0
		for v := range l.in.Nodes {
			k := v*m + i
			if u[k] > 0 {
				lowered = lowered || u[k] < slice*out[k]
				sum += l.slope[k]
				count++
			}
		}

		// Where the projection lowered the multipliers, their sum is fixed: the mean slope is taken off.
		for v := range l.in.Nodes {
			k := v*m + i
			switch {
			case !(u[k] > 0):
			case lowered:
				slope[k] = (l.slope[k] - sum/float64(count)) * slice / float64(m)
			default:
				slope[k] = l.slope[k] * slice / float64(m)
			}
		}
	}
}
