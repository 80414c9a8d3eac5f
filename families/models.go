package families

import (
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// Preset names a network and a training budget.
type Preset string

const (
	Fast  Preset = "fast"  // minutes on one core
	Paper Preset = "paper" // the paper's networks and budgets (Table 4)
)

// States returns what a preset's networks are trained on.
func (p Preset) States() proxy.StatesOptions {
	if p == Paper {
		return proxy.PaperStatesOptions()
	}
	return proxy.DefaultStatesOptions()
}

// Suffix distinguishes the files of a preset's states and models; "" for the default.
func (p Preset) Suffix() string {
	// Files of the default preset have no suffix.
	if p == Presets[0] || p == "" {
		return ""
	}
	return "-" + string(p)
}

// Presets lists the presets, the default first.
var Presets = []Preset{Fast, Paper}

// ModelOptions say what model to make.
type ModelOptions struct {
	Preset   Preset
	Seed     uint64
	Hidden   []int  // widths of the hidden layers, nil for the preset's
	Features string // the input of the network (ufl), of models a variants.Projection; "" for the preset's
}

// Widths returns the widths of the hidden layers, those of the family's preset by default.
func (o ModelOptions) Widths(fast, paper []int) []int {
	// The flag goes before the preset.
	switch {
	case o.Hidden != nil:
		return o.Hidden
	case o.Preset == Paper:
		return paper
	}
	return fast
}

// Budget returns the training options of a preset of a network whose input is the whole state.
func (p Preset) Budget(seed uint64) proxy.TrainOptions {
	o := proxy.DefaultTrainOptions()

	// The budgets of the paper are in its Table 4.
	if p == Paper {
		o = proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 512}
	}
	o.NN.Seed = seed
	return o
}
