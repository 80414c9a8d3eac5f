package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/experiment"
)

// evalFlags are the flags of proxybd eval.
type evalFlags struct {
	stageFlags
	o       experiment.EvalOptions
	methods []string
}

// newEval makes the command proxybd eval.
func newEval(a *app) *cobra.Command {
	f := evalFlags{o: experiment.DefaultEvalOptions()}
	// The flag --methods shows the default specifications as its default value.
	for _, s := range f.o.Specs {
		f.methods = append(f.methods, s.String())
	}
	c := &cobra.Command{
		Use:   "eval FOLDER",
		Short: "Solve an experiment's held-out instances by every method",
		Long: `Solve the held-out instances of an experiment by each of --methods and append one record a run to FOLDER/results:
status, cost and bound, the exact price of the design (computed after the timed run), time by part, cuts, repair,
memory and a trace. A method is METHOD[+CONTROL][/SCHEME][/plain]: exact, aggregated, proxy, hybrid, full, start or dual;
auto, bbc, outer, dual, paper or classic; plain for a run without primal heuristics. Runs of under a second are
repeated and the median time is kept. Killed at any moment, the same command goes on where it was. Files of all shares
may be put one after another.

With --jobs the runs share the caches and the memory of the machine: for times to compare, as many as it has idle cores.

start is the starting design alone. proxy+zero and proxy+random are the controls of a proxy run: the same run with
weights of zero, or random ones, in place of the trained network's. Of programs with scenarios there are proxy+mean,
proxy+nearest and proxy+pool, too, with multipliers reused (proxybd score).`,
		Example: `  proxybd eval small --time-limit 2m
  proxybd eval small --jobs 8
  proxybd eval small --methods exact,exact/bbc,proxy --shape ufl --shard 3/16`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.eval(c.Context(), args[0], f) },
	}
	a.flags.addOutput(c)
	// Flags of all stages, and of the runs.
	f.add(c)
	c.Flags().Var(durationLimit(&f.o.TimeLimit), "time-limit", "for a run, such as 60s")
	c.Flags().StringSliceVar(&f.methods, "methods", f.methods, "methods to compare")
	c.Flags().Float64Var(&f.o.Gap, "gap", f.o.Gap, "proven relative gap at which a run stops")
	c.Flags().IntVar(&f.o.Limit, "limit", 0, "only the first N held-out instances of a shape; 0 for all")
	c.Flags().IntVar(&f.o.Repeats, "repeats", f.o.Repeats, "how often a run of under a second is done")
	c.Flags().Uint64Var(&f.o.Seed, "seed", f.o.Seed, "seed of everything random")
	return c
}

// eval runs the command: a stage that solves the held-out instances of an experiment by every method.
func (a *app) eval(ctx context.Context, dir string, f evalFlags) error {
	// The specifications of the flag replace the default ones.
	f.o.Specs = nil
	for _, m := range f.methods {
		s, err := experiment.ParseSpec(m)
		// A name that is no specification is bad input, before any instance is solved.
		if err != nil {
			return badInput(err)
		}
		f.o.Specs = append(f.o.Specs, s)
	}

	// Records name the version of the program, so that times of different versions can be kept apart.
	f.o.Version = readVersion().Version
	return a.stage(ctx, "eval", dir, f.stageFlags, func(ctx context.Context, e *experiment.Experiment, _ *meter,
		jobs experiment.Jobs) error {
		f.o.Jobs = jobs
		return e.Evaluate(ctx, f.o)
	})
}
