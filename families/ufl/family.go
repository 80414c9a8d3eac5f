package ufl

import (
	"fmt"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/nn"
)

// Family is uncapacitated facility location.
var Family = families.Family{
	Name:    name,
	About:   "uncapacitated facility location (UflLib, both layouts)",
	Classes: classNames(),
	Formats: []families.Format{
		{
			Name: "UflLib, simple: facilities and clients, then a line a facility",
			Head: []string{"FILE: MP1", "200 200 0", "1 337.2 11.5 48.1 ...", "..."},
		},
		{
			Name: "UflLib in the layout of OR-Library, capacities of 0",
			Head: []string{"100 100", "0 178.5", "0 201.2", "..."},
		},
		{
			Name: "tables (proxybd template ufl)",
			Head: []string{"problem,ufl", "facility,fixed_cost", "Hamburg,900", "..."},
		},
	},
	Options: location.TableFiles(schema),
	Tables:  schema,
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		if in, ok, err := tables.Read(path, schema, o, fromTables); ok {
			return in, err
		}
		return families.As(Read(path))
	},
	Generate: func(class string, seed uint64) (families.Instance, error) {
		return families.As(generateNamed(class, seed))
	},
	NewModel:  newModel,
	LoadModel: func(t *nn.Tensors) (*proxy.Model, error) { return proxy.Load(t, name, describe) },
}

const name = "ufl"

// classNames lists the names of the M classes.
func classNames() []string {
	var names []string
	for _, c := range classes() {
		names = append(names, c.Name)
	}
	return names
}

// generateNamed makes an instance of an M class, or of the M type in the shape clients x facilities.
func generateNamed(class string, seed uint64) (*Instance, error) {
	if c, err := classOf(class); err == nil {
		return generate(c, seed)
	}
	shape, err := families.ParseShape(class, 2)
	if err != nil {
		return nil, fmt.Errorf("ufl: %w (classes: %v)", err, classNames())
	}
	return generate(customClass(shape[1], shape[0]), seed)
}

// newModel returns a network on support rows, which fits every shape; the paper's preset is a wide network on raw rows.
func newModel(like families.Instance, mo families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	o := mo.Preset.Budget(mo.Seed)
	in, err := families.Own[*Instance](name, like)
	if err != nil {
		return nil, o, err
	}

	// Of a state 32 clients are drawn in training, and they are valued near the mean state.
	n := network{Kind: supportRow, K: 16, Facilities: in.Facilities, Drawn: 32, Core: coreWeight}
	switch mo.Preset {
	case families.Paper:
		n.Kind = rawRow
		n.Drawn = 1
		n.Core = 0
	case families.Fast:
		o.Batch = 16
		o.NN.Steps = 10000
		o.NN.ValidateEvery = 500
	}

	// The kind of features can be chosen whatever the preset.
	if mo.Features != "" {
		if n.Kind, err = parseFeatureKind(mo.Features); err != nil {
			return nil, o, err
		}
	}
	m, err := proxy.New(n, mo.Widths([]int{64, 64}, []int{512, 512}), mo.Seed)
	return m, o, err
}

// Label implements families.Instance.
func (in *Instance) Label() families.Label {
	return in.LabelOf(name, "uncapacitated facility location")
}

// Capabilities implements families.Instance.
func (in *Instance) Capabilities() families.Capabilities {
	return families.Capabilities{Explainer: in, Numbered: in, Tabled: in, Diagnosed: in}
}
