package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/nn"
)

// trainFlags are the flags of proxybd train, but for those of its stage and its output.
type trainFlags struct {
	// How the instances are read.
	family string
	file   families.ReadOptions

	// The network: preset, features, widths of its hidden layers, and steps of the optimiser.
	preset   string
	features string
	hidden   string
	steps    int

	// Perturbed variants that take the place of each instance, and their standard deviation.
	variants int
	sigma    float64

	// How many of the last bases choose the weights, and how many are kept for the comparison.
	validation int
	test       int

	// The file of the network, and the seed of everything random.
	out  string
	seed uint64

	// Limits of the training, and of the exact run that collects states.
	timeLimit  time.Duration
	stateLimit time.Duration

	// Of an experiment: train although states of some instances are missing.
	partial bool

	crew crewFlags // who records the states
}

// trainReport is the object of proxybd train.
type trainReport struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Status  string `json:"status"`
	Family  string `json:"family"`
	Model   string `json:"model"` // the file that was written

	States     int        `json:"states"`          // that were collected, the held-out ones among them
	Steps      int        `json:"steps"`           // that the optimiser has done
	Validation number     `json:"validation"`      // the best loss on what is held out
	Share      number     `json:"certified_share"` // on what is held out
	Score      scoreTable `json:"score"`
	Seconds    number     `json:"seconds"`

	Members []memberReport `json:"members,omitempty"` // who recorded the states
}

// newTrain makes the command proxybd train.
func newTrain(a *app) *cobra.Command {
	f := trainFlags{timeLimit: math.MaxInt64}
	var stage stageFlags
	c := &cobra.Command{
		Use:   "train INSTANCE... -o MODEL | FOLDER",
		Short: "Train a proxy for instances of one family and shape, or those of an experiment",
		Long: `Solve the instances exactly, record the points at which cuts were separated, and train a network that predicts duals
there. Training maximises the certified value by its supergradient, which needs no optimal duals; for mcndp
it fits prices that supergradient steps have found. The last instances
(--validation) are held out to choose the weights. With --variants, that many perturbed variants take the
place of each instance; of a single one, its last variants are held out, and of a program with scenarios without variants
a quarter of its designs. At the end the network is compared with its controls on held-out instances (--test, see proxybd
score); what came out is printed, and kept in the file.

With the FOLDER of an experiment (proxybd split), train a proxy for each of its shapes on the states that proxybd states
has collected, with checkpoints: killed at any moment, the same command goes on to the same weights. The flags that
belong to this form are --shard, --jobs, --shape, --time-limit and --partial, beside those that say what model it is.`,
		Example: `  proxybd generate --family ufl --class 100x100 --count 10 -o instances
  proxybd train instances/*.gz -o m100.safetensors
  proxybd solve new.gz --method proxy --model m100.safetensors
  proxybd train cap41.txt cap61.txt cap71.txt --variants 8 -o cap.safetensors
  proxybd train small --shard 2/8`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			// The single folder of an experiment selects the second form of the command.
			folder := len(args) == 1 && experiment.IsFolder(args[0])
			if err := a.known.checkTrain(c.Flags(), folder); err != nil {
				return err
			}
			if folder {
				return a.trainStage(c.Context(), args[0], stage, f)
			}
			return a.train(c.Context(), args, f)
		},
	}

	// Flags of all commands with a log, of reading instances, of experiments, and of this command.
	a.flags.addOutput(c)
	a.addFamily(c, &f.family, &f.file)
	stage.add(c)
	f.add(c)
	groupFlags(c, trainFlagGroups)
	return c
}

