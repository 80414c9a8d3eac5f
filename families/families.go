// Package families is the contract between a family of two-stage problems and everything that works on any family: the
// command line, the experiment, the shipped models. A family is a declaration (Family), an instance has six methods
// (Instance), and whatever else an instance can do is a capability that it states (Capabilities).
//
// Package families/pipeline solves, prices, records and trains instances of any family. Other packages have what
// families share: families/generic instances that are nothing but a model or a program with scenarios,
// families/location and families/graph the data, tables and pictures of facility location and of networks,
// families/tables table files, and families/instance the checks, hashes and random numbers of instance data.
package families

import (
	"context"
	"io"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/nn"
)

// Family declares one family of two-stage problems.
type Family struct {
	Name    string   // as the command line and result files name it, such as cap
	About   string   // one line for people
	Classes []string // names and shapes that Generate accepts
	Formats []Format // of its files
	Options []Option // what Read looks for in ReadOptions.Set

	// Tables describes the table files of the family; nil where there are none.
	Tables *sheet.Schema

	// Read reads an instance, plain or packed. The error of a bad file names file, line and field; that of a file of
	// another family wraps ErrForeign.
	Read func(path string, o ReadOptions) (Instance, error)

	// Generate makes the instance of a class that belongs to a seed. A class is a shape as Label gives it, or a name
	// that Classes lists. The error of any other wraps ErrOptions.
	Generate func(class string, seed uint64) (Instance, error)

	// Shortcut makes what prices scenarios in another process, from scenario.Export.Common; nil for a family that has no
	// shortcut.
	Shortcut func(common []byte) (scenario.RangeShortcut, error)

	// NewModel returns an untrained proxy for instances of the shape of like, and the training options that go with the
	// preset; LoadModel builds the model that the tensors of a file hold. Where they are nil, a model is one for the
	// variants of the instance's TwoStage. An instance that is Stochastic has models for its scenarios instead.
	NewModel  func(like Instance, o ModelOptions) (*proxy.Model, proxy.TrainOptions, error)
	LoadModel func(t *nn.Tensors) (*proxy.Model, error)
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

	// Capabilities states what else the instance can do. An instance that embeds another one states its own: it takes
	// those of the embedded instance and replaces the ones that it provides itself.
	Capabilities() Capabilities
}

// Capabilities are what an instance may offer beyond the methods of Instance. A nil field is a capability that the
// instance does not have; nothing else decides that, in particular no type assertion.
type Capabilities struct {
	Explainer   Explainer   // designs are shown with their recourse
	Numbered    Numbered    // what a design opens has the names or numbers of the file
	Tabled      Tabled      // the instance can be written as a table file
	TwoStage    TwoStage    // it is a two-stage model, and nothing more is known of it
	Stochastic  Stochastic  // its recourse is one of scenarios
	Spread      Spread      // several processes can work on it
	Sampled     Sampled     // its scenarios come from a distribution that more can be drawn from
	Relaxed     Relaxed     // integrality of its recourse was dropped
	MultiPeriod MultiPeriod // it has three periods or more
	Diagnosed   Diagnosed   // it says why no design serves it
}

// Explainer is an instance that can show what a design means.
type Explainer interface {
	// Explain solves the recourse of a design exactly. The error of a design without a recourse wraps ErrDesign.
	Explain(ctx context.Context, y []float64) (*Solution, error)
}

// Numbered is an instance whose files name or number what a design opens.
type Numbered interface {
	OpenID(j int) any // name or number, in the file, of what column j of a design opens, as in tables of solutions
}

// Tabled is an instance that can be written as a table file.
type Tabled interface {
	Tables() (*sheet.Document, error)
}

// TwoStage is an instance that is a two-stage model. Its proxies are for the variants of the model.
type TwoStage interface {
	TwoStage() *twostage.Problem
}

// Stochastic is an instance whose recourse is one of scenarios. Its proxies predict for one scenario at a time, and it
// can be recorded as its deterministic equivalent; neither where the recourse has integer columns.
type Stochastic interface {
	Stochastic() *stoch.Program    // the program, which must not be changed
	ByScenario() *scenario.Problem // nil where the recourse has integer columns
	Equivalent() (Instance, error) // the deterministic equivalent, which must not be changed
}

// Spread is an instance whose runs can have their work done by several processes.
type Spread interface {
	// SetTeam makes runs of the instance have the work on its scenarios, or on its periods, done by a team, nil for this
	// process alone. It changes no result.
	SetTeam(t scenario.Team)
	// TeamWorker returns what a process of a team works with, which has the same instance.
	TeamWorker() scenario.TeamWorker
	// Outline returns what other processes need in place of the instance, and its kind.
	Outline() (OutlineKind, Outlined)
}

// OutlineKind says which package makes a worker of an outline.
type OutlineKind string

// The packages with a NewOutlineWorker.
const (
	ByScenario OutlineKind = "scenario"
	ByInteger  OutlineKind = "integer"
	ByPeriod   OutlineKind = "nested"
)

// Outlined is what can be sent to other processes, which then read no file: an outline to all, and to the one that is
// to hold a chunk its data.
type Outlined interface {
	MarshalOutline() ([]byte, error)
	MarshalChunk(key uint64) ([]byte, error)
}

// Sampled is an instance whose scenarios were drawn from a distribution.
type Sampled interface {
	Sampler() assess.Sampler
}

// Relaxed is an instance whose recourse had its integrality dropped.
type Relaxed interface {
	Relaxation() string // what results say of that
}

// MultiPeriod is an instance of three periods or more, which can also be written as a program with scenarios.
type MultiPeriod interface {
	WithScenarios() (Instance, error)
}

// Diagnosed is an instance that can say why it is infeasible.
type Diagnosed interface {
	// Infeasibility returns a sentence for people about an instance that was found to be infeasible: which demand and
	// which capacity do not go together, in the names of its file. It is empty where no simple reason is found.
	Infeasibility(ctx context.Context) (string, error)
}
