package integer

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Errors that the package wraps.
var (
	// ErrNumerical means that a mixed-integer program of a scenario ended without an answer.
	ErrNumerical = errors.New("a scenario could not be solved")
	// ErrUnbounded means that a scenario has no least cost.
	ErrUnbounded = twostage.ErrUnbounded
)

// prefixed puts the name of this package in front of an error of a package below it.
func prefixed(err error) error {
	return fmt.Errorf("integer: %w", errname.Without(err, "scenario", "twostage", "stoch", "lp", "bnb", "simplex"))
}

// Problem is a program with integer recourse that is ready to be solved. It is read-only and may be shared.
type Problem struct {
	Name     string
	Maximize bool // the program given is a maximisation: costs are negated

	given     *stoch.Program // as it was given, without scenarios of probability 0
	tight     *stoch.Program // minimised, with the rows of split.go
	scenarios *twostage.Scenarios
	relaxed   *scenario.Problem // tight with continuous recourse
	master    *lp.Model
	weight    []float64 // probability of each scenario
	binary    bool      // every first-stage column is 0-1
	continuum bool      // some first-stage column is continuous
	sources   []source  // of the rows of split.go, which follow those of the program

	team scenario.Team // works the jobs of scenarios, nil for this process
}

// New checks a program and makes it ready, without its scenarios of probability 0.
func New(p *stoch.Program) (*Problem, error) {
	if err := p.Validate(); err != nil {
		return nil, prefixed(err)
	}
	p = p.Possible()
	tight, sources, err := disaggregated(minimised(p))
	if err != nil {
		return nil, prefixed(err)
	}

	// Package scenario makes the linear relaxation of the recourse ready; its views serve here too.
	q := &Problem{Name: p.Name, Maximize: p.Core.Maximize, given: p, tight: tight, sources: sources, binary: true}
	if q.relaxed, err = scenario.New(tight.ContinuousRecourse()); err != nil {
		return nil, prefixed(err)
	}
	q.relaxed.WithoutCopy()
	q.scenarios = q.relaxed.Scenarios()
	q.master = q.scenarios.Master()

	for s := range p.Scenarios {
		q.weight = append(q.weight, p.Scenarios[s].Probability)
	}
	for _, c := range q.master.Cols {
		q.binary = q.binary && c.Integer && c.Lower >= 0 && c.Upper <= 1
		q.continuum = q.continuum || !c.Integer
	}
	return q, nil
}

// Stochastic returns the program, without scenarios of probability 0. It must not be changed.
func (p *Problem) Stochastic() *stoch.Program { return p.given }

// Disaggregated returns the program as a minimisation, with the disaggregated rows after its own. It must not be
// changed.
func (p *Problem) Disaggregated() *stoch.Program { return p.tight }

// minimised returns a program with its costs negated if it is a maximisation. What it shares with p is not changed.
func minimised(p *stoch.Program) *stoch.Program {
	q := *p
	q.Core = p.Core.Clone()
	if !p.Core.Maximize {
		return &q
	}

	q.Core.Minimize()
	q.Scenarios = make([]stoch.Scenario, len(p.Scenarios))
	for s, from := range p.Scenarios {
		changes := append([]stoch.Change(nil), from.Changes...)
		for k := range changes {
			if changes[k].Kind == stoch.Cost {
				changes[k].Value = 0 - changes[k].Value
			}
		}
		q.Scenarios[s] = stoch.Scenario{Name: from.Name, Probability: from.Probability, Changes: changes}
	}
	return &q
}
