package cflp

import (
	"fmt"
	"math"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Model is a full-state proxy: one network that sees the whole instance and the point and predicts the prices of all
// capacities at once, because they tie the clients together; the multipliers of the clients follow from them in
// closed form (see features; the paper's Appendix A.1 predicts the multipliers themselves). It is made for one shape,
// and for variants of the instances that it was trained on.
type Model struct {
	Net                 *nn.MLP
	Facilities, Clients int
	Meta                map[string]string // what was stored with it: seed, data, scores
}

// ModelConfig says what Model to make.
type ModelConfig struct {
	Facilities, Clients int
	Hidden              []int // widths of the hidden layers
	Seed                uint64
}

// NewModel returns an untrained model: ReLU layers and a linear output.
func NewModel(c ModelConfig) (*Model, error) {
	if c.Facilities < 1 || c.Clients < 1 {
		return nil, fmt.Errorf("cflp: %w: a model for %d facilities and %d clients", families.ErrOptions, c.Facilities, c.Clients)
	}
	sizes := append(append([]int{inputs(c.Facilities, c.Clients)}, c.Hidden...), c.Facilities)
	net, err := nn.NewMLP(nn.Config{Sizes: sizes, Hidden: autodiff.ReLU, Output: autodiff.Identity, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	return &Model{Net: net, Facilities: c.Facilities, Clients: c.Clients, Meta: map[string]string{}}, nil
}

// Save writes the model atomically as a safetensors file.
func (m *Model) Save(path string) error {
	meta := map[string]string{"family": "cap", "facilities": strconv.Itoa(m.Facilities), "clients": strconv.Itoa(m.Clients)}
	return families.SaveNet(path, m.Net, meta, m.Meta)
}

// modelOf builds the model that the tensors describe.
func modelOf(t *nn.Tensors) (*Model, error) {
	net, meta, err := t.MLP()
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("cflp: %w: %s: %s", families.ErrModel, t.File, fmt.Sprintf(format, args...))
	}
	m := &Model{Net: net, Meta: meta}
	for _, part := range []struct {
		name string
		to   *int
	}{{"facilities", &m.Facilities}, {"clients", &m.Clients}} {
		v, err := strconv.Atoi(meta[part.name])
		if err != nil || v < 1 || v > maxDim {
			return nil, bad("%s is %q", part.name, meta[part.name])
		}
		*part.to = v
	}
	if net.Inputs() != inputs(m.Facilities, m.Clients) || net.Outputs() != m.Facilities {
		return nil, bad("a network with %d inputs and %d outputs for %d facilities and %d clients", net.Inputs(), net.Outputs(), m.Facilities, m.Clients)
	}
	return m, nil
}

// Fits reports why the model cannot be used on an instance, or nil.
func (m *Model) Fits(in *Instance) error {
	if m.Facilities != in.Facilities || m.Clients != in.Clients {
		return fmt.Errorf("cflp: %w: it is for %d facilities and %d clients, the instance %s has %d and %d", families.ErrModel,
			m.Facilities, m.Clients, in.Name, in.Facilities, in.Clients)
	}
	return nil
}

// Separator returns the proxy separator of an instance with the model's present weights.
func (m *Model) Separator(in *Instance) (*proxy.Separator, error) {
	p, err := m.predictor(in)
	if err != nil {
		return nil, err
	}
	return proxy.NewSeparator(p, NewCertifier(in)), nil
}

// ProxySeparation lets a trained model predict, and certifies.
func ProxySeparation(m *Model) Separation {
	return Separation{New: func(in *Instance, _ []float64) (benders.Separator, error) { return m.Separator(in) }}
}

// HybridSeparation asks a trained model first, and separates exactly where its cut is not violated by the given amount.
func HybridSeparation(m *Model, violation float64) Separation {
	quick := ProxySeparation(m)
	return Separation{proxy: &quick, New: func(in *Instance, core []float64) (benders.Separator, error) {
		quick, err := m.Separator(in)
		if err != nil {
			return nil, err
		}
		thorough, err := ExactSeparation().New(in, core)
		return benders.NewHybrid(quick, thorough, violation), err
	}}
}

// predictor evaluates the network on one instance. What the instance adds to the first layer is computed once.
type predictor struct {
	features *features
	split    *nn.Split
	at       *point
	x, out   []float64 // inputs that vary, outputs
}

func (m *Model) predictor(in *Instance) (*predictor, error) {
	if err := m.Fits(in); err != nil {
		return nil, err
	}
	p := &predictor{features: newFeatures(in), out: make([]float64, in.Facilities)}
	fixed := len(p.features.constant)
	p.at, p.x = p.features.newPoint(), make([]float64, m.Net.Inputs()-fixed)
	var err error
	p.split, err = m.Net.NewSplit(1, fixed, len(p.x), p.features.constant)
	return p, err
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, lambda []float64) error {
	p.features.fill(p.x, lambda, y, p.at)
	if err := p.split.Forward(p.out, p.x, nil); err != nil {
		return err
	}
	if p.features.price(p.out, p.at) {
		p.features.relax(lambda, y, p.at)
		return nil
	}
	for i := range lambda {
		lambda[i] = math.NaN() // for Certifier.Project to count
	}
	return nil
}
