package netdes

import (
	"io"

	"github.com/proxybd/proxybd/internal/fields"
)

// Decode reads the data from any reader.
func Decode(r io.Reader, path string) (*Data, error) {
	s, err := fields.New(r, path, name, errFormat)
	if err != nil {
		return nil, err
	}
	in, err := decode(s, path)
	if err != nil {
		return nil, err
	}
	return in.d, nil
}

// What the external tests of this package call directly.
var (
	Generate = generate
	Read     = read
	New      = newInstance
)
