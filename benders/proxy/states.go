package proxy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// PaperStatesOptions returns the options of the paper: the points of its own scheme to a gap of 0, and no others.
// Recorded is a bound on memory.
func PaperStatesOptions() StatesOptions {
	return StatesOptions{Recorded: 5000, Paper: true, Seed: 1, TimeLimit: 10 * time.Minute}
}

// Rand returns the generator by which designs are drawn.
func (o StatesOptions) Rand() *rand.Rand { return rand.New(rand.NewPCG(o.Seed, 0x57a7e5)) }

// Draw adds up to o.Designs random designs to the recorded states of a run, without repetitions (AddDesigns), and may
// leave out states that are of no use.
// solved is the result of the run.
type Draw func(ctx context.Context, o StatesOptions, recorded []benders.State, solved *benders.Result) (
	[]benders.State, error)

// States makes the training data of one instance (paper, section 4.2.1): the first points at which an exact run
// separated, without repetitions, and random designs around them: a proxy that separates designs only meets many more
// of them than an exact run, which ends after a few. The run ends when there are enough points. It has no heuristic,
// so that it also comes to the poor points of a master with few cuts. Its duals are not used.
func States(ctx context.Context, o StatesOptions,
	solve func(context.Context, benders.Options) (*benders.Result, error), draw Draw) (
	[]benders.State, *benders.Result, error) {
	if o.Recorded < 1 || o.Designs < 0 {
		return nil, nil, fmt.Errorf("proxy: %w: %d recorded states, %d designs", ErrOptions, o.Recorded, o.Designs)
	}

	// The log cancels the run when it is full.
	within, enough := context.WithCancel(ctx)
	defer enough()
	log := &fullLog{benders.StateLog{Max: o.Recorded}, enough}
	b := benders.DefaultOptions()
	b.Heuristic = false
	b.Recorder = log
	b.Gap = o.Gap
	b.TimeLimit = o.TimeLimit
	b.Seed = o.Seed
	r, err := solve(within, b)
	if err != nil {
		return nil, nil, err
	}

	// Designs are drawn also where the log has ended the run, but not where the caller has.
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

// Between draws designs on the segments between two recorded points, rounded at random: for any first stage.
func Between(cols []lp.Col) Draw {
	return func(_ context.Context, o StatesOptions, from []benders.State, _ *benders.Result) ([]benders.State, error) {
		return segments(o, cols, from, func(rng *rand.Rand, a, b []float64) []float64 {
			w := rng.Float64()
			return design(cols, a, b, w, func(v float64) float64 { return math.Floor(v + rng.Float64()) })
		}), nil
	}
}

// Around draws designs as Between does, and others that are more often feasible: on segments that end in the run's
// design, and rounded up beyond a threshold, which is the same for all columns of a design.
func Around(cols []lp.Col) Draw {
	return func(_ context.Context, o StatesOptions, from []benders.State, solved *benders.Result) (
		[]benders.State, error) {
		return segments(o, cols, from, func(rng *rand.Rand, a, b []float64) []float64 {
			// The kind is random. If it followed from the position of the design, Sample.Split and Score, which take states
			// at regular distances, would hold out and score designs of one kind alone.
			towardsDesign := rng.IntN(2) == 1
			atRandom := rng.IntN(2) == 1

			// Half of the designs are on a segment that ends in the run's own.
			if towardsDesign && solved.Design != nil {
				a = solved.Design
			}
			w := rng.Float64()
			threshold := rng.Float64()

			// Half of the designs are rounded at random, the others up beyond the threshold.
			return design(cols, a, b, w, func(v float64) float64 {
				if atRandom {
					return math.Floor(v + rng.Float64())
				}
				return math.Ceil(v - threshold)
			})
		}), nil
	}
}

// segments adds designs that draw makes of two recorded points to the recorded states. Some runs visit hardly any
// point, so that these designs are few: then others are made of a recorded point and a corner of the bounds.
func segments(o StatesOptions, cols []lp.Col, from []benders.State,
	draw func(rng *rand.Rand, a, b []float64) []float64) (states []benders.State) {
	if len(from) == 0 {
		return nil
	}
	rng := o.Rand()
	corners := Corners(cols)
	return AddDesigns(from, o.Designs, func(attempt int) []float64 {
		a := from[rng.IntN(len(from))].Y
		b := from[rng.IntN(len(from))].Y
		if attempt >= maxDraws/2 {
			b = corners[rng.IntN(len(corners))]
		}
		return draw(rng, a, b)
	})
}

// AddDesigns returns the recorded states and after them up to count designs that draw makes at random, each different
// from the recorded points and from the other designs. A design that is both in the training data and held out does not
// test the network, and one that is held out twice would count as two independent observations. Where draw makes a
// repetition, or nil for no design, it is called again a few times, with the number of the attempt from 0 on, and then
// one design is left out: a small instance may have fewer designs than count.
func AddDesigns(recorded []benders.State, count int, draw func(attempt int) []float64) []benders.State {
	log := benders.StateLog{Max: math.MaxInt}
	for _, s := range recorded {
		log.Add(s)
	}
	known := len(log.States)

	for range count {
		for attempt := range maxDraws {
			if y := draw(attempt); y != nil && log.Add(benders.State{Y: y, Integer: true}) {
				break
			}
		}
	}
	return append(slices.Clip(recorded), log.States[known:]...)
}

// maxDraws is how often a design is drawn at most until it is a new one.
const maxDraws = 10

// design returns w a + (1-w) b, with the integer columns rounded, within the bounds.
func design(cols []lp.Col, a, b []float64, w float64, round func(float64) float64) []float64 {
	y := make([]float64, len(cols))
	for j, c := range cols {
		y[j] = w*a[j] + (1-w)*b[j]
		if c.Integer {
			y[j] = round(y[j])
		}

		// Rounding may leave a bound that is not an integer.
		y[j] = min(max(y[j], c.Lower), c.Upper)
	}
	return y
}

// Corners returns two points: every column at its lower bound, and every column at its upper bound. Where that bound is
// infinite the other one is taken, and zero where both are.
func Corners(cols []lp.Col) [2][]float64 {
	least, greatest := make([]float64, len(cols)), make([]float64, len(cols))
	for j, c := range cols {
		least[j] = firstFinite(c.Lower, c.Upper)
		greatest[j] = firstFinite(c.Upper, c.Lower)
	}
	return [2][]float64{least, greatest}
}

// firstFinite returns the first number that is finite, 0 if none is.
func firstFinite(list ...float64) float64 {
	for _, v := range list {
		if !math.IsInf(v, 0) {
			return v
		}
	}
	return 0
}
