// Package models holds the trained proxies that are shipped with the program; README.md says how each was trained and
// what it scored.
package models

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// files are named by the family, and the shape unless the model is for every shape: ufl, cap-50x16.
//
//go:embed README.md *.safetensors
var files embed.FS

// Names lists the shipped proxies.
func Names() []string {
	list, err := fs.Glob(files, "*.safetensors")
	if err != nil { // the pattern is sound
		return nil
	}
	for k, name := range list {
		list[k] = strings.TrimSuffix(name, ".safetensors")
	}
	return list
}

// Tensors returns what the file of a shipped proxy holds.
func Tensors(name string) (*nn.Tensors, error) {
	data, err := files.ReadFile(name + ".safetensors")
	if err != nil {
		return nil, fmt.Errorf("models: %w: there is no %s", families.ErrModel, name)
	}
	return nn.DecodeTensors(name, data)
}

// For returns the shipped proxy of the family that fits the instance and its name. The error wraps families.ErrModel if
// there is none.
func For(f families.Family, in families.Instance) (*proxy.Model, string, error) {
	for _, name := range []string{f.Name + "-" + in.Label().Shape, f.Name} {
		if !slices.Contains(Names(), name) {
			continue
		}
		t, err := Tensors(name)
		if err != nil {
			return nil, "", fmt.Errorf("models: %w", err)
		}
		m, err := families.TensorModel(f, t)
		if err != nil {
			return nil, "", fmt.Errorf("models: %w", err)
		}
		if m.Fits(in) == nil {
			return m, name, nil
		}
	}
	return nil, "", fmt.Errorf("models: %w: no shipped one is for %s instances of shape %s", families.ErrModel, f.Name,
		in.Label().Shape)
}
