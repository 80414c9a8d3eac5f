package scflp

import (
	"encoding/json"
	"io"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// errFormat is wrapped by the errors of read about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic facility location")

// object says how files of the family are told apart and named in errors.
func object(path string) instance.Object {
	return instance.Object{Family: family, Path: path, Key: "n_facilities", Format: errFormat}
}

// read reads a file, plain or packed. The name is taken from the path. Single sourcing is that of the file or of the
// option.
func read(path string, o families.ReadOptions) (*Instance, error) {
	d, name, err := instance.ReadObject[Data](object(path))
	if err != nil {
		return nil, err
	}
	asked, err := o.Bool(single.Name)
	if err != nil {
		return nil, err
	}
	d.Single = d.Single || asked
	return newInstance(name, d)
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }
