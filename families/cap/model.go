package cap

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// network is an architecture by facilities: one network is applied to every facility with mass in its surroundings and
// corrects an estimate of the price of its capacity; the multipliers of the clients follow from the prices in closed
// form (see features and prices; the paper's own network, fullState, predicts the multipliers themselves). The weights
// do not depend on the size, so that a model fits every instance. It implements proxy.Architecture.
type network struct{}

// predicts is the metadata by which a file says what the outputs are.
const (
	predicts    = "predicts"
	corrections = "price corrections"
)

// Describe implements proxy.Architecture.
func (network) Describe() map[string]string {
	return map[string]string{"family": name, predicts: corrections}
}

// describe is the inverse of Describe.
func describe(meta map[string]string, _ *nn.MLP) (proxy.Architecture, error) {
	switch what := meta[predicts]; what {
	case corrections:
		return network{}, nil
	case multipliers:
		return describeFullState(meta)
	default:
		return nil, fmt.Errorf("%s is %q", predicts, what)
	}
}

// Form implements proxy.Architecture. It starts at the estimate without a network.
func (network) Form() proxy.Form {
	return proxy.Form{
		Inputs:   siteFeatures,
		Outputs:  1,
		AnySize:  true,
		NearZero: true,
		Notes:    siteNotes,
		Normal:   &proxy.Normal{MinSpread: 0.05},
	}
}

// On implements proxy.Architecture.
func (network) On(in any) (proxy.View, error) {
	own, err := families.Own[*Instance](name, in)
	if err != nil {
		return nil, err
	}
	return view{own}, nil
}

// view implements proxy.View.
type view struct{ in *Instance }

// Certifier implements proxy.View. Cuts are aggregated always.
func (v view) Certifier(bool) (proxy.Certifier, error) { return newCertifier(v.in), nil }

// Exact implements proxy.View.
func (v view) Exact() (benders.Separator, error) { return newExact(v.in), nil }

// TrainingSet implements proxy.View.
func (v view) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	return newLesson(v.in, states)
}

// Predictor implements proxy.View.
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	return &predictor{
		features: newFeatures(v.in),
		net:      net.NewInference(),
		lambda:   make([]float64, v.in.Clients),
	}, nil
}

// predictor evaluates the network on one instance.
type predictor struct {
	features *features
	net      *nn.Inference
	lambda   []float64 // the multipliers at the present prices
	out      []float64 // the outputs, one a site
}

// A prediction applies the network minTimes times, and again, up to maxTimes, as long as the value rises by the part
// worthwhile: where capacity is tight, the best prices are many units. Training draws from the first timesLearnt times.
const (
	minTimes    = 2
	maxTimes    = 12
	worthwhile  = 1e-3
	timesLearnt = 3
)

// Predict implements proxy.Predictor. The multipliers are those of the best prices on the way.
func (p *predictor) Predict(y, lambda []float64) error {
	f := p.features
	f.begin(y, lambda)
	resize(len(f.site), &p.out)

	// At first lambda is that of prices of zero, whose value is cheapest.
	best := f.cheapest
	value := f.serve(p.lambda)

	// The network is applied again as long as the value rises.
	for times := 0; len(p.out) > 0; times++ {
		rise := value - best
		if rise > 0 {
			best = value
			copy(lambda, p.lambda)
		}
		if times >= maxTimes || times >= minTimes && !(rise > worthwhile*best) {
			break
		}

		f.inputs(value)
		if err := p.net.Forward(p.out, f.x, len(p.out)); err != nil {
			return err
		}
		if !f.step(p.out) {
			for i := range lambda {
				lambda[i] = math.NaN() // for certifier.Project to count
			}
			break
		}
		value = f.serve(p.lambda)
	}
	return nil
}
