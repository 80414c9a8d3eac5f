// Package models holds the trained proxies that are shipped with the program; README.md says how each was trained and
// what it scored.
package models

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/nn"
)

// files are named by the family; each is for instances of every size.
//
//go:embed README.md *.safetensors
var files embed.FS

// Names lists the shipped proxies.
func Names() []string {
	list, err := fs.Glob(files, "*.safetensors")
	if err != nil { // the pattern is sound
		return nil
	}

	// A proxy is called as its file is, without the ending.
	for k, name := range list {
		list[k] = strings.TrimSuffix(name, ".safetensors")
	}
	return list
}

// Tensors returns what the file of a shipped proxy holds.
func Tensors(name string) (*nn.Tensors, error) {
	data, err := files.ReadFile(name + ".safetensors")
	if err != nil {
		return nil, fmt.Errorf("models: %w: no proxy %s is shipped", families.ErrModel, name)
	}
	return nn.DecodeTensors(name, data)
}

// For returns the shipped proxy of the family and its name. The error wraps families.ErrModel if there is none that
// fits the instance.
func For(f families.Family, in families.Instance) (*proxy.Model, string, error) {
	// A family has one proxy at most, which has its name.
	t, err := Tensors(f.Name)
	if err != nil {
		return nil, "", err
	}
	m, err := pipeline.TensorModel(f, t)
	if err != nil {
		return nil, "", fmt.Errorf("models: %w", err)
	}
	return m, f.Name, m.Fits(in)
}
