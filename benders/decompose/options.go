package decompose

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// Method says how cuts are made.
type Method string

const (
	Exact      Method = "exact"      // the exact dual
	Aggregated Method = "aggregated" // the exact dual, one cut on the sum: the ablation that the paper leaves out
	Proxy      Method = "proxy"      // a trained model's certified predictions, and nothing else
	Hybrid     Method = "hybrid"     // a proxy first, and then exact: ends with a certified gap
	Full       Method = "full"       // branch and cut on the compact model, no decomposition
	Started    Method = "start"      // what comes before a master, and no more: a design and its proven bound
	Decoupled  Method = "dual"       // dual decomposition by scenarios: multipliers of copies of the first stage
)

// Methods lists the methods, the default first.
var Methods = []Method{Exact, Aggregated, Proxy, Hybrid, Full, Started, Decoupled}

// HasCuts reports whether runs by the method have a master with cuts, as a record needs.
func (m Method) HasCuts() bool { return m != Full && m != Started && m != Decoupled }

// Scheme says how the master is driven.
type Scheme string

const (
	Auto  Scheme = "auto"  // what is best for the program
	BBC   Scheme = "bbc"   // one branch-and-Benders-cut tree
	Outer Scheme = "outer" // the classical loop: a master solved to optimality each round
	Dual  Scheme = "dual"  // a tree without a master, for the method exact; not every program has one

	Nested Scheme = "nested" // period by period, for the method exact and continuous programs of several periods

	Paper   Scheme = "paper"   // as in the paper's experiments (Table 3), without anything that the paper does not have
	Classic Scheme = "classic" // the paper's plain branch-and-Benders-cut without stabilisation (its Appendix C)
)

// Schemes lists the schemes, the default first.
var Schemes = []Scheme{Auto, BBC, Outer, Dual, Nested, Paper, Classic}

// Cuts says how many cuts a prediction gives.
type Cuts string

const (
	CutsAuto   Cuts = ""           // what the program does
	Aggregate  Cuts = "aggregated" // one on the sum
	Separately Cuts = "separate"   // one for every part of the recourse, such as every client
)

// CutsChoices lists what can be asked for.
var CutsChoices = []Cuts{Aggregate, Separately}

// Errors that the package wraps.
var (
	ErrUnsupported = errors.New("not supported by this family") // a method or scheme that the program does not have
	ErrUnbounded   = errors.New("unbounded recourse")           // a run that meets it ends with the status unbounded
)

// Options steer Solve. Start from DefaultOptions.
type Options struct {
	Method     Method
	Scheme     Scheme
	Model      *proxy.Model // of the methods proxy and hybrid
	ProxyCuts  Cuts         // of the method proxy
	InOut      float64      // weight of in-out separation, in (0, 1]; 0 for the program's
	StallGiven bool         // Benders.StallNodes is for every run; else the program says when a proxy run stops
	Benders    benders.Options
	Start      []float64 // a design to begin with, nil for none
	Resume     *State    // what an earlier run of the program knew, nil for none
	// Save, if not nil, is called with the state of the run: at its end, at a better design, and after every
	// SaveEvery of wall clock.
	Save      func(*State)
	SaveEvery time.Duration
	Threads   int               // goroutines that price scenarios, 0 for one a processor; no result depends on it
	Certified bool              // cuts keep their certificates, also where these are large: what a record needs
	Log       func(line string) // lines for people, nil for none
}

// DefaultOptions returns the defaults: exact, by the best scheme.
func DefaultOptions() Options {
	return Options{Method: Exact, Scheme: Auto, Benders: benders.DefaultOptions()}
}

// validate checks the options against what the program has.
func (o *Options) validate(p *Program) error {
	states := o.Save != nil || o.Resume != nil
	begun := states || o.Start != nil
	ofPaper := o.Scheme == Paper || o.Scheme == Classic

	// Names first, then what does not go together. The first rule that is broken is the error.
	for _, rule := range []struct {
		broken bool
		kind   error
		text   string
	}{
		{!slices.Contains(Methods, o.Method), ErrUnsupported, fmt.Sprintf("method %q", o.Method)},
		{!slices.Contains(Schemes, o.Scheme), ErrUnsupported, fmt.Sprintf("scheme %q", o.Scheme)},
		{o.ProxyCuts != CutsAuto && !slices.Contains(CutsChoices, o.ProxyCuts), benders.ErrOptions,
			fmt.Sprintf("proxy cuts %q", o.ProxyCuts)},
		{!(o.InOut >= 0 && o.InOut <= 1), benders.ErrOptions,
			fmt.Sprintf("in-out separation of weight %g", o.InOut)},
		{states && o.Method == Full, ErrUnsupported, fmt.Sprintf("states of the method %s", Full)},
		{begun && ofPaper, ErrUnsupported, fmt.Sprintf("the scheme %s begins as the paper does", o.Scheme)},
		{o.Method == Started && p.Preparation.Start == nil, ErrUnsupported,
			fmt.Sprintf("method %q: nothing comes before a master", o.Method)},
		{o.Method == Started && !o.Benders.Heuristic, benders.ErrOptions,
			fmt.Sprintf("method %q without heuristics", o.Method)},
		{o.Method == Decoupled && p.Preparation.ScenarioDual == nil, ErrUnsupported,
			fmt.Sprintf("method %q: it is for programs with scenarios", o.Method)},
		{o.Scheme == Dual && p.Preparation.Tree.Solve == nil, ErrUnsupported,
			fmt.Sprintf("scheme %q: it is auto, bbc or outer", o.Scheme)},
		{o.Scheme == Nested && p.Model.Periods.Solve == nil, ErrUnsupported,
			fmt.Sprintf("scheme %q: it is for programs of three or more periods with continuous columns", o.Scheme)},
		{o.Scheme == Nested && o.Method != Exact, ErrUnsupported,
			fmt.Sprintf("the scheme nested goes with the method exact, not %s", o.Method)},
		{o.Scheme == Nested && (begun || o.Certified), ErrUnsupported,
			"the scheme nested has no states, starts and records"},
		{o.Scheme == Dual && o.Method != Full && p.method(o.Method) != Exact, ErrUnsupported,
			fmt.Sprintf("the scheme dual has no separator: it goes with the method exact, not %s", o.Method)},
	} {
		if rule.broken {
			return fmt.Errorf("decompose: %w: %s", rule.kind, rule.text)
		}
	}

	// A network is needed where it predicts, and it must fit the instance.
	if o.Method == Proxy || o.Method == Hybrid {
		if o.Model == nil {
			return fmt.Errorf("decompose: %w: a trained model of the family is needed", proxy.ErrModel)
		}
		if err := o.Model.Fits(p.Proxy.Instance); err != nil {
			return err
		}
	}

	if o.Threads < 0 {
		return fmt.Errorf("decompose: %w: %d threads", benders.ErrOptions, o.Threads)
	}
	return o.Benders.Validate()
}

// allowsFullModel reports whether the run may be branch and cut on the whole program: nothing was asked for that only a
// decomposition has.
func (o *Options) allowsFullModel() bool {
	best := o.Method == Exact && o.Scheme == Auto && o.Benders.Heuristic
	states := o.Save != nil || o.Resume != nil
	return best && !states && !o.Certified
}

// logf logs a line, if there is a log.
func (o *Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}
