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
	// The file of the checkpoint, and the instance whose identity each state carries.
	path     string
	instance families.Instance

	// The error of the last state, nil where it was written. An error of an earlier state does not matter any more.
	err error
}

// save replaces the file by a state.
func (c *checkpointer) save(state *decompose.State) {
	// The instance is saved with the state, so that a later run can check that the file is about its own instance.
	c.err = pipeline.SaveCheckpoint(c.path, c.instance, state)
}

// readStart reads the design of --start.
func (r *solveRun) readStart() error {
	if r.flags.start == "" {
		return nil
	}

	// The file names the columns of the first stage, which is known without its scenarios.
	p, err := firstStage(r.solved)
	if err != nil {
		return err
	}

	// A design that violates the first stage is bad input, as a file that cannot be read is.
	if r.options.Start, err = r.app.readDesign(r.flags.start, p); err != nil {
		return badInput(err)
	}
	return nil
}

// resume begins with the state of --checkpoint, if the file exists, and writes the states of the run to the file.
func (r *solveRun) resume() error {
	// Without --checkpoint nothing is loaded, and the solver has no function that saves.
	path := r.flags.checkpoint
	r.saved = &checkpointer{path: path, instance: r.solved}
	if path == "" {
		return nil
	}

	// Elsewhere this name is a standard stream, which cannot be read again.
	if path == "-" {
		return badInput(errors.New("--checkpoint: a run goes on from a file, not from -"))
	}

	// A file that does not exist is the normal case of the first run; any other error must not be overwritten by a save.
	state, err := pipeline.LoadCheckpoint(path, r.solved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	// The file exists: the run goes on from its design, bound and cuts.
	if err == nil {
		r.options.Resume = state
		r.app.log.printf("goes on from %s: %s, %d cuts", path, showState(state), len(state.Cuts))
	}

	// States are saved at each better design and at least this often, and once more at the end.
	r.options.SaveEvery = saveEvery
	r.options.Save = r.saved.save
	return nil
}

// firstStage returns the program of an instance. For an instance without scenarios it is the compact model, with the
// columns of its first stage.
func firstStage(in families.Instance) (*stoch.Program, error) {
	// A program with scenarios says itself which of its columns are those of the first stage.
	if s := in.Capabilities().Stochastic; s != nil {
		return s.Stochastic(), nil
	}

	// Any other instance has a compact model, whose first columns are those of the master.
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
	// A state may come from a run that was killed before it had found a design.
	text := "a design"
	if s.Design == nil {
		text = "no design"
	}

	// A bound of minus infinity is the one that a run begins with.
	if math.IsInf(s.Bound, -1) {
		return text + ", no bound"
	}
	return text + ", a bound"
}
