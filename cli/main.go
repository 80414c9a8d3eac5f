// Package cli is the command line of proxybd: every command, its flags, logs and JSON. Command proxybd is Main with the
// built-in families; a program with families of its own calls Main with them, and has every command for them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// Main runs a command line with the given families, most often Families and some of one's own. The command line is
// without the name of the program, on the standard streams; Main returns its exit code (proxybd help exit-codes lists
// them). The first interrupt or SIGTERM ends a run with what it has; the second kills the process.
func Main(args []string, known ...families.Family) int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	return MainContext(ctx, args, known...)
}

// MainContext is Main for a program that interrupts runs itself: the end of the context counts as an interrupt, and no
// signal is looked for.
func MainContext(ctx context.Context, args []string, known ...families.Family) int {
	return run(ctx, known, args, os.Stdin, os.Stdout, os.Stderr)
}

// interruptible returns a context that the first interrupt (Ctrl-C) or SIGTERM cancels, so that the best point
// is still reported; the second one kills the process.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // back to the default action
	return ctx, stop
}

// app is one invocation of the command: its command line, its streams, when it began, and how it ended.
type app struct {
	streams
	known    catalogue       // the families that it has
	ctx      context.Context // of the command that runs; an interrupt cancels it
	began    time.Time
	flags    solveFlags
	args     []string   // the command line
	started  bool       // a command runs: an error before that is wrong usage
	reported bool       // the JSON object is out
	maxInput int64      // bytes that an input may have, unpacked
	warnings []string   // what the readers of instances had to interpret
	code     int        // exit code of a command that returned no error
	failure  error      // of the command, nil where it returned none
	page     *runPage   // of --html, nil without
	job      *folderJob // of an instance of a folder, nil elsewhere
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, known catalogue, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	args = amplCall(args)
	a := &app{
		streams:  streams{stdin: stdin, stdout: &stream{w: stdout}, stderr: stderr},
		known:    known,
		ctx:      ctx,
		began:    time.Now(),
		args:     args,
		maxInput: unpack.DefaultLimit(),
		flags:    solveFlags{timeLimit: math.MaxInt64},
	}
	return a.execute(ctx, newRoot)
}

// execute runs the command that make returns on the command line of the invocation, and returns the exit code.
func (a *app) execute(ctx context.Context, make func(*app) *cobra.Command) (code int) {
	// A panic is a defect of the program. It is reported as an error, with the stack for whoever mends it.
	defer func() {
		if p := recover(); p != nil {
			a.failure = fmt.Errorf("internal error: %v", p)
			code = a.fail(a.failure, a.args)
			a.stderr.Write(debug.Stack())
		}
	}()

	// The arguments are given to cobra here, which would read those of the process.
	root := make(a)
	root.SetArgs(a.args)
	err := root.ExecuteContext(ctx)
	// An error before a command has begun is one of its flags or arguments.
	if err != nil && !a.started {
		err = badInput(fmt.Errorf("%w (see proxybd help)", unknownCommand(root, err)))
	}

	// An error of closing the log counts also where the command succeeded.
	if err = a.closeAll(interruption(ctx, err)); err != nil {
		a.failure = err
		return a.fail(err, a.args)
	}
	return a.code
}

// fail prints an error as one line, and as an object where the arguments ask for JSON, and returns its exit code.
func (a *app) fail(err error, args []string) int {
	// With --json the object of the error takes the place of the one that the command did not print.
	text := oneLine(err, args)
	fmt.Fprintf(a.stderr, "proxybd: %s\n%s", text, hint(err))
	if !a.reported && (a.flags.json || slices.Contains(args, "--json")) {
		// An interrupted command without a result has the status of its limit.
		status := "error"
		switch {
		case errors.Is(err, errInterrupted):
			status = lp.Interrupted.String()
		case errors.Is(err, errTimeLimit):
			status = lp.TimeLimit.String()
		}
		r := newReport(status, a.began)
		r.fault(err, a.args)
		writeJSON(a.stdout, r)
	}

	// The message of the object is that of the line on standard error.
	return errorCode(err)
}

