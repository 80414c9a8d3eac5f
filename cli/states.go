package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/experiment"
	tables "github.com/proxybd/proxybd/experiment/report"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// newStates makes the command proxybd states.
func newStates(a *app) *cobra.Command {
	// The defaults of the flags are those of the fast preset.
	o := experiment.DefaultStatesOptions(families.Fast)
	var f stageFlags
	var preset string
	c := &cobra.Command{
		Use:   "states FOLDER",
		Short: "Collect training states: the exact oracle on an experiment's training and validation instances",
		Long: `Run the exact oracle on the training and validation instances of an experiment (proxybd split makes one), at gap 0
unless --gap says otherwise, and keep the points at which it separated. Every share of the jobs writes a file of its
own below FOLDER/states. Killed at any moment, the same command goes on where it was.

--preset paper collects, beside those, the states for train --preset paper: the exact run is the paper's (see
proxybd solve --scheme paper), all points are kept at which it separated, up to --recorded, and none are added.`,
		Example: `  proxybd states small
  proxybd states small --jobs 8
  proxybd states small --shard 3/16 --time-limit 10m`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("preset", preset, families.Presets); err != nil {
				return err
			}

			// The preset gives the defaults. A flag that is given replaces its value.
			of := experiment.DefaultStatesOptions(families.Preset(preset))
			given := c.Flags().Changed
			if given("time-limit") {
				of.States.TimeLimit = o.States.TimeLimit
			}
			if given("gap") {
				of.States.Gap = o.States.Gap
			}
			if given("recorded") {
				of.States.Recorded = o.States.Recorded
			}
			if given("designs") {
				of.States.Designs = o.States.Designs
			}
			return a.states(c.Context(), args[0], f, of)
		},
	}

	a.flags.addOutput(c)
	f.add(c)
	c.Flags().Var(durationLimit(&o.States.TimeLimit), "time-limit",
		"for the exact run of an instance, such as 60s; it is recorded")
	c.Flags().StringVar(&preset, "preset", string(families.Presets[0]),
		join(families.Presets)+": of the networks that the states are for")
	c.Flags().Float64Var(&o.States.Gap, "gap", o.States.Gap, "of the exact run")
	c.Flags().IntVar(&o.States.Recorded, "recorded", o.States.Recorded, "maximum number of states to keep of an exact run")
	c.Flags().IntVar(&o.States.Designs, "designs", o.States.Designs, "random designs to add an instance")
	return c
}

// states runs the command: a stage that collects training states.
func (a *app) states(ctx context.Context, dir string, f stageFlags, o experiment.StatesOptions) error {
	return a.stage(ctx, "states", dir, f, func(ctx context.Context, e *experiment.Experiment, _ *meter,
		jobs experiment.Jobs) error {
		o.Jobs = jobs
		return e.CollectStates(ctx, o)
	})
}

// trainStage trains the models of an experiment.
func (a *app) trainStage(ctx context.Context, dir string, stage stageFlags, f trainFlags) error {
	o := experiment.DefaultTrainOptions()
	// The budget of a training is in steps or in time, whichever ends first.
	o.Steps = f.steps
	o.TimeLimit = f.timeLimit
	o.Partial = f.partial
	var err error
	// Values that no model can have are reported before the folder is opened.
	if o.Model, err = f.model(); err != nil {
		return err
	}
	if err := oneOf("preset", f.preset, families.Presets); err != nil {
		return err
	}

	// The figures of the losses are drawn from all trainings, those of other shares among them.
	return a.stage(ctx, "train", dir, stage, func(ctx context.Context, e *experiment.Experiment, m *meter,
		jobs experiment.Jobs) error {
		o.Jobs = jobs
		o.Progress = func(s experiment.Shape, p nn.Progress) {
			m.line(trainLine(s, p))
		}

		// A training that goes on has nothing to do where its model is finished.
		if err := e.Train(ctx, o); err != nil {
			return err
		}
		trainings, err := e.Trainings()
		if err != nil {
			return err
		}

		// The file of a share that ends last has the losses of all.
		return tables.WriteLosses(dir, trainings)
	})
}

// trainLine is a line of at most 100 columns about a training. The time that is left says how many steps there are.
func trainLine(s experiment.Shape, p nn.Progress) string {
	// The losses have five digits, which are enough to see progress.
	return fmt.Sprintf("%s: step %d, loss %s, held out %s, best %s, %.0f/s, ETA %s", s, p.Step, showLoss(p.Loss),
		showLoss(p.Validation), showLoss(p.Best), p.StepsPerSec, showLeft(p.ETA))
}

// showLeft shows a time to go to the minute, where that is not less than ten, or the second.
func showLeft(d time.Duration) string {
	// Seconds do not matter in a long time, and the text ends after the minutes.
	if d >= 10*time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(time.Second).String()
}

// showLoss shows the loss of a network.
func showLoss(v float64) string { return strconv.FormatFloat(v, 'f', 5, 64) }
