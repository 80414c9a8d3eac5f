package ufl

import (
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Model is a row-wise proxy: one network that is applied to every client's features at a point and
// predicts the client's dual (paper, Appendix A.2).
type Model struct {
	Net        *nn.MLP
	Kind       FeatureKind
	K          int               // positions of NearestRow and SupportRow
	Facilities int               // the shape that RawRow and SortedRow are made for
	Meta       map[string]string // what was stored with it: seed, data, scores
}

// ModelConfig says what Model to make.
type ModelConfig struct {
	Kind       FeatureKind
	K          int
	Facilities int
	Hidden     []int // widths of the hidden layers
	Seed       uint64
}

// NewModel returns an untrained model.
func NewModel(c ModelConfig) (*Model, error) {
	m := &Model{Kind: c.Kind, K: c.K, Facilities: c.Facilities, Meta: map[string]string{}}
	sizes := append([]int{m.inputs()}, c.Hidden...)
	net, err := nn.NewMLP(nn.Config{Sizes: append(sizes, 1), Hidden: autodiff.ReLU, Output: autodiff.Softplus, Seed: c.Seed})
	m.Net = net
	return m, err
}

// Shaped reports whether the inputs depend on the number of facilities.
func (m *Model) Shaped() bool { return m.Kind == RawRow || m.Kind == SortedRow }

func (m *Model) inputs() int {
	if m.Shaped() {
		return 2 * m.Facilities
	}
	return 2*m.K + 1
}

// Save writes the model atomically as a safetensors file.
func (m *Model) Save(path string) error {
	meta := map[string]string{"family": "ufl", "features": m.Kind.String(), "k": strconv.Itoa(m.K), "facilities": strconv.Itoa(m.Facilities)}
	return families.SaveNet(path, m.Net, meta, m.Meta)
}

// modelOf builds the model that the tensors describe.
func modelOf(t *nn.Tensors) (*Model, error) {
	net, meta, err := t.MLP()
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("ufl: %w: %s: %s", families.ErrModel, t.File, fmt.Sprintf(format, args...))
	}
	m := &Model{Net: net, Meta: meta}
	if m.Kind, err = ParseFeatureKind(meta["features"]); err != nil {
		return nil, bad("%v", err)
	}
	if m.K, err = strconv.Atoi(meta["k"]); err != nil {
		return nil, bad("k is %q", meta["k"])
	}
	if m.Facilities, err = strconv.Atoi(meta["facilities"]); err != nil {
		return nil, bad("facilities is %q", meta["facilities"])
	}
	if net.Inputs() != m.inputs() || net.Outputs() != 1 {
		return nil, bad("a network with %d inputs and %d outputs for %d features", net.Inputs(), net.Outputs(), m.inputs())
	}
	return m, nil
}

// Fits reports why the model cannot be used on an instance, or nil.
func (m *Model) Fits(in *Instance) error {
	if m.Shaped() && m.Facilities != in.Facilities {
		return fmt.Errorf("ufl: %w: %s features of %d facilities, the instance %s has %d", families.ErrModel, m.Kind, m.Facilities, in.Name, in.Facilities)
	}
	return nil
}

// Separator returns the proxy separator of an instance with the model's present weights.
func (m *Model) Separator(in *Instance, aggregated bool) (*proxy.Separator, error) {
	p, err := m.predictor(in)
	if err != nil {
		return nil, err
	}
	return proxy.NewSeparator(p, NewCertifier(in, aggregated)), nil
}

// predictor evaluates the network on one instance. The terms of the costs in the first layer are
// computed once.
type predictor struct {
	features *Features
	split    *nn.Split     // costs constant, y shared or varying
	whole    *nn.Inference // SupportRow: nothing is constant
	support  support
	normals  []Normal
	row, x   []float64
	out      []float64
	clients  int
	varying  int // inputs a row that change with y
}

func (m *Model) predictor(in *Instance) (*predictor, error) {
	if err := m.Fits(in); err != nil {
		return nil, err
	}
	f, err := NewFeatures(in, m.Kind, m.K)
	if err != nil {
		return nil, err
	}
	p := &predictor{features: f, normals: make([]Normal, in.Clients), row: make([]float64, f.Size()), out: make([]float64, in.Clients), clients: in.Clients}
	if m.Kind == SupportRow {
		p.whole, p.x = m.Net.NewInference(), make([]float64, in.Clients*f.Size())
		return p, nil
	}
	constant := make([]float64, 0, in.Clients*f.K)
	y := make([]float64, in.Facilities)
	for i := range in.Clients {
		p.normals[i] = f.FillRow(p.row, i, y)
		constant = append(constant, p.row[:f.K]...)
	}
	shared := 0
	if m.Kind == RawRow {
		shared = in.Facilities
	}
	p.varying = f.Size() - f.K - shared
	p.x = make([]float64, in.Clients*p.varying)
	p.split, err = m.Net.NewSplit(in.Clients, f.K, shared, constant)
	return p, err
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, pi []float64) error {
	if err := p.forward(y); err != nil {
		return err
	}
	for i, out := range p.out {
		pi[i] = p.normals[i].Dual(out)
	}
	return nil
}

func (p *predictor) forward(y []float64) error {
	f := p.features
	if p.whole != nil {
		p.support.set(y)
		for i := range p.clients {
			p.normals[i] = f.fillAt(p.x[i*f.Size():(i+1)*f.Size()], i, &p.support)
		}
		return p.whole.Forward(p.out, p.x, p.clients)
	}
	if p.varying == 0 {
		return p.split.Forward(p.out, y, nil)
	}
	for i := range p.clients {
		f.FillMass(p.x[i*p.varying:(i+1)*p.varying], i, y)
	}
	return p.split.Forward(p.out, nil, p.x)
}
