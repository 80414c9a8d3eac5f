package scflp

import (
	"encoding/json"
	"io"

	"github.com/proxybd/proxybd/families/instance"
)

// errFormat is wrapped by the errors of read and decode about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic facility location")

// object says how files of the family are told apart and named in errors.
func object(path string) instance.Object {
	return instance.Object{Family: family, Path: path, Key: "n_facilities", Format: errFormat}
}

// read reads a file, plain or packed. The name is taken from the path. Every error names the file, and where it
// applies the line or the field.
func read(path string) (in *Instance, err error) {
	var d *Data
	name, err := object(path).Read(func(r io.Reader) (err error) {
		d, err = decode(r, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newInstance(name, d)
}

// decode reads one object with the keys that Data names, all of them and no other, plain or packed. Errors name the
// path.
func decode(r io.Reader, path string) (*Data, error) {
	d := &Data{}
	if err := object(path).Decode(r, d); err != nil {
		return nil, err
	}
	return instance.Checked(d, family+": "+path, errFormat)
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }
