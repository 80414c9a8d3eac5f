package families

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
)

// Record runs an exact solve for training data (paper, section 4.3.1) and returns the first states at which it
// separated, without repetitions. The run has no heuristic, so that it meets the poor points of a young master too.
func Record(o StatesOptions, solve func(benders.Options) (*benders.Result, error)) ([]benders.State, *benders.Result, error) {
	if o.Recorded < 1 || o.Designs < 0 {
		return nil, nil, fmt.Errorf("families: %w: %d recorded states, %d designs", ErrOptions, o.Recorded, o.Designs)
	}
	log := &benders.StateLog{Max: o.Recorded}
	b := benders.DefaultOptions()
	b.Heuristic, b.Recorder, b.Gap, b.TimeLimit, b.Seed = false, log, o.Gap, o.TimeLimit, o.Seed
	r, err := solve(b)
	return log.States, r, err
}

// Share returns the share of the exact recourse cost that certified separations reach, summed over the states of the
// samples whose recourse is feasible. separators makes the certified and the exact separator of an instance.
func Share[I any](ctx context.Context, samples []Typed[I], separators func(I) (certified, exact benders.Separator, err error)) (float64, error) {
	reached, whole := 0.0, 0.0
	for _, s := range samples {
		certified, exact, err := separators(s.In)
		if err != nil {
			return 0, err
		}
		for _, state := range s.States {
			p := benders.Point{Y: state.Y, Integer: state.Integer}
			b, err := exact.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			if b.Infeasible {
				continue
			}
			a, err := certified.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			reached += a.Value
			whole += b.Value
		}
	}
	return reached / whole, nil
}
