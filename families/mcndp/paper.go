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
// heads, each with a multiplier for every commodity and node. It sees cost, capacity, fixed cost and y of each arc, the
// arcs by ascending cost, and the demands; so it is made for one shape, and for instances with the same numbering of
// commodities and nodes. It implements proxy.Architecture.
type structured struct {
	network
	Nodes, Arcs, Commodities int
}

// structuredFor returns the architecture for instances of the shape of one.
func structuredFor(in *Instance) structured {
	return structured{network{defaultPenalty}, in.Nodes, in.Arcs(), in.Commodities()}
}

// describeStructured is the inverse of Describe.
func describeStructured(meta map[string]string, of network) (proxy.Architecture, error) {
	n := structured{network: of}
	var err error
	for _, part := range []struct {
		name string
		to   *int
		low  int
	}{{"nodes", &n.Nodes, 2}, {"arcs", &n.Arcs, 1}, {"commodities", &n.Commodities, 1}} {
		if *part.to, err = proxy.MetaInt(meta, part.name, part.low, maxDim); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// fits reports why the network is not for the shape of an instance, or nil.
func (n structured) fits(in *Instance) error {
	if n.Nodes != in.Nodes || n.Arcs != in.Arcs() || n.Commodities != in.Commodities() {
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
	maps.Copy(meta, map[string]string{"nodes": fmt.Sprint(n.Nodes), "arcs": fmt.Sprint(n.Arcs),
		"commodities": fmt.Sprint(n.Commodities), predicts: multipliers})
	return meta
}

// Form implements proxy.Architecture. All multipliers of a head start near one value above 0: where the projection
// takes a negative output to 0 it has no slope. What does not depend on y is centred only: its variance is that of a
// few bases, by which others are far off.
func (n structured) Form() proxy.Form {
	return proxy.Form{Inputs: perArc*n.Arcs + n.Commodities, Outputs: 2 * n.Nodes * n.Commodities, Bias: 1,
		Normal: &proxy.Normal{Centred: (perArc-1)*n.Arcs + n.Commodities}}
}

// On implements proxy.Architecture.
func (n structured) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}
	if err := n.fits(own); err != nil {
		return nil, err
	}
	return structuredView{n, own}, nil
}

// structuredView implements proxy.View.
type structuredView struct {
	structured
	in *Instance
}

// Certifier implements proxy.View. Cuts are aggregated always.
func (v structuredView) Certifier(bool) (proxy.Certifier, error) { return v.heads(), nil }

// heads returns the certifier of both heads, with the paper's projections.
func (v structuredView) heads() *twoHeads {
	h := newTwoHeads(v.in, view{v.network, v.in}.penalty())
	h.certifier.plain = true
	return h
}

// Exact implements proxy.View.
func (v structuredView) Exact() (benders.Separator, error) { return newExact(v.in) }

// encoding is the inputs of an instance and the unit of the outputs.
type encoding struct {
	in    *Instance
	order []int     // arcs by ascending cost
	fixed []float64 // inputs that do not depend on y
	unit  []float64 // of a multiplier of the optimality head: the demand by the mean cost of a cheapest path
	slice float64   // of one of the feasibility head
	norm  float64   // what certified costs are divided by in training
}

func newEncoding(in *Instance) *encoding {
	e := &encoding{in: in, slice: 1 / float64(in.Nodes), norm: in.cheapest()}
	if !(e.norm > 0) {
		e.norm = max(in.totalDemand(), tooSmall)
	}
	price := e.norm / max(in.totalDemand(), tooSmall)
	for _, d := range in.Demand {
		e.unit = append(e.unit, d*price)
	}
	for j := range in.Arcs() {
		e.order = append(e.order, j)
	}
	slices.SortStableFunc(e.order, func(a, b int) int { return cmp.Compare(in.Cost[a], in.Cost[b]) })
	for _, values := range [][]float64{in.Cost, in.Capacity, in.Fixed} {
		mean := meanOf(values)
		for _, j := range e.order {
			e.fixed = append(e.fixed, values[j]/mean)
		}
	}
	mean := meanOf(in.Demand)
	for _, d := range in.Demand {
		e.fixed = append(e.fixed, d/mean)
	}
	return e
}

// meanOf is the mean of nonnegative values, 1 where that is 0.
func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(values))
}

// point writes the inputs that depend on y.
func (e *encoding) point(x, y []float64) {
	for k, j := range e.order {
		x[k] = y[j]
	}
}

// set writes the multipliers that the outputs say, both heads, before any projection.
func (e *encoding) set(u, out []float64) {
	n, m := e.in.size(), e.in.Commodities()
	for k, v := range out[:n] {
		u[k] = e.unit[k%m] * v
	}
	for k, v := range out[n:] {
		u[n+k] = e.slice * v
	}
}