// add adds the flags: of an experiment, of the network, of the samples, and of what is held out.
func (f *trainFlags) add(c *cobra.Command) {
	// Flags of the training of an experiment.
	c.Flags().Var(durationLimit(&f.timeLimit), "time-limit",
		"of an experiment's models: train no longer on one, and keep its best weights")
	c.Flags().BoolVar(&f.partial, "partial", false,
		"of an experiment: train although states of some instances are missing")

	// Flags of the network.
	c.Flags().StringVarP(&f.out, "output", "o", "", "model `FILE` to write (safetensors)")
	c.Flags().StringVar(&f.preset, "preset", string(families.Presets[0]),
		join(families.Presets)+": network, states and budget, of minutes or as in the paper (some days)")
	c.Flags().StringVar(&f.features, "features", "",
		"ufl: what the network sees of a client: raw (the paper's) or support; mps: how its feasibility predictions "+
			"are projected, joint or v1 (onto the paper's V1(B)); without it the preset's")
	c.Flags().StringVar(&f.hidden, "hidden", "",
		"widths of the hidden layers, such as 128,128; without it the preset's")
	c.Flags().IntVar(&f.steps, "steps", 0, "maximum number of optimiser steps; without it the preset's")

	// Flags of the instances and their states.
	c.Flags().IntVar(&f.variants, "variants", 0,
		"train on this many variants of every instance, with the seeds 1, 2, ...")
	c.Flags().Float64Var(&f.sigma, "sigma", 0.1, "of the variants: standard deviation of the logarithm of a factor")
	c.Flags().Var(durationLimit(&f.stateLimit), "states-limit",
		"for the exact run that collects the states of an instance, such as 5s; without it the preset's")

	f.crew.addStatesCrew(c)

	// The instances that are held out choose the weights, or compare the network with its controls.
	c.Flags().IntVar(&f.validation, "validation", 1, "how many of the last instances are held out")
	c.Flags().IntVar(&f.test, "test", 0,
		"how many more of the last instances are kept for the comparison with the controls; 0 takes "+
			"those that chose the weights")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of everything random")
}

// check reports flags that cannot be used with this number of instances.
func (f *trainFlags) check(instances int) error {
	// The number of instances decides what can be held out.
	switch {
	case f.out == "":
		return badInput(errors.New("--output is missing: where shall the model go?"))
	case f.test < 0:
		return badInput(fmt.Errorf("--test %d: a negative count", f.test))
	case f.variants < 0:
		return badInput(fmt.Errorf("--variants %d: a negative count", f.variants))
	case f.bases(instances) > 1 || f.test > 0:
		if err := f.holds(instances); err != nil {
			return err
		}
	}

	// The values of the other flags are checked where they are used.
	return errors.Join(checkTarget(f.out), oneOf("preset", f.preset, families.Presets))
}

// holds reports too few instances to hold some out and to train on one.
func (f *trainFlags) holds(instances int) error {
	// The variants of one instance count as its bases.
	if f.validation < 1 || f.validation+f.test >= f.bases(instances) {
		return badInput(fmt.Errorf("--validation %d and --test %d of %d instances: at least one is held out and one "+
			"trained on; --variants N makes N of each instance", f.validation, f.test, f.bases(instances)))
	}
	return nil
}

