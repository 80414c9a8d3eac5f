package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/nn"
)

// Errors that this package and architectures wrap.
var (
	ErrModel   = errors.New("unusable model") // a model that does not fit an instance, or a file that holds none
	ErrOptions = errors.New("invalid options")
)

// Architecture is the part of a model that a family defines: the inputs that a network reads from an instance at a
// point, the meaning of its outputs, and the instances that it fits. It has no weights, and does not change.
type Architecture interface {
	// Describe returns the metadata by which a file identifies the purpose of the network. "family" is among them.
	Describe() map[string]string

	// Form is the shape of the network.
	Form() Form

	// On returns the architecture on an instance. The error wraps ErrModel if the network does not fit the instance,
	// such as one of another family.
	On(instance any) (View, error)
}

// View is an architecture on one instance. Each result of its functions is for one goroutine.
type View interface {
	// TrainingSet prepares training on states of the instance.
	TrainingSet(ctx context.Context, states []benders.State) (TrainingSet, error)

	// Predictor evaluates a network with the weights that it has now.
	Predictor(net *nn.MLP) (Predictor, error)

	// Certifier completes predictions. Aggregated asks for one cut on the sum of all epigraphs.
	Certifier(aggregated bool) (Certifier, error)

	// Exact returns the exact separator, with which predictions are compared.
	Exact() (benders.Separator, error)
}

// Form is the shape of a network, which is applied to rows of inputs: one for the whole state, or one for each of its
// clients or arcs.
type Form struct {
	Inputs, Outputs int // of a row
	Output          autodiff.Activation

	// AnySize says that the network fits instances of every size.
	AnySize bool

	// NearZero starts training near outputs of zero, where the network leaves the estimates that it corrects as they
	// are.
	NearZero bool

	// AtZero starts training at outputs of zero: the untrained network is a control, and training returns to its
	// weights where no others are better on the held-out states.
	AtZero bool

	// Bias is the initial bias of the outputs.
	Bias float64

	// Drawn is the number of rows of a state that a batch draws, where each row has a value of its own and the value
	// of a state is their mean; 0 where the rows of a state have one value together.
	Drawn int

	// Notes is the number of numbers per row that TrainingSet.Fill passes on to TrainingSet.Certify.
	Notes int

	// Normal is the normalisation of inputs over the training states; nil for none.
	Normal *Normal
}

// Normal is the normalisation of inputs to mean 0 and variance 1, except where that would magnify an input too much.
type Normal struct {
	Centred   int     // the first inputs get mean 0, and keep their variance
	MinSpread float64 // a smaller standard deviation counts as this one
}

// Model is a proxy, trained or in training: a network and its architecture.
type Model struct {
	Architecture
	Net  *nn.MLP
	Meta map[string]string // is stored with the weights: seed, data, scores

	reuse Control // a control that replaces the predictions of the network, or Trained
}

// New returns an untrained model with ReLU layers of the given widths.
func New(a Architecture, hidden []int, seed uint64) (*Model, error) {
	f := a.Form()
	sizes := append(append([]int{f.Inputs}, hidden...), f.Outputs)
	net, err := nn.NewMLP(nn.Config{
		Sizes:  sizes,
		Hidden: autodiff.ReLU,
		Output: f.Output,
		Seed:   seed,
	})
	if err != nil {
		return nil, err
	}

	f.begin(net)
	return &Model{Architecture: a, Net: net, Meta: map[string]string{}}, nil
}

// begin sets the last layer of a network with initial weights to the outputs with which the architecture lets training
// begin.
func (f Form) begin(net *nn.MLP) {
	weight, bias := net.Layer(len(net.Sizes) - 2)
	for k := range bias.Value {
		bias.Value[k] = f.Bias
	}
	if f.AtZero {
		clear(weight.Value)
	}
	if f.NearZero {
		for k := range weight.Value {
			weight.Value[k] *= 0.01
		}
	}
}

// Load builds the model of a family that the tensors hold. describe makes the architecture of the metadata and the
// network.
func Load(t *nn.Tensors, family string,
	describe func(meta map[string]string, net *nn.MLP) (Architecture, error)) (*Model, error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("proxy: %w: %s: %s", ErrModel, t.File, fmt.Sprintf(format, args...))
	}
	net, meta, err := t.MLP()
	if err != nil {
		return nil, err
	}

	// The metadata give the family and the architecture, and the network has to fit that.
	if of := meta["family"]; of != family {
		return nil, bad("its family is %q, not %s", of, family)
	}
	a, err := describe(meta, net)
	if err != nil {
		return nil, bad("%v", err)
	}

	if f := a.Form(); net.Inputs() != f.Inputs || net.Outputs() != f.Outputs {
		return nil, bad("a network with %d inputs and %d outputs, not %d and %d", net.Inputs(), net.Outputs(), f.Inputs,
			f.Outputs)
	}
	return &Model{Architecture: a, Net: net, Meta: meta}, nil
}

// MetaInt reads a whole number of metadata that lies in [low, high].
func MetaInt(meta map[string]string, name string, low, high int) (int, error) {
	v, err := strconv.Atoi(meta[name])
	if err != nil || v < low || v > high {
		return 0, fmt.Errorf("%s is %q", name, meta[name])
	}
	return v, nil
}

// Save writes the model atomically as a safetensors file. The architecture's description takes precedence over Meta.
func (m *Model) Save(path string) error {
	meta := map[string]string{}
	maps.Copy(meta, m.Meta)
	maps.Copy(meta, m.Describe())
	return m.Net.Save(path, meta)
}

// Fits reports why the model cannot be used on an instance, or nil.
func (m *Model) Fits(instance any) error {
	_, err := m.On(instance)
	return err
}

// Separator returns the proxy separator of an instance with the model's present weights. Aggregated asks for one cut on
// the sum of all epigraphs.
func (m *Model) Separator(instance any, aggregated bool) (*Separator, error) {
	v, err := m.On(instance)
	if err != nil {
		return nil, err
	}
	return m.separator(v, aggregated)
}

// separator returns the proxy separator of a view.
func (m *Model) separator(v View, aggregated bool) (*Separator, error) {
	c, err := v.Certifier(aggregated)
	if err != nil {
		return nil, err
	}

	// The predictor has the weights that the network has now.
	p, err := m.predictor(v)
	if err != nil {
		return nil, err
	}
	return NewSeparator(p, c), nil
}