// tagged are the commands of builds with tags.
var tagged []func(a *app) *cobra.Command

// commands are the commands in the groups of the help. A new command adds a line.
var commands = []struct {
	group, name string
	make        func(*app) *cobra.Command
}{
	{"Solve:", "solve", newSolve},
	{"Solve:", "lp", newLP},
	{"Solve:", "mip", newMIP},
	{"Solve:", "ampl", newAMPL},
	{"Solve:", "verify", newVerify},
	{"Solve:", "export", newExport},
	{"Scenarios:", "evaluate", newEvaluate},
	{"Scenarios:", "saa", newSAA},
	{"Scenarios:", "worker", newWorker},
	{"Instances and proxies:", "template", newTemplate},
	{"Instances and proxies:", "generate", newGenerate},
	{"Instances and proxies:", "perturb", newPerturb},
	{"Instances and proxies:", "train", newTrain},
	{"Instances and proxies:", "score", newScore},
	{"Instances and proxies:", "models", newModels},
	{"Experiments:", "split", newSplit},
	{"Experiments:", "states", newStates},
	{"Experiments:", "eval", newEval},
	{"Experiments:", "report", newReportCommand},
	{"Experiments:", "slurm", newSlurm},
	{"", "demo", newDemo},
	{"", "version", newVersion},
}

// asked is the command that the first argument names, "" if it names none.
func (a *app) asked() string {
	// Cobra accepts flags before the name of a command. Then all commands are made.
	for _, c := range commands {
		if len(a.args) > 0 && a.args[0] == c.name {
			return c.name
		}
	}
	return ""
}

// newRoot builds the command tree: of a command line that begins with a command that one alone, since the flags of all
// take longer to make than a small instance to solve.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "proxybd",
		Short: "Linear, mixed-integer and two-stage programs from one static binary",
		Long: `proxybd solves linear, mixed-integer and two-stage mixed-integer programs on its own engines.

Exit codes: 0 solved, 2 usage or bad input, 3 infeasible, 4 unbounded, 5 stopped at a limit or interrupted, 1 anything
else; more by proxybd help exit-codes.`,
		Version:            readVersion().String(),
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // unknownCommand has its own
	}

	// The text of --version has no name in front, since the version's own text begins with it.
	root.SetVersionTemplate("{{.Version}}\n")
	// The commands write to the streams of this invocation, which tests replace.
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	// Only for help, completion and mistyped commands are all commands made.
	asked := a.asked()
	root.CompletionOptions.DisableDefaultCmd = asked != ""
	for _, c := range commands {
		// The groups are added in the order of the table, also where only one command is made.
		if c.group != "" && !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
		if asked == "" || asked == c.name {
			made := c.make(a)
			made.GroupID = c.group
			root.AddCommand(made)
		}
	}
	for _, make := range tagged {
		root.AddCommand(make(a))
	}

	// What follows changes all commands of the tree, and so comes after they are there.
	addMaxInput(a, root)
	addHelp(root, a.known)
	nameArguments(root)
	if len(a.args) > 0 && strings.HasPrefix(a.args[0], cobra.ShellCompRequestCmd) {
		addCompletions(root, a.known)
	}

	// This is last, so that nothing else wraps the function that a command runs.
	markStart(a, root)
	return root
}

// markStart makes every command of the tree note that its flags and arguments are right, and open its log, before it
// does anything else.
func markStart(a *app, c *cobra.Command) {
	if inner := c.RunE; inner != nil {
		// Cobra has parsed the flags and checked the arguments by now.
		c.RunE = func(c *cobra.Command, args []string) error {
			a.started = true
			unpack.SetLimit(a.maxInput)
			// The standard streams are shared out among the files that the flags name.
			if err := a.claim(c.Flags(), args); err != nil {
				return err
			}

			// A command without --log, such as version, has no log.
			if c.Flags().Lookup("log") != nil {
				if err := a.openLog(a.began, &a.flags); err != nil {
					return err
				}
			}
			return inner(c, args)
		}
	}
	for _, sub := range c.Commands() {
		markStart(a, sub)
	}
}
