package families

import (
	"fmt"
	"io"
	"sync"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Scenarios is an instance that is a program with scenarios. Package scenario decomposes it without a copy a
// scenario; records and files are those of its deterministic equivalent, which is made when it is asked for. A family
// with scenarios makes these; one that knows more embeds it and overrides that: with a Subject its program has
// records of its own. Runs with a trained model are not recorded.
type Scenarios struct {
	program *stoch.Program
	problem *scenario.Problem
	label   Label
	plain   func() (*Plain, error)
	sampler assess.Sampler
	relaxed bool
	hash    string // of the program of several periods that this lists the scenarios of, "" for none
}

// NewScenarios makes an instance of a family. The error of a program that cannot be used names what is wrong; integer
// recourse is refused.
func NewScenarios(family string, p *stoch.Program) (*Scenarios, error) {
	problem, err := scenario.New(p)
	if err != nil {
		return nil, err
	}
	p = problem.Stochastic()
	first, recourse, rows := p.First, len(p.Core.Cols)-p.First, len(p.Core.Rows)
	in := &Scenarios{program: p, problem: problem}
	in.label = Label{Family: family, Name: p.Name, Shape: FormatShape(first, recourse, rows, len(p.Scenarios)),
		Ext: ".mps",
		Title: fmt.Sprintf("%s: two-stage program, %d first-stage columns, %d scenarios of %d columns, %d rows", p.Name,
			first, len(p.Scenarios), recourse, rows)}
	in.plain = sync.OnceValues(in.equivalent)
	return in, nil
}

// WithLabel sets what the instance is called: its shape and title, and the ending of its files.
func (in *Scenarios) WithLabel(shape, title, ext string) *Scenarios {
	in.label.Shape, in.label.Title, in.label.Ext = shape, title, ext
	return in
}

// WithShortcut sets what prices scenarios faster than a linear program of the skeleton.
func (in *Scenarios) WithShortcut(shortcut func() (scenario.Shortcut, error)) *Scenarios {
	in.problem.WithShortcut(shortcut)
	return in
}

// LPRelaxation is what results say of a program whose recourse had its integrality dropped.
const LPRelaxation = "bound of the LP-recourse relaxation"

// RelaxRecourse drops the integrality of the columns of the recourse and reports whether there was any.
func RelaxRecourse(p *stoch.Program) bool {
	any := false
	for j := p.First; j < len(p.Core.Cols); j++ {
		any = any || p.Core.Cols[j].Integer
		p.Core.Cols[j].Integer = false
	}
	return any
}

// WithRelaxation marks the instance as one whose recourse had its integrality dropped.
func (in *Scenarios) WithRelaxation() *Scenarios {
	in.relaxed = true
	in.label.Title += ", LP-recourse relaxation"
	return in
}

// Relaxation returns LPRelaxation where the recourse had its integrality dropped, and else "".
func (in *Scenarios) Relaxation() string {
	if in.relaxed {
		return LPRelaxation
	}
	return ""
}

// WithSampler sets what draws programs from the distribution that the scenarios are of.
func (in *Scenarios) WithSampler(draw assess.Sampler) *Scenarios {
	in.sampler = draw
	return in
}

// Sampler returns what draws programs from the distribution that the scenarios are of; nil where they are all that is
// known.
func (in *Scenarios) Sampler() assess.Sampler { return in.sampler }

// equivalent is the deterministic equivalent, split at the first stage.
func (in *Scenarios) equivalent() (*Plain, error) {
	p := in.program
	m, err := p.Extensive()
	if err != nil {
		return nil, err
	}
	out := &Plain{family: in.label.Family, model: m}
	for _, v := range p.FirstStage() {
		out.first = append(out.first, m.ColName(v))
	}
	out.Problem, err = twostage.New(m, p.FirstStage(), twostage.Options{})
	return out, err
}

// Equivalent returns the deterministic equivalent. It must not be changed.
func (in *Scenarios) Equivalent() (*Plain, error) { return in.plain() }

// ByScenario returns the problem, for scenario.Architecture.
func (in *Scenarios) ByScenario() *scenario.Problem { return in.problem }

// Stochastic returns the program. It must not be changed.
func (in *Scenarios) Stochastic() *stoch.Program { return in.program }

// Label implements Instance. The shape is first-stage columns x recourse columns x rows x scenarios, unless WithLabel
// says another.
func (in *Scenarios) Label() Label { return in.label }

// Program implements Instance.
func (in *Scenarios) Program() (*decompose.Program, error) {
	p := in.problem.Program()
	p.Proxy.Instance = in
	return p, nil
}

// Encode implements Instance: it writes the deterministic equivalent as MPS, with its first stage.
func (in *Scenarios) Encode(w io.Writer) error {
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
	p, core := in.program, in.program.Core
	c := Content{Tag: "stoch", Sizes: []int{len(core.Cols), len(core.Rows), p.First, len(p.Scenarios)}}
	if core.Maximize {
		c.Tag = "stoch-max"
	}
	c.core(core)
	for s := range p.Scenarios {
		sc := &p.Scenarios[s]
		c.Sizes = append(c.Sizes, len(sc.Changes))
		c.changes(sc.Probability, sc.Changes)
	}
	return c.Hash()
}

// Perturb implements Instance: it multiplies the costs of the columns by lognormal factors, the same in every scenario.
// What is feasible stays so.
func (in *Scenarios) Perturb(name string, sigma float64, seed uint64) (Instance, float64, error) {
	p, err := perturbCosts(in.program, name, sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	out, err := NewScenarios(in.label.Family, p)
	return out, 1, err
}
