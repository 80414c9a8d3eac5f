package instance

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp/stoch"
)

// WeighScenarios divides the probabilities of scenarios by their sum where that is off one by more than 1e-6, and
// returns the list without the scenarios of probability 0, as package smps does: they do not occur and need not be
// feasible. It warns of both. of is where the probability of a scenario is.
func WeighScenarios[S any](list []S, of func(*S) *float64, path string, warn func(string)) ([]S, error) {
	const tolerance = 1e-6
	total := 0.0
	for s := range list {
		total += *of(&list[s])
	}

	// Files round their probabilities: a smaller difference is left alone.
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

	// Scenarios that cannot occur need not be feasible.
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

	// A copy is made, since the caller keeps the list.
	if out := slices.DeleteFunc(slices.Clone(list), zero); len(out) > 0 {
		return out
	}
	return list
}
