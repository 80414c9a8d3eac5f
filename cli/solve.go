package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// solveOptions are the flags of proxybd solve in addition to those that solving commands share.
type solveOptions struct {
	// How the instance is read.
	family string
	file   families.ReadOptions

	// Where the cuts come from, and how the master is solved.
	method, scheme string

	// The network, what stands in for it, and how its cuts are added up.
	model, control, cuts string

	// Where cuts are separated: the weight of the master's point, and at which fractional points.
	inOut      float64
	fractional string

	noHeuristic, noTrueCost bool
	threads                 int
	cluster                 string // where the other processes of the run are, "" for none

	// Limits of the search. stallNodes is 0 where it is not given: the family decides.
	nodeLimit, iterationLimit int
	stallNodes                int
	logEvery                  time.Duration

	// The files of --record, --checkpoint and --start, and the folder of the results of a folder; "" for none.
	record, checkpoint, start string
	output                    string

	// What is computed of a program with scenarios in addition.
	values scenarioFlags

	// The flags of the command, which say what the command line has.
	given *pflag.FlagSet
}

// newSolve makes the command proxybd solve.
func newSolve(a *app) *cobra.Command {
	var f solveOptions
	c := &cobra.Command{
		Use:   "solve INSTANCE | FOLDER",
		Short: "Solve a two-stage instance by Benders decomposition",
		Long: `Solve a two-stage instance by Benders decomposition, exactly or with a certified proxy, or every
instance of a folder (help folders). Without flags the run is exact and ends with a proven gap of at
most 0.01%. It prints the best design, its cost and a lower bound.

Topics: proxybd help methods, schemes, scenarios, folders, records, solutions, formats, json, exit-codes.`,
		Example: `  proxybd solve MP1.gz
  proxybd solve instances -o results --gap 1e-6
  proxybd solve MP1.gz --gap 1e-6 --time-limit 60s --json | jq '.objective, .open'
  proxybd solve MP1.gz --method proxy
  proxybd solve cap41.txt --record cap41.record
  proxybd solve r04.1.dow --scenarios r04-0-16.scen --evpi --vss
  proxybd solve f10-c10-s25.json --cvar 0.9 --scenario-costs costs.csv
  proxybd solve cap41.txt --solution cap41.csv --svg cap41.svg
  proxybd solve r01.1.dow -q --solution - | jq '.flows[] | select(.commodity == 3)'
  proxybd solve r04.9.dow --scenarios r04-0-64.scen --checkpoint r04.ckpt --time-limit 1h
  proxybd solve MP1.gz --method hybrid --model mp.safetensors`,
		Args: instanceArgs(&f.file),
		RunE: func(c *cobra.Command, args []string) error {
			return a.solve(c.Context(), instancePath(args, &f.file), f)
		},
	}

	// A flag may be given with the value that is its default: the flag set records what the command line has.
	f.given = c.Flags()

	// Flags of all solving commands, of reading instances, and of this command.
	a.flags.addSolve(c)
	a.flags.addGap(c)
	a.flags.addProgress(c)
	a.flags.addPicture(c)
	a.flags.addPage(c)
	a.addFamily(c, &f.family, &f.file)

	f.addMethod(c)
	f.addSearch(c)
	f.addFiles(c)
	f.values.add(c)
	groupFlags(c, solveFlagGroups)
	return c
}

// addMethod adds the flags of the decomposition and of its network.
func (f *solveOptions) addMethod(c *cobra.Command) {
	flags := c.Flags()
	// The first value of a list is its default.
	flags.StringVar(&f.method, "method", string(decompose.Methods[0]), join(decompose.Methods))
	flags.StringVar(&f.scheme, "scheme", string(decompose.Schemes[0]),
		join(decompose.Schemes)+": how the master is solved, see proxybd help schemes")

	// The network of a proxy run, and what is made of its predictions.
	flags.StringVar(&f.model, "model", "", "trained proxy `FILE` (safetensors); without it a shipped one that fits")
	flags.StringVar(&f.cuts, "cuts", "",
		join(decompose.CutsChoices)+": of a proxy run, one cut on the sum or one for every part of the recourse, "+
			"such as every client; without it what the family does")
	flags.StringVar(&f.control, "control", "",
		join(proxy.Controls)+": in place of the network's predictions those of weights of zero or random ones or, of "+
			"programs with scenarios, multipliers reused (proxybd score), to see what the network is worth")
}