// train runs the command: read the instances, collect states, train, score, save, report.
func (a *app) train(ctx context.Context, paths []string, f trainFlags) (err error) {
	if err := f.check(len(paths)); err != nil {
		return err
	}

	// A network that cannot be made is reported before the exact runs.
	o, err := f.model()
	if err != nil {
		return err
	}

	// Another process than the first one of several works until the states are recorded.
	terms := newStateTerms(paths, f.family, f.file, f.states())
	terms.Variants = f.variants
	terms.Sigma = f.sigma
	crew, err := a.gatherStates(ctx, f.crew, terms)
	if crew == nil || err != nil {
		return err
	}
	defer func() {
		_, failed := crew.leave()
		err = errors.Join(err, failed)
	}()

	family, list, err := f.instances(a, paths)
	if err != nil {
		return err
	}
	// Designs of a single program with scenarios can be held out. Of another single instance nothing can.
	if len(list) == 1 && list[0].Capabilities().Stochastic == nil {
		return f.holds(1)
	}
	samples, states, err := collect(ctx, crew, list, f.states(), a.log)
	if err != nil {
		return err
	}
	members, err := crew.leave()
	if err != nil {
		return err
	}
	parts := f.parts(samples, len(paths))

	// The first part is trained on, the second one chooses the weights.
	model, res, share, err := fit(ctx, family, list[0], parts[0], parts[1], o, f.steps, a.log)
	if err != nil {
		return err
	}

	// No step has been validated, so that there are no best weights.
	if res.BestStep == 0 {
		return unvalidated(ctx, res)
	}

	// What is interrupted has weights all the same, whose score is computed.
	score, err := model.Score(context.WithoutCancel(ctx), parts[2], f.seed)
	if err != nil {
		return err
	}

	// The file says how the network was trained and what it scored.
	model.Meta = f.meta(list, score, res, share)
	if err := saveOrElsewhere(f.out, model.Save); err != nil {
		return err
	}

	// The result is printed also with --quiet.
	trained := fmt.Sprintf("%s: certifies %.2f%% of the exact recourse cost on the held-out states", f.out, 100*share)
	a.conclude(trained, wrap(score.String()))
	// The exit code says that more steps would have followed.
	if res.Status == nn.Interrupted {
		a.log.printf("training was interrupted after %d steps; these are its best weights", res.Step)
		a.code = exitLimit
	}
	return a.printObject(trainReport{
		Schema:     schemaVersion,
		Command:    "train",
		Status:     res.Status.String(),
		Family:     family.Name,
		Model:      f.out,
		States:     states,
		Steps:      res.Step,
		Validation: number(res.Best),
		Share:      number(share),
		Score:      newScoreTable(score),
		Members:    members,
		Seconds:    number(time.Since(a.began).Seconds()),
	})
}

// unvalidated is the error of a training that ended before its first validation, and so has no weights to keep.
func unvalidated(ctx context.Context, res nn.Result) error {
	// An interrupt has its own exit code, which the wrapped error gives.
	if ctx.Err() != nil {
		return fmt.Errorf("training was stopped before its first validation, and no model is written: %w", ctx.Err())
	}
	return fmt.Errorf("training was stopped (%v) before its first validation: no model is written", res.Status)
}

// states are the options of collecting the states.
func (f *trainFlags) states() proxy.StatesOptions {
	// The preset says how many states are collected, and how.
	o := families.Preset(f.preset).States()
	o.Seed = f.seed
	if f.stateLimit > 0 {
		o.TimeLimit = f.stateLimit
	}
	return o
}

// meta is what the file of a model says of its training.
func (f *trainFlags) meta(list []families.Instance, score *proxy.Score, res nn.Result,
	share float64) map[string]string {
	// The score is part of the metadata, so that proxybd models can list it.
	meta := score.Meta()
	maps.Copy(meta, map[string]string{
		"seed":            strconv.FormatUint(f.seed, 10),
		"preset":          f.preset,
		"steps":           strconv.Itoa(res.Step),
		"validation":      strconv.FormatFloat(res.Best, 'g', -1, 64),
		"certified_share": strconv.FormatFloat(share, 'g', -1, 64),
		"instances":       instanceHashes(list),
	})
	return meta
}

// model returns the flags that say what the model is.
func (f *trainFlags) model() (families.ModelOptions, error) {
	// The seed is that of the initial weights.
	o := families.ModelOptions{Preset: families.Preset(f.preset), Seed: f.seed, Features: f.features}
	if f.steps < 0 {
		return o, badInput(fmt.Errorf("--steps %d: a negative count", f.steps))
	}

	// Without --hidden the preset says the widths.
	if f.hidden == "" {
		return o, nil
	}

	// Blanks around a width are allowed, as in "128, 128".
	for _, w := range strings.Split(f.hidden, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || n < 1 {
			return o, badInput(fmt.Errorf("--hidden %s: %q is not a width", f.hidden, w))
		}
		o.Hidden = append(o.Hidden, n)
	}
	return o, nil
}

