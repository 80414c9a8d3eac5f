package scflp

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
)

// errFormat is wrapped by the errors of read and decode about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic facility location")

// read reads a file, plain or packed. The name is taken from the path. Every error names the file, and where it
// applies the line or the field.
func read(path string) (*Instance, error) {
	if problem := sheet.Sniff(path); problem != "" {
		return nil, families.Foreign(fmt.Sprintf("scflp: %s: tables of the problem %q", path, problem))
	}
	f, err := fields.Open(path, family, errFormat)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := decode(f, path)
	if err != nil {
		return nil, err
	}
	return newInstance(strings.TrimSuffix(unpack.Plain(filepath.Base(path)), ".json"), d)
}

// decode reads one object with the keys that Data names, all of them and no other, plain or packed. Errors name the
// path.
func decode(r io.Reader, path string) (*Data, error) {
	d := &Data{}
	o := instance.Object{Family: family, Path: path, Key: "n_facilities", Format: errFormat}
	if err := o.Decode(r, d); err != nil {
		return nil, err
	}
	return instance.Checked(d, "scflp: "+path, errFormat)
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }
