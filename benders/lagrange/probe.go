package lagrange

import "context"

// Probe fixes undecided columns one by one: with the value forced that is farther from the average point of v, up to so
// many steps raise the bound on the designs that have it; beyond the limit, the other value is proven. It calls each
// after every column, and returns the number of columns that were fixed.
func Probe(ctx context.Context, r Binary, v *Volume, steps int, each func()) (fixed int) {
	trial := NewVolume(len(v.Multipliers), len(v.Average))
	known := r.Known()
	saved := make([]State, len(known.State))
	for j := range known.State {
		if known.State[j] != Undecided || ctx.Err() != nil {
			continue
		}

		// Compact comes before the trial, whose closed columns come back.
		r.Compact(-1)
		against := Open
		if v.Average[j] > 0.5 {
			against = Closed
		}

		// What follows from a forced value does not hold without it.
		copy(saved, known.State)
		beyond := exceedsLimit(ctx, r, trial, v, j, against, steps)
		copy(known.State, saved)
		if beyond {
			known.State[j] = against.other()
			fixed++
		}
		each()
	}
	return fixed
}

// exceedsLimit reports whether every design with the column at a value costs more than the limit, as far as the given
// number of steps proves.
func exceedsLimit(ctx context.Context, r Binary, trial, from *Volume, column int, to State, steps int) bool {
	known := r.Known()
	known.State[column] = to
	if !r.Feasible() {
		return true
	}
	trial.Pace = probing
	trial.force(r, from, column, to)
	trial.Improve(ctx, r, steps)
	return trial.Bound > known.UB
}