// addSearch adds the flags of the search and of its limits.
func (f *solveOptions) addSearch(c *cobra.Command) {
	flags := c.Flags()
	// The search of the master, and what comes before and after it.
	flags.Float64Var(&f.inOut, "in-out", 0,
		"weight of the master's point in stabilised separation, up to 1 for none; 0 for the family's or the "+
			"scheme's")
	flags.StringVar(&f.fractional, "fractional", fractional[0],
		strings.Join(fractional, "|")+": where fractional points are separated")
	flags.IntVar(&f.threads, "threads", 0,
		"goroutines that price scenarios, 0 for one a processor; no result depends on it. The tree of a master, or of "+
			"a whole model, is searched by one thread")
	flags.BoolVar(&f.noHeuristic, "no-heuristic", false,
		"no starting design, no local search, no fixing by its cost")
	flags.BoolVar(&f.noTrueCost, "no-true-cost", false,
		"return the master's last design, not the cheapest one that was visited")

	addCluster(c, &f.cluster, "have scenarios, or the instances of a folder, worked")

	// Without --stall-nodes the family decides: its value 0 is none that can be given as a limit.
	addCount(c, &f.nodeLimit, "node-limit", "stop after this many nodes of the tree")
	addCount(c, &f.iterationLimit, "iteration-limit", "stop after this many rounds of the outer loop")
	addCount(c, &f.stallNodes, "stall-nodes",
		"stop after this many nodes of the tree without a better design; a pure proxy run of ufl or mcndp does so by "+
			"itself, and the first phase of a hybrid run")
	// addCount has set the largest count, which means no limit.
	f.stallNodes = 0

	f.logEvery = benders.DefaultOptions().LogEvery
	flags.Var(durationLimit(&f.logEvery), "log-every", "minimum time between two rows of the log")
}

// addFiles adds the flags of the files that a run begins with or leaves.
func (f *solveOptions) addFiles(c *cobra.Command) {
	c.Flags().StringVarP(&f.output, "output", "o", "",
		"`DIR` for the results of a folder of instances, made where it is missing; without it they are beside the instances")
	// Each of these is checked before the instance is read.
	flags := c.Flags()
	flags.StringVar(&f.record, "record", "", "write a record of the run to this `FILE`, for proxybd verify")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "write the state of the run to this `FILE`; if it exists, "+
		"continue from it")
	flags.StringVar(&f.start, "start", "", "begin with the design of this `FILE`: a solution file, or the object of "+
		"solve --json; - is standard input")
}

// fractional are the values of --fractional, the first one is the default.
var (
	fractional = []string{"nodes", "root", "never"}
	places     = map[string]benders.Fractional{"never": benders.Never, "root": benders.AtRoot, "nodes": benders.AtNodes}
)

// check reports flags that do not go together and files that could not be written.
func (f *solveOptions) check(a *app) error {
	// What does not go together is reported before what cannot be written.
	together := errors.Join(f.checkTogether(),
		firstConflict(f.given, []conflict{{[]string{"output"}, true, "is for the results of a folder of instances"}}))
	if together != nil {
		return together
	}
	if err := checkThreads(f.threads); err != nil {
		return err
	}
	if f.inOut < 0 || f.inOut > 1 {
		return badInput(fmt.Errorf("--in-out %g: a weight is above 0 and at most 1, 0 for the family's", f.inOut))
	}
	return errors.Join(a.checkOutputs(), checkTarget(f.record), checkTarget(f.checkpoint), checkTarget(f.values.costs))
}

// checkTogether reports flags that do not go together, whatever is solved.
func (f *solveOptions) checkTogether() error {
	wrong := checkSolve(f.given, decompose.Method(f.method), decompose.Scheme(f.scheme))
	return errors.Join(wrong, f.values.check(f.given))
}

// settings checks the values of the flags and turns them into the options of a decomposition.
func (f *solveOptions) settings(a *app) (decompose.Options, error) {
	// All values are checked, so that the message names every one that is wrong.
	if err := errors.Join(oneOf("method", f.method, decompose.Methods), oneOf("scheme", f.scheme, decompose.Schemes),
		oneOf("fractional", f.fractional, fractional), optional("control", f.control, proxy.Controls),
		optional("cuts", f.cuts, decompose.CutsChoices)); err != nil {
		return decompose.Options{}, err
	}

	// What the master does, and when its log has rows.
	o := benders.DefaultOptions()
	o.Gap = a.flags.gap
	o.Seed = a.flags.seed
	o.LogEvery = f.logEvery
	o.Heuristic = !f.noHeuristic
	o.TrueCost = !f.noTrueCost
	o.Fractional = places[f.fractional]

	// Limits of the run. That of time follows when the instance has been read.
	o.MaxNodes = f.nodeLimit
	o.MaxIterations = f.iterationLimit
	stallGiven := f.stallNodes > 0 // also by none, which is the largest count
	if stallGiven {
		o.StallNodes = f.stallNodes
	}

	return decompose.Options{
		Method:     decompose.Method(f.method),
		Scheme:     decompose.Scheme(f.scheme),
		Benders:    o,
		StallGiven: stallGiven,
		ProxyCuts:  decompose.Cuts(f.cuts),
		InOut:      f.inOut,
		Threads:    f.threads,
	}, nil
}

