package general

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Model is a proxy for the variants of one model: a network that sees the costs and sides that a variant may change, and the
// point, and predicts by how much the multiplier of every row with a first-stage column differs from that of the variant's
// linear relaxation.
type Model struct {
	Net       *nn.MLP
	Structure string // fingerprint of what all variants share
	Meta      map[string]string
}

// structure is the fingerprint of a model without its costs and sides: sizes, coefficients, kinds of bounds and the first
// stage.
func (in *Instance) structure() string {
	h := sha256.New()
	c := in.Problem.Compact
	fmt.Fprintf(h, "%d %d %d;", in.Problem.First, len(c.Cols), len(c.Rows))
	kind := func(l, u float64) string { return fmt.Sprint(math.IsInf(l, -1), math.IsInf(u, 1), l == u) }
	for _, col := range c.Cols {
		fmt.Fprintf(h, "%s %v;", kind(col.Lower, col.Upper), col.Integer)
	}
	for _, row := range c.Rows {
		fmt.Fprintf(h, "%s;", kind(row.Lower, row.Upper))
	}
	if a, err := c.Matrix(); err == nil {
		fmt.Fprint(h, a.Start, a.Index, a.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// features are what a network reads of an instance, and how its outputs become multipliers: lambda = base + span*out.
type features struct {
	constant []float64 // costs of all columns, then the finite sides of the recourse rows, lower before upper
	base     []float64
	span     float64
	norm     float64 // of certified values
}

func newFeatures(in *Instance, c *twostage.Certifier) (*features, error) {
	p := in.Problem
	f := &features{span: 1}
	for _, col := range p.Compact.Cols {
		f.constant = append(f.constant, col.Cost)
	}
	for i, part := range p.RecourseRows() {
		for _, side := range []float64{p.Compact.Rows[i].Lower, p.Compact.Rows[i].Upper} {
			if part && !math.IsInf(side, 0) {
				f.constant = append(f.constant, side)
			}
		}
	}
	dual, value, err := p.RelaxationDuals(context.Background())
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for _, i := range c.Rows() {
		v := 0.0
		if dual != nil {
			v = dual[i]
		}
		f.base = append(f.base, v)
		sum += math.Abs(v)
	}
	if sum > 0 {
		f.span = sum / float64(len(f.base))
	}
	f.norm = max(1, math.Abs(value))
	return f, nil
}

// duals turns outputs into multipliers; any output is fine, Certifier.Project follows.
func (f *features) duals(lambda, out []float64) {
	for i, v := range out {
		lambda[i] = f.base[i] + f.span*v
	}
}

// NewModel returns an untrained model, whose prediction is near the multipliers of the linear relaxation.
func NewModel(like *Instance, hidden []int, seed uint64) (*Model, error) {
	c, err := twostage.NewCertifier(like.Problem, twostage.CompletionOptions{})
	if err != nil {
		return nil, err
	}
	if c.Dim() == 0 {
		return nil, fmt.Errorf("general: %w: no recourse row has a first-stage column, there is nothing to predict", families.ErrUnsupported)
	}
	f, err := newFeatures(like, c)
	if err != nil {
		return nil, err
	}
	sizes := append(append([]int{len(f.constant) + like.Problem.First}, hidden...), c.Dim())
	net, err := nn.NewMLP(nn.Config{Sizes: sizes, Hidden: autodiff.ReLU, Output: autodiff.Identity, Seed: seed})
	if err != nil {
		return nil, err
	}
	weight, _ := net.Layer(len(sizes) - 2)
	for k := range weight.Value { // begin at the relaxation's multipliers
		weight.Value[k] *= 0.01
	}
	return &Model{Net: net, Structure: like.structure(), Meta: map[string]string{}}, nil
}

// modelOf builds the model that the tensors describe.
func modelOf(t *nn.Tensors) (*Model, error) {
	net, meta, err := t.MLP()
	if err != nil {
		return nil, err
	}
	if meta["structure"] == "" {
		return nil, fmt.Errorf("general: %w: %s does not say for what model it is", families.ErrModel, t.File)
	}
	return &Model{Net: net, Structure: meta["structure"], Meta: meta}, nil
}

// model implements families.Model.
type model struct{ *Model }

func (m model) Family() string                     { return Family{}.Name() }
func (m model) Metadata() map[string]string        { return m.Meta }
func (m model) SetMetadata(meta map[string]string) { m.Meta = meta }

// Fits reports whether the instance is a variant of the model that the network was made for.
func (m model) Fits(in families.Instance) error {
	u, err := families.Own[instance](in)
	if err != nil {
		return fmt.Errorf("%w: %w", families.ErrModel, err)
	}
	return m.fits(u.Instance)
}

func (m *Model) fits(in *Instance) error {
	if m.Structure != in.structure() {
		return fmt.Errorf("general: %w: %s is no variant of the model that it was made for", families.ErrModel, in.model.Name)
	}
	return nil
}

// Save writes the model atomically.
func (m model) Save(path string) error {
	return families.SaveNet(path, m.Net, map[string]string{"family": m.Family(), "structure": m.Structure}, m.Meta)
}

// predictor evaluates the network on one instance.
type predictor struct {
	features *features
	net      *nn.Inference
	in, out  []float64
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, lambda []float64) error {
	copy(p.in[len(p.features.constant):], y)
	if err := p.net.Forward(p.out, p.in, 1); err != nil {
		return err
	}
	p.features.duals(lambda, p.out)
	return nil
}

// separator returns the proxy separator of an instance with the model's present weights; problem says how many epigraphs.
func (m *Model) separator(in *Instance, problem *twostage.Problem) (*proxy.Separator, error) {
	if err := m.fits(in); err != nil {
		return nil, err
	}
	c, err := twostage.NewCertifier(problem, twostage.CompletionOptions{})
	if err != nil {
		return nil, err
	}
	f, err := newFeatures(in, c)
	if err != nil {
		return nil, err
	}
	p := &predictor{features: f, net: m.Net.NewInference(), in: make([]float64, m.Net.Inputs()), out: make([]float64, m.Net.Outputs())}
	if len(f.constant)+in.Problem.First != len(p.in) || c.Dim() != len(p.out) {
		return nil, fmt.Errorf("general: %w: a network with %d inputs and %d outputs", families.ErrModel, len(p.in), len(p.out))
	}
	copy(p.in, f.constant)
	return proxy.NewSeparator(p, c), nil
}

// NewModel returns a network for variants of the instance.
func (Family) NewModel(like families.Instance, o families.ModelOptions) (families.Model, families.TrainOptions, error) {
	in, err := families.Own[instance](like)
	if err != nil {
		return nil, families.TrainOptions{}, err
	}
	if o.Features != "" {
		return nil, families.TrainOptions{}, fmt.Errorf("general: %w: features %q", families.ErrUnsupported, o.Features)
	}
	m, err := NewModel(in.Instance, o.Widths([]int{64, 64}, []int{256, 256}), o.Seed)
	if err != nil {
		return nil, families.TrainOptions{}, err
	}
	budget := o.Preset.Budget()
	budget.NN.Seed = o.Seed
	return model{m}, budget, nil
}

// LoadModel builds a model from the tensors that Save wrote.
func (Family) LoadModel(t *nn.Tensors) (families.Model, error) {
	m, err := modelOf(t)
	if err != nil {
		return nil, err
	}
	return model{m}, nil
}

// Score returns the certified share of the exact recourse cost. Where costs are negative, a share is of what is left above
// nothing: it is at most one all the same for a sum of one sign.
func (Family) Score(ctx context.Context, m families.Model, held []families.Sample) (float64, error) {
	u, err := families.OwnModel[model](m)
	if err != nil {
		return 0, err
	}
	lost, exact := 0.0, 0.0
	for _, s := range held {
		in, err := families.Own[instance](s.In)
		if err != nil {
			return 0, err
		}
		p := in.Problem.Aggregated()
		sep, err := u.separator(in.Instance, p)
		if err != nil {
			return 0, err
		}
		e, err := twostage.NewExact(p, twostage.DefaultExactOptions())
		if err != nil {
			return 0, err
		}
		q := make([]float64, 1)
		for _, state := range s.States {
			feasible, err := e.Recourse(ctx, state.Y, q)
			if err != nil {
				return 0, err
			}
			if !feasible {
				continue
			}
			a, err := sep.Separate(ctx, benders.Point{Y: state.Y, Integer: state.Integer})
			if err != nil {
				return 0, err
			}
			lost += q[0] - a.Value
			exact += math.Abs(q[0])
		}
	}
	return 1 - lost/exact, nil
}
