package cli

// methodsText describes the methods of solve.
func methodsText() string {
	return `A method of proxybd solve says where the cuts come from: --method NAME.

  exact       solves the recourse exactly and adds a cut for every part of it (in ufl every client);
              the default, and the fastest so far
  aggregated  solves the recourse exactly and adds one cut on the sum of all parts
  proxy       a trained network predicts the duals, and a certifier makes them feasible
  hybrid      a short proxy run, and then exact from its design
  full        branch and cut on the whole model, without decomposition
  start       only what comes before a master: the starting design and its proven bound
  dual        dual decomposition of a program with scenarios: a bound, and the best design that the scenarios suggest

The cuts and the bound of proxy are valid whatever the network predicts. A run that ends with no violated cut and an
open gap has the status fixed_point. A run whose tree found no better design for many nodes has the status stalled.
Neither is a proof.

The second phase of hybrid ends with a proven gap, as an exact run by the scheme auto does; the field phases of --json
describes both phases. In a program with scenarios whose known certificates certify as much as the network, hybrid is
exact alone. With another scheme, with --no-heuristic and for mps models it is one run, which adds cuts of the network
while they are violated and exact cuts where they are not.

By the scheme auto, exact is branch and cut on the whole model where there are few scenarios of a large recourse.

With dual every scenario is a mixed-integer program of its own over a copy of the first stage. Prices on the copies, whose
weighted sum is the costs of the first stage, are improved round by round. The bound is often far better than that of
linear programs, and --threads solves scenarios at the same time. Where the best prices leave a gap the run has the
status fixed_point, since only branching closes it. --iteration-limit counts rounds.

The network is that of --model, or else a shipped one that fits the instance. --control replaces its weights by zero or
random ones, so that the difference shows what the network is worth.`
}

// schemesText describes the schemes of solve.
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

// scenariosText describes the values of programs with scenarios.
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

// foldersText describes runs on folders.
func foldersText() string {
	return `solve FOLDER solves every instance of a folder as solve FILE does, with the flags of the command line. The result of
FILE is the object of solve FILE --json, in FILE` + resultEnding + `, beside the instance or in the folder of -o. It is there
as a whole or not at all.

The same command goes on where it was: a finished result of the same instance (its hash) with the same flags stays.
A result at a limit is a finished one; with other flags, such as another --time-limit, all instances are solved anew.
Instances without a result, interrupted ones, and those that ended in an error are solved. --time-limit is that of each
instance. With --threads N (one a processor by default) N instances are solved at the same time, each by one thread.

Files that no family reads are left out and listed; so are, without a word, hidden files, results, folders that are no
instance, and time and stoch files beside their core file. Flags that name a file of one instance, such as --record,
are refused.

With --cluster every process solves instances. One that dies loses nothing: its instance is solved by another. Neither
the results nor the table depend on how many there are.

The exit code is 0 where every instance has a result, whatever its status; 1 where one ended in an error; 5 after
Ctrl-C or SIGTERM, which leaves the designs and bounds so far.`
}

// recordsText describes records and checkpoints.
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

// solutionsText describes the files of a solution, and the log.
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
