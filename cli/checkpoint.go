package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp/stoch"
)

// saveEvery is the time between two states of a run in its checkpoint, where no better design is found.
const saveEvery = 15 * time.Second

// kept is a checkpoint that a run writes. Where one state cannot be written the run goes on, and the end says so.
type kept struct{ err error }

// begin makes a run begin with what the flags name, and keep what it knows.
func (a *app) begin(in families.Instance, f solveOptions, s *decompose.Options, log *solverLog) (*kept, error) {
	k := &kept{}
	if f.start != "" {
		p, err := firstStage(in)
		if err != nil {
			return nil, err
		}
		if s.Start, err = a.readDesign(f.start, p); err != nil {
			return nil, badInput(fmt.Errorf("%s: %w", f.start, err))
		}
	}
	if f.checkpoint == "" {
		return k, nil
	}
	known, err := pipeline.LoadCheckpoint(f.checkpoint, in)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		s.Resume = known
		log.printf("goes on from %s: %s, %d cuts", f.checkpoint, showKnown(known), len(known.Cuts))
	}
	s.SaveEvery = saveEvery
	s.Save = func(state *decompose.State) { k.err = pipeline.SaveCheckpoint(f.checkpoint, in, state) }
	return k, nil
}

// firstStage returns the program of an instance; that of one without scenarios has none, and is the compact model.
func firstStage(in families.Instance) (*stoch.Program, error) {
	if s := in.Capabilities().Stochastic; s != nil {
		return s.ByScenario().Stochastic(), nil
	}
	master, err := pipeline.Master(in)
	if err != nil {
		return nil, err
	}
	m, err := pipeline.Compact(in)
	return &stoch.Program{Core: m, First: len(master.Cols)}, err
}

// showKnown says whether a state has a design and a bound: their values may be of another unit or sense.
func showKnown(s *decompose.State) string {
	text := "a design"
	if s.Design == nil {
		text = "no design"
	}
	if math.IsInf(s.Bound, -1) {
		return text + ", no bound"
	}
	return text + ", a bound"
}
