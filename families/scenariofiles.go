package families

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp/stoch"
)

// ScenarioOption is the option of families whose files may leave open what the scenarios are.
var ScenarioOption = Option{Name: "scenarios", For: "is for programs with scenarios",
	Help: "scenarios: a `FILE` of them for network design (.scen); for SMPS how many to draw, 0 takes all that there are"}

// WeighScenarios divides the probabilities of scenarios by their sum where that is off one by more than 1e-6, and
// returns the list without the scenarios of probability 0, as package smps does: they do not occur and need not be
// feasible. It warns of both. of is where the probability of a scenario is.
func WeighScenarios[S any](list []S, of func(*S) *float64, path string, warn func(string)) ([]S, error) {
	const tolerance = 1e-6
	total := 0.0
	for s := range list {
		total += *of(&list[s])
	}
	switch {
	case !(total > 0) || math.IsInf(total, 1):
		return nil, fmt.Errorf("%s: %w: the probabilities sum to %g", path, stoch.ErrProgram, total)
	case math.Abs(total-1) > tolerance:
		if warn != nil {
			warn(fmt.Sprintf("%s: the probabilities sum to %.9g, each is divided by that", path, total))
		}
		for s := range list {
			*of(&list[s]) /= total
		}
	}

	n := len(list)
	list = PossibleScenarios(list, of)
	if zeros := n - len(list); zeros > 0 && warn != nil {
		warn(fmt.Sprintf("%s: %d scenarios with probability 0: left out", path, zeros))
	}
	return list, nil
}

// PossibleScenarios returns a list without the scenarios of probability 0, the list itself if there are none or no
// others; see stoch.Program.Possible.
func PossibleScenarios[S any](list []S, of func(*S) *float64) []S {
	zero := func(s S) bool { return *of(&s) == 0 }
	if !slices.ContainsFunc(list, zero) {
		return list
	}
	if out := slices.DeleteFunc(slices.Clone(list), zero); len(out) > 0 {
		return out
	}
	return list
}

// perturbCosts returns the program under a new name with the costs of every column, of the skeleton and of all
// scenarios, times a lognormal factor of its own.
func perturbCosts(p *stoch.Program, name string, sigma float64, seed uint64) (*stoch.Program, error) {
	factor, err := Factors(len(p.Core.Cols), sigma, seed)
	if err != nil {
		return nil, err
	}
	out := &stoch.Program{Name: name, Core: p.Core.Clone(), First: p.First, Scenarios: make([]stoch.Scenario,
		len(p.Scenarios))}
	for j := range factor {
		out.Core.Cols[j].Cost *= factor[j]
	}
	for s, sc := range p.Scenarios {
		sc.Changes = append([]stoch.Change(nil), sc.Changes...)
		for k, d := range sc.Changes {
			if d.Kind == stoch.Cost {
				sc.Changes[k].Value *= factor[d.Col]
			}
		}
		out.Scenarios[s] = sc
	}
	return out, nil
}

// Factors draws lognormal factors.
func Factors(count int, sigma float64, seed uint64) ([]float64, error) {
	out := make([]float64, count)
	for k := range out {
		out[k] = 1
	}
	return out, Lognormal(sigma, seed, 0x6e4e7a2, out)
}

// Lognormal multiplies every number by a factor of its own, exp(sigma Z) with Z standard normal and independent, drawn
// from a stream of a seed. What is zero stays zero.
func Lognormal(sigma float64, seed, stream uint64, parts ...[]float64) error {
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return fmt.Errorf("families: %w: a lognormal factor with sigma %g", ErrOptions, sigma)
	}
	rng := rand.New(rand.NewPCG(seed, stream))
	for _, part := range parts {
		for k := range part {
			part[k] *= math.Exp(sigma * rng.NormFloat64())
		}
	}
	return nil
}
