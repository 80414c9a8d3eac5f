package proxy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// StatesOptions steer States. Start from DefaultStatesOptions.
type StatesOptions struct {
	Recorded  int  // maximum number of states to keep of the exact run
	Designs   int  // random designs to add
	Paper     bool // by the paper's scheme, where the program has one
	Seed      uint64
	Gap       float64       // of the exact run
	TimeLimit time.Duration // of the exact run
}

// DefaultStatesOptions returns the defaults.
func DefaultStatesOptions() StatesOptions {
	return StatesOptions{Recorded: 300, Designs: 200, Seed: 1, Gap: 1e-4, TimeLimit: time.Minute}
}

// PaperStatesOptions returns those of the paper: the points of its own scheme to a gap of 0, and no others. Recorded is
// a bound on memory.
func PaperStatesOptions() StatesOptions {
	o := DefaultStatesOptions()
	o.Recorded, o.Designs, o.Paper, o.Gap, o.TimeLimit = 5000, 0, true, 0, 10*time.Minute
	return o
}

// Rand returns the random numbers that designs are drawn by.
func (o StatesOptions) Rand() *rand.Rand { return rand.New(rand.NewPCG(o.Seed, 0x57a7e5)) }

// Draw adds o.Designs random designs to the recorded states of a run, and may leave out states that are of no use.
// solved is the result of the run.
type Draw func(ctx context.Context, o StatesOptions, recorded []benders.State, solved *benders.Result) (
	[]benders.State, error)

// States makes the training data of one instance (paper, section 4.3.1): the first points at which an exact run
// separated, without repetitions, and random designs around them. A proxy that is asked at designs only meets many
// more of those than an exact run, which ends after a few. The run ends when there are enough. It has no heuristic, so
// that it meets the poor points of a young master too. Its duals are not used.
func States(ctx context.Context, o StatesOptions,
	solve func(context.Context, benders.Options) (*benders.Result, error), draw Draw) (
	[]benders.State, *benders.Result, error) {
	if o.Recorded < 1 || o.Designs < 0 {
		return nil, nil, fmt.Errorf("proxy: %w: %d recorded states, %d designs", ErrOptions, o.Recorded, o.Designs)
	}
	within, enough := context.WithCancel(ctx)
	defer enough()
	log := &fullLog{benders.StateLog{Max: o.Recorded}, enough}
	b := benders.DefaultOptions()
	b.Heuristic, b.Recorder, b.Gap, b.TimeLimit, b.Seed = false, log, o.Gap, o.TimeLimit, o.Seed
	r, err := solve(within, b)
	if err != nil {
		return nil, nil, err
	}
	states, err := draw(ctx, o, log.States, r)
	return states, r, err
}

// fullLog is a log that ends the run when it is full.
type fullLog struct {
	benders.StateLog
	full func()
}

// Separated implements benders.Recorder.
func (l *fullLog) Separated(p benders.Point, s *benders.Separation, cuts []benders.Cut) {
	if l.StateLog.Separated(p, s, cuts); len(l.States) >= l.Max {
		l.full()
	}
}

// Between draws designs between two recorded points, rounded at random: for first-stage columns of which nothing is
// known.
func Between(cols []lp.Col) Draw {
	return func(_ context.Context, o StatesOptions, from []benders.State, _ *benders.Result) ([]benders.State, error) {
		if len(from) == 0 {
			return nil, nil
		}
		rng, states := o.Rand(), from
		for range o.Designs {
			a, b := from[rng.IntN(len(from))].Y, from[rng.IntN(len(from))].Y
			y, w := make([]float64, len(cols)), rng.Float64()
			for j, c := range cols {
				y[j] = w*a[j] + (1-w)*b[j]
				if c.Integer {
					y[j] = math.Floor(y[j] + rng.Float64())
				}
				y[j] = min(max(y[j], c.Lower), c.Upper)
			}
			states = append(states, benders.State{Y: y, Integer: true})
		}
		return states, nil
	}
}

// Around draws designs as Between does, and others that are more often feasible: between a recorded point and the run's
// design, and rounded up wherever more than a part is asked for, which is the same for all columns of a design.
func Around(cols []lp.Col) Draw {
	return func(_ context.Context, o StatesOptions, from []benders.State, solved *benders.Result) (
		[]benders.State, error) {
		if len(from) == 0 {
			return nil, nil
		}
		rng, states := o.Rand(), from
		for k := range o.Designs {
			a, b := from[rng.IntN(len(from))].Y, from[rng.IntN(len(from))].Y
			if k%2 == 1 && solved.Design != nil {
				a = solved.Design
			}
			y, w, part := make([]float64, len(cols)), rng.Float64(), rng.Float64()
			for j, c := range cols {
				y[j] = w*a[j] + (1-w)*b[j]
				switch {
				case c.Integer && k%4 < 2:
					y[j] = math.Floor(y[j] + rng.Float64())
				case c.Integer:
					y[j] = math.Ceil(y[j] - part)
				}
				y[j] = min(max(y[j], c.Lower), c.Upper)
			}
			states = append(states, benders.State{Y: y, Integer: true})
		}
		return states, nil
	}
}