// needsScenarios reports whether a flag asks for what a program of several periods has only as one of two stages with
// all its scenarios.
func (f *solveOptions) needsScenarios() bool {
	// Records, states and starting designs are all of the program of two stages.
	files := f.record != "" || f.checkpoint != "" || f.start != ""
	return files || f.method != string(decompose.Exact)
}

// usesNetwork reports whether a method has a trained proxy.
func usesNetwork(m decompose.Method) bool { return m == decompose.Proxy || m == decompose.Hybrid }

// showControl says what stands in for a network.
func showControl(control string) string {
	// Without --control the network is the trained one, and there is nothing to say.
	switch c := proxy.Control(control); {
	case c == proxy.Trained:
		return ""
	case slices.Contains(proxy.ReusingControls, c):
		return ", " + control + " multipliers in its place"
	}
	return " with " + control + " weights"
}

// solveRun is one run of proxybd solve. Each step fills the fields that the later ones need.
type solveRun struct {
	// What the design opens, for the summary.
	open string

	// What happens in the run, for --progress and the trace.
	events *events

	app  *app
	path string // of the instance

	// The flags, and the options of the decomposition that they become.
	flags   solveOptions
	options decompose.Options

	// The family, the instance as the file has it, and the one to solve, which differs only with --cvar: its objective is
	// another one.
	family   families.Family
	instance families.Instance
	solved   families.Instance
	hash     string // of solved, computed before the run: after it the time may be up

	// What is computed after the run, nil if nothing is asked for.
	values *scenarioValues

	// The rows of the log, and what writes the checkpoint.
	rows  *bendersLog
	saved *checkpointer

	// The processes of the run, nil for this one alone.
	crew *crew

	// The result, and what the record proves, nil without one.
	result *benders.Result
	proven *claims
}

// solve runs the command: check the flags, read the instance, prepare, solve, report.
func (a *app) solve(ctx context.Context, path string, f solveOptions) (err error) {
	if isFolder(path) {
		return a.solveFolder(ctx, path, f)
	}
	run := &solveRun{app: a, path: path, flags: f}
	// Flags are checked before the instance is read, which may take long.
	if err := f.check(a); err != nil {
		return err
	}
	if run.options, err = f.settings(a); err != nil {
		return err
	}
	if run.events, err = a.newEvents(); err != nil {
		return err
	}
	a.beginPage()

	// Another process than the first one of several works until the run has ended.
	if worked, err := run.gather(ctx); worked || err != nil {
		return err
	}
	defer func() {
		_, failed := run.leave()
		err = errors.Join(err, failed)
	}()
	if run.crew == nil {
		// Several processes have set their collectors.
		defer collectLate()()
	}
	if err := run.read(); err != nil {
		return err
	}
	if a.hasResult(run.hash) {
		return nil
	}
	if err := run.spread(ctx); err != nil {
		return err
	}

	// The head of the log says what will be solved, and how.
	if err := run.prepare(); err != nil {
		return err
	}

	// A run whose record could not be written has a result, which is reported with the error.
	err = run.solve(ctx)
	if run.result == nil {
		return err
	}
	return run.report(ctx, err)
}

// read opens the instance, and makes the one to solve of it.
func (r *solveRun) read() (err error) {
	// A program of several periods stays as it is where the scheme nested can solve it.
	if r.family, r.instance, err = r.app.openAny(r.flags.family, r.path, r.flags.file); err != nil {
		return err
	}

	// Other methods solve it as a program of two stages.
	if r.flags.needsScenarios() {
		if r.instance, err = withScenarios(r.instance); err != nil {
			return err
		}
	}

	// With --cvar the instance to solve is another one than that of the file.
	r.values, r.solved, err = newScenarioValues(r.path, r.instance, r.flags.values, r.flags.given, r.app.writeFile)
	if err == nil {
		r.hash = r.solved.Hash()
	}
	return err
}

// prepare writes the head of the log, and completes the options by the network, the start and the checkpoint.
func (r *solveRun) prepare() error {
	o := &r.options
	// The log begins with the title of the instance and the settings of the run.
	r.app.log.printf("%s", r.solved.Label().Title)
	r.app.log.printf("method %s, scheme %s, gap %g", o.Method, o.Scheme, o.Benders.Gap)
	// Only an exact master's own incumbent has its true cost.
	r.rows = newBendersLog(r.app.log, !usesNetwork(o.Method))
	o.Log = func(line string) { r.app.log.printf("%s", line) }

	// Only proxy and hybrid runs have a network.
	if usesNetwork(o.Method) {
		if err := r.openNetwork(); err != nil {
			return err
		}
	}
	if err := r.readStart(); err != nil {
		return err
	}
	return r.resume()
}

