package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// saaFlags are the flags of proxybd saa.
type saaFlags struct {
	family string
	file   families.ReadOptions
	o      assess.Replications
	crew   crewFlags // who solves and prices
}

// saaReport is the object of proxybd saa. The objective is the mean cost of the design on scenarios of its own, the
// bound the mean of the optima of the sampled programs.
type saaReport struct {
	report
	Family       string          `json:"family"`
	Replications int             `json:"replications"` // that were solved
	Size         int             `json:"size"`
	Cost         *intervalReport `json:"cost"`
	BoundRange   *intervalReport `json:"bound_interval"`
	GapEstimate  number          `json:"gap_estimate"` // absolute
	GapHigh      number          `json:"gap_high"`     // its upper end at the level
	Reason       string          `json:"reason,omitempty"`
	Designs      int             `json:"designs"` // different ones
	Open         []any           `json:"open"`
	OpenNames    []string        `json:"open_names"`
	Members      []memberReport  `json:"members,omitempty"`
}

// newSAA makes the command proxybd saa.
func newSAA(a *app) *cobra.Command {
	f := saaFlags{o: assess.DefaultReplications()}
	c := &cobra.Command{
		Use:   "saa INSTANCE",
		Short: "Solve samples of a program with scenarios and estimate the gap",
		Long: `Sample average approximation: --replications programs of --size sampled scenarios each are solved; on average
their optima are no worse than the true one. Their designs are compared on one sample of --evaluation scenarios, and the
best is priced on another. The difference is the estimated gap; gap_high is the upper end of its interval at --level.

Scenarios are drawn from the distributions of SMPS files with INDEP or BLOCKS sections, however many scenarios these have,
and else from the scenarios of the file, with replacement, by their probabilities.

Replications are solved by --threads goroutines, each by one, and with --cluster by several processes, with the same
result.

The status is estimated (exit 0), time_limit, infeasible where a sampled program is or where the best design has no
recourse in a scenario, or unbounded where a sampled program is.`,
		Example: `  proxybd saa storm.smps --replications 20 --size 100 --evaluation 10000
  proxybd saa r04.1.dow --scenarios r04-0-10000.scen --size 64 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.saa(c.Context(), args[0], f) },
	}
	a.flags.addSolve(c)
	a.flags.addGap(c)
	// The number and the size of the samples have defaults of their own.
	a.addFamily(c, &f.family, &f.file)
	c.Flags().IntVar(&f.o.Count, "replications", f.o.Count, "programs to solve")
	c.Flags().IntVar(&f.o.Size, "size", f.o.Size, "scenarios of each")
	c.Flags().IntVar(&f.o.Evaluation, "evaluation", f.o.Evaluation, "scenarios to price designs on")
	c.Flags().Float64Var(&f.o.Level, "level", f.o.Level, "confidence of the intervals")
	f.crew.add(c, "replications and ranges of scenarios")
	return c
}

// openSampled opens an instance. SMPS files with distributions are opened with one scenario, since programs are drawn
// from the distributions.
func (a *app) openSampled(path, family string, o families.ReadOptions) (families.Instance, error) {
	// The set belongs to the flags, and is what the reader is given.
	set := o.Set
	// The number of scenarios is left to the user where the flag is given.
	if _, given := set[generic.ScenarioOption.Name]; !given && smps.Names(path) {
		set[generic.ScenarioOption.Name] = "1"
		_, in, err := a.openInstance(family, path, o)
		if err == nil {
			return in, nil
		}

		// Scenarios that are listed in the files are not drawn: they are read as they are.
		delete(set, generic.ScenarioOption.Name)
	}
	_, in, err := a.openInstance(family, path, o)
	return in, err
}

// saa runs the command: read the program, solve and price samples, report.
func (a *app) saa(ctx context.Context, path string, f saaFlags) (err error) {
	// The seed of the samples and that of the searches is the same flag.
	f.o.Seed = a.flags.seed
	if a.flags.solution != "" {
		return badInput(errors.New("--solution is for a run that ends with the recourse of its design: give --write-sol " +
			"here, and its file to proxybd evaluate"))
	}
	if err := cmp.Or(badInput(f.o.Validate()), checkTarget(a.flags.writeSol)); err != nil {
		return err
	}

	// Another process than the first one of several works until the command has ended. Replications may take long, so
	// that none is sent ahead to wait behind another one.
	terms := trialTerms{readTerms{path, f.family, f.file.Set, true}, true, a.flags.gap, a.flags.seed}
	crew, err := a.gatherTrials(ctx, f.crew, 0, terms)
	if crew == nil || err != nil {
		return err
	}
	defer func() {
		_, failed := crew.leave()
		err = errors.Join(err, failed)
	}()
	in, err := a.openSampled(path, f.family, f.file)
	if err != nil {
		return err
	}
	own, err := newTrials(in, terms)
	if err != nil {
		return err
	}

	a.log.printf("%s", in.Label().Title)
	// A line for each replication shows how far the command is.
	f.o.Report = func(k int, r *assess.Solved) {
		a.log.printf("replication %d of %d: %v, objective %s, bound %s", k+1, f.o.Count, r.Status, showExact(r.Objective),
			showExact(r.Bound))
	}

	// The limit holds for all replications together.
	within, cancel := a.within(ctx)
	defer cancel()
	if err := crew.begin(ctx, own); err != nil {
		return err
	}
	r, err := assess.ReplicateBy(within, crewSteps{crew, own}, f.o)
	if err != nil {
		return err
	}
	members, err := crew.leave()
	if err != nil {
		return err
	}
	return a.finishSAA(ctx, path, in, own.program, r, f, members)
}

// sampleSolver returns what solves a sampled program of a family.
func sampleSolver(family string, gap float64, seed uint64) assess.Solver {
	// Samples are solved by the default method, whatever the family of the instance, each by one thread.
	o := decompose.DefaultOptions()
	o.Benders.Gap = gap
	o.Benders.Seed = seed
	o.Threads = 1
	return func(ctx context.Context, q *stoch.Program) (*benders.Result, error) {
		// A sampled program is an instance of its own, with no file behind it.
		instance, err := generic.NewScenarios(family, q)
		if err != nil {
			return nil, err
		}
		return pipeline.Solve(ctx, instance, o)
	}
}

// finishSAA reports replications.
func (a *app) finishSAA(ctx context.Context, path string, in families.Instance, p *stoch.Program,
	r *assess.Replicated, f saaFlags, members []memberReport) error {
	// An estimate is no proof: its exit code is that of an optimum, its status a word of its own.
	status := r.Status
	if ctx.Err() != nil {
		status = lp.Interrupted
	}

	// The word replaces the status optimal, which a sample cannot prove.
	word := status.String()
	if status == lp.Optimal {
		word = "estimated"
	}

	out := saaReport{
		report:       a.report("saa", path, status, r.Cost.Mean, r.Bound.Mean),
		Family:       in.Label().Family,
		Replications: r.Solved,
		Size:         f.o.Size,
		Cost:         reportInterval(r.Cost, r.Reason),
		BoundRange:   reportInterval(r.Bound, ""),
		GapEstimate:  number(r.Gap),
		GapHigh:      number(r.GapHigh),
		Reason:       r.Reason,
		Designs:      r.Designs,
		Members:      members,
	}
	out.Status = word
	// The gap of the common fields is relative, and the estimates are absolute.
	out.Gap = number(r.Gap / math.Abs(r.Cost.Mean))

	// The solution file has the columns of the first stage alone.
	first := &lp.Model{Cols: p.Core.Cols[:p.First]}
	out.Open = opened(in.Label().Family, first, r.Design)
	out.OpenNames = openNames(in, out.Open)
	err := a.writeSolution(first, status, r.Cost.Mean, r.Design)
	out.fault(err, a.args)

	a.finish(status, &out, []item{{"status", word}, {"cost", showExact(r.Cost.Mean) + ", " + out.Cost.show()},
		{"bound", showExact(r.Bound.Mean) + ", " + out.BoundRange.show()},
		{"gap", fmt.Sprintf("%s, at most %s at %g%%", showExact(r.Gap), showExact(r.GapHigh), 100*f.o.Level)},
		{"open", showOpen(out.OpenNames, first, r.Design)},
		{"time", out.took()}})
	return err
}
