package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mpsmodel"
)

// unused is a flag that was given and that the command would not heed, which is an error: whoever gives it expects it to matter.
func unused(flag, why string) error { return badInput(fmt.Errorf("--%s %s", flag, why)) }

// firstGiven returns the first of the flags that the command line has.
func firstGiven(flags *pflag.FlagSet, names ...string) (string, bool) {
	for _, name := range names {
		if flags.Changed(name) {
			return name, true
		}
	}
	return "", false
}

// checkSolve reports a flag of proxybd solve that has no meaning with the method and the scheme.
func checkSolve(flags *pflag.FlagSet, method decompose.Method, scheme decompose.Scheme) error {
	learned := method == decompose.Proxy || method == decompose.Hybrid
	if flags.Changed("model") && !learned {
		return unused("model", fmt.Sprintf("goes with --method proxy or hybrid: %s has no trained proxy", method))
	}
	if name, ok := firstGiven(flags, "scheme", "fractional", "no-true-cost"); ok && method == decompose.Full {
		return unused(name, "goes with a decomposition, not with --method full")
	}
	if flags.Changed("iteration-limit") && scheme != decompose.Outer {
		return unused("iteration-limit", "counts the rounds of --scheme outer, and this run has none")
	}
	if name, ok := firstGiven(flags, "node-limit", "stall-nodes", "fractional"); ok && scheme == decompose.Outer {
		return unused(name, "goes with one tree, and --scheme outer has one a round")
	}
	if name, ok := firstGiven(flags, "stall-nodes", "fractional", "no-true-cost", "no-heuristic"); ok && scheme == decompose.Dual {
		return unused(name, "goes with a master, and --scheme dual has none")
	}
	return nil
}

// checkRead reports a flag on reading that files of the family leave nothing open for.
func checkRead(family, path string, o families.ReadOptions) error {
	if o.Capacity != 0 && family != cap.Family.Name {
		return unused("capacity", fmt.Sprintf("is for OR-Library's capa, capb and capc: this file is of the family %s", family))
	}
	if o.FirstStage != "" && family != mpsmodel.Family.Name {
		return unused("first-stage", fmt.Sprintf("is for models (MPS, LP): this file is of the family %s", family))
	}
	stochastic := family == mpsmodel.Family.Name && mpsmodel.IsStochastic(path)
	switch {
	case o.FirstStage != "" && stochastic:
		return unused("first-stage", "is for models without periods: the time file says what the first stage is")
	case o.Stochastic.Given() && !stochastic:
		return unused("time, --stoch, --scenarios and --scenario-seed", "are for stochastic programs (SMPS)")
	}
	return nil
}

// checkTrain reports a flag of the other form of proxybd train.
func checkTrain(flags *pflag.FlagSet, folder bool) error {
	if folder {
		if name, ok := firstGiven(flags, "output", "family", "capacity", "first-stage", "variants", "sigma", "validation"); ok {
			return unused(name, "is for training on files, and this is the folder of an experiment, which says it")
		}
		return nil
	}
	if name, ok := firstGiven(flags, "shard", "shape", "time-limit", "partial"); ok {
		return unused(name, "is for the folder of an experiment, and these are files")
	}
	if flags.Changed("sigma") && !flags.Changed("variants") {
		return unused("sigma", "is that of --variants")
	}
	return nil
}

// checkWarm reports a flag of proxybd lp that asks for what a given basis excludes.
func checkWarm(flags *pflag.FlagSet, f *lpFlags) error {
	if f.basis == "" {
		return nil
	}
	var asked []string
	for _, o := range []struct {
		name string
		on   onOff
	}{{"presolve", f.presolve}, {"fold", f.fold}, {"dualize", f.dualize}} {
		if bool(o.on) && flags.Changed(o.name) {
			asked = append(asked, "--"+o.name+" on")
		}
	}
	if asked == nil {
		return nil
	}
	return badInput(fmt.Errorf("--basis is a basis of the whole model: it cannot go with %s", strings.Join(asked, ", ")))
}
