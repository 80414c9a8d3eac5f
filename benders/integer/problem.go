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
	added     int       // rows of split.go
}

// Has reports whether a program has integer recourse columns, which package scenario refuses.
func Has(p *stoch.Program) bool {
	for j := p.First; j < len(p.Core.Cols); j++ {
		if p.Core.Cols[j].Integer {
			return true
		}
	}
	return false
}

// Relaxation returns a program with continuous recourse columns: itself where they are.
func Relaxation(p *stoch.Program) *stoch.Program {
	if !Has(p) {
		return p
	}
	q := *p
	q.Core = p.Core.Clone()
	for j := p.First; j < len(q.Core.Cols); j++ {
		q.Core.Cols[j].Integer = false
	}
	return &q
}

// New checks a program and makes it ready, without its scenarios of probability 0.
func New(p *stoch.Program) (*Problem, error) {
	if err := p.Validate(); err != nil {
		return nil, prefixed(err)
	}
	p = p.Possible()
	tight, added, err := disaggregated(minimised(p))
	if err != nil {
		return nil, prefixed(err)
	}

	// The linear relaxation of the recourse, twice: for the machinery of package scenario, and for views of our own.
	relaxed := Relaxation(tight)
	q := &Problem{Name: p.Name, Maximize: p.Core.Maximize, given: p, tight: tight, added: added, binary: true}
	if q.relaxed, err = scenario.New(relaxed); err != nil {
		return nil, prefixed(err)
	}
	if q.scenarios, err = twostage.NewScenarios(relaxed); err != nil {
		return nil, prefixed(err)
	}
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

// Feasibility returns the same problem without costs: it has a solution where this one has a feasible point.
func (p *Problem) Feasibility() (*Problem, error) {
	q := *p.given
	q.Core = p.given.Core.Clone()
	q.Core.Offset = 0
	for j := range q.Core.Cols {
		q.Core.Cols[j].Cost = 0
	}
	q.Scenarios = make([]stoch.Scenario, len(p.given.Scenarios))
	for s, from := range p.given.Scenarios {
		to := stoch.Scenario{Name: from.Name, Probability: from.Probability}
		for _, c := range from.Changes {
			if c.Kind != stoch.Cost {
				to.Changes = append(to.Changes, c)
			}
		}
		q.Scenarios[s] = to
	}
	return New(&q)
}
