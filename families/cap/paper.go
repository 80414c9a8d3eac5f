package cap

import (
	"context"
	"maps"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// fullState is the paper's network (section 5.3 and Appendix B): it sees the whole instance and the point, 3n + m + mn
// numbers, and predicts the multiplier of every client's demand row, in mean costs. Softplus keeps the multipliers
// positive. It implements proxy.Architecture.
type fullState struct{ network }

// predicts is the metadata by which a file says what the outputs are; prices where it is not there.
const (
	predicts    = "predicts"
	multipliers = "multipliers"
)

// Describe implements proxy.Architecture.
func (n fullState) Describe() map[string]string {
	meta := n.network.Describe()
	maps.Copy(meta, map[string]string{predicts: multipliers})
	return meta
}

// Form implements proxy.Architecture. The paper does not say how inputs are normalised; see network.Form.
func (n fullState) Form() proxy.Form {
	fixed := constants(n.Facilities, n.Clients)
	return proxy.Form{Inputs: fixed + n.Facilities, Outputs: n.Clients, Output: autodiff.Softplus,
		Normal: &proxy.Normal{Centred: fixed}}
}

// On implements proxy.Architecture.
func (n fullState) On(in any) (proxy.View, error) {
	own, err := n.fit(in)
	if err != nil {
		return nil, err
	}
	return stateView{view{own}}, nil
}

// stateView implements proxy.View.
type stateView struct{ view }

// statePredictor evaluates the network on one instance. What does not depend on y is multiplied into the first layer
// once.
type statePredictor struct {
	unit  float64
	split *nn.Split
}

// Predictor implements proxy.View.
func (v stateView) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	f := newFeatures(v.in)
	split, err := net.NewSplit(1, len(f.constant), v.in.Facilities, f.constant)
	return &statePredictor{f.mean, split}, err
}

// Predict implements proxy.Predictor.
func (p *statePredictor) Predict(y, lambda []float64) error {
	if err := p.split.Forward(lambda, y, nil); err != nil {
		return err
	}
	for i := range lambda {
		lambda[i] *= p.unit
	}
	return nil
}

// stateLesson implements proxy.Lesson: the certified value of the multipliers, in units of the instance, by the
// supergradient 1 - sum_j y_j a_ij (paper, section 4.1).
type stateLesson struct{ points }

// Lesson implements proxy.View.
func (v stateView) Lesson(_ context.Context, states []benders.State) (proxy.Lesson, error) {
	l, err := newPoints(v.in, states)
	l.varying = l.y
	return &stateLesson{l}, err
}

// Certify implements proxy.Lesson.
func (l *stateLesson) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	l.set(out)
	value[0] = l.certifier.Supergradient(slope, l.lambda, l.y[state]) / l.features.norm
	for i := range slope {
		slope[i] *= l.features.mean / l.features.norm
	}
	return nil
}

// Value implements proxy.Lesson.
func (l *stateLesson) Value(out, _ []float64, state int) (float64, error) {
	l.set(out)
	return l.certified(state), nil
}

func (l *stateLesson) set(out []float64) {
	for i, v := range out {
		l.lambda[i] = l.features.mean * v
	}
}
