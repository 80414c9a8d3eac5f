package mcndp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/nn"
)

// Family is multicommodity capacitated network design. Its classes are the paper's shapes and those of the R set.
var Family = families.Family{
	Name:    name,
	About:   "multicommodity capacitated network design (.dow), with demand scenarios (.scen)",
	Classes: append([]string{"10x35x50", "10x60x50", "10x83x50", "10x35x50:100"}, classes()...),
	Formats: []families.Format{
		{
			Name: "Crainic's .dow: nodes, arcs, commodities, then a line an arc, then a line a commodity",
			Head: []string{"MULTIGEN.DAT:", "10 35 10", "1 2 25 613 595 1 1", "..."},
		},
		{
			Name: "tables (proxybd template mcndp)",
			Head: []string{"problem,mcndp", "arc,from,to,cost,capacity,fixed_cost", "1,Hamburg,Berlin,4,100,250", "..."},
		},
	},
	Options: []families.Option{generic.ScenarioOption, integerFlows},
	Tables:  schema,
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		in, err := readAny(path, o)
		whole, wrong := o.Bool(integerFlows.Name)
		if err = errors.Join(err, wrong); err != nil || !whole {
			return in, err
		}
		return withIntegerFlows(in)
	},
	Generate: func(class string, seed uint64) (families.Instance, error) {
		// A class with scenarios has the number of draws, and their law, behind a colon.
		if base, draw, ok := strings.Cut(class, ":"); ok {
			return families.As(generateScenarios(base, draw, seed))
		}
		return families.As(generateNamed(class, seed))
	},
	Shortcut:  restoreShortcut,
	NewModel:  newModel,
	LoadModel: func(t *nn.Tensors) (*proxy.Model, error) { return proxy.Load(t, name, describe) },
}

const name = "mcndp"

// generateNamed makes an instance of a shape nodes x arcs x commodities, at levels of fixed costs and capacities that
// the seed draws, or of a class of the R set such as r03.6.
func generateNamed(class string, seed uint64) (*Instance, error) {
	// A class says what to draw, and perhaps leaves its levels to the seed.
	c, err := parseClass(class, seed)
	if err != nil {
		return nil, err
	}
	return generate(context.Background(), c, seed)
}

// newModel returns a network for every shape or, as in the paper, one with two heads for that of like.
func newModel(like families.Instance, mo families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	o := mo.Preset.Budget(mo.Seed)
	in, err := families.Own[*Instance](name, like)
	if err != nil {
		return nil, o, err
	}

	// The network of arcs fits every shape; the one of the paper is for the shape of like, and takes more steps.
	var a proxy.Architecture = network{}
	if mo.Preset == families.Paper {
		a = structured{Nodes: in.Nodes, Arcs: in.arcs(), Commodities: in.commodities()}
		o.Batch = 256
		o.NN.Steps = 1 << 17
		o.NN.ValidateEvery = 4096
	}
	m, err := proxy.New(a, mo.Widths([]int{128, 128}, []int{256, 256}), mo.Seed)
	return m, o, err
}

// Label implements families.Instance.
func (in *Instance) Label() families.Label {
	// Shapes are nodes, arcs and commodities.
	return families.Label{
		Family: name,
		Name:   in.Name,
		Shape:  in.shape(),
		Ext:    ".dow",
		Title: fmt.Sprintf("%s: network design, %d nodes, %d arcs, %d commodities", in.Name, in.Nodes, in.arcs(),
			in.commodities()),
	}
}

// Capabilities implements families.Instance.
func (in *Instance) Capabilities() families.Capabilities {
	return families.Capabilities{Explainer: in, Numbered: in, Tabled: in, Diagnosed: in}
}

// Capabilities implements families.Instance: those of any program with scenarios, shown and written as a network.
func (n *Scenarios) Capabilities() families.Capabilities {
	can := n.Scenarios.Capabilities()
	can.Explainer = n
	can.Numbered = n
	can.Tabled = n
	can.Diagnosed = n
	return can
}
