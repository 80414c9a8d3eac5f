package proxy

import (
	"fmt"
	"maps"

	"github.com/proxybd/proxybd/nn"
)

// Control names what stands in for the weights of a trained network. Everything else of a model stays as it is: what
// its architecture knows of an instance, and what is done with a prediction. So a control tells which part of a result
// is the network's.
type Control string

// Trained is the network itself. Zero has weights of zero, so that its outputs are the same everywhere; Random has
// those that a network is initialised with, and the trained one's normalisation of inputs.
const (
	Trained Control = ""
	Zero    Control = "zero"
	Random  Control = "random"
)

// Controls lists the controls.
var Controls = []Control{Zero, Random}

// Control returns the model with the weights of a control. The model is not changed; seed is that of random weights.
func (m *Model) Control(c Control, seed uint64) (*Model, error) {
	if c == Trained {
		return m, nil
	}
	old := m.Net
	net, err := nn.NewMLP(nn.Config{Sizes: old.Sizes, Hidden: old.Hidden, Output: old.Output, Seed: seed})
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
	out := &Model{Architecture: m.Architecture, Net: net, Meta: maps.Clone(m.Meta)}
	if out.Meta == nil {
		out.Meta = map[string]string{}
	}
	out.Meta["control"] = string(c)
	return out, nil
}
