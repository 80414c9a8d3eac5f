//go:build ablation

package bnb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/bnb/presolve"
)

// reductionNames are the bits of presolve.Reductions, in order.
var reductionNames = []string{"bounds", "coefficients", "divisors", "parallel-rows", "doubletons", "slacks",
	"free-singletons", "substitutions", "dual-fixing", "parallel-columns", "dominated-columns", "implied-integers",
	"probing", "residues", "states"}

// Without switches parts of the search off, for comparisons: names, with commas between them, of separators,
// heuristics and reductions, "conflicts", "resolution", "symmetry" or "symmetry-rows", or "cuts", "heuristics" or
// "presolve" for all of a kind; "none" switches nothing off.
func (o *Options) Without(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		switch name {
		case "none":
			continue
		case "cuts":
			o.Cuts = false
			continue
		case "heuristics":
			o.tuning.heuristicsOff = 1<<len(heuristics) - 1
			continue
		case "presolve":
			o.Presolve = false
			continue
		case "conflicts":
			o.tuning.conflictsOff = true
			continue
		case "resolution":
			o.tuning.resolutionOff = true
			continue
		case "symmetry":
			o.Symmetry = false
			continue
		case "symmetry-rows":
			o.tuning.breakingOff = true
			continue
		}

		// A name may stand for several parts.
		known := false
		for k := range cuts.Kinds {
			if k.String() == name {
				o.tuning.separatorsOff = append(o.tuning.separatorsOff, k)
				known = true
			}
		}
		for k := range heuristics {
			if heuristics[k].name == name {
				o.tuning.heuristicsOff |= 1 << k
				known = true
			}
		}
		if k := slices.Index(reductionNames, name); k >= 0 {
			o.tuning.reductionsOff |= presolve.Reductions(1) << k
			known = true
		}
		if !known {
			return fmt.Errorf("bnb: %w: no separator, heuristic or reduction %q", ErrOptions, name)
		}
	}
	return nil
}

// Switches lists the parts that Without accepts, but for whole kinds; if presolved is set, the reductions.
func Switches(presolved bool) (list []string) {
	if presolved {
		return append(append(list, "presolve"), reductionNames...)
	}
	list = append(list, "conflicts", "resolution", "symmetry", "symmetry-rows")
	for k := range cuts.Kinds {
		list = append(list, k.String())
	}
	for _, h := range heuristics {
		if h.part != PartHeuristic {
			list = append(list, h.name)
		}
	}
	return list
}
