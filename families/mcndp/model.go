package mcndp

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/nn"
)

// network is an architecture by arcs: one network is applied to every arc in its surroundings and says how long the arc
// is, and shortest paths make multipliers of the lengths (see features and potentials). Those of feasibility cuts come
// from an estimate that is not learnt. The weights do not depend on the size, so that a model fits every instance. It
// implements proxy.Architecture.
type network struct{}

// Describe implements proxy.Architecture.
func (n network) Describe() map[string]string {
	return map[string]string{"family": name}
}

// describe is the inverse of Describe.
func describe(meta map[string]string, _ *nn.MLP) (proxy.Architecture, error) {
	// Files without the word are of networks of arcs.
	switch what := meta[predicts]; what {
	case "":
		return network{}, nil
	case multipliers:
		return describeStructured(meta)
	default:
		return nil, fmt.Errorf("%s is %q", predicts, what)
	}
}

// Form implements proxy.Architecture. It starts at the estimate without a network. An input that hardly varies
// is not blown up.
func (n network) Form() proxy.Form {
	return proxy.Form{Inputs: arcFeatures, Outputs: 1, AnySize: true, NearZero: true,
		Normal: &proxy.Normal{MinSpread: 0.05}}
}

// On implements proxy.Architecture.
func (n network) On(in any) (proxy.View, error) {
	// Another family has instances of another type.
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}
	return view{network: n, common: common{in: own}}, nil
}

// shape returns the sizes of the instance as nodes x arcs x commodities.
func (in *Instance) shape() string {
	return families.FormatShape(in.Nodes, in.arcs(), in.commodities())
}

// common is what the views of both architectures share.
type common struct {
	in    *Instance
	plain bool // the paper's projections, and no more
}

// heads returns the certifier of both heads.
func (v common) heads() *twoHeads {
	h := newTwoHeads(v.in)
	h.certifier.plain = v.plain
	return h
}

// Certifier implements proxy.View. There is one epigraph, so that cuts are aggregated always.
func (v common) Certifier(bool) (proxy.Certifier, error) { return v.heads(), nil }

// Exact implements proxy.View.
func (v common) Exact() (benders.Separator, error) { return newExact(v.in) }

// view implements proxy.View for the network of arcs.
type view struct {
	network
	common
}

// TrainingSet implements proxy.View.
func (v view) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	return v.lesson(states)
}

// Predictor implements proxy.View.
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) { return v.predictor(net), nil }

// twoHeads certifies a prediction of both heads, the multipliers of optimality before those of feasibility. It
// implements proxy.Certifier and is for one goroutine.
type twoHeads struct{ certifier *certifier }

// newTwoHeads returns the certifier of both heads of a valid instance.
func newTwoHeads(in *Instance) *twoHeads { return &twoHeads{newCertifier(in)} }

// Dim returns the number of predicted multipliers: two a commodity and node.
func (h *twoHeads) Dim() int { return 2 * h.certifier.in.size() }

// Project projects both heads; see certifier.Project and certifier.ProjectFeasibility.
func (h *twoHeads) Project(u []float64) (notFinite int) {
	n := h.certifier.in.size()
	return h.certifier.Project(u[:n]) + h.certifier.ProjectFeasibility(u[n:])
}

// Complete completes both heads in the strongest way. Where the feasibility cut proves that the point has no
// recourse, it is the answer; elsewhere the optimality cut, whose value at the point, rounded down, is the certified
// one.
func (h *twoHeads) Complete(u []float64, p benders.Point) (benders.Separation, error) {
	c := h.certifier
	n := c.in.size()

	// A point of another instance would be out of range below.
	if len(p.Y) != c.in.arcs() {
		return benders.Separation{}, fmt.Errorf("mcndp: %w: a point with %d columns", instance.ErrInstance, len(p.Y))
	}

	// The value that is rounded to nearest costs little; the cut, which is rounded outward, decides.
	if c.Value(benders.Feasibility, u[n:], p.Y) > infeasibleFrom {
		cut, err := c.Cut(benders.Feasibility, u[n:])
		if err != nil || cut.ValueDown(p.Y) > infeasibleFrom {
			return benders.Separation{Cuts: []benders.Cut{cut}, Infeasible: true}, err
		}
	}

	cut, err := c.Cut(benders.Optimality, u[:n])
	return benders.Separation{Cuts: []benders.Cut{cut}, Value: cut.ValueDown(p.Y)}, err
}

// infeasibleFrom is the value of a slice-normalised feasibility cut from which on it speaks against a point: above the
// violation that masters ask for.
const infeasibleFrom = 1e-5

// Bare implements proxy.Bare: the multipliers of the predicted lengths as they are.
func (v view) Bare(net *nn.MLP) (proxy.Predictor, error) { return barePredictor{v.predictor(net)}, nil }

// barePredictor is a predictor without the steps that sharpen its predictions.
type barePredictor struct{ *predictor }

// Predict implements proxy.Predictor.
func (p barePredictor) Predict(y, u []float64) error {
	if err := p.forward(y); err != nil {
		return err
	}

	// The metric of the feasibility head is the estimate, which no network corrects.
	size := p.in.size()
	p.potentials.set(u[:size], p.length)
	p.potentials.set(u[size:], p.features.congestion.metric)
	slice(p.in, u[size:])
	return nil
}

// predictor evaluates the network on one instance.
type predictor struct {
	in         *Instance
	features   *features
	potentials *potentials
	sharpener  *sharpener
	net        *nn.Inference
	x, out     []float64 // inputs and outputs of the network
	price      []float64 // of each arc, the estimate without the network
	length     []float64 // of each arc, with the output of the network
}

// predictor returns the predictor that evaluates net with its present weights.
func (v view) predictor(net *nn.MLP) *predictor {
	// The sharpener shares the estimates of the features, so that both are at the same point.
	n := v.in.arcs()
	f := newFeatures(v.in)
	p := newPotentials(v.in)
	return &predictor{
		in:         v.in,
		features:   f,
		potentials: p,
		sharpener:  newSharpener(v.in, f, p),
		net:        net.NewInference(),
		x:          make([]float64, n*arcFeatures),
		out:        make([]float64, n),
		price:      make([]float64, n),
		length:     make([]float64, n),
	}
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, u []float64) error {
	if err := p.forward(y); err != nil {
		return err
	}

	// Both heads are improved at the point: forward has set the rooms of the congestion to those of y.
	size := p.in.size()
	p.sharpener.sharpen(u[:size], p.length, y)
	p.sharpener.sharpenMetric(u[size:], p.features.congestion.metric, y)
	slice(p.in, u[size:])
	return nil
}

// forward sets the estimates at the point and the lengths.
func (p *predictor) forward(y []float64) error {
	// The inputs come with the estimate of the prices, which the output corrects.
	p.features.inputs(p.x, p.price, y)
	err := p.net.Forward(p.out, p.x, p.in.arcs())
	p.features.lengths(p.length, p.price, p.out)
	return err
}