// openNetwork opens the model of the run, or what --control puts in its place. The shipped models are not the paper's
// networks, and so not for the paper's schemes.
func (r *solveRun) openNetwork() error {
	fromPaper := r.options.Scheme == decompose.Paper || r.options.Scheme == decompose.Classic
	if fromPaper && r.flags.model == "" {
		return badInput(fmt.Errorf("the scheme %s is for the paper's network, and none is shipped: give one with --model "+
			"FILE; proxybd train INSTANCE... --preset paper -o FILE makes it", r.options.Scheme))
	}

	// The model must fit the instance to solve.
	model, name, err := openModel(r.family, r.solved, r.flags.model)
	if err != nil {
		return err
	}

	// The seed of the run is that of random weights, too.
	if r.options.Model, err = model.Control(proxy.Control(r.flags.control), r.app.flags.seed); err != nil {
		return badInput(err)
	}
	r.app.log.printf("model %s%s", name, showControl(r.flags.control))
	return nil
}

// solve solves the instance, and records the run if that is asked for.
func (r *solveRun) solve(ctx context.Context) (err error) {
	// Reading has used up a part of the time.
	r.options.Benders.TimeLimit = r.app.remaining()

	// Rows and events follow the run, and repeat themselves where it has nothing new.
	p := newPulse(r.flags.logEvery, func(p benders.Progress) {
		r.rows.progress(p)
		r.events.benders(p)
	}, func(p benders.Progress) benders.Progress {
		p.Progress = repeated(p.Progress)
		return p
	})
	defer p.stop()
	r.options.Benders.Progress = p.news

	// A recorded run has its proof in the same step.
	if r.flags.record != "" {
		r.result, r.proven, err = r.app.recorded(ctx, r.solved, r.options, r.flags.record)
	} else {
		r.result, err = pipeline.Solve(ctx, r.solved, r.options)
	}
	return err
}

// report writes the files of the solution, the summary and the object. failed is the error of the record.
func (r *solveRun) report(ctx context.Context, failed error) error {
	// The object is filled in the order of the run; the log gets its last row from it.
	object := r.object()
	why, err := r.infeasible(ctx)
	failed = errors.Join(failed, err)
	object.Because = why
	object.Trace = r.events.result(&object.report, r.result.Nodes)
	members, err := r.leave()
	failed = errors.Join(failed, err)
	object.Members = members
	r.rows.result(r.result, &object.report)

	// With --cvar the master has columns that are no part of the design.
	master, err := pipeline.Master(r.solved)
	if err != nil {
		return err
	}
	master, design := r.values.firstStage(master, r.result.Design)
	// The design is reported by the names or numbers of the instance's file.
	object.Open = opened(r.solved.Label().Family, master, design)
	object.OpenNames = openNames(r.instance, object.Open)
	r.open = showOpen(object.OpenNames, master, design)

	// Each file is written although another one could not be. The price of a solution is that of the objective only
	// where the objective is the expected cost.
	expected := r.solved == r.instance
	failed = errors.Join(failed, r.saved.err,
		r.app.present(ctx, r.instance, r.result, master, design, expected, &object))
	// The values of --evpi and --vss take what is left of the time limit.
	values, err := r.computeValues(ctx, &object)
	failed = errors.Join(failed, err)
	// The message of the object has the errors of all files.
	object.fault(failed, r.app.args)

	// The clock comes last, so that the time of writing is part of the time that is reported.
	object.clock(r.app.began, &r.result.Parts)
	summary := r.summary(&object, values)
	r.app.finish(r.result.Status, &object, summary)
	r.app.page.bendersParts(&r.result.Parts)
	return errors.Join(failed, r.app.finishPage(r.solved.Label().Title, &object.report, object.Trace, summary))
}

// computeValues computes what the flags ask for in addition to the optimum, in what is left of the time.
func (r *solveRun) computeValues(ctx context.Context, object *solveReport) ([]item, error) {
	if r.values == nil {
		return nil, nil
	}
	if costs := r.flags.values.costs; costs != "" && r.result.Design == nil {
		r.app.warnIn(&object.report, fmt.Sprintf("there is no design whose costs %s could have", costs))
	}

	// After the limit the values are computed as far as a millisecond allows.
	ctx, cancel := r.app.within(ctx)
	defer cancel()
	return r.values.compute(ctx, r.result, r.options, &object.scenarioReport)
}
