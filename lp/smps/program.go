package smps

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// ErrTooLarge is wrapped by the error of a program whose scenario tree is larger than the limit.
var ErrTooLarge = errors.New("too many scenarios")

// Program is a stochastic program as its three files state it. Either Parts or Scenarios is nil.
type Program struct {
	Name string
	// Core is the model of one realisation, with the rows and columns of all periods.
	Core *lp.Model
	// Periods are the names of the periods, at least two.
	Periods []string
	// ColPeriod and RowPeriod are the period of each column and row of Core, from 0. No row has a column of a later
	// period.
	ColPeriod, RowPeriod []int32
	// Parts are those of the sections INDEP and BLOCKS: random vectors that are independent of each other.
	Parts []Part
	// Scenarios are those of the section SCENARIOS: a tree, in which parents come first.
	Scenarios []Scenario
}

// Part is a random vector, known from Period on.
type Part struct {
	Name string
	// Period is at least 1: the first period is decided before anything is known.
	Period int32
	// Outcomes are the realisations of a discrete part, with positive probabilities that sum to one.
	Outcomes []Outcome
	// Law is the distribution of a continuous part, nil for a discrete one.
	Law *Law
}

// Outcome is a realisation of a discrete part.
type Outcome struct {
	Probability float64
	// Changes are the numbers of Core that have other values in the realisation.
	Changes []stoch.Change
}

// Law is a continuous distribution of one number; see the package comment for the parameters.
type Law struct {
	// Name is UNIFORM, NORMAL, LOGNORMAL, GAMMA or BETA.
	Name string
	// A and B are the two parameters, in the order of the file.
	A, B float64
	// change returns what a value of the distribution changes in the core.
	change func(v float64) []stoch.Change
}

// Scenario is a path through the tree. It shares the periods before Branch with its parent, and has the data of the
// parent where Changes have no other.
type Scenario struct {
	Name string
	// Parent is the index of a scenario before this one, -1 for the root.
	Parent int32
	// Branch is the first period whose node the scenario does not share with its parent.
	Branch int32
	// Probability is that of the whole path. A scenario of probability 0 serves only as a parent.
	Probability float64
	// Changes are the numbers of periods from Branch on that differ from the parent's.
	Changes []stoch.Change
}

// Options say how a program becomes one with finitely many scenarios. Start from DefaultOptions.
type Options struct {
	// MaxNodes bounds the nodes of a tree that is enumerated or listed, and the nodes and arcs of a graph.
	MaxNodes int
	// Sample is the number of scenarios to draw, each with the probability 1/Sample; 0 takes all that there are. Only a
	// program of two periods with independent parts can be sampled.
	Sample int
	// Seed is that of the drawing. The same seed draws the same scenarios.
	Seed uint64
}

// DefaultOptions returns the defaults: up to a million nodes, none drawn.
func DefaultOptions() Options { return Options{MaxNodes: 1_000_000, Seed: 1} }

// impossible counts the scenarios of probability 0.
func (p *Program) impossible() (n int) {
	for k := range p.Scenarios {
		// They serve as parents, and have no node of their own.
		if p.Scenarios[k].Probability == 0 {
			n++
		}
	}
	return n
}

// draw returns a realisation of the part.
func (q *Part) draw(rng *rand.Rand) []stoch.Change {
	if q.Law != nil {
		return q.Law.change(q.Law.draw(rng))
	}

	// A number from [0, 1) falls into one of the intervals that the probabilities make of [0, 1].
	u := rng.Float64()
	for k := range q.Outcomes {
		if u -= q.Outcomes[k].Probability; u < 0 {
			return q.Outcomes[k].Changes
		}
	}
	return q.Outcomes[len(q.Outcomes)-1].Changes
}

// draw returns a value of the law.
func (l *Law) draw(rng *rand.Rand) float64 {
	switch l.Name {
	case "UNIFORM":
		return l.A + (l.B-l.A)*rng.Float64()
	case "NORMAL":
		return l.A + math.Sqrt(l.B)*rng.NormFloat64()
	case "LOGNORMAL":
		return math.Exp(l.A + math.Sqrt(l.B)*rng.NormFloat64())
	case "GAMMA":
		return l.A * gamma(rng, l.B)
	}

	// BETA is the share of one of two gamma variables in their sum.
	x := gamma(rng, l.A)
	return x / (x + gamma(rng, l.B))
}

// gamma draws from the gamma distribution of a shape and scale one (Marsaglia and Tsang 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	// The method needs a shape of at least 1. With U uniform, gamma(a+1) U^(1/a) has the shape a.
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(1-rng.Float64(), 1/shape)
	}

	// The constants of the method: a normal x makes the candidate d v.
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}

		// The density of d v is compared with that of the normal x by rejection.
		v *= v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// check reports parameters without a meaning.
func (l *Law) check() error {
	ok := false

	// A variance, a shape or a scale cannot be negative.
	switch l.Name {
	case "UNIFORM":
		ok = l.A <= l.B
	case "NORMAL", "LOGNORMAL":
		ok = l.B >= 0
	case "GAMMA", "BETA":
		ok = l.A > 0 && l.B > 0
	}

	// NaN fails every comparison.
	finite := math.Abs(l.A) < lp.Inf && math.Abs(l.B) < lp.Inf
	if !ok || !finite {
		return fmt.Errorf("%s with the parameters %g and %g", l.Name, l.A, l.B)
	}
	return nil
}
