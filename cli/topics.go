package cli

import (
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// topic is a page of the help that belongs to no command.
type topic struct {
	name, short string

	// The text depends on the families that the command line has.
	text func(known catalogue) string
}

// fixed is the text of a topic that is the same for all families.
func fixed(text func() string) func(catalogue) string {
	return func(catalogue) string { return text() }
}

// topics are the pages of proxybd help TOPIC. What they list comes from the tables that the commands work with.
var topics = []topic{
	{"exit-codes", "Exit codes, and the statuses that go with them", fixed(exitCodesText)},
	{"json", "The objects that --json prints, field by field", fixed(jsonText)},
	{"formats", "The files that are read and written", formatsText},
	{"methods", "Where the cuts of a run come from", fixed(methodsText)},
	{"schemes", "How the master of a run is solved", fixed(schemesText)},
	{"solve-flags", "All flags of solve, by subject", flagsText(newSolve, solveFlagGroups)},
	{"mip-flags", "All flags of mip, by subject", flagsText(newMIP, mipFlagGroups)},
	{"train-flags", "All flags of train, by subject", flagsText(newTrain, trainFlagGroups)},
	{"scenarios", "Values and risk measures of programs with scenarios", fixed(scenariosText)},
	{"folders", "Solving every instance of a folder, by one process or many", fixed(foldersText)},
	{"records", "Runs that can be proven, and runs that can be continued", fixed(recordsText)},
	{"solutions", "The files and the log of a solution", fixed(solutionsText)},
}

// exitMeanings says what the exit codes mean.
var exitMeanings = []struct {
	code    int
	meaning string
	extra   []string // statuses of reports that no solver has
}{
	{exitSolved, "done: the answer that was asked for, or the end of a run by its own rule without a proof",
		[]string{"completed", "estimated", "evaluated", "proven"}},
	{exitFailure, "anything that the others do not say: numerical trouble, a full disk, a record that proves less than " +
		"it claims",
		[]string{"error", "not_proven"}},
	{exitBadInput, "usage or bad input: a flag, an argument, a file that is damaged or missing", []string{"error"}},
	{exitInfeasible, "no point satisfies the constraints", nil},
	{exitUnbounded, "the objective has no limit", nil},
	{exitLimit, "stopped at a limit, by Ctrl-C or by SIGTERM; the best point and its bound are reported", nil},
}

// statusMeanings says what the statuses of the solvers mean.
var statusMeanings = map[lp.Status]string{
	lp.NotSolved: "numerical trouble left a gap; the bound holds, and a design that is returned is feasible",
	lp.Optimal: "the gap between objective and bound is proven to be at most --gap, or 1e-5 more by a " +
		"complete search, whose cuts hold to that",
	lp.Infeasible:     "proven: no point satisfies the rows and bounds",
	lp.Unbounded:      "a feasible point, and a direction along which it improves without bound",
	lp.TimeLimit:      "--time-limit",
	lp.IterationLimit: "--iteration-limit",
	lp.NodeLimit:      "--node-limit",
	lp.WorkLimit:      "--work-limit",
	lp.MemoryLimit:    "--memory-limit",
	lp.ObjectiveLimit: "the bound has passed the --cutoff: there is nothing better than that",
	lp.Interrupted:    "Ctrl-C or SIGTERM",
	lp.FixedPoint:     "a proxy run ended with no violated cut, or --method dual at its best prices: no gap is proven",
	lp.Stalled:        "a tree found no better design over many nodes, or --method start left a gap: no gap is proven",
}

// statuses lists the statuses of the solvers.
func statuses() (list []lp.Status) {
	// The last status is the one before the first number without a name.
	for s := lp.Status(0); s.String() != "unknown"; s++ {
		list = append(list, s)
	}
	return list
}

// exitCodesText lists the exit codes with their statuses, as statusCode has them.
func exitCodesText() string {
	var b strings.Builder
	b.WriteString("A command ends with one of these codes. The field status of --json, and the line status of a log, " +
		"say more.\n")
	// Each code has the statuses of solvers that lead to it, and then those that no solver has.
	for _, m := range exitMeanings {
		// A code and its meaning, and the statuses below.
		fmt.Fprintf(&b, "\n  %d  %s\n", m.code, m.meaning)
		for _, s := range statuses() {
			if statusCode(s) == m.code {
				fmt.Fprintf(&b, "       %-16s %s\n", s, statusMeanings[s])
			}
		}
		if len(m.extra) > 0 {
			fmt.Fprintf(&b, "       %s\n", strings.Join(m.extra, ", "))
		}
	}
	b.WriteString(`
Only optimal is a proof that the design is the best one to the gap, and infeasible and unbounded are proofs too.
The bound of every other status holds all the same. An error is one line on standard error; with --json it is
the field message of an object as well.`)
	return b.String()
}

// fileFormats are the files that no family has for itself.
var fileFormats = [][2]string{
	{".mps", "linear and mixed-integer models, fixed or free; SOS, SC, SI and INDICATORS too"},
	{".lp", "the same in the LP format of CPLEX"},
	{".nl", "linear and mixed-integer models of AMPL, Pyomo and JuMP, as text or binary; SOS too"},
	{".cor .tim .sto", "programs with scenarios (SMPS): X.smps, X.cor or the stem X finds the others in its folder"},
	{".scen", "demand scenarios of network design, for --scenarios"},
	{".sol", "a point: name and value a line, --write-sol, --start (of other programs too), and the design of evaluate"},
	{".mst", "starting points of mip, perhaps partial"},
	{".csv .json", "own data as tables (cap, ufl, mcndp, netdes, scflp): template, export"},
	{".json .csv", "a whole solution as tables: --solution; see proxybd help json"},
	{".svg", "a picture of a design: solve --svg"},
	{".html", "a page about a run: solve --html, mip --html"},
	{".bas", "a basis of lp, of CLP, CBC, HiGHS (its own layout) or ours, --basis, --write-basis and --basis-style"},
	{".record", "a recorded run: the instance, its cuts, certificates and proof tree; solve --record, verify"},
	{".safetensors", "a trained proxy; PyTorch reads it"},
	{".states", "training states of an experiment"},
	{".jsonl", "results of an experiment, an object a line; files of several machines are joined by cat"},
}

// formatsText lists the families with their files, and the other formats.
func formatsText(known catalogue) string {
	var b strings.Builder
	b.WriteString("The content of an instance or a model says what it is, not its name, but for .nl files; --family " +
		"NAME reads it as that family's. Readers are strict: an error names the file, the line and the field.\n\n" +
		"Families of instances:\n\n")

	// The built-in families, or those of the program that calls Main.
	for _, f := range known {
		// The flags of a family follow its name.
		fmt.Fprintf(&b, "  %-8s%s\n", f.Name, f.About)
		var flags []string
		for _, o := range f.Options {
			flags = append(flags, "--"+o.Name)
		}
		if len(flags) > 0 {
			fmt.Fprintf(&b, "          with %s\n", strings.Join(flags, ", "))
		}
	}

	b.WriteString("\nOther files:\n\n")
	// These formats belong to no family.
	for _, f := range fileFormats {
		fmt.Fprintf(&b, "  %-16s%s\n", f[0], f[1])
	}
	b.WriteString("\nInstances, models, points and bases may be packed by gzip, bzip2 or zstd, which their first bytes " +
		"say; - is " +
		"standard input. What is written to a name that ends in .gz is gzipped; - is standard output.")
	return b.String()
}
