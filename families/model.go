package families

import (
	"fmt"
	"maps"

	"github.com/proxybd/proxybd/nn"
)

// LoadModel reads the trained model of a family from a safetensors file.
func LoadModel(f Family, path string) (Model, error) {
	t, err := nn.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	if of := t.Meta["family"]; of != f.Name() {
		return nil, fmt.Errorf("families: %w: %s: its family is %q, not %s", ErrModel, path, of, f.Name())
	}
	return f.LoadModel(t)
}

// SaveNet writes a network atomically as a safetensors file, with the metadata that describe it and others that do not
// hide them.
func SaveNet(path string, net *nn.MLP, describing, others map[string]string) error {
	meta := map[string]string{}
	maps.Copy(meta, others)
	maps.Copy(meta, describing)
	return net.Save(path, meta)
}
