package generic

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp/stoch"
)

// ScenarioOption is the option of families whose files may leave open what the scenarios are.
var ScenarioOption = families.Option{
	Name: "scenarios",
	For:  "is for programs with scenarios",
	Help: "scenarios: a `FILE` of them for network design (.scen) or a model (.csv); for SMPS how many to draw, 0 takes " +
		"all that there are",
}

// perturbCosts returns the program under a new name with the costs of every column, of the skeleton and of all
// scenarios, times a lognormal factor of its own.
func perturbCosts(p *stoch.Program, name string, sigma float64, seed uint64) (*stoch.Program, error) {
	factor, err := instance.Factors(len(p.Core.Cols), sigma, seed)
	if err != nil {
		return nil, err
	}
	out := &stoch.Program{
		Name:      name,
		Core:      p.Core.Clone(),
		First:     p.First,
		Scenarios: make([]stoch.Scenario, len(p.Scenarios)),
	}

	// A column has the same factor in the skeleton and in all scenarios.
	for j := range factor {
		out.Core.Cols[j].Cost *= factor[j]
	}
	for s, sc := range p.Scenarios {
		// The changes are copied, since the program that was given must not change.
		sc.Changes = slices.Clone(sc.Changes)
		for k, d := range sc.Changes {
			if d.Kind == stoch.Cost {
				sc.Changes[k].Value *= factor[d.Col]
			}
		}
		out.Scenarios[s] = sc
	}
	return out, nil
}

// Scenarios is an instance that is a program with scenarios. Package scenario decomposes the program without a copy of
// the recourse for each scenario; records and files are those of its deterministic equivalent, which is made when it is
// first needed. A family with scenarios makes these instances; a family that has better methods embeds one and replaces
// what it does better: its program has records of its own if it has a Subject. Runs with a trained model are not
// recorded.
type Scenarios struct {
	// problem is the program ready to be solved, nil where its recourse has integer columns: then integer is. Neither has
	// scenarios of probability 0.
	problem *scenario.Problem
	integer *integer.Problem
	label   families.Label
	// plain makes the deterministic equivalent, once.
	plain func() (*Plain, error)
	// sampler draws programs from the distribution of the scenarios, nil where there is none to draw from.
	sampler assess.Sampler
	// relaxed says that the recourse had its integrality dropped.
	relaxed bool
	// hash is that of the program of several periods whose scenarios these are, "" for none.
	hash string
}

// NewScenarios makes an instance of a family. The error of a program that cannot be used names what is wrong.
func NewScenarios(family string, p *stoch.Program) (*Scenarios, error) {
	// Integer recourse has a package of its own. Either problem has the program without the scenarios that cannot occur.
	var problem *scenario.Problem
	var mixed *integer.Problem
	var err error
	if p.IntegerRecourse() {
		if mixed, err = integer.New(p); err == nil {
			p = mixed.Stochastic()
		}
	} else if problem, err = scenario.New(p); err == nil {
		p = problem.Frame()
	}
	if err != nil {
		return nil, err
	}
	return newScenarios(family, p, problem, mixed), nil
}

// NewLazyScenarios is NewScenarios for a program with linear recourse whose scenarios are read one at a time, none of
// which has probability 0.
func NewLazyScenarios(family string, l *stoch.Lazy) (*Scenarios, error) {
	problem, err := scenario.NewLazy(l)
	if err != nil {
		return nil, err
	}
	return newScenarios(family, problem.Frame(), problem, nil), nil
}

// newScenarios returns the instance of one of two problems; p is its frame.
func newScenarios(family string, p *stoch.Program, problem *scenario.Problem, mixed *integer.Problem) *Scenarios {
	// The label says the sizes.
	recourse := len(p.Core.Cols) - p.First
	rows := len(p.Core.Rows)
	in := &Scenarios{problem: problem, integer: mixed, label: families.Label{
		Family: family,
		Name:   p.Name,
		Ext:    ".mps",
		Shape:  families.FormatShape(p.First, recourse, rows, len(p.Scenarios)),
		Title: fmt.Sprintf("%s: two-stage program, %d first-stage columns, %d scenarios of %d columns, %d rows", p.Name,
			p.First, len(p.Scenarios), recourse, rows),
	}}
	in.plain = sync.OnceValues(in.equivalent)
	return in
}

// WithLabel sets what the instance is called: its shape and title, and the ending of its files.
func (in *Scenarios) WithLabel(shape, title, ext string) *Scenarios {
	in.label.Shape = shape
	in.label.Title = title
	in.label.Ext = ext
	return in
}

// WithShortcut sets what prices scenarios faster than a linear program of the skeleton, and what makes it in another
// process.
func (in *Scenarios) WithShortcut(shortcut func() (scenario.Shortcut, error), e *scenario.Export) *Scenarios {
	if in.problem != nil {
		in.problem.WithShortcut(shortcut).WithExport(e)
	}
	return in
}

// LPRelaxation is what results say of a program whose recourse had its integrality dropped.
const LPRelaxation = "bound of the LP-recourse relaxation"

// WithRelaxation marks the instance as one whose recourse had its integrality dropped.
func (in *Scenarios) WithRelaxation() *Scenarios {
	in.relaxed = true
	in.label.Title += ", LP-recourse relaxation"
	return in
}

// Relaxation implements families.Relaxed.
func (in *Scenarios) Relaxation() string { return LPRelaxation }

// WithSampler sets what draws programs from the distribution that the scenarios are of.
func (in *Scenarios) WithSampler(draw assess.Sampler) *Scenarios {
	in.sampler = draw
	return in
}

