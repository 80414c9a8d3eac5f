package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/nn"
)

// trainFlags are the flags of proxybd train beside the common ones.
type trainFlags struct {
	features   string
	k          int
	hidden     string
	steps      int
	validation int
	out        string
	seed       uint64
}

// trainReport is the object of proxybd train.
type trainReport struct {
	Schema     int    `json:"schema"`
	Command    string `json:"command"`
	Status     string `json:"status"`
	Model      string `json:"model"`
	States     int    `json:"states"`
	Steps      int    `json:"steps"`
	Validation number `json:"validation"`
	Share      number `json:"certified_share"`
	Seconds    number `json:"seconds"`
}

func newTrain(a *app) *cobra.Command {
	var f trainFlags
	c := &cobra.Command{
		Use:   "train INSTANCE... -o MODEL",
		Short: "Train a proxy for uncapacitated facility location instances of one shape",
		Long: `Solve the instances exactly, record where cuts were asked for, and train a network that predicts the clients'
duals there. Training maximises the certified value by its supergradient; it needs no duals. The last instances
(--validation) are held out to choose the weights.`,
		Example: `  proxybd generate --facilities 100 --count 10 -o instances
  proxybd train instances/*.gz -o m100.safetensors
  proxybd solve new.gz --method proxy --model m100.safetensors`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return a.train(c.Context(), args, f) },
	}
	a.flags.addOutput(c)
	c.Flags().StringVarP(&f.out, "output", "o", "", "model `FILE` to write (safetensors)")
	c.Flags().StringVar(&f.features, "features", "sorted", "what the network sees of a client: raw (the paper's), sorted, nearest or support")
	c.Flags().IntVar(&f.k, "nearest", 32, "positions of the nearest and support features")
	c.Flags().StringVar(&f.hidden, "hidden", "128,128", "widths of the hidden layers")
	c.Flags().IntVar(&f.steps, "steps", 6000, "most optimiser steps")
	c.Flags().IntVar(&f.validation, "validation", 1, "how many of the last instances are held out")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	return c
}

// train is the whole command: read, collect states, train, save, score.
func (a *app) train(ctx context.Context, paths []string, f trainFlags) error {
	if f.out == "" {
		return badInput(errors.New("--output is missing: where shall the model go?"))
	}
	if err := checkTarget(f.out); err != nil {
		return err
	}
	if f.validation < 1 || f.validation >= len(paths) {
		return badInput(fmt.Errorf("--validation %d of %d instances: at least one is held out and one trained on", f.validation, len(paths)))
	}
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	samples, states, err := collect(ctx, paths, f.seed, log)
	if err != nil {
		return err
	}
	model, err := f.model(samples[0].In)
	if err != nil {
		return err
	}
	cut := len(samples) - f.validation
	res, share, err := fit(ctx, model, samples[:cut], samples[cut:], f.steps, f.seed, log)
	if err != nil {
		return err
	}
	if res.BestStep == 0 {
		return fmt.Errorf("training was stopped (%v) before its first validation: no model is written", res.Status)
	}
	model.Meta = map[string]string{"seed": strconv.FormatUint(f.seed, 10), "steps": strconv.Itoa(res.Step),
		"validation": strconv.FormatFloat(res.Best, 'g', -1, 64), "certified_share": strconv.FormatFloat(share, 'g', -1, 64),
		"instances": instanceHashes(samples)}
	if err := model.Save(f.out); err != nil {
		return err
	}
	log.printf("%s: certifies %.2f%% of the exact recourse cost on the held-out states", f.out, 100*share)
	a.reported = true
	if a.flags.json {
		return writeJSON(a.stdout, trainReport{Schema: schemaVersion, Command: "train", Status: res.Status.String(), Model: f.out, States: states,
			Steps: res.Step, Validation: number(res.Best), Share: number(share), Seconds: number(time.Since(a.began).Seconds())})
	}
	return nil
}

// collect reads the instances and records their states.
func collect(ctx context.Context, paths []string, seed uint64, log *solverLog) (samples []ufl.Sample, states int, err error) {
	o := ufl.DefaultStatesOptions()
	for k, path := range paths {
		in, err := readUFL(path)
		if err != nil {
			return nil, 0, err
		}
		began := time.Now()
		o.Seed = seed + uint64(k)
		s, _, err := ufl.CollectStates(ctx, in, o)
		if err != nil {
			return nil, 0, err
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("collecting states: %w", err)
		}
		samples = append(samples, s)
		states += len(s.States)
		log.printf("states: %d of %d instances, %s: %d states in %s", k+1, len(paths), in.Name, len(s.States), showTime(time.Since(began)))
	}
	return samples, states, nil
}

// fit trains the model and returns the share of the exact recourse cost that it certifies on held-out states.
func fit(ctx context.Context, m *ufl.Model, train, held []ufl.Sample, steps int, seed uint64, log *solverLog) (nn.Result, float64, error) {
	o := ufl.DefaultTrainOptions()
	o.NN.Steps, o.NN.Seed = steps, seed
	o.NN.ValidateEvery = min(o.NN.ValidateEvery, steps)
	rows := &table{log: log, headings: []heading{{"step", 8}, {"loss", 11}, {"validation", 11}, {"best", 11}, {"rate", 8}, {"steps/s", 8}, {"ETA", 8}}}
	o.NN.Progress = func(p nn.Progress) {
		rows.row("", strconv.Itoa(p.Step), strconv.FormatFloat(p.Loss, 'f', 6, 64), strconv.FormatFloat(p.Validation, 'f', 6, 64),
			strconv.FormatFloat(p.Best, 'f', 6, 64), strconv.FormatFloat(p.Rate, 'g', 3, 64), strconv.FormatFloat(p.StepsPerSec, 'f', 0, 64), showTime(p.ETA))
	}
	res, err := ufl.Train(ctx, m, train, held, o)
	if err != nil {
		return res, 0, err
	}
	share, err := ufl.Score(context.WithoutCancel(ctx), m, held)
	return res, share, err
}

// model makes the untrained model for the shape of an instance.
func (f *trainFlags) model(in *ufl.Instance) (*ufl.Model, error) {
	kind, err := ufl.ParseFeatureKind(f.features)
	if err != nil {
		return nil, badInput(err)
	}
	c := ufl.ModelConfig{Kind: kind, K: f.k, Facilities: in.Facilities, Seed: f.seed}
	for _, w := range strings.Split(f.hidden, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || n < 1 {
			return nil, badInput(fmt.Errorf("--hidden %s: %q is not a width", f.hidden, w))
		}
		c.Hidden = append(c.Hidden, n)
	}
	m, err := ufl.NewModel(c)
	return m, badInput(err)
}

// instanceHashes joins the names and hashes of the instances that a model was trained on.
func instanceHashes(samples []ufl.Sample) string {
	var list []string
	for _, s := range samples {
		list = append(list, s.In.Name+":"+s.In.Hash())
	}
	return strings.Join(list, " ")
}
