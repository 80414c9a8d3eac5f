package scflp

import (
	"io"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// What the tests of this package call directly.
var (
	Generate = generate
	New      = newInstance
)

// Read reads a file without options.
func Read(path string) (families.Instance, error) { return read(path, families.ReadOptions{}) }

// Decode reads the data from any reader.
func Decode(r io.Reader, path string) (*Data, error) {
	d, err := instance.DecodeObject[Data](object(path), r)
	if err != nil {
		return nil, err
	}
	return d, d.weigh(path, nil)
}
