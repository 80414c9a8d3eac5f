package families

import (
	"fmt"

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
