package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
)

// scoreFlags are the flags of proxybd score, but for those of its output.
type scoreFlags struct {
	// The family and the options that say how the instances are read.
	family string
	file   families.ReadOptions

	// The file of the network, "" for a shipped one, and how the states are collected.
	model  string
	states proxy.StatesOptions
	crew   crewFlags // who collects them
}

// scoreReport is the object of proxybd score, and the field score of that of proxybd train.
type scoreReport struct {
	Schema     int        `json:"schema"`
	Command    string     `json:"command"`
	Status     string     `json:"status"`
	Model      string     `json:"model"`
	Score      scoreTable `json:"score"`
	Seconds    number     `json:"seconds"`
	Conclusion string     `json:"conclusion"`

	Members []memberReport `json:"members,omitempty"` // who recorded the states
}

// scoreTable is a proxy.Score.
type scoreTable struct {
	Bases int `json:"bases"` // instances, or designs of a single program with scenarios

	// Certified shares of the network and of its two controls.
	Trained shareTable `json:"trained"`
	Zero    shareTable `json:"zero"`
	Random  shareTable `json:"random"`

	// The lead of the network over the controls, and over multipliers that are reused.
	OverZero   leadTable    `json:"over_zero"`
	OverRandom leadTable    `json:"over_random"`
	Reused     []rivalTable `json:"reused,omitempty"`

	// All lower limits are above 0.
	Helps bool `json:"helps"`
}

// rivalTable is a proxy.Rival.
type rivalTable struct {
	Control string     `json:"control"`
	Share   shareTable `json:"share"`
	Over    leadTable  `json:"over"`
}

// shareTable has the shares of the exact recourse cost that are certified.
type shareTable struct {
	Run   number `json:"run"`
	Alone number `json:"alone"`
}

// leadTable has the mean of paired differences and the lower limit of its confidence interval.
type leadTable struct {
	Mean number `json:"mean"`
	Low  number `json:"low"`
}

// newScoreTable is a score as a report has it.
func newScoreTable(s *proxy.Score) scoreTable {
	// A share that could not be measured is NaN, and null in the object.
	share := func(x proxy.Shares) shareTable { return shareTable{number(x.Run), number(x.Alone)} }
	lead := func(x proxy.Lead) leadTable { return leadTable{number(x.Mean), number(x.Low)} }
	out := scoreTable{
		Bases:      s.Bases,
		Trained:    share(s.Trained),
		Zero:       share(s.Zero),
		Random:     share(s.Random),
		OverZero:   lead(s.OverZero),
		OverRandom: lead(s.OverRandom),
		Helps:      s.Helps(),
	}

	// Only programs with scenarios have controls that reuse multipliers.
	for _, r := range s.Reused {
		out.Reused = append(out.Reused, rivalTable{string(r.Control), share(r.Shares), lead(r.Over)})
	}
	return out
}

// newScore makes the command proxybd score.
func newScore(a *app) *cobra.Command {
	f := scoreFlags{states: proxy.DefaultStatesOptions()}
	f.states.TimeLimit = 10 * time.Second
	c := &cobra.Command{
		Use:   "score INSTANCE...",
		Short: "Compare a trained proxy with its controls on instances that it has not seen",
		Long: `Solve the instances exactly, each for --time-limit at most, and compare at the points where cuts were separated, and
at random designs, which share of the exact recourse cost is certified: by the network, by weights of zero in its
place, and by random ones; by what runs make of a prediction, and by the prediction alone where that differs. Random
weights are those of a network before training. With weights of zero every output is the one around which training
begins, which is 0 or, in some networks of the preset paper, a mean.

Each instance counts once. The lead of the network over a control is the mean of the paired differences, with the
lower limit of its 95 % confidence interval (Student's t, which takes two instances at least). The network helps if
both limits are above 0. The instances should be none that it was trained on, nor variants of these.

Programs with scenarios have three more controls, which the network has to beat too: multipliers reused, of the mean
scenario at the design, of the nearest one of 16 scenarios that are solved there, and the best of the pool: of all
scenarios at the designs before and of a first part of them at this one or, where costs or the matrix are random, of the
16 that are solved. Of one such program every design counts; --scenario-seed draws scenarios that it was not trained on.`,
		Example: `  proxybd score cap44.txt cap64.txt cap74.txt
  proxybd score new/*.gz --model m100.safetensors
  proxybd score ssn.cor --scenarios 1000 --scenario-seed 7 --model ssn.safetensors`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.score(c.Context(), args, f) },
	}
	a.flags.addOutput(c)
	a.addFamily(c, &f.family, &f.file)
	// What is compared, and at which states.
	c.Flags().StringVar(&f.model, "model", "", "trained proxy `FILE` (safetensors); without it a shipped one that fits")
	c.Flags().Uint64Var(&f.states.Seed, "seed", f.states.Seed, "seed of everything random")
	c.Flags().Var(durationLimit(&f.states.TimeLimit), "time-limit", "for the exact run of an instance, such as 60s")
	c.Flags().IntVar(&f.states.Designs, "designs", f.states.Designs, "random designs to add an instance")
	f.crew.addStatesCrew(c)
	return c
}

// score runs the command: read the instances and the model, collect states, compare.
func (a *app) score(ctx context.Context, paths []string, f scoreFlags) (err error) {
	// Another process than the first one of several works until the states are recorded.
	crew, err := a.gatherStates(ctx, f.crew, newStateTerms(paths, f.family, f.file, f.states))
	if crew == nil || err != nil {
		return err
	}
	defer func() {
		_, failed := crew.leave()
		err = errors.Join(err, failed)
	}()

	var list []families.Instance
	var family families.Family
	// All instances are read before the first is solved, so that a bad one is reported early.
	for _, path := range paths {
		of, in, err := a.openInstance(f.family, path, f.file)
		if err != nil {
			return err
		}
		family = of
		list = append(list, in)
	}

	// The model is of the family of the last instance. It fits none of another family.
	model, name, err := openModel(family, list[0], f.model)
	if err != nil {
		return err
	}

	// An instance of another shape than the network's is bad input.
	for _, in := range list {
		if err := model.Fits(in); err != nil {
			return badInput(err)
		}
	}

	// The exact runs take most of the time of the command.
	samples, _, err := collect(ctx, crew, list, f.states, a.log)
	if err != nil {
		return err
	}
	members, err := crew.leave()
	if err != nil {
		return err
	}
	s, err := model.Score(ctx, samples, f.states.Seed)
	// Instances whose recourse costs nothing have no shares to compare, and others are needed.
	if errors.Is(err, proxy.ErrOptions) {
		return badInput(err)
	} else if err != nil {
		return err
	}

	a.conclude(wrap(name + ": " + s.String()))
	return a.printObject(scoreReport{
		Schema:     schemaVersion,
		Command:    "score",
		Status:     "completed",
		Model:      name,
		Score:      newScoreTable(s),
		Seconds:    number(time.Since(a.began).Seconds()),
		Conclusion: fmt.Sprint(s),
		Members:    members,
	})
}
