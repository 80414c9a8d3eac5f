package mcndp

import (
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Model is a structured proxy: one network sees an arc in its surroundings, and has two heads, for optimality and for
// feasibility cuts. Each says how long the arc is, and shortest paths make multipliers of the lengths (see features and
// potentials). The weights know no size; a model is for the shape that it was trained on all the same.
type Model struct {
	Net                      *nn.MLP
	Nodes, Arcs, Commodities int
	Penalty                  float64           // times Penalty(instance): what a unit of flow is worth at most (design.md, section 3)
	Meta                     map[string]string // what was stored with it: seed, data, scores
}

// ModelConfig says what Model to make.
type ModelConfig struct {
	Nodes, Arcs, Commodities int
	Hidden                   []int // widths of the hidden layers, the encoder that both heads share
	Penalty                  float64
	Seed                     uint64
}

// NewModel returns an untrained model: ReLU layers, and linear heads that start at the estimates without a network.
func NewModel(c ModelConfig) (*Model, error) {
	if c.Nodes < 2 || c.Arcs < 1 || c.Commodities < 1 || !(c.Penalty > 0 && c.Penalty < tooLarge) {
		return nil, fmt.Errorf("mcndp: %w: a model for %d nodes, %d arcs and %d commodities with penalty %g", families.ErrOptions, c.Nodes, c.Arcs, c.Commodities, c.Penalty)
	}
	sizes := append(append([]int{arcFeatures}, c.Hidden...), heads)
	net, err := nn.NewMLP(nn.Config{Sizes: sizes, Hidden: autodiff.ReLU, Output: autodiff.Identity, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	weight, _ := net.Layer(len(sizes) - 2)
	for k := range weight.Value {
		weight.Value[k] *= 0.01
	}
	return &Model{Net: net, Nodes: c.Nodes, Arcs: c.Arcs, Commodities: c.Commodities, Penalty: c.Penalty, Meta: map[string]string{}}, nil
}

// Save writes the model atomically as a safetensors file.
func (m *Model) Save(path string) error {
	meta := map[string]string{"family": "mcndp", "nodes": strconv.Itoa(m.Nodes), "arcs": strconv.Itoa(m.Arcs),
		"commodities": strconv.Itoa(m.Commodities), "penalty": strconv.FormatFloat(m.Penalty, 'g', -1, 64)}
	return families.SaveNet(path, m.Net, meta, m.Meta)
}

// modelOf builds the model that the tensors describe.
func modelOf(t *nn.Tensors) (*Model, error) {
	net, meta, err := t.MLP()
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("mcndp: %w: %s: %s", families.ErrModel, t.File, fmt.Sprintf(format, args...))
	}
	m := &Model{Net: net, Meta: meta}
	for name, to := range map[string]*int{"nodes": &m.Nodes, "arcs": &m.Arcs, "commodities": &m.Commodities} {
		if *to, err = strconv.Atoi(meta[name]); err != nil || *to < 1 || *to > maxDim {
			return bad("%s is %q", name, meta[name])
		}
	}
	if m.Penalty, err = strconv.ParseFloat(meta["penalty"], 64); err != nil || !(m.Penalty > 0 && m.Penalty < tooLarge) {
		return bad("penalty is %q", meta["penalty"])
	}
	if net.Inputs() != arcFeatures || net.Outputs() != heads {
		return bad("a network with %d inputs and %d outputs, not %d and %d", net.Inputs(), net.Outputs(), arcFeatures, heads)
	}
	return m, nil
}

// Fits reports why the model cannot be used on an instance, or nil.
func (m *Model) Fits(in *Instance) error {
	if m.Nodes != in.Nodes || m.Arcs != in.Arcs() || m.Commodities != in.Commodities() {
		return fmt.Errorf("mcndp: %w: it is for the shape %s, the instance %s has %s", families.ErrModel,
			families.FormatShape(m.Nodes, m.Arcs, m.Commodities), in.Name, in.shape())
	}
	return nil
}

func (in *Instance) shape() string {
	return families.FormatShape(in.Nodes, in.Arcs(), in.Commodities())
}

// Separator returns the proxy separator of an instance with the model's present weights.
func (m *Model) Separator(in *Instance) (*proxy.Separator, error) {
	p, err := m.predictor(in)
	if err != nil {
		return nil, err
	}
	return proxy.NewSeparator(p, m.certifiers(in)), nil
}

// certifiers returns the certifier of both heads.
func (m *Model) certifiers(in *Instance) *Heads {
	return NewHeads(in, m.penalty(in))
}

// penalty returns what a unit of flow is worth at most.
func (m *Model) penalty(in *Instance) float64 {
	return min(m.Penalty*max(Penalty(in), tooSmall), tooLarge)
}

// Heads certifies a prediction of both heads, the multipliers of optimality before those of feasibility. It implements
// proxy.Certifier and is for one goroutine.
type Heads struct{ certifier *Certifier }

// NewHeads returns the certifier of both heads of a valid instance; see NewCertifier.
func NewHeads(in *Instance, penalty float64) *Heads { return &Heads{NewCertifier(in, penalty)} }

// Dim returns the number of predicted multipliers: two a commodity and node.
func (h *Heads) Dim() int { return 2 * h.certifier.in.size() }

// Project projects both heads; see Certifier.Project and Certifier.ProjectFeasibility.
func (h *Heads) Project(u []float64) (notFinite int) {
	n := h.certifier.in.size()
	return h.certifier.Project(u[:n]) + h.certifier.ProjectFeasibility(u[n:])
}

// Complete completes both heads in the strongest way. Where the feasibility cut proves that the point has no recourse, it
// is the answer; elsewhere the optimality cut, whose value at the point, rounded down, is the certified one.
func (h *Heads) Complete(u []float64, p benders.Point) (benders.Separation, error) {
	c, n := h.certifier, h.certifier.in.size()
	if len(p.Y) != c.in.Arcs() {
		return benders.Separation{}, fmt.Errorf("mcndp: %w: a point with %d columns", ErrInstance, len(p.Y))
	}
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

// predictor evaluates the network on one instance.
type predictor struct {
	in             *Instance
	features       *features
	estimates      estimates
	potentials     *potentials
	sharpener      *sharpener
	net            *nn.Inference
	x, out, length []float64
}

func (m *Model) predictor(in *Instance) (*predictor, error) {
	if err := m.Fits(in); err != nil {
		return nil, err
	}
	n := in.Arcs()
	f, p := newFeatures(in), newPotentials(in)
	return &predictor{in: in, features: f, estimates: newEstimates(n), potentials: p, sharpener: newSharpener(in, f, p, m.penalty(in)), net: m.Net.NewInference(),
		x: make([]float64, n*arcFeatures), out: make([]float64, n*heads), length: make([]float64, n)}, nil
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, u []float64) error {
	p.features.inputs(p.x, p.estimates, y)
	if err := p.net.Forward(p.out, p.x, p.in.Arcs()); err != nil {
		return err
	}
	size := p.in.size()
	p.features.lengths(p.length, p.estimates, p.out)
	p.sharpener.sharpen(u[:size], p.length, y)
	p.features.stretched(p.length, p.estimates, p.out)
	p.sharpener.sharpenMetric(u[size:], p.length, y)
	slice(p.in, u[size:])
	return nil
}
