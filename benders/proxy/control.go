package proxy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/proxybd/proxybd/nn"
)

// Control names a source of predictions in place of the trained network. Everything else of a model stays as it is:
// the data that its architecture reads from an instance, the projection and the completion. So the difference from a
// control is the part of a result that is due to the network.
type Control string

// Trained is the network itself. Zero has weights of zero, so that its outputs are the same everywhere: those of
// Form.Bias, which is a mean prediction in some families, and 0 in the others. Random is the network before training,
// with initial weights as New makes them and the trained network's normalisation of inputs. Its outputs are near those
// of Zero where Form.NearZero is set, and the same where Form.AtZero is. The others reuse multipliers in programs with
// scenarios (Reuse): Mean those of the mean scenario at the point, Nearest those of the nearest of some scenarios that
// are solved there, and Pool the best ones of a pool, as exact runs fill it.
const (
	Trained Control = ""
	Zero    Control = "zero"
	Random  Control = "random"
	Mean    Control = "mean"
	Nearest Control = "nearest"
	Pool    Control = "pool"
)

// Controls lists the controls, ReusingControls those that reuse multipliers.
var (
	Controls        = []Control{Zero, Random, Mean, Nearest, Pool}
	ReusingControls = []Control{Mean, Nearest, Pool}
)

// Reuse is implemented by views of programs with scenarios.
type Reuse interface {
	// Reused returns the predictor of a control that reuses multipliers, nil where the view has none to reuse. Its
	// predictions are for the certifiers of the view.
	Reused(c Control) (Predictor, error)
}

// Control returns the model with predictions of a control. The model is not changed; seed is that of random weights.
func (m *Model) Control(c Control, seed uint64) (*Model, error) {
	if c == Trained {
		return m, nil
	}

	// The copy has the control in its metadata.
	meta := map[string]string{}
	maps.Copy(meta, m.Meta)
	meta["control"] = string(c)
	out := &Model{Architecture: m.Architecture, Net: m.Net, Meta: meta}

	// Multipliers that are reused take the place of the network's predictions.
	if slices.Contains(ReusingControls, c) {
		out.reuse = c
		return out, nil
	}

	// A network of the same shape with initial weights, and with the normalisation of the trained one.
	old := m.Net
	net, err := nn.NewMLP(nn.Config{
		Sizes:  old.Sizes,
		Hidden: old.Hidden,
		Output: old.Output,
		Seed:   seed,
	})
	if err != nil {
		return nil, err
	}
	copy(net.InScale, old.InScale)
	copy(net.InShift, old.InShift)
	copy(net.OutScale, old.OutScale)
	copy(net.OutShift, old.OutShift)

	switch c {
	case Zero:
		for _, p := range net.Params() {
			clear(p.Value)
		}
	case Random:
	default:
		return nil, fmt.Errorf("proxy: %w: control %q", ErrOptions, c)
	}

	// The last layer is that with which training begins: its bias is not zero in all families.
	m.Form().begin(net)
	out.Net = net
	return out, nil
}

// predictor returns the source of the predictions on an instance: the network, or a control that reuses multipliers.
func (m *Model) predictor(v View) (Predictor, error) {
	if m.reuse == Trained {
		return v.Predictor(m.Net)
	}

	// A program without scenarios, or with one alone, has no multipliers to reuse.
	if r, ok := v.(Reuse); ok {
		if p, err := r.Reused(m.reuse); p != nil || err != nil {
			return p, err
		}
	}
	return nil, fmt.Errorf("proxy: %w: the control %s is for programs with scenarios that can share multipliers",
		ErrModel, m.reuse)
}
