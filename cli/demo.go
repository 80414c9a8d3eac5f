package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	tables "github.com/proxybd/proxybd/experiment/report"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
)

// demoFlags are the flags of proxybd demo, but for those of its output.
type demoFlags struct {
	// Facilities (as many clients), instances to train on and to test on, and steps of the optimiser.
	facilities, train, test, steps int

	// The seed of everything random, and the file of --save-model, "" for none.
	seed uint64
	save string
}

// demoRun is one solve of the demonstration.
type demoRun struct {
	Instance string `json:"instance"`
	Method   string `json:"method"`
	Status   string `json:"status"`
	Cost     number `json:"objective"`
	TrueGap  number `json:"true_gap"` // to the exact optimum
	Bound    number `json:"bound"`
	Gap      number `json:"gap"` // proven
	Cuts     int    `json:"cuts"`
	Nodes    int    `json:"nodes"`
	Seconds  number `json:"seconds"`
}

// demoReport is the object of proxybd demo.
type demoReport struct {
	Schema  int       `json:"schema"`
	Command string    `json:"command"`
	Status  string    `json:"status"`
	Share   number    `json:"certified_share"`
	Runs    []demoRun `json:"runs"`
	Seconds number    `json:"seconds"`
}

// newDemo makes the command proxybd demo.
func newDemo(a *app) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "See Proxy Benders work: generate, train, solve unseen instances, compare",
		Long: `Generate facility location instances, solve some of them exactly to record where a Benders master separates
cuts, train a network there without labels, and solve instances that it has not seen with exact cuts, with exact
aggregated cuts and with the certified proxy. Nothing is precomputed; it takes well under a minute. No run
has a starting design or a local search, so that the methods differ in their cuts alone.`,
		Example: `  proxybd demo
  proxybd demo --facilities 80 --seed 3 --save-model demo.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), f) },
	}

	// What is shown, how large the instances are, and what is kept.
	a.flags.addOutput(c)
	c.Flags().IntVar(&f.facilities, "facilities", 50, "facilities, and as many clients")
	c.Flags().IntVar(&f.train, "train", 8, "instances to train on")
	c.Flags().IntVar(&f.test, "test", 6, "unseen instances to solve")
	c.Flags().IntVar(&f.steps, "steps", 2000, "optimiser steps")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	c.Flags().StringVar(&f.save, "save-model", "", "keep the trained proxy in this `FILE`")
	return c
}

// demo runs the command: train, solve, compare.
func (a *app) demo(ctx context.Context, f demoFlags) error {
	// Shapes with a single facility have nothing to decide, and training needs a sample, a test and a step.
	if f.facilities < 2 || min(f.train, f.test, f.steps) < 1 {
		return badInput(fmt.Errorf("nothing to show with %d facilities, %d instances to train on, %d to solve and %d steps",
			f.facilities, f.train, f.test, f.steps))
	}

	// A path that cannot be written is reported before the work is done, not after it.
	if err := checkTarget(f.save); err != nil {
		return err
	}

	// The network is trained on the first instances; the test instances follow after these.
	model, share, err := a.demoTrain(ctx, f)
	if err != nil {
		return err
	}

	// The methods are compared on instances that the network has not seen.
	runs, err := demoSolve(ctx, f, model, a.log)
	if err != nil {
		return err
	}

	// The trained proxy is kept also where it came out no better than the exact method.
	if f.save != "" {
		if err := model.Save(f.save); err != nil {
			return plainError(f.save, err)
		}
	}

	// The table of medians is for people; the object has every single run.
	demoSummary(runs, a.log)
	a.log.printf("\ntotal %s", showTime(time.Since(a.began)))
	return a.printObject(demoReport{Schema: schemaVersion, Command: "demo", Status: "completed", Share: number(share),
		Runs: runs, Seconds: number(time.Since(a.began).Seconds())})
}

// demoInstance returns the k-th instance of the demonstration.
func demoInstance(f demoFlags, k int) (families.Instance, error) {
	// Seeds of different demonstrations are a thousand apart, so that their instances do not overlap.
	return demoFamily.Generate(families.FormatShape(f.facilities, f.facilities), f.seed*1000+uint64(k))
}

// demoFamily is what the demonstration shows, and demoMethods how.
var (
	demoFamily  = ufl.Family
	demoMethods = []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Proxy}
)

// demoTrain generates instances, records states, and trains.
func (a *app) demoTrain(ctx context.Context, f demoFlags) (*proxy.Model, float64, error) {
	a.log.printf("1. %d instances of %d clients x %d facilities, solved exactly to record Benders states", f.train+1,
		f.facilities, f.facilities)
	// One more instance than --train is generated, since one is held out.
	var list []families.Instance
	for k := range f.train + 1 {
		in, err := demoInstance(f, k)
		if err != nil {
			return nil, 0, badInput(err)
		}
		list = append(list, in)
	}

	// The last instance is held out, to choose the weights.
	so := proxy.DefaultStatesOptions()
	so.Seed = f.seed

	// The log of these runs is left out, since the command has a line about all of them.
	samples, states, err := collect(ctx, &crew{options: crewOptions{threads: 1}}, list, so, &solverLog{w: io.Discard})
	if err != nil {
		return nil, 0, err
	}
	a.log.printf("   %d states in %s; one instance is held out", states, showTime(time.Since(a.began)))

	a.log.printf("\n2. training a row-wise network on (c_i, y), self-supervised by the certified value")
	// The preset of a few minutes' training is enough for instances of this size.
	o := families.ModelOptions{Preset: families.Fast, Seed: f.seed}
	model, res, share, err := fit(ctx, demoFamily, list[0], samples[:f.train], samples[f.train:], o, f.steps, a.log)
	if err != nil {
		return nil, 0, err
	}

	// An interrupted training returns weights, but a comparison with them would show nothing.
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("training: %w", err)
	}
	a.log.printf("   %d steps in %s; it certifies %.2f%% of the exact recourse cost on the held-out states", res.Step,
		showTime(res.Elapsed), 100*share)
	return model, share, nil
}

// demoSolve solves unseen instances by every method.
func demoSolve(ctx context.Context, f demoFlags, model *proxy.Model, log *solverLog) ([]demoRun, error) {
	log.printf("\n3. %d unseen instances (true gap: to the exact optimum; proven gap: to the run's own bound)", f.test)
	// The columns of the table are those of demoRun.
	rows := &table{log: log, headings: []heading{{"instance", 12}, {"method", 11}, {"status", 12}, {"cost", 10},
		{"true gap", 9}, {"proven gap", 11}, {"cuts", 6}, {"nodes", 7}, {"time", 8}}}

	var runs []demoRun
	for k := range f.test {
		// Test instances continue the numbering of the training instances, and the held-out one among these.
		in, err := demoInstance(f, f.train+1+k)
		if err != nil {
			return nil, badInput(err)
		}

		// The exact method is the first one, and gives the optimum that the gaps are to.
		optimum := math.NaN()
		for _, method := range demoMethods {
			r, err := demoMethod(ctx, in, method, model, f.seed)
			if err != nil {
				return nil, err
			}

			// An interrupt returns a result with a gap, which does not belong in the comparison.
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("solving %s: %w", in.Label().Name, err)
			}

			// The gaps of the methods that follow are to the objective of the exact run.
			if method == decompose.Exact {
				optimum = r.Objective
			}

			run := demoRun{
				Instance: in.Label().Name,
				Method:   string(method),
				Status:   r.Status.String(),
				Cost:     number(r.Objective),
				TrueGap:  number(trueGap(r.Objective, optimum)),
				Bound:    number(r.Bound),
				Gap:      number(r.Gap),
				Cuts:     r.Cuts.Optimality + r.Cuts.User,
				Nodes:    r.Nodes,
				Seconds:  number(r.Elapsed.Seconds()),
			}
			runs = append(runs, run)
			rows.row("", run.Instance, run.Method, run.Status, showValue(r.Objective), showGap(float64(run.TrueGap)),
				showGap(r.Gap), strconv.Itoa(run.Cuts), strconv.Itoa(run.Nodes),
				strconv.FormatFloat(r.Elapsed.Seconds(), 'f', 2, 64)+"s")
		}
	}
	return runs, nil
}

// trueGap returns by which fraction a cost exceeds the optimum; differences in the last digits of two sums are none.
func trueGap(cost, optimum float64) float64 {
	// A cost may be below the optimum by rounding, which would show as a gap of -0.00%.
	gap := (cost - optimum) / optimum
	if math.Abs(gap) < 1e-12 {
		return 0
	}
	return gap
}

// demoMethod solves an instance by a method, without a starting design or a local search.
func demoMethod(ctx context.Context, in families.Instance, method decompose.Method, model *proxy.Model,
	seed uint64) (*benders.Result, error) {
	// Primal heuristics would find most designs in every run, and so hide the difference between the methods' cuts.
	o := decompose.Options{Method: method, Scheme: decompose.Auto, Model: model, Benders: benders.DefaultOptions()}
	o.Benders.Heuristic = false
	// The seed is that of the whole demonstration, and the same for every method.
	o.Benders.Seed = seed
	return pipeline.Solve(ctx, in, o)
}

// demoSummary prints the medians of every method.
func demoSummary(runs []demoRun, log *solverLog) {
	rows := &table{log: log, headings: []heading{{"median", 12}, {"true gap", 9}, {"proven gap", 11}, {"cuts", 7},
		{"time", 8}}}
	for _, method := range demoMethods {
		// A median is not moved by one hard instance, as a mean would be.
		var gap, proven, cuts, seconds []float64
		for _, r := range runs {
			// The runs of a method are collected by column.
			if r.Method == string(method) {
				gap = append(gap, float64(r.TrueGap))
				proven = append(proven, float64(r.Gap))
				cuts = append(cuts, float64(r.Cuts))
				seconds = append(seconds, float64(r.Seconds))
			}
		}

		// The columns are in the units of the table of runs.
		rows.row("", string(method), showGap(tables.Median(gap)), showGap(tables.Median(proven)),
			strconv.FormatFloat(tables.Median(cuts), 'f', 0, 64),
			strconv.FormatFloat(tables.Median(seconds), 'f', 2, 64)+"s")
	}
}