// Sampler implements families.Sampled: it draws programs from the distribution that the scenarios are of.
func (in *Scenarios) Sampler() assess.Sampler { return in.sampler }

// equivalent is the deterministic equivalent, split at the first stage.
func (in *Scenarios) equivalent() (*Plain, error) {
	p := in.Stochastic()
	m, err := p.Extensive()
	if err != nil {
		return nil, err
	}

	// The first stage keeps its columns, so that designs are the same.
	return splitPlain(in.label.Family, m, p.FirstStage())
}

// Equivalent implements families.Stochastic. A program with integer recourse has none that is an instance.
func (in *Scenarios) Equivalent() (families.Instance, error) {
	if in.integer != nil {
		return nil, fmt.Errorf("families: %w: a program with integer recourse as one of a single scenario",
			families.ErrUnsupported)
	}
	return families.As(in.plain())
}

// ByScenario implements families.Stochastic, and is what the networks of package scenario look for. It is nil where the
// recourse has integer columns.
func (in *Scenarios) ByScenario() *scenario.Problem { return in.problem }

// SetTeam implements families.Spread.
func (in *Scenarios) SetTeam(t scenario.Team) {
	if in.integer != nil {
		in.integer.WithTeam(t)
	} else {
		in.problem.WithTeam(t)
	}
}

// TeamWorker implements families.Spread.
func (in *Scenarios) TeamWorker() scenario.TeamWorker {
	if in.integer != nil {
		return integer.NewWorker(in.integer)
	}
	return scenario.NewWorker(in.problem)
}

// Outline implements families.Spread.
func (in *Scenarios) Outline() (families.OutlineKind, families.Outlined) {
	if in.integer != nil {
		return families.ByInteger, in.integer
	}
	return families.ByScenario, in.problem
}

// Stochastic implements families.Stochastic. Each call may make the program anew, of the form in which the instance has
// its scenarios.
func (in *Scenarios) Stochastic() *stoch.Program {
	if in.integer != nil {
		return in.integer.Stochastic()
	}
	return in.problem.Stochastic()
}

// frame is the program whose scenarios may be without their changes.
func (in *Scenarios) frame() *stoch.Program {
	if in.integer != nil {
		return in.integer.Stochastic()
	}
	return in.problem.Frame()
}

// each calls visit for the scenarios in their order, with their changes, which are valid until it returns.
func (in *Scenarios) each(visit func(scenario int, changes []stoch.Change)) {
	if in.problem != nil {
		in.problem.Scenarios().Each(visit)
		return
	}
	for s, one := range in.integer.Stochastic().Scenarios {
		visit(s, one.Changes)
	}
}

// ScenarioName returns the name of a scenario, or a made-up one.
func (in *Scenarios) ScenarioName(s int) string { return in.frame().ScenarioName(s) }

// Capabilities implements families.Instance.
func (in *Scenarios) Capabilities() families.Capabilities {
	// Some of the capabilities depend on how the instance was read.
	can := families.Capabilities{Explainer: in, Stochastic: in, Spread: in, Diagnosed: in}
	if in.sampler != nil {
		can.Sampled = in
	}
	if in.relaxed {
		can.Relaxed = in
	}
	return can
}

// Label implements Instance. The shape is first-stage columns x recourse columns x rows x scenarios, unless WithLabel
// says another.
func (in *Scenarios) Label() families.Label { return in.label }

// Program implements Instance.
func (in *Scenarios) Program() (*decompose.Program, error) {
	if in.integer != nil {
		return in.integer.Program(), nil
	}
	p := in.problem.Program()
	p.Proxy.Instance = in
	p.Preparation.ScenarioDual = func(ctx context.Context, start *decompose.Start, o decompose.Options) (
		*benders.Result, error) {
		return integer.ScenarioDual(ctx, in.Stochastic(), start, o)
	}
	return p, nil
}

// Encode implements Instance: it writes the deterministic equivalent as MPS, with its first stage. That of a program
// with integer recourse cannot be read again as a two-stage program, so there is none.
func (in *Scenarios) Encode(w io.Writer) error {
	if in.integer != nil {
		return fmt.Errorf("families: %w: a program with integer recourse in one file: export it as .smps",
			families.ErrUnsupported)
	}
	p, err := in.plain()
	if err != nil {
		return err
	}
	return p.Encode(w)
}

// Hash implements Instance: it covers the skeleton, the probabilities and the changes.
func (in *Scenarios) Hash() string {
	if in.hash != "" {
		return in.hash
	}
	p := in.frame()
	core := p.Core
	c := instance.Content{
		Tag:   "stoch",
		Sizes: []int{len(core.Cols), len(core.Rows), p.First, len(p.Scenarios)},
	}
	if core.Maximize {
		c.Tag = "stoch-max"
	}
	hashModel(&c, core)

	// Scenarios count in their order, without their names.
	in.each(func(_ int, changes []stoch.Change) { c.Sizes = append(c.Sizes, len(changes)) })
	c.More = func(ends func([]int32), numbers func([]float64)) {
		var places []int32
		var values []float64
		in.each(func(s int, changes []stoch.Change) {
			if ends != nil {
				places = endsOf(places[:0], changes)
				ends(places)
			} else {
				values = numbersOf(values[:0], p.Scenarios[s].Probability, changes)
				numbers(values)
			}
		})
	}
	return c.Hash()
}

// Perturb implements Instance: it multiplies the costs of the columns by lognormal factors, the same in every scenario.
// What is feasible stays so.
func (in *Scenarios) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	// Costs are in the skeleton and in changes.
	p, err := perturbCosts(in.Stochastic(), name, sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	out, err := NewScenarios(in.label.Family, p)
	return out, 1, err
}
