package cap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/nn"
)

// Family is capacitated facility location.
var Family = families.Family{
	Name:    name,
	About:   "capacitated facility location (OR-Library)",
	Classes: classes,
	Formats: []families.Format{
		{
			Name: "OR-Library: facilities and clients, then capacities and fixed costs, then demands with costs",
			Head: []string{"16 50", "5000 7500", "5000 7500", "..."},
		},
		{
			Name: "tables (proxybd template cap)",
			Head: []string{"problem,cap", "facility,capacity,fixed_cost", "Hamburg,120,900", "..."},
		},
	},
	Options: append([]families.Option{{
		Name: openCapacity.Option,
		Kind: families.Float,
		For:  "is for OR-Library's capa, capb and capc",
		Help: "capacity of every facility whose capacity the file leaves open (OR-Library's capa, capb and capc)",
	}}, location.TableFiles(schema)...),
	Tables: schema,
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		capacity, err := o.Float(openCapacity.Option)
		if err != nil {
			return nil, err
		}

		// A table has every capacity, so that the option is an error there.
		if in, ok, err := tables.Read(path, schema, o, fromTables); ok {
			if err == nil && capacity != 0 {
				err = leftOpen(path, capacity)
			}
			return in, err
		}
		return families.As(read(path, capacity))
	},
	Generate: func(class string, seed uint64) (families.Instance, error) {
		return families.As(generateNamed(class, seed))
	},
	NewModel:  newModel,
	LoadModel: func(t *nn.Tensors) (*proxy.Model, error) { return proxy.Load(t, name, describe) },
}

const name = "cap"

// classes are the paper's shapes.
var classes = []string{"50x16", "50x25", "50x50", "1000x100"}

// defaultRatio is that of total capacity to demand in a class that names none.
const defaultRatio = 3

// generateNamed makes an instance of a shape clients x facilities, with a ratio of total capacity to demand after a
// colon if it is not to be 3: 50x16 or 50x16:1.5.
func generateNamed(name string, seed uint64) (*Instance, error) {
	ratio := float64(defaultRatio)
	sizes, text, given := strings.Cut(name, ":")
	shape, err := families.ParseShape(sizes, 2)

	// What follows the colon must be a number; generate checks its range.
	if err == nil && given {
		if ratio, err = strconv.ParseFloat(text, 64); err != nil {
			err = fmt.Errorf("%w: class %q: %q is no ratio", families.ErrOptions, name, text)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cap: %w (such as %s or 50x16:1.5)", err, strings.Join(classes, ", "))
	}
	return generate(class{Facilities: shape[1], Clients: shape[0], Ratio: ratio}, seed)
}

// newModel returns a full-state network for the shape, of prices or, as in the paper, of multipliers.
func newModel(like families.Instance, mo families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	o := mo.Preset.Budget(mo.Seed)
	in, err := families.Own[*Instance](name, like)
	if err != nil {
		return nil, o, err
	}
	if mo.Features != "" {
		return nil, o, fmt.Errorf("cap: %w: there is one kind of features, not %q", families.ErrUnsupported, mo.Features)
	}
	if mo.Preset == families.Fast {
		o.NN.Steps = 8000
		o.NN.ValidateEvery = 500
	}

	// The network of sites fits every shape, the one of the paper that of like.
	var a proxy.Architecture = network{}
	if mo.Preset == families.Paper {
		a = fullState{in.Facilities, in.Clients}
	}
	m, err := proxy.New(a, mo.Widths([]int{64, 64}, []int{512, 512}), mo.Seed)
	return m, o, err
}

// Label implements families.Instance.
func (in *Instance) Label() families.Label {
	return in.LabelOf(name, "capacitated facility location")
}

// Capabilities implements families.Instance.
func (in *Instance) Capabilities() families.Capabilities {
	return families.Capabilities{Explainer: in, Numbered: in, Tabled: in, Diagnosed: in}
}
