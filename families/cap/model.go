package cap

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// network is a full-state architecture: one network sees the whole instance and the point and predicts the prices of
// all capacities at once, because they tie the clients together; the multipliers of the clients follow from them in
// closed form (see features; the paper's own network, fullState, predicts the multipliers themselves).
// With the same budget the mean true gap on variants of cap43, cap62 and cap73 fell from 5.5% to 0.05%. It is made for
// one shape, and for variants of the instances that it was trained on. It implements proxy.Architecture.
type network struct{ Facilities, Clients int }

// Describe implements proxy.Architecture.
func (n network) Describe() map[string]string {
	return map[string]string{"family": name, "facilities": strconv.Itoa(n.Facilities),
		"clients": strconv.Itoa(n.Clients)}
}

// describe is the inverse of Describe.
func describe(meta map[string]string, _ *nn.MLP) (proxy.Architecture, error) {
	var n network
	var err error
	if n.Facilities, err = proxy.MetaInt(meta, "facilities", 1, families.MaxDim); err != nil {
		return nil, err
	}
	if n.Clients, err = proxy.MetaInt(meta, "clients", 1, families.MaxDim); err != nil {
		return nil, err
	}
	switch what := meta[predicts]; what {
	case "":
		return n, nil
	case multipliers:
		return fullState{n}, nil
	default:
		return nil, fmt.Errorf("%s is %q", predicts, what)
	}
}

// Form implements proxy.Architecture. What does not depend on y is centred only: it is of order one already, its
// variance is that of a few instances, and the network would learn to tell them apart by noise.
func (n network) Form() proxy.Form {
	fixed := constants(n.Facilities, n.Clients)
	return proxy.Form{Inputs: fixed + 2*n.Facilities + 1, Outputs: n.Facilities, Normal: &proxy.Normal{Centred: fixed}}
}

// On implements proxy.Architecture.
func (n network) On(in any) (proxy.View, error) {
	own, err := n.fit(in)
	if err != nil {
		return nil, err
	}
	return view{own}, nil
}

// fit returns an instance that the network is for.
func (n network) fit(in any) (*Instance, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}
	if n.Facilities != own.Facilities || n.Clients != own.Clients {
		return nil, fmt.Errorf("cap: %w: it is for %d facilities and %d clients, the instance %s has %d and %d",
			proxy.ErrModel,
			n.Facilities, n.Clients, own.Name, own.Facilities, own.Clients)
	}
	return own, nil
}

// view implements proxy.View.
type view struct{ in *Instance }

// Certifier implements proxy.View. Cuts are aggregated always.
func (v view) Certifier(bool) (proxy.Certifier, error) { return newCertifier(v.in), nil }

// Exact implements proxy.View.
func (v view) Exact() (benders.Separator, error) { return newExact(v.in), nil }

// Lesson implements proxy.View.
func (v view) Lesson(_ context.Context, states []benders.State) (proxy.Lesson, error) {
	return newLesson(v.in, states)
}

// Predictor implements proxy.View.
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) { return v.predictor(net) }

// predictor evaluates the network on one instance. What does not depend on y is multiplied into the first layer once.
type predictor struct {
	features *features
	split    *nn.Split
	at       *point
	x, out   []float64 // inputs that vary, outputs
}

func (v view) predictor(net *nn.MLP) (*predictor, error) {
	p := &predictor{features: newFeatures(v.in), out: make([]float64, v.in.Facilities)}
	fixed := len(p.features.constant)
	p.at, p.x = p.features.newPoint(), make([]float64, net.Inputs()-fixed)
	var err error
	p.split, err = net.NewSplit(1, fixed, len(p.x), p.features.constant)
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
		lambda[i] = math.NaN() // for certifier.Project to count
	}
	return nil
}
