package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup names the annotation of a flag that says in which group of the help it stands.
const flagGroup = "proxybd_group"

// commonFlags is the group that the help of a command shows; the other groups are in a topic.
const commonFlags = "Common flags"

// groupOfFlags has the flags of a command about one subject. TestFlagGroups checks that every flag is in one group.
type groupOfFlags struct {
	title string
	names []string
}

// The groups of the flags of solve, mip and train.
var solveFlagGroups = []groupOfFlags{
	{commonFlags, []string{"capacity", "family", "first-stage", "gap", "help", "json", "method", "model", "quiet",
		"record", "scenarios", "scheme", "seed", "solution", "svg", "threads", "time-limit", "write-sol"}},
	{"Search", []string{"fractional", "in-out", "iteration-limit", "no-heuristic", "no-true-cost", "node-limit",
		"stall-nodes", "start"}},
	{"Networks", []string{"control", "cuts"}},
	{"Scenarios", []string{"cluster", "cvar", "cvar-weight", "evpi", "integer-flows", "relax-recourse",
		"scenario-costs", "scenario-seed", "single-sourcing", "stoch", "time", "vss"}},
	{"Tables in files of their own", []string{"clients", "costs", "facilities"}},
	{"Log, files and restarts", []string{"checkpoint", "html", "log", "log-every", "output", "progress", "sol-style"}},
}

var mipFlagGroups = []groupOfFlags{
	{commonFlags, []string{"gap", "help", "json", "quiet", "seed", "solution", "start", "threads", "time-limit",
		"write-sol"}},
	{"Search and its limits", []string{"absolute-gap", "cutoff", "memory-limit", "node-limit", "pool", "presolve",
		"work-limit"}},
	{"Log and files", []string{"html", "log", "log-every", "progress", "sol-style"}},
	{"Infeasible models", []string{"iis", "write-iis"}},
}

var trainFlagGroups = []groupOfFlags{
	{commonFlags, []string{"family", "help", "json", "output", "preset", "quiet", "seed", "steps", "test", "validation",
		"variants"}},
	{"The network and its states", []string{"cluster", "features", "hidden", "sigma", "states-limit", "threads"}},
	{"Reading instances", []string{"capacity", "clients", "costs", "facilities", "first-stage", "integer-flows",
		"relax-recourse", "scenario-seed", "scenarios", "single-sourcing", "stoch", "time"}},
	{"The folder of an experiment", []string{"jobs", "partial", "shape", "shard", "time-limit"}},
	{"Log", []string{"log"}},
}

// groupFlags puts the flags of a command into their groups.
func groupFlags(c *cobra.Command, groups []groupOfFlags) {
	// The flag --help is added by cobra when the command runs, but the groups are made before.
	c.InitDefaultHelpFlag()
	for _, group := range groups {
		for _, name := range group.names {
			// The annotation is kept by the flag itself, so that the help finds it without a table.
			c.Flags().SetAnnotation(name, flagGroup, []string{group.title})
		}
	}
}

// helpFlags is the part of the help that lists flags: all of them, or the common ones where a command has groups.
func helpFlags(c *cobra.Command) string {
	// Flags of no group are counted with those of other groups.
	shown, others := flagsOf(c, commonFlags)
	if !shown.HasAvailableFlags() {
		// A command without groups has no common flags: its help lists everything.
		return "Flags:\n" + c.LocalFlags().FlagUsagesWrapped(helpWidth())
	}
	return fmt.Sprintf("%s:\n%s\n%d more flags: proxybd help %s-flags", commonFlags, shown.FlagUsagesWrapped(helpWidth()),
		others, c.Name())
}

// flagsOf returns the flags of a command that are in a group, and how many are not. Hidden flags do not count.
func flagsOf(c *cobra.Command, group string) (of *pflag.FlagSet, others int) {
	of = pflag.NewFlagSet(group, pflag.ContinueOnError)
	// Flags of the root command, such as --max-input, are not local.
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case slices.Equal(f.Annotations[flagGroup], []string{group}):
			// A flag is in one group, so that the annotation is compared as a whole.
			of.AddFlag(f)
		default:
			others++
		}
	})
	return of, others
}

// flagsText returns the text of a topic with all flags of a command by group.
func flagsText(newCommand func(*app) *cobra.Command, groups []groupOfFlags) func(known catalogue) string {
	return func(known catalogue) string {
		// The command is made for its flags alone. Its output goes to a buffer that nobody reads.
		c := newCommand(&app{known: known, streams: streams{stdout: &stream{w: &bytes.Buffer{}}}})

		var b strings.Builder
		fmt.Fprintf(&b, "All flags of proxybd %s, by subject.\n", c.Name())
		for _, group := range groups {
			flags, _ := flagsOf(c, group.title)
			fmt.Fprintf(&b, "\n%s:\n\n%s", group.title, flags.FlagUsagesWrapped(helpWidth()))
		}
		return b.String()
	}
}
