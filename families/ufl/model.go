package ufl

import (
	"context"
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/nn"
)

// network is a row-wise architecture: one network is applied to every client's features at a point and predicts the
// client's dual (paper, Appendix B, UFL). It implements proxy.Architecture.
type network struct {
	Kind       featureKind
	K          int     // positions of supportRow
	Facilities int     // the shape that rawRow is made for
	Drawn      int     // clients drawn of a state in training
	Core       float64 // how far from a state, towards the mean state, its value counts in training
}

// Describe implements proxy.Architecture.
func (n network) Describe() map[string]string {
	return map[string]string{
		"family":     name,
		"features":   n.Kind.String(),
		"k":          strconv.Itoa(n.K),
		"facilities": strconv.Itoa(n.Facilities),
	}
}

// describe is the inverse of Describe.
func describe(meta map[string]string, _ *nn.MLP) (proxy.Architecture, error) {
	n := network{Drawn: 1}
	var err error
	if n.Kind, err = parseFeatureKind(meta["features"]); err != nil {
		return nil, err
	}

	// The sizes are bounded, so that no file asks for a network beyond memory.
	if n.K, err = proxy.MetaInt(meta, "k", 0, instance.MaxDim); err != nil {
		return nil, err
	}
	n.Facilities, err = proxy.MetaInt(meta, "facilities", 0, instance.MaxDim)
	return n, err
}

// shaped reports whether the inputs depend on the number of facilities.
func (n network) shaped() bool { return n.Kind == rawRow }

// Form implements proxy.Architecture. The paper's rows have an output "unconstrained in sign" (Appendix B), which the
// projection makes nonnegative. It starts near 1, the mean cost: below 0 the projection has no slope.
func (n network) Form() proxy.Form {
	if n.shaped() {
		return proxy.Form{
			Inputs:  2 * n.Facilities,
			Outputs: 1,
			Output:  autodiff.Identity,
			Bias:    1,
			Drawn:   n.Drawn,
			Notes:   2,
		}
	}
	return proxy.Form{
		Inputs:  2*n.K + 1,
		Outputs: 1,
		Output:  autodiff.Softplus,
		AnySize: true,
		Drawn:   n.Drawn,
		Notes:   2,
	}
}

// On implements proxy.Architecture.
func (n network) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}

	// Support rows fit every instance, rows of raw costs one number of facilities.
	if n.shaped() && n.Facilities != own.Facilities {
		return nil, fmt.Errorf("ufl: %w: %s features of %d facilities, the instance %s has %d", proxy.ErrModel, n.Kind,
			n.Facilities, own.Name, own.Facilities)
	}
	return view{n, own}, nil
}

// view implements proxy.View.
type view struct {
	network
	in *Instance
}

// Certifier implements proxy.View.
func (v view) Certifier(aggregated bool) (proxy.Certifier, error) {
	c := newCertifier(v.in, aggregated)
	c.plain = v.shaped()
	return c, nil
}

// Exact implements proxy.View.
func (v view) Exact() (benders.Separator, error) { return newExact(v.in, true), nil }

// TrainingSet implements proxy.View.
func (v view) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	f, err := newFeatures(v.in, v.Kind, v.K)
	if err != nil {
		return nil, err
	}
	return newLesson(v.in, f, states, v.Core), nil
}

// Predictor implements proxy.View.
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) { return v.predictor(net) }

// predictor evaluates the network on one instance. The terms of raw costs in the first layer are computed once.
type predictor struct {
	features *features
	split    *nn.Split     // rawRow: costs constant, y shared
	whole    *nn.Inference // supportRow: nothing is constant
	support  support       // of the point
	normals  []affine      // of each client
	x, out   []float64     // inputs and outputs of all clients
}

// predictor returns the predictor that evaluates net with its present weights.
func (v view) predictor(net *nn.MLP) (*predictor, error) {
	in := v.in
	f, err := newFeatures(in, v.Kind, v.K)
	if err != nil {
		return nil, err
	}
	p := &predictor{
		features: f,
		normals:  make([]affine, in.Clients),
		x:        make([]float64, in.Clients*f.Size()),
		out:      make([]float64, in.Clients),
	}
	if v.Kind == supportRow {
		p.whole = net.NewInference()
		return p, nil
	}

	// The costs of a row of raw costs do not depend on the point, nor does its normal.
	constant := make([]float64, 0, in.Clients*f.K)
	row := make([]float64, f.Size())
	y := make([]float64, in.Facilities)
	for i := range in.Clients {
		p.normals[i] = f.FillRow(row, i, y)
		constant = append(constant, row[:f.K]...)
	}
	p.split, err = net.NewSplit(in.Clients, f.K, in.Facilities, constant)
	return p, err
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, pi []float64) error {
	if err := p.forward(y); err != nil {
		return err
	}

	// An output is in the units of its row.
	for i, out := range p.out {
		pi[i] = p.normals[i].Dual(out)
	}
	return nil
}

// forward sets the outputs at the point and, for support rows, the normals.
func (p *predictor) forward(y []float64) error {
	if p.whole == nil {
		return p.split.Forward(p.out, y, nil)
	}

	// The support is the same for all clients.
	size := p.features.Size()
	p.support.set(y)
	for i := range p.normals {
		p.normals[i] = p.features.fillAt(p.x[i*size:(i+1)*size], i, &p.support)
	}
	return p.whole.Forward(p.out, p.x, len(p.out))
}
