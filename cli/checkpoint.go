package cli

import (
	"errors"
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

// checkpointer writes the states of a run to a file. Where a state cannot be written the run goes on.
type checkpointer struct {
	path     string
	instance families.Instance
	err      error // of the last state
}

// save replaces the file by a state.
func (c *checkpointer) save(state *decompose.State) {
	c.err = pipeline.SaveCheckpoint(c.path, c.instance, state)
}

// readStart reads the design of --start.
func (r *solveRun) readStart() error {
	if r.flags.start == "" {
		return nil
	}
	p, err := firstStage(r.solved)
	if err != nil {
		return err
	}
	if r.options.Start, err = r.app.readDesign(r.flags.start, p); err != nil {
		return badInput(err)
	}
	return nil
}

// resume begins with the state of --checkpoint, if the file exists, and writes the states of the run to the file.
func (r *solveRun) resume() error {
	path := r.flags.checkpoint
	r.saved = &checkpointer{path: path, instance: r.solved}
	if path == "" {
		return nil
	}

	state, err := pipeline.LoadCheckpoint(path, r.solved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		r.options.Resume = state
		r.app.log.printf("goes on from %s: %s, %d cuts", path, showState(state), len(state.Cuts))
	}

	r.options.SaveEvery = saveEvery
	r.options.Save = r.saved.save
	return nil
}

// firstStage returns the program of an instance. For an instance without scenarios it is the compact model, with the
// columns of its first stage.
func firstStage(in families.Instance) (*stoch.Program, error) {
	if s := in.Capabilities().Stochastic; s != nil {
		return s.Stochastic(), nil
	}
	master, err := pipeline.Master(in)
	if err != nil {
		return nil, err
	}
	m, err := pipeline.Compact(in)
	return &stoch.Program{Core: m, First: len(master.Cols)}, err
}

// showState says whether a state has a design and a bound. Their values may be of another unit or sense than those of
// the instance.
func showState(s *decompose.State) string {
	text := "a design"
	if s.Design == nil {
		text = "no design"
	}
	if math.IsInf(s.Bound, -1) {
		return text + ", no bound"
	}
	return text + ", a bound"
}
