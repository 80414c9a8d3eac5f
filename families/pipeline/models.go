package pipeline

import (
	"fmt"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/proxy/variants"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// NewModel returns an untrained proxy for instances of the shape of like: of programs with scenarios one for every
// scenario, else that of the family or, if it has none, one for the variants of like's model.
func NewModel(f families.Family, like families.Instance, o families.ModelOptions) (
	*proxy.Model, proxy.TrainOptions, error) {
	// The first case that holds is the most special one.
	can := like.Capabilities()
	budget := o.Preset.Budget(o.Seed)
	var a proxy.Architecture
	var err error
	switch {
	case can.Stochastic != nil && can.Stochastic.ByScenario() == nil:
		err = fmt.Errorf("families: %w: a model for a program with integer recourse", families.ErrUnsupported)
	case can.Stochastic != nil:
		a, err = scenario.NewArchitecture(f.Name, can.Stochastic.ByScenario())
	case f.NewModel != nil:
		return f.NewModel(like, o)
	case can.TwoStage != nil:
		a, err = variants.New(f.Name, can.TwoStage.TwoStage(), variants.Projection(o.Features))
	default:
		err = fmt.Errorf("families: %w: a model for a %T", families.ErrUnsupported, like)
	}
	if err != nil {
		return nil, budget, err
	}

	// The two architectures that fit any family have the same widths by default.
	m, err := proxy.New(a, o.Widths([]int{64, 64}, []int{256, 256}), o.Seed)
	return m, budget, err
}

// LoadModel reads the trained model of a family from a safetensors file.
func LoadModel(f families.Family, path string) (*proxy.Model, error) {
	// The file is read and checked as a whole.
	t, err := nn.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	return TensorModel(f, t)
}

// TensorModel builds the model that the tensors of a file hold.
func TensorModel(f families.Family, t *nn.Tensors) (*proxy.Model, error) {
	// The metadata of the file say for what the model was made.
	if scenario.Predicts(t.Meta) {
		return scenario.LoadModel(t, f.Name)
	}
	if f.LoadModel != nil {
		return f.LoadModel(t)
	}
	return variants.Load(t, f.Name)
}