// structuredPredictor evaluates the network on one instance.
type structuredPredictor struct {
	*encoding
	split  *nn.Split
	x, out []float64
}

// Predictor implements proxy.View.
func (v structuredView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	p := &structuredPredictor{encoding: newEncoding(v.in), x: make([]float64, v.in.Arcs()),
		out: make([]float64, net.Outputs())}
	var err error
	p.split, err = net.NewSplit(1, len(p.fixed), len(p.x), p.fixed)
	return p, err
}

// Predict implements proxy.Predictor.
func (p *structuredPredictor) Predict(y, u []float64) error {
	p.point(p.x, y)
	if err := p.split.Forward(p.out, p.x, nil); err != nil {
		return err
	}
	p.set(u, p.out)
	return nil
}

// structuredLesson implements proxy.Lesson: the certified recourse cost of the optimality head at states with a
// feasible recourse, and the separation value of the feasibility head at the others, both behind their projections.
type structuredLesson struct {
	*encoding
	certifier *completer
	states    []benders.State
	u         []float64
	slope     []float64
}

// Lesson implements proxy.View.
func (v structuredView) Lesson(_ context.Context, states []benders.State) (proxy.Lesson, error) {
	for _, s := range states {
		if len(s.Y) != v.in.Arcs() {
			return nil, fmt.Errorf("mcndp: %w: a state of %s with %d columns", proxy.ErrOptions, v.in.Name, len(s.Y))
		}
	}
	return &structuredLesson{newEncoding(v.in), v.heads().certifier, states, make([]float64, 2*v.in.size()),
		make([]float64, v.in.size())}, nil
}

// States implements proxy.Lesson.
func (l *structuredLesson) States() int { return len(l.states) }

// Rows implements proxy.Lesson.
func (l *structuredLesson) Rows() int { return 1 }

// Fill implements proxy.Lesson.
func (l *structuredLesson) Fill(x, _ []float64, state int, _ []int) {
	l.point(x[copy(x, l.fixed):], l.states[state].Y)
}

// Certify implements proxy.Lesson.
func (l *structuredLesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	clear(slope)
	value[0] = l.certify(slope, out, state)
	return nil
}

// Value implements proxy.Lesson.
func (l *structuredLesson) Value(out, _ []float64, state int) (float64, error) {
	return l.certify(nil, out, state), nil
}

// certify returns what the head that the state is for certifies and, where slope is not nil, its slope in the outputs.
func (l *structuredLesson) certify(slope, out []float64, state int) float64 {
	l.set(l.u, out)
	n := l.in.size()
	s := &l.states[state]
	if s.Infeasible {
		u := l.u[n:]
		l.certifier.ProjectFeasibility(u)
		value := l.certifier.Supergradient(benders.Feasibility, l.slope, u, s.Y) / float64(l.in.Commodities())
		if slope != nil {
			l.backFeasibility(slope[n:], out[n:], u)
		}
		return value
	}
	u := l.u[:n]
	l.certifier.Project(u)
	value := l.certifier.Supergradient(benders.Optimality, l.slope, u, s.Y) / l.norm
	if slope != nil {
		l.backOptimality(slope[:n], out[:n], u)
	}
	return value
}

// backOptimality takes the slope in the projected multipliers u back to the outputs.
func (l *structuredLesson) backOptimality(slope, out, u []float64) {
	in, m := l.in, l.in.Commodities()
	for i := range m {
		o, t := int(in.Origin[i])*m+i, int(in.Destination[i])*m+i
		if u[o] < l.unit[i]*out[o] { // lowered to that of the destination and the penalty
			l.slope[t] += l.slope[o]
			l.slope[o] = 0
		}
	}
	for k, v := range out {
		if v > 0 {
			slope[k] = l.slope[k] * l.unit[k%m] / l.norm
		}
	}
}

// backFeasibility is backOptimality of the other head: where a commodity's multipliers were lowered together, they can
// only be exchanged for each other.
func (l *structuredLesson) backFeasibility(slope, out, u []float64) {
	m := l.in.Commodities()
	for i := range m {
		lowered, count, mean := false, 0, 0.0
		for v := range l.in.Nodes {
			k := v*m + i
			if u[k] > 0 {
				lowered = lowered || u[k] < l.encoding.slice*out[k]
				mean += l.slope[k]
				count++
			}
		}
		for v := range l.in.Nodes {
			k := v*m + i
			switch {
			case !(u[k] > 0):
			case lowered:
				slope[k] = (l.slope[k] - mean/float64(count)) * l.encoding.slice / float64(m)
			default:
				slope[k] = l.slope[k] * l.encoding.slice / float64(m)
			}
		}
	}
}
