package scflp

import (
	"encoding/json"
	"io"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// errFormat is wrapped by the errors of read about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic facility location")

// object says how files of the family are recognised and named in errors.
func object(path string) instance.Object {
	return instance.Object{Family: family, Path: path, Key: "n_facilities", Format: errFormat}
}

// read reads a file of the layout of BendersX or of tables, plain or packed. Single sourcing is that of the file or of
// the option.
func read(path string, o families.ReadOptions) (families.Instance, error) {
	asked, err := o.Bool(single.Name)
	if err != nil {
		return nil, err
	}

	// A table file has the name in it, an object has that of the path.
	in, ok, err := tables.Read(path, schema, o, func(s *sheet.Sheet) (families.Instance, error) {
		return fromTables(s, asked, o.Warn)
	})
	if ok {
		return in, err
	}
	d, name, err := instance.ReadObject[Data](object(path))
	if err != nil {
		return nil, err
	}
	d.Single = d.Single || asked
	if err := d.weigh(path, o.Warn); err != nil {
		return nil, err
	}
	return families.As(newInstance(name, d))
}

// draw is a scenario.
type draw struct {
	name        string
	probability float64
	demand      []float64
}

// weigh divides probabilities that do not sum to one by their sum, and takes out the scenarios that cannot occur. path
// stands for the file in errors and warnings.
func (d *Data) weigh(path string, warn func(string)) error {
	if d.Probability == nil {
		return nil
	}
	list := make([]draw, d.Scenarios)
	for s := range list {
		list[s] = draw{probability: d.Probability[s], demand: d.Demand[s]}
		if d.Names != nil {
			list[s].name = d.Names[s]
		}
	}
	list, err := instance.WeighScenarios(list, func(s *draw) *float64 { return &s.probability }, path, warn)
	if err != nil {
		return err
	}

	// The lists are made anew, since they may be shorter.
	named := d.Names != nil
	d.Scenarios = len(list)
	d.Probability = nil
	d.Demand = nil
	d.Names = nil
	equal := true
	for _, s := range list {
		d.Probability = append(d.Probability, s.probability)
		d.Demand = append(d.Demand, s.demand)
		equal = equal && s.probability == 1/float64(d.Scenarios)
		if named {
			d.Names = append(d.Names, s.name)
		}
	}

	// Files of BendersX have no probabilities.
	if equal {
		d.Probability = nil
	}
	return nil
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }
