// Package families says what a family of two-stage problems offers to the command line and to the experiment:
// instances that can be read, made, perturbed, written, solved by every method and priced exactly, and proxies
// that can be trained on their Benders states. Each family implements it in a file of its own folder
// (families/ufl/family.go and so on); whoever needs all families takes a list of Family and no family package.
package families

import (
	"context"
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// Method says how cuts are made.
type Method string

const (
	Exact      Method = "exact"      // the family's own dual
	Aggregated Method = "aggregated" // the exact dual, one cut on the sum, true-cost selection: the paper's missing ablation
	Proxy      Method = "proxy"      // a trained model's certified predictions, and nothing else
	Hybrid     Method = "hybrid"     // a proxy first, and then exact: ends with a certified gap
	Full       Method = "full"       // branch and cut on the compact model, no decomposition
)

// Methods lists the methods, the default first.
var Methods = []Method{Exact, Aggregated, Proxy, Hybrid, Full}

// Scheme says how the master is driven.
type Scheme string

const (
	Auto  Scheme = "auto"  // what the family does best
	BBC   Scheme = "bbc"   // one branch-and-Benders-cut tree
	Outer Scheme = "outer" // the classical loop: a master solved to optimality each round
	Dual  Scheme = "dual"  // a tree without a master, for the method exact; not every family has one
)

// Schemes lists the schemes, the default first.
var Schemes = []Scheme{Auto, BBC, Outer, Dual}

// Errors that the implementations wrap.
var (
	ErrForeign     = errors.New("instance of another family")   // the file is sound but belongs to another family
	ErrCapacity    = errors.New("the capacity is left open")    // ReadOptions.Capacity must say it
	ErrUnsupported = errors.New("not supported by this family") // a method, scheme or class that it does not have
	ErrModel       = proxy.ErrModel                             // a trained model that does not fit
	ErrOptions     = proxy.ErrOptions
)

// ErrNoModel says that a method that predicts got no model. It wraps ErrModel.
var ErrNoModel = fmt.Errorf("families: %w: a trained model of the family is needed", ErrModel)

// Foreign is an error text of its own that wraps ErrForeign.
type Foreign string

func (f Foreign) Error() string { return string(f) }

// Unwrap returns ErrForeign.
func (f Foreign) Unwrap() error { return ErrForeign }

// ReadOptions say what a file leaves open.
type ReadOptions struct {
	Capacity   float64 // in place of the word capacity in OR-Library's capa, capb and capc, and an error in other files of that family; 0 for none
	FirstStage string  // mps: pattern or file of the names of the first-stage columns; "" for the integer ones
}

// Family is one family of two-stage problems.
type Family interface {
	Name() string  // as the command line and result files name it: cap, ufl, mcndp
	About() string // one line for people

	// Read reads an instance, plain or gzipped. The error of a bad file names file, line and field; that of a
	// file of another family wraps ErrForeign.
	Read(path string, o ReadOptions) (Instance, error)

	// Generate makes the instance of a class that belongs to a seed. A class is a shape as Instance.Shape
	// gives it, or a name that Classes lists. The error of any other wraps ErrOptions.
	Generate(class string, seed uint64) (Instance, error)
	Classes() []string

	// NewModel returns an untrained proxy for instances of the shape of like, and the training options that go
	// with the preset.
	NewModel(like Instance, o ModelOptions) (*proxy.Model, proxy.TrainOptions, error)
	// LoadModel builds the model that the tensors of a file hold. families.LoadModel reads a file.
	LoadModel(t *nn.Tensors) (*proxy.Model, error)
}

// Instance is one problem.
type Instance interface {
	Name() string
	Family() string
	Shape() string // the sizes, such as 50x16 (clients x facilities), 200x200, 10x35x50 (nodes, arcs, commodities)
	Title() string // name and sizes on one line, for people
	Hash() string  // SHA-256 of the content in hexadecimal; the name does not enter

	// Write writes the instance atomically in a layout that Read understands, gzipped if the path ends in .gz.
	// Ext is the usual ending of such files, without .gz.
	Write(path string) error
	Ext() string

	// Perturb returns the variant that belongs to sigma and a seed (paper, section 5.2) under a new name, and
	// the factor by which its capacities were raised so that they suffice (1 if they were not).
	Perturb(name string, sigma float64, seed uint64) (Instance, float64, error)

	// Master is the first-stage model: the columns y, and the rows that only they appear in. Compact is the
	// whole problem, the strong formulation, whose first columns are those of Master.
	Master() *lp.Model
	Compact() *lp.Model

	// Solve solves the instance.
	Solve(ctx context.Context, o SolveOptions) (*benders.Result, error)

	// Price returns the exact two-stage cost f'y + Q(y) of a design, and false if it has no feasible recourse.
	Price(ctx context.Context, y []float64) (cost float64, feasible bool, err error)
}

// Recordable is implemented by instances whose runs can be recorded and proven (package benders/prove).
type Recordable interface {
	// Program returns the data of the instance as a record holds it: a record.Facilities, Network or Model.
	Program() any
	Subject(ctx context.Context, o SolveOptions) (*prove.Subject, error)
}

// Drawer is implemented by instances that know better than proxy.Between which designs a proxy should be trained on.
type Drawer interface {
	DrawStates(ctx context.Context, o proxy.StatesOptions, recorded []benders.State, solved *benders.Result) ([]benders.State, error)
}

// SolveOptions steer Instance.Solve.
type SolveOptions struct {
	Method  Method
	Scheme  Scheme
	Model   *proxy.Model // of Proxy and Hybrid
	Benders benders.Options
	Log     func(line string) // lines for people, nil for none
}

// Preset names a network and a training budget.
type Preset string

const (
	Fast  Preset = "fast"  // minutes on one core
	Paper Preset = "paper" // the paper's networks and budgets (Table 4)
)

// Presets lists the presets, the default first.
var Presets = []Preset{Fast, Paper}

// ModelOptions say what model to make.
type ModelOptions struct {
	Preset   Preset
	Seed     uint64
	Hidden   []int  // widths of the hidden layers, nil for the preset's
	Features string // what the network sees, where a family has several kinds; "" for the preset's
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
	o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 512}
	if p == Fast {
		o.NN.Steps, o.NN.ValidateEvery, o.Batch = 6000, 250, 32
	}
	o.NN.Seed = seed
	return o
}
