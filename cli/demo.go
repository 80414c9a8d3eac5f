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

// demoFlags are the flags of proxybd demo beside the common ones.
type demoFlags struct {
	facilities, train, test, steps int
	seed                           uint64
	save                           string
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

func newDemo(a *app) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "See Proxy Benders work: generate, train, solve unseen instances, compare",
		Long: `Generate facility location instances, solve some of them exactly to record where a Benders master asks for
cuts, train a network there without labels, and solve instances that it has not seen with exact cuts, with exact
aggregated cuts and with the certified proxy. Nothing is precomputed; it takes well under a minute. No run
has a starting design or a local search, so that the methods differ in their cuts alone.`,
		Example: `  proxybd demo
  proxybd demo --facilities 80 --seed 3 --save-model demo.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), f) },
	}
	a.flags.addOutput(c)
	c.Flags().IntVar(&f.facilities, "facilities", 50, "facilities, and as many clients")
	c.Flags().IntVar(&f.train, "train", 8, "instances to train on")
	c.Flags().IntVar(&f.test, "test", 6, "unseen instances to solve")
	c.Flags().IntVar(&f.steps, "steps", 2000, "optimiser steps")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	c.Flags().StringVar(&f.save, "save-model", "", "keep the trained proxy in this `FILE`")
	return c
}

// demo is the whole command.
func (a *app) demo(ctx context.Context, f demoFlags) error {
	if f.facilities < 2 || f.train < 1 || f.test < 1 || f.steps < 1 {
		return badInput(fmt.Errorf("nothing to show with %d facilities, %d instances to train on, %d to solve and %d steps",
			f.facilities, f.train, f.test, f.steps))
	}
	if err := checkTarget(f.save); err != nil {
		return err
	}
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	model, share, err := a.demoTrain(ctx, f, log)
	if err != nil {
		return err
	}
	runs, err := demoSolve(ctx, f, model, log)
	if err != nil {
		return err
	}
	if f.save != "" {
		if err := model.Save(f.save); err != nil {
			return plainError(f.save, err)
		}
	}
	demoSummary(runs, log)
	log.printf("\ntotal %s", showTime(time.Since(a.began)))
	a.reported = true
	if a.flags.json {
		return writeJSON(a.stdout, demoReport{Schema: schemaVersion, Command: "demo", Status: "completed",
			Share: number(share), Runs: runs,
			Seconds: number(time.Since(a.began).Seconds())})
	}
	return nil
}

// demoInstance returns the k-th instance of the demonstration.
func demoInstance(f demoFlags, k int) (families.Instance, error) {
	return demoFamily.Generate(families.FormatShape(f.facilities, f.facilities), f.seed*1000+uint64(k))
}

// demoFamily is what the demonstration shows, and demoMethods how.
var (
	demoFamily  = ufl.Family
	demoMethods = []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Proxy}
)

// demoTrain generates instances, records states, and trains.
func (a *app) demoTrain(ctx context.Context, f demoFlags, log *solverLog) (*proxy.Model, float64, error) {
	log.printf("1. %d instances of %d clients x %d facilities, solved exactly to record Benders states", f.train+1,
		f.facilities, f.facilities)
	var list []families.Instance
	for k := range f.train + 1 {
		in, err := demoInstance(f, k)
		if err != nil {
			return nil, 0, badInput(err)
		}
		list = append(list, in)
	}
	so := proxy.DefaultStatesOptions()
	so.Seed = f.seed
	samples, states, err := collect(ctx, list, so, &solverLog{w: io.Discard})
	if err != nil {
		return nil, 0, err
	}
	log.printf("   %d states in %s; one instance is held out", states, showTime(time.Since(a.began)))
	log.printf("\n2. training a row-wise network on (c_i, y), self-supervised by the certified value")
	o := families.ModelOptions{Preset: families.Fast, Seed: f.seed}
	model, res, share, err := fit(ctx, demoFamily, list[0], samples[:f.train], samples[f.train:], o, f.steps, log)
	if err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("training: %w", err)
	}
	log.printf("   %d steps in %s; it certifies %.2f%% of the exact recourse cost on the held-out states", res.Step,
		showTime(res.Elapsed), 100*share)
	return model, share, nil
}

// demoSolve solves unseen instances by every method.
func demoSolve(ctx context.Context, f demoFlags, model *proxy.Model, log *solverLog) ([]demoRun, error) {
	log.printf("\n3. %d unseen instances (true gap: to the exact optimum; proven gap: to the run's own bound)", f.test)
	rows := &table{log: log, headings: []heading{{"instance", 12}, {"method", 11}, {"status", 12}, {"cost", 10},
		{"true gap", 9}, {"proven gap", 11}, {"cuts", 6}, {"nodes", 7}, {"time", 8}}}
	var runs []demoRun
	for k := range f.test {
		in, err := demoInstance(f, f.train+1+k)
		if err != nil {
			return nil, badInput(err)
		}
		optimum := math.NaN()
		for _, method := range demoMethods {
			r, err := demoMethod(ctx, in, method, model, f.seed)
			if err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("solving %s: %w", in.Label().Name, err)
			}
			if method == decompose.Exact {
				optimum = r.Objective
			}
			run := demoRun{Instance: in.Label().Name, Method: string(method), Status: r.Status.String(),
				Cost:    number(r.Objective),
				TrueGap: number(trueGap(r.Objective, optimum)), Bound: number(r.Bound), Gap: number(r.Gap),
				Cuts: r.Cuts.Optimality + r.Cuts.User, Nodes: r.Nodes, Seconds: number(r.Elapsed.Seconds())}
			runs = append(runs, run)
			rows.row("", run.Instance, run.Method, run.Status, showValue(r.Objective), showGap(float64(run.TrueGap)),
				showGap(r.Gap),
				strconv.Itoa(run.Cuts), strconv.Itoa(run.Nodes), strconv.FormatFloat(r.Elapsed.Seconds(), 'f', 2, 64)+"s")
		}
	}
	return runs, nil
}

// trueGap returns by which fraction a cost exceeds the optimum; differences in the last digits of two sums are none.
func trueGap(cost, optimum float64) float64 {
	gap := (cost - optimum) / optimum
	if math.Abs(gap) < 1e-12 {
		return 0
	}
	return gap
}

func demoMethod(ctx context.Context, in families.Instance, method decompose.Method, model *proxy.Model,
	seed uint64) (*benders.Result, error) {
	o := decompose.Options{Method: method, Scheme: decompose.Auto, Model: model, Benders: benders.DefaultOptions()}
	o.Benders.Heuristic, o.Benders.Seed = false, seed
	return pipeline.Solve(ctx, in, o)
}

// demoSummary prints the medians of every method.
func demoSummary(runs []demoRun, log *solverLog) {
	rows := &table{log: log, headings: []heading{{"median", 12}, {"true gap", 9}, {"proven gap", 11}, {"cuts", 7},
		{"time", 8}}}
	for _, method := range demoMethods {
		var gap, proven, cuts, seconds []float64
		for _, r := range runs {
			if r.Method == string(method) {
				gap, proven = append(gap, float64(r.TrueGap)), append(proven, float64(r.Gap))
				cuts, seconds = append(cuts, float64(r.Cuts)), append(seconds, float64(r.Seconds))
			}
		}
		rows.row("", string(method), showGap(tables.Median(gap)), showGap(tables.Median(proven)),
			strconv.FormatFloat(tables.Median(cuts), 'f', 0, 64),
			strconv.FormatFloat(tables.Median(seconds), 'f', 2, 64)+"s")
	}
}
