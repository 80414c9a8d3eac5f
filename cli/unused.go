package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
)

// unused is the error of a flag that was given and that has no effect in this run: whoever gives it expects one.
func unused(flag, why string) error { return badInput(fmt.Errorf("--%s %s", flag, why)) }

// firstGiven returns the first of the flags that the command line has.
func firstGiven(flags *pflag.FlagSet, names ...string) (string, bool) {
	// The order is that of the call, so that the message names the same flag each time.
	for _, name := range names {
		if flags.Changed(name) {
			return name, true
		}
	}
	return "", false
}

// conflict is a case in which a command line cannot have any of some flags, and the reason.
type conflict struct {
	flags  []string // none of which may be given
	exists bool     // the case applies to this command line
	why    string   // the end of the message, after the name of the flag
}

// firstConflict reports the first flag of a command line that it cannot have.
func firstConflict(flags *pflag.FlagSet, list []conflict) error {
	for _, c := range list {
		// The first conflict of the list is reported, so that the order of the list is that of importance.
		if name, given := firstGiven(flags, c.flags...); given && c.exists {
			return unused(name, c.why)
		}
	}
	return nil
}

// checkSolve reports a flag of proxybd solve that has no meaning with the method and the scheme.
func checkSolve(flags *pflag.FlagSet, method decompose.Method, scheme decompose.Scheme) error {
	// Kinds of methods and schemes that the cases below have in common.
	learned := usesNetwork(method)
	whole := method == decompose.Full
	masterless := scheme == decompose.Dual || scheme == decompose.Nested
	fromPaper := scheme == decompose.Paper || scheme == decompose.Classic
	decoupled := method == decompose.Decoupled
	inRounds := scheme == decompose.Outer || scheme == decompose.Nested || decoupled

	return firstConflict(flags, []conflict{
		// Flags of the network and its cuts, which only some methods have.
		{[]string{"model"}, !learned,
			fmt.Sprintf("goes with --method proxy or hybrid: %s has no trained proxy", method)},
		{[]string{"cuts"}, method != decompose.Proxy, fmt.Sprintf("goes with --method proxy, not %s", method)},
		{[]string{"in-out"}, whole || masterless, "goes with a master that cuts are added to"},

		// The runs of papers are fixed, and begin as described there.
		{[]string{"fractional", "no-true-cost", "no-heuristic", "stall-nodes"}, fromPaper,
			fmt.Sprintf("is what --scheme %s says by itself", scheme)},
		{[]string{"checkpoint", "start"}, fromPaper,
			fmt.Sprintf("goes with other schemes: %s begins as the paper does", scheme)},

		// A recorded run is proven from its beginning, and a state belongs to the decomposition that wrote it.
		{[]string{"checkpoint", "start"}, flags.Changed("record"), "goes with a run that is not recorded"},
		{[]string{"checkpoint"}, whole, "goes with a decomposition, not with --method full"},
		{[]string{"start"}, flags.Changed("cvar"), "is a design alone, and --cvar has a column more"},
		{[]string{"control"}, !learned, fmt.Sprintf("goes with --method proxy or hybrid: %s has no network", method)},

		// Methods and schemes may lack what a flag is about: a master, a decomposition, rounds, a tree.
		{[]string{"scheme", "fractional", "no-true-cost", "no-heuristic", "node-limit", "stall-nodes", "in-out"},
			method == decompose.Started, "goes with a master, and --method start ends before it"},
		{[]string{"scheme", "fractional", "no-true-cost", "no-heuristic", "node-limit", "stall-nodes", "in-out"}, decoupled,
			"goes with a master, and --method dual has none"},
		{[]string{"scheme", "fractional", "no-true-cost"}, whole, "goes with a decomposition, not with --method full"},
		{[]string{"iteration-limit"}, !inRounds,
			"counts the rounds of --scheme outer and --method dual and the passes of nested: this run has none"},
		{[]string{"checkpoint", "start", "record", "node-limit"}, scheme == decompose.Nested,
			"goes with a master or a tree, and --scheme nested has none"},
		{[]string{"node-limit", "stall-nodes", "fractional"}, scheme == decompose.Outer,
			"goes with one tree, and --scheme outer has one a round"},
		{[]string{"stall-nodes", "fractional", "no-true-cost", "no-heuristic"}, masterless,
			fmt.Sprintf("goes with a master, and --scheme %s has none", scheme)},
	})
}

// checkRead reports an option that was given and that files of the family do not have.
func (known catalogue) checkRead(f families.Family, path string, o families.ReadOptions) error {
	// Only options that change something are in the set.
	for _, opt := range known.options() {
		if _, given := o.Set[opt.Name]; !given {
			continue
		}
		k := slices.IndexFunc(f.Options, func(own families.Option) bool { return own.Name == opt.Name })
		// No file of the family has the option.
		if k < 0 {
			return unused(opt.Name, fmt.Sprintf("%s: this file is of the family %s", opt.For, f.Name))
		}

		// The family has the option, but not for every kind of its files.
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
	// Options of reading belong to files: an experiment has its own instances.
	ofFiles := append(known.readFlags(), "output", "variants", "sigma", "validation", "test", "states-limit", "cluster",
		"threads")
	return firstConflict(flags, []conflict{
		{ofFiles, folder, "is for training on files, and this is the folder of an experiment, which says it"},
		// The rest applies to the folder of an experiment alone.
		{[]string{"shard", "jobs", "shape", "time-limit", "partial"}, !folder,
			"is for the folder of an experiment, and these are files"},
		{[]string{"sigma"}, !flags.Changed("variants"), "is that of --variants"},
	})
}

// checkWarm reports a flag of proxybd lp that asks for what a given basis excludes.
func checkWarm(flags *pflag.FlagSet, f *lpFlags) error {
	// Without a given basis everything may be changed before the solve.
	if f.basis == "" {
		return nil
	}
	var asked []string
	// The switches are on by default, and a basis turns them off without a word: only one that is given is an error.
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
