// Package families is the contract of a family of two-stage problems with the command line and the experiment. A family
// declares itself as a Family, and its instances implement Instance; what the commands do with them (solve, price,
// record, draw states, write) is done here, once. Whoever needs all families takes a list of Family and no family
// package.
package families

import (
	"errors"
	"fmt"
	"io"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/nn"
)

// Errors that the implementations wrap.
var (
	ErrForeign     = errors.New("instance of another family") // the file is sound but belongs to another family
	ErrUnsupported = decompose.ErrUnsupported                 // a method, scheme or class that it does not have
	ErrModel       = proxy.ErrModel                           // a trained model that does not fit
	ErrOptions     = proxy.ErrOptions
)

// Foreign is an error text of its own that wraps ErrForeign.
type Foreign string

func (f Foreign) Error() string { return string(f) }

// Unwrap returns ErrForeign.
func (f Foreign) Unwrap() error { return ErrForeign }

// Family declares one family of two-stage problems.
type Family struct {
	Name    string   // as the command line and result files name it, such as cap
	About   string   // one line for people
	Classes []string // names and shapes that Generate knows
	Formats []Format // of its files

	// Options are what Read looks for in ReadOptions.Set.
	Options []Option

	// Read reads an instance, plain or packed. The error of a bad file names file, line and field; that of a file of
	// another family wraps ErrForeign.
	Read func(path string, o ReadOptions) (Instance, error)

	// Generate makes the instance of a class that belongs to a seed. A class is a shape as Label gives it, or a name
	// that Classes lists. The error of any other wraps ErrOptions.
	Generate func(class string, seed uint64) (Instance, error)

	// NewModel returns an untrained proxy for instances of the shape of like, and the training options that go with the
	// preset. LoadModel builds the model that the tensors of a file hold; the function LoadModel reads a file.
	NewModel  func(like Instance, o ModelOptions) (*proxy.Model, proxy.TrainOptions, error)
	LoadModel func(t *nn.Tensors) (*proxy.Model, error)
}

// Format is a layout of files, for whoever has a file that no family knows.
type Format struct {
	Name string   // what it is, on one line
	Head []string // what its first lines look like
}

// Label says what an instance is.
type Label struct {
	Family string
	Name   string
	Shape  string // the sizes, such as 50x16 (clients x facilities), 200x200, 10x35x50 (nodes, arcs, commodities)
	Title  string // name and sizes on one line, for people
	Ext    string // the usual ending of its files, without .gz
}

// Instance is one problem. It is read-only.
type Instance interface {
	Label() Label
	Hash() string // SHA-256 of the content in hexadecimal; the name does not enter

	// Encode writes the instance in a layout that Family.Read understands.
	Encode(w io.Writer) error

	// Perturb returns the variant that belongs to sigma and a seed (paper, section 5.2) under a new name, and
	// the factor by which its capacities were raised so that they suffice (1 if they were not).
	Perturb(name string, sigma float64, seed uint64) (Instance, float64, error)

	// Program returns the instance for one run of the pipeline of benders/decompose.
	Program() (*decompose.Program, error)
}

// As returns an instance of a family's own type as an Instance.
func As[I Instance](in I, err error) (Instance, error) {
	if err != nil {
		return nil, err
	}
	return in, nil
}

// Own returns an instance in its family's own type. The error of one of another family wraps ErrModel.
func Own[I any](family string, in any) (I, error) {
	own, ok := in.(I)
	if !ok {
		return own, fmt.Errorf("%s: %w: the model is for %s, not for a %T", family, ErrModel, family, in)
	}
	return own, nil
}

// Preset names a network and a training budget.
type Preset string

const (
	Fast  Preset = "fast"  // minutes on one core
	Paper Preset = "paper" // the paper's networks and budgets (Table 4)
)

// States returns what a preset's networks are trained on.
func (p Preset) States() proxy.StatesOptions {
	if p == Paper {
		return proxy.PaperStatesOptions()
	}
	return proxy.DefaultStatesOptions()
}

// Suffix tells apart the files of a preset's states and models; "" for the default.
func (p Preset) Suffix() string {
	if p == Presets[0] || p == "" {
		return ""
	}
	return "-" + string(p)
}

// Presets lists the presets, the default first.
var Presets = []Preset{Fast, Paper}

// ModelOptions say what model to make.
type ModelOptions struct {
	Preset   Preset
	Seed     uint64
	Hidden   []int  // widths of the hidden layers, nil for the preset's
	Features string // what the network sees (ufl), of models a variants.Projection; "" for the preset's
}

// Widths returns the widths of the hidden layers, those of the family's preset by default.
func (o ModelOptions) Widths(fast, paper []int) []int {
	switch {
	case o.Hidden != nil:
		return o.Hidden
	case o.Preset == Paper:
		return paper
	}
	return fast
}

// Budget returns the training options of a preset of a network that sees the whole state.
func (p Preset) Budget(seed uint64) proxy.TrainOptions {
	o := proxy.DefaultTrainOptions()
	if p == Paper {
		o = proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 512}
	}
	o.NN.Seed = seed
	return o
}
