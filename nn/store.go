package nn

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/proxybd/proxybd/autodiff"
)

// modelFormat is the value of the metadata key "nn.format" of a stored MLP.
const modelFormat = "proxybd.mlp.1"

// maxWidth bounds the layer sizes that LoadMLP accepts.
const maxWidth = 1 << 24

// Save writes the network atomically as a safetensors file: its parameters by name, its normalisation as in.scale,
// in.shift, out.scale and out.shift, its sizes and activations in the metadata next to the caller's, whose keys must
// not start with "nn.".
func (m *MLP) Save(path string, meta map[string]string) error {
	// Integers are marshalled, which cannot fail.
	sizes, _ := json.Marshal(m.Sizes)
	t := Tensors{File: path, Meta: map[string]string{
		"nn.format": modelFormat,
		"nn.sizes":  string(sizes),
		"nn.hidden": m.Hidden.String(),
		"nn.output": m.Output.String(),
	}}

	// The caller's keys must leave those of the network alone.
	for k, v := range meta {
		if strings.HasPrefix(k, "nn.") {
			return fmt.Errorf("nn: the metadata key %q is reserved", k)
		}
		t.Meta[k] = v
	}
	for _, n := range m.tensors() {
		t.Add(n.name, n.shape, n.values)
	}
	return t.WriteFile(path)
}

// storedTensor is a tensor of a stored network; its values are those of the network, not a copy.
type storedTensor struct {
	name   string
	shape  []int
	values []float64
}

// tensors lists the tensors of a stored network: the parameters, then the normalisation.
func (m *MLP) tensors() []storedTensor {
	var ts []storedTensor
	// The parameters come under the names that PyTorch gives them.
	for _, p := range m.Params() {
		ts = append(ts, storedTensor{p.Name, p.Shape(), p.Value})
	}
	in := []int{m.Inputs()}
	out := []int{m.Outputs()}
	return append(ts,
		storedTensor{"in.scale", in, m.InScale},
		storedTensor{"in.shift", in, m.InShift},
		storedTensor{"out.scale", out, m.OutScale},
		storedTensor{"out.shift", out, m.OutShift})
}

// LoadMLP reads a network that Save wrote and returns it with the caller's metadata. The layer tensors may
// also be F32. An error wraps ErrFormat if the content is at fault.
func LoadMLP(path string) (*MLP, map[string]string, error) {
	t, err := ReadTensors(path)
	if err != nil {
		return nil, nil, err
	}
	return t.MLP()
}

// MLP builds the network that the tensors describe, as LoadMLP does.
func (t *Tensors) MLP() (*MLP, map[string]string, error) {
	// A file of another program may have tensors of any meaning.
	if t.Meta["nn.format"] != modelFormat {
		return nil, nil, t.errorf("nn.format is %q, want %q", t.Meta["nn.format"], modelFormat)
	}

	c := Config{}
	f := metaReader{t: t}
	f.parse("nn.sizes", func(v string) error {
		// The sizes come first, since all tensors follow from them.
		if err := json.Unmarshal([]byte(v), &c.Sizes); err != nil {
			return err
		}
		return t.checkSizes(c.Sizes)
	})
	f.activation("nn.hidden", &c.Hidden)
	f.activation("nn.output", &c.Output)
	if f.err != nil {
		return nil, nil, f.err
	}

	// The weights that NewMLP draws are replaced by those of the file.
	m, err := NewMLP(c)
	if err != nil {
		return nil, nil, t.errorf("%v", err)
	}

	tensors := m.tensors()
	// The file has the tensors of the network and no others.
	if len(t.List) != len(tensors) {
		return nil, nil, t.errorf("it holds %d tensors, want %d", len(t.List), len(tensors))
	}
	for _, n := range tensors {
		if err := t.Float64(n.name, n.shape, n.values); err != nil {
			return nil, nil, err
		}
		if !finite(n.values) {
			return nil, nil, t.errorf("tensor %q is not finite", n.name)
		}
	}

	// The caller's metadata are those without the reserved prefix.
	meta := maps.Clone(t.Meta)
	maps.DeleteFunc(meta, func(k, _ string) bool { return strings.HasPrefix(k, "nn.") })
	return m, meta, nil
}

// checkSizes compares the sizes of the layers with the bytes in the file before anything of that size is
// allocated.
func (t *Tensors) checkSizes(sizes []int) error {
	total := 0
	for i := range t.List {
		total += len(t.List[i].Bytes)
	}

	// A weight has at least the 4 bytes of an F32.
	need := 0
	for l, n := range sizes {
		// The bound keeps the products below from overflowing.
		if n < 1 || n > maxWidth {
			return fmt.Errorf("size %d is %d", l, n)
		}
		if l > 0 {
			if need += 4 * n * sizes[l-1]; need > total {
				return fmt.Errorf("the file is too short for these sizes")
			}
		}
	}
	return nil
}

// activation reads an activation by its name.
func (r *metaReader) activation(key string, dst *autodiff.Activation) {
	r.parse(key, func(v string) error {
		// The activations are few, and are compared by their names.
		for a := autodiff.Identity; a <= autodiff.Softplus; a++ {
			if a.String() == v {
				*dst = a
				return nil
			}
		}
		return fmt.Errorf("unknown activation")
	})
}
