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

// solveFlagGroups are the flags of solve by subject. TestSolveFlagGroups checks that every flag is in one group.
var solveFlagGroups = []struct {
	title string
	names []string
}{
	{commonFlags, []string{"capacity", "family", "first-stage", "gap", "help", "json", "method", "model", "quiet",
		"record", "scenarios", "scheme", "seed", "solution", "svg", "threads", "time-limit", "write-sol"}},
	{"Search", []string{"fractional", "in-out", "iteration-limit", "no-heuristic", "no-true-cost", "node-limit",
		"stall-nodes", "start"}},
	{"Networks", []string{"control", "cuts"}},
	{"Scenarios", []string{"cvar", "cvar-weight", "evpi", "relax-recourse", "scenario-costs", "scenario-seed", "stoch",
		"time", "vss"}},
	{"Log, files and restarts", []string{"checkpoint", "log", "log-every", "sol-style"}},
}

// groupFlags puts the flags of solve into their groups.
func groupFlags(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	for _, group := range solveFlagGroups {
		for _, name := range group.names {
			c.Flags().SetAnnotation(name, flagGroup, []string{group.title})
		}
	}
}

// helpFlags is the part of the help that lists flags: all of them, or the common ones where a command has groups.
func helpFlags(c *cobra.Command) string {
	shown, others := flagsOf(c, commonFlags)
	if !shown.HasAvailableFlags() {
		return "Flags:\n" + c.LocalFlags().FlagUsagesWrapped(helpWidth)
	}
	return fmt.Sprintf("%s:\n%s\n%d more flags: proxybd help %s-flags", commonFlags, shown.FlagUsagesWrapped(helpWidth),
		others, c.Name())
}

// flagsOf returns the flags of a command that are in a group, and how many are not.
func flagsOf(c *cobra.Command, group string) (of *pflag.FlagSet, others int) {
	of = pflag.NewFlagSet(group, pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case slices.Equal(f.Annotations[flagGroup], []string{group}):
			of.AddFlag(f)
		default:
			others++
		}
	})
	return of, others
}

// solveFlagsText is the topic with all flags of solve by group.
func solveFlagsText(known catalogue) string {
	c := newSolve(&app{known: known, stdout: &stream{w: &bytes.Buffer{}}})

	var b strings.Builder
	b.WriteString("All flags of proxybd solve, by subject.\n")
	for _, group := range solveFlagGroups {
		flags, _ := flagsOf(c, group.title)
		fmt.Fprintf(&b, "\n%s:\n\n%s", group.title, flags.FlagUsagesWrapped(helpWidth))
	}
	return b.String()
}

func methodsText() string {
	return `A method of proxybd solve says where the cuts come from: --method NAME.

  exact       solves the recourse exactly and adds a cut for every part of it (in ufl every client);
              the default, and the fastest so far
  aggregated  solves the recourse exactly and adds one cut on the sum of all parts
  proxy       a trained network predicts the duals, and a certifier makes them feasible
  hybrid      a short proxy run, and then exact from its design
  full        branch and cut on the whole model, without decomposition
  start       only what comes before a master: the starting design and its proven bound

The cuts and the bound of proxy are valid whatever the network predicts. A run that ends with no violated cut and an
open gap has the status fixed_point. A run whose tree found no better design for many nodes has the status stalled.
Neither is a proof.

The second phase of hybrid ends with a proven gap, as an exact run by the scheme auto does; the field phases of --json
describes both phases. In a program with scenarios whose known certificates certify as much as the network, hybrid is
exact alone. With another scheme, with --no-heuristic and for mps models it is one run, which adds cuts of the network
while they are violated and exact cuts where they are not.

By the scheme auto, exact is branch and cut on the whole model where there are few scenarios of a large recourse.

The network is that of --model, or else a shipped one that fits the instance. --control replaces its weights by zero or
random ones, so that the difference shows what the network is worth.`
}

func schemesText() string {
	return `A scheme of proxybd solve says how the master is solved: --scheme NAME.

  auto     the best one that the family knows; the default
  bbc      one branch-and-Benders-cut tree
  outer    the classical loop, which solves the master to optimality in each round
  dual     a tree without a master, whose nodes have Lagrangian bounds (exact ufl and mcndp only)
  nested   period by period (programs of three or more periods)
  paper    the run of the paper, with its master and without heuristics, starts and fixing
  classic  the plain tree of paper for ufl

By auto most families use bbc. Exact ufl begins with a number of nodes of dual. Exact mcndp begins with a few nodes of
bbc or none, and goes on with a tree over designs and flows or with dual.

For cap, paper is the classical loop with in-out separation of weight 0.5; for mcndp a tree with weight 0.1; for ufl the
scheme of Fischetti, Ljubic and Sinnl, in which a proxy adds one cut at integer points. For ufl, classic has no
stabilisation, separates integer points alone and adds a cut for every client. Proxy runs of both solve no recourse
problem; their design is priced after the run, and the time for that is not reported. For ufl by paper all designs that
were visited are priced, in closed form.

Programs of three or more periods (SMPS) with continuous columns are solved by nested decomposition, which auto chooses.
Nodes of the scenario tree with the same future share their cuts, and the tree is never built. The incumbent is the cost,
over all scenarios, of a policy that begins with the design; the bound is that of the first period. A round is a path
through the periods or a pass over all of them, and --iteration-limit counts rounds. All other methods and outputs treat
such a program as one of two stages with all its scenarios, if these are not too many.`
}

func scenariosText() string {
	return `Programs with scenarios are SMPS files, .dow with --scenarios, .dat and .json.

  --evpi            expected value of perfect information: how much more the optimum costs than
                    deciding after the scenario is known
  --vss             value of the stochastic solution: how much more the design of the mean
                    scenario costs
  --cvar LEVEL      replaces the objective by (1 - w) expectation + w CVaR, w being --cvar-weight
  --scenario-costs  lists the costs of the design by scenario

Values of --evpi and --vss are ranges where only bounds are known, and null with a reason where nothing is known.
proxybd evaluate prices a design in every scenario, and proxybd saa solves samples.`
}

func recordsText() string {
	return `With solve --record FILE the bound is proven once more by a plain tree over the cuts of the run. That takes about as
long as the run. The cuts that the proof needs are kept with their certificates, and proxybd verify proves the file
without any code of the solvers. A recorded run is by the scheme bbc on the instance as it is: nothing is reduced or
fixed. The line proven (the field proven of --json) is what the file proves. That may be less than the run reports,
since floating-point numbers cannot express every proof, and a design may be feasible only within tolerances.

With solve --checkpoint FILE a run that was killed or that ended by a limit can be continued: the same command begins
with the best design, the bound and the cuts of the file. The file is written when the design improves, from time to
time, and at the end. A file that is damaged or of another instance is an error. The tree is built again. Cuts are kept
where nothing is reduced, as for programs with scenarios.`
}

func solutionsText() string {
	return `solve --solution FILE writes the design with its recourse, which is solved exactly and checked: one JSON object with
tables, or one CSV file whose column table names the table of each line. The tables are facilities, clients and
assignments; arcs, commodities and flows; scenarios; columns and rows of a model. Objects have the numbers of the input
file, which begin at the field numbered_from, or its names. The recourse is solved after the run, beyond the time limit
if need be.

solve --write-sol FILE writes both stages by the names of the model that proxybd export writes. solve --svg FILE draws
the design.

In the log the incumbent is the true cost of the best design. The first column marks new incumbents: * from the tree, H
from a heuristic, S from the start.`
}
