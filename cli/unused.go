package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
)

// unused is a flag that was given and that the command would not heed, which is an error: whoever gives it expects it
// to matter.
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
	if flags.Changed("cuts") && method != decompose.Proxy {
		return unused("cuts", fmt.Sprintf("goes with --method proxy, not %s", method))
	}
	masterless := scheme == decompose.Dual || scheme == decompose.Nested
	if name, ok := firstGiven(flags, "in-out"); ok && (method == decompose.Full || masterless) {
		return unused(name, "goes with a master that cuts are added to")
	}
	if name, ok := firstGiven(flags, "fractional", "no-true-cost", "no-heuristic",
		"stall-nodes"); ok && (scheme == decompose.Paper || scheme == decompose.Classic) {
		return unused(name, fmt.Sprintf("is what --scheme %s says by itself", scheme))
	}
	if name, ok := firstGiven(flags, "checkpoint", "start"); ok {
		switch {
		case scheme == decompose.Paper || scheme == decompose.Classic:
			return unused(name, fmt.Sprintf("goes with other schemes: %s begins as the paper does", scheme))
		case flags.Changed("record"):
			return unused(name, "goes with a run that is not recorded")
		case name == "checkpoint" && method == decompose.Full:
			return unused(name, "goes with a decomposition, not with --method full")
		case flags.Changed("start") && flags.Changed("cvar"):
			return unused("start", "is a design alone, and --cvar has a column more")
		}
	}
	if flags.Changed("control") && !learned {
		return unused("control", fmt.Sprintf("goes with --method proxy or hybrid: %s has no network", method))
	}
	if name, ok := firstGiven(flags, "scheme", "fractional", "no-true-cost", "no-heuristic", "node-limit",
		"stall-nodes", "in-out"); ok && method == decompose.Started {
		return unused(name, "goes with a master, and --method start ends before it")
	}
	if name, ok := firstGiven(flags, "scheme", "fractional", "no-true-cost"); ok && method == decompose.Full {
		return unused(name, "goes with a decomposition, not with --method full")
	}
	if flags.Changed("iteration-limit") && scheme != decompose.Outer && scheme != decompose.Nested {
		return unused("iteration-limit", "counts the rounds of --scheme outer and the passes of nested: this run has none")
	}
	if name, ok := firstGiven(flags, "checkpoint", "start", "record", "node-limit"); ok && scheme == decompose.Nested {
		return unused(name, "goes with a master or a tree, and --scheme nested has none")
	}
	if name, ok := firstGiven(flags, "node-limit", "stall-nodes", "fractional"); ok && scheme == decompose.Outer {
		return unused(name, "goes with one tree, and --scheme outer has one a round")
	}
	if name, ok := firstGiven(flags, "stall-nodes", "fractional", "no-true-cost",
		"no-heuristic"); ok && masterless {
		return unused(name, fmt.Sprintf("goes with a master, and --scheme %s has none", scheme))
	}
	return nil
}

// checkRead reports an option that was given and that a file of the family has no use for.
func (known catalogue) checkRead(f families.Family, path string, o families.ReadOptions) error {
	for _, opt := range known.options() {
		if _, given := o.Set[opt.Name]; !given {
			continue
		}
		k := slices.IndexFunc(f.Options, func(own families.Option) bool { return own.Name == opt.Name })
		if k < 0 {
			return unused(opt.Name, fmt.Sprintf("%s: this file is of the family %s", opt.For, f.Name))
		}
		if own := f.Options[k]; own.Unused != nil {
			if why := own.Unused(path); why != "" {
				return unused(opt.Name, why)
			}
		}
	}
	return nil
}

// checkTrain reports a flag of the other form of proxybd train.
func (known catalogue) checkTrain(flags *pflag.FlagSet, folder bool) error {
	if folder {
		if name, ok := firstGiven(flags, append(known.readFlags(), "output", "variants", "sigma", "validation", "test",
			"states-limit")...); ok {
			return unused(name, "is for training on files, and this is the folder of an experiment, which says it")
		}
		return nil
	}
	if name, ok := firstGiven(flags, "shard", "jobs", "shape", "time-limit", "partial"); ok {
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