// instances reads the instances, which are of one family, and makes the variants of them that are asked for.
func (f *trainFlags) instances(a *app, paths []string) (family families.Family, list []families.Instance, err error) {
	for _, path := range paths {
		// Each path is read by the family of --family, or by the one that recognises it.
		of, in, err := a.openInstance(f.family, path, f.file)
		if err != nil {
			return family, nil, err
		}

		// One network is for one family.
		if family.Name != "" && of.Name != family.Name {
			return family, nil, badInput(fmt.Errorf("%s is of the family %s, the instances before it of %s", path, of.Name,
				family.Name))
		}
		family = of
		// The variants take the place of the instance, which is not trained on.
		if f.variants == 0 {
			list = append(list, in)
		}
		for k := range f.variants {
			// The seeds are the same for every instance, and begin with 1.
			v, _, err := variant(in, f.sigma, uint64(k+1))
			if err != nil {
				return family, nil, badInput(err)
			}
			list = append(list, v)
		}
	}
	return family, list, nil
}

// bases is how many bases there are. The variants of a single instance are taken for bases: there are no others to hold
// out.
func (f *trainFlags) bases(instances int) int {
	// An instance without variants is one base.
	if instances == 1 {
		return max(1, f.variants)
	}
	return instances
}

// parts are the samples to train on, to choose the weights by, and to compare with the controls by. The variants of an
// instance follow each other, and have it as their base.
func (f *trainFlags) parts(samples []proxy.Sample, instances int) (p [3][]proxy.Sample) {
	// The designs of a single program are divided, the held-out ones for both uses.
	if len(samples) == 1 {
		learnt, held := samples[0].Split()
		return [3][]proxy.Sample{{learnt}, {held}, {held}}
	}

	// Each base has as many samples, since each has as many variants.
	each := len(samples) / f.bases(instances)
	for k := range samples {
		samples[k].Base = strconv.Itoa(k / each)
	}

	// The last bases are held out; without --test those that choose the weights are compared, too.
	test := len(samples) - f.test*each
	cut := test - f.validation*each
	if p = [3][]proxy.Sample{samples[:cut], samples[cut:test], samples[test:]}; f.test == 0 {
		p[2] = p[1]
	}
	return p
}

// fit trains a new model and returns the share of the exact recourse cost that it certifies on held-out states. steps
// is the budget, 0 for the preset's.
func fit(ctx context.Context, f families.Family, like families.Instance, train, held []proxy.Sample,
	mo families.ModelOptions, steps int, log *solverLog) (*proxy.Model, nn.Result, float64, error) {
	// The instance gives the shape of the network.
	m, o, err := pipeline.NewModel(f, like, mo)
	if err != nil {
		return nil, nn.Result{}, 0, err
	}

	// The budget of the preset is replaced where one is given.
	if steps > 0 {
		o.NN.Steps = steps
	}

	// There is one validation at least, after the last step.
	o.NN.ValidateEvery = min(o.NN.ValidateEvery, o.NN.Steps)

	rows := &table{log: log, headings: []heading{{"step", 8}, {"loss", 11}, {"validation", 11}, {"best", 11},
		{"rate", 8}, {"steps/s", 8}, {"ETA", 8}}}
	o.NN.Progress = func(p nn.Progress) {
		rows.row("",
			strconv.Itoa(p.Step),
			strconv.FormatFloat(p.Loss, 'f', 6, 64),
			strconv.FormatFloat(p.Validation, 'f', 6, 64),
			strconv.FormatFloat(p.Best, 'f', 6, 64),
			strconv.FormatFloat(p.Rate, 'g', 3, 64),
			strconv.FormatFloat(p.StepsPerSec, 'f', 0, 64),
			showTime(p.ETA))
	}

	// Also of an interrupted training the share is computed.
	res, err := m.Train(ctx, train, held, o)
	if err != nil {
		return nil, res, 0, err
	}
	share, err := m.Share(context.WithoutCancel(ctx), held)
	return m, res, share, err
}

// instanceHashes joins the names and hashes of the instances that a model was trained on.
func instanceHashes(instances []families.Instance) string {
	// A hash identifies an instance, whatever it is called.
	var list []string
	for _, in := range instances {
		list = append(list, in.Label().Name+":"+in.Hash())
	}
	return strings.Join(list, " ")
}
