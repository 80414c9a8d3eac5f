package nn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/autodiff"
)

// ErrDiverged is returned when a training loss or a validation loss is not a number, or infinite.
var ErrDiverged = errors.New("nn: the loss is not finite")

// Task is what Train trains: a graph with its loss, the batches, and the validation.
type Task interface {
	// Build adds the graph for one batch, of fixed shape, to the tape and returns the loss, 1 x 1, to
	// minimise. It is called once.
	Build(t *autodiff.Tape) (loss autodiff.Node, err error)
	// Fill writes the batch of a step (0, 1, ...) to the graph's inputs. It must depend on nothing but step
	// and what it draws from rng, or a resumed run differs.
	Fill(ctx context.Context, step int, rng *rand.Rand) error
	// Validate returns the validation loss of the current weights, lower is better. It must not change them.
	Validate(ctx context.Context) (float64, error)
}

// Train minimises the task's loss over the parameters by Adam and leaves them at the values of the best validation
// loss (of the last step if no check was reached). A cancelled context is a status, not an error. With a checkpoint,
// an interrupted or killed run that is resumed with the same options, task and data ends with the same bits as a run
// without interruption.
func Train(ctx context.Context, params []*Param, task Task, opt Options) (Result, error) {
	// All arguments are checked before the graph is built.
	if err := cmp.Or(opt.Validate(), checkParams(params)); err != nil {
		return Result{}, err
	}

	tape := autodiff.NewTape()
	loss, err := task.Build(tape)
	if err != nil {
		return Result{}, err
	}
	if err := tape.Compile(loss); err != nil {
		return Result{}, err
	}

	// A run without a checkpoint yet starts from the beginning.
	s := newState(params, opt)
	if opt.Resume {
		// The state of the file replaces the fresh one.
		if err := s.read(opt.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Result{}, err
		}
	}
	if opt.Started != nil {
		opt.Started()
	}

	now := time.Now()
	r := run{state: s, opt: opt, task: task, tape: tape, loss: loss, start: now, saved: now, from: s.step}
	status, err := r.loop(ctx)
	// Also a run with an error has a result: how far it came.
	res := Result{Status: status, Step: s.step, Best: s.best, BestStep: s.bestStep, Rate: s.rate,
		Elapsed: time.Since(r.start)}
	if err != nil {
		return res, err
	}

	// The last state is kept, so that an interrupted run can go on from here.
	if err := r.save(); err != nil {
		return res, err
	}
	if status == Interrupted && opt.Saved != nil {
		opt.Saved(r.step)
	}

	// The last checkpoint holds the weights of the last step; the caller gets the best ones.
	if s.bestStep > 0 {
		s.restoreBest()
	}
	return res, nil
}

// run is one call of Train.
type run struct {
	*state
	opt  Options
	task Task
	tape *autodiff.Tape
	loss autodiff.Node

	// When this call began, and from which step on.
	start time.Time
	from  int

	// When the last checkpoint was written.
	saved time.Time
}

// loop runs steps until the budget, the schedule or the context ends it.
func (r *run) loop(ctx context.Context) (Status, error) {
	for {
		// A check that is due comes before anything else, also in a run that is resumed.
		if r.due {
			if err := r.check(ctx); err != nil {
				return r.failed(ctx, err)
			}
			if err := r.save(); err != nil {
				return NotRun, err
			}
		}

		// The schedule and the budget are checked before each step.
		switch {
		case r.idle >= r.opt.StopAfter:
			return StoppedEarly, nil
		case r.step >= r.opt.Steps:
			return Completed, nil
		case ctx.Err() != nil:
			return Interrupted, nil
		}

		// An error within a step leaves a state that can be saved.
		if err := r.advance(ctx); err != nil {
			return r.failed(ctx, err)
		}

		// A validation check writes a checkpoint itself.
		r.due = r.step%r.opt.ValidateEvery == 0 || r.step == r.opt.Steps
		if !r.due && (r.step%r.opt.CheckpointEvery == 0 || time.Since(r.saved) > time.Minute) {
			if err := r.save(); err != nil {
				return NotRun, err
			}
			if r.opt.Saved != nil {
				r.opt.Saved(r.step)
			}
		}
	}
}

// failed distinguishes an error that only reports the cancellation of the context from any other error.
func (r *run) failed(ctx context.Context, err error) (Status, error) {
	// The task reports the cancellation as its own error.
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return Interrupted, nil
	}
	return NotRun, err
}

// advance does one step: batch, forward, backward, Adam. An error leaves the state as it was before the step.
func (r *run) advance(ctx context.Context) error {
	// The random source is restored where the batch could not be made.
	r.mark = r.source.AppendTo(r.mark[:0])
	if err := r.task.Fill(ctx, r.step, r.rng); err != nil {
		r.source.UnmarshalBinary(r.mark)
		return fmt.Errorf("nn: batch of step %d: %w", r.step, err)
	}
	if err := r.tape.Forward(); err != nil {
		return fmt.Errorf("nn: step %d: %w", r.step, err)
	}

	// A loss that is not finite would spoil the weights in the update.
	v := r.loss.Scalar()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%w: training loss %g at step %d", ErrDiverged, v, r.step)
	}
	if err := r.tape.Backward(); err != nil {
		return fmt.Errorf("nn: step %d: %w", r.step, err)
	}

	// The step counts before the update, whose bias correction depends on its number.
	r.lossSum += v
	r.lossN++
	r.step++
	r.update(&r.opt)
	return nil
}

// check validates, keeps the best weights and moves the schedule.
func (r *run) check(ctx context.Context) error {
	// The task validates with the current weights, which are those of the last step.
	v, err := r.task.Validate(ctx)
	if err != nil {
		return fmt.Errorf("nn: validation at step %d: %w", r.step, err)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%w: validation loss %g at step %d", ErrDiverged, v, r.step)
	}
	r.observe(v, &r.opt)

	// The sums of the next interval start from zero.
	loss := r.lossSum / float64(r.lossN)
	r.lossSum = 0
	r.lossN = 0
	r.due = false
	if r.opt.Progress != nil {
		p := Progress{
			Step:       r.step,
			Steps:      r.opt.Steps,
			Loss:       loss,
			Validation: v,
			Best:       r.best,
			BestStep:   r.bestStep,
			Rate:       r.rate,
		}

		// The pace is that of this call, without the steps before a resumption.
		if sec := time.Since(r.start).Seconds(); sec > 0 && r.step > r.from {
			p.StepsPerSec = float64(r.step-r.from) / sec
			p.ETA = time.Duration(float64(r.opt.Steps-r.step) / p.StepsPerSec * float64(time.Second))
		}
		r.opt.Progress(p)
	}
	return nil
}

// save writes the checkpoint, if there is to be one.
func (r *run) save() error {
	if r.opt.Checkpoint == "" {
		return nil
	}

	// The time counts from the beginning of the write, which may take long.
	r.saved = time.Now()
	return r.write(r.opt.Checkpoint)
}
