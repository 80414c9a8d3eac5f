package families

import (
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// LoadModel reads the trained model of a family from a safetensors file.
func LoadModel(f Family, path string) (*proxy.Model, error) {
	t, err := nn.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	return f.LoadModel(t)
}
