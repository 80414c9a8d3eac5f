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
	Name      string
	Core      *lp.Model
	Periods   []string
	ColPeriod []int32 // of each column of Core, from 0
	RowPeriod []int32
	Parts     []Part     // INDEP and BLOCKS: random vectors that are independent of each other
	Scenarios []Scenario // SCENARIOS: a tree
}

// Part is a random vector, known from Period on. Law is nil where it is discrete.
type Part struct {
	Name     string
	Period   int32
	Outcomes []Outcome
	Law      *Law
}

// Outcome is a realisation of a discrete part.
type Outcome struct {
	Probability float64
	Changes     []stoch.Change
}

// Law is a continuous distribution of one number; see the package comment for the parameters.
type Law struct {
	Name   string // UNIFORM, NORMAL, LOGNORMAL, GAMMA or BETA
	A, B   float64
	change func(v float64) []stoch.Change
}

// Scenario is a path through the tree. It shares the periods before Branch with its parent, -1 for the root, and has the
// data of the parent where Changes have no other. A scenario of probability 0 serves only as a parent.
type Scenario struct {
	Name        string
	Parent      int32
	Branch      int32
	Probability float64
	Changes     []stoch.Change
}

// Options say how a program becomes one with finitely many scenarios. Start from DefaultOptions.
type Options struct {
	MaxNodes int    // of the tree that is enumerated
	Sample   int    // number of scenarios to draw instead, 0 to enumerate; for two periods only
	Seed     uint64 // of the drawing
}

// DefaultOptions returns the defaults: up to a million nodes, none drawn.
func DefaultOptions() Options { return Options{MaxNodes: 1_000_000, Seed: 1} }

// Leaves returns how many scenarios of positive probability the program has, +Inf where a part is continuous.
func (p *Program) Leaves() float64 {
	n := 0.0
	for k := range p.Scenarios {
		if p.Scenarios[k].Probability > 0 {
			n++
		}
	}
	if p.Parts == nil {
		return n
	}

	// Independent parts combine.
	n = 1
	for k := range p.Parts {
		if p.Parts[k].Law != nil {
			return math.Inf(1)
		}
		n *= float64(len(p.Parts[k].Outcomes))
	}
	return n
}

// draw returns a realisation of the part.
func (q *Part) draw(rng *rand.Rand) []stoch.Change {
	if q.Law != nil {
		return q.Law.change(q.Law.draw(rng))
	}

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
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(1-rng.Float64(), 1/shape)
	}

	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// check reports parameters without a meaning.
func (l *Law) check() error {
	ok := false
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
