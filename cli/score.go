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

// scoreFlags are the flags of proxybd score beside the common ones.
type scoreFlags struct {
	family, model string
	file          families.ReadOptions
	states        proxy.StatesOptions
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
}

// scoreTable is a proxy.Score.
type scoreTable struct {
	Bases      int          `json:"bases"`
	Trained    shareTable   `json:"trained"`
	Zero       shareTable   `json:"zero"`
	Random     shareTable   `json:"random"`
	OverZero   leadTable    `json:"over_zero"`
	OverRandom leadTable    `json:"over_random"`
	Reused     []rivalTable `json:"reused,omitempty"`
	Helps      bool         `json:"helps"`
}

// rivalTable is a proxy.Rival.
type rivalTable struct {
	Control string     `json:"control"`
	Share   shareTable `json:"share"`
	Over    leadTable  `json:"over"`
}

type shareTable struct {
	Run   number `json:"run"`
	Alone number `json:"alone"`
}

type leadTable struct {
	Mean number `json:"mean"`
	Low  number `json:"low"`
}

func newScoreTable(s *proxy.Score) scoreTable {
	share := func(x proxy.Shares) shareTable { return shareTable{number(x.Run), number(x.Alone)} }
	lead := func(x proxy.Lead) leadTable { return leadTable{number(x.Mean), number(x.Low)} }
	out := scoreTable{s.Bases, share(s.Trained), share(s.Zero), share(s.Random), lead(s.OverZero), lead(s.OverRandom), nil,
		s.Helps()}
	for _, r := range s.Reused {
		out.Reused = append(out.Reused, rivalTable{string(r.Control), share(r.Shares), lead(r.Over)})
	}
	return out
}

func newScore(a *app) *cobra.Command {
	f := scoreFlags{states: proxy.DefaultStatesOptions()}
	f.states.TimeLimit = 10 * time.Second
	c := &cobra.Command{
		Use:   "score INSTANCE...",
		Short: "Compare a trained proxy with its controls on instances that it has not seen",
		Long: `Solve the instances exactly, each for --time-limit at most, and compare at the points where cuts were asked for, and
at random designs, which share of the exact recourse cost is certified: by the network, by weights of zero in its
place, and by random ones; by what runs make of a prediction, and by the prediction alone where that differs.

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
	c.Flags().StringVar(&f.model, "model", "", "trained proxy `FILE` (safetensors); without it a shipped one that fits")
	c.Flags().Uint64Var(&f.states.Seed, "seed", f.states.Seed, "seed of everything random")
	c.Flags().Var((*durationLimit)(&f.states.TimeLimit), "time-limit", "for the exact run of an instance, such as 60s")
	c.Flags().IntVar(&f.states.Designs, "designs", f.states.Designs, "random designs to add an instance")
	return c
}

// score is the whole command.
func (a *app) score(ctx context.Context, paths []string, f scoreFlags) error {
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	var list []families.Instance
	var family families.Family
	for _, path := range paths {
		of, in, err := a.openInstance(f.family, path, f.file)
		if err != nil {
			return err
		}
		family, list = of, append(list, in)
	}
	model, name, err := openModel(family, list[0], f.model)
	if err != nil {
		return err
	}
	for _, in := range list {
		if err := model.Fits(in); err != nil {
			return badInput(err)
		}
	}
	samples, _, err := collect(ctx, list, f.states, log)
	if err != nil {
		return err
	}
	s, err := model.Score(ctx, samples, f.states.Seed)
	if errors.Is(err, proxy.ErrOptions) {
		return badInput(err)
	} else if err != nil {
		return err
	}
	a.conclude(log, wrap(name+": "+s.String()))
	a.reported = true
	if a.flags.json {
		return writeJSON(a.stdout, scoreReport{schemaVersion, "score", "completed", name, newScoreTable(s),
			number(time.Since(a.began).Seconds()), fmt.Sprint(s)})
	}
	return nil
}
