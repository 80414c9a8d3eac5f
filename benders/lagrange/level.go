package lagrange

import "slices"

// Level raises the bound of a relaxation by supergradient steps towards a target: each step is Polyak's to the best
// bound plus a gain, which shrinks where that level is not reached (Goffin and Kiwiel 1999). Unlike Volume it keeps no
// averages, so it is quicker where only multipliers are wanted, few and near good ones. Steps are taken in multipliers
// over Scale; one whose Scale is zero does not move, and one at zero does not fall.
type Level struct {
	Multipliers []float64 // the best so far
	Scale       []float64 // of each multiplier
	Bound       float64   // of Multipliers
	Gain        float64   // what the first steps aim to add to the bound, as a fraction of it
	Patience    int       // steps without a better bound, after which Gain is halved
	Goal        float64   // the least bound that is of use; 0 where any is

	trial, slope []float64 // the multipliers of the last step, and the supergradient there
}

// NewLevel returns a level method for n multipliers, all zero, with unit scales.
func NewLevel(multipliers int) *Level {
	return &Level{
		Multipliers: make([]float64, multipliers),
		Scale:       slices.Repeat([]float64{1}, multipliers),
		Patience:    25,
		trial:       make([]float64, multipliers),
		slope:       make([]float64, multipliers),
	}
}

// minGain is the gain at which the method gives up.
const minGain = 1e-5

// reachableGains is the number of gains that have to reach the goal.
const reachableGains = 100

// Improve evaluates the present multipliers, takes up to the given number of steps, and returns how many it took. It
// ends early where no multiplier can move uphill, the gain has become tiny, or many times the gain would not reach
// the goal.
func (l *Level) Improve(r Relaxation, steps int) int {
	copy(l.trial, l.Multipliers)
	r.Project(l.trial)
	bound, _ := r.Evaluate(l.trial, l.slope)
	l.Bound = bound
	copy(l.Multipliers, l.trial)

	failed := 0 // steps in a row that gained little
	gain := l.Gain
	for step := range steps {
		size := max(l.Bound, -l.Bound)
		norm := l.uphill()
		if norm == 0 || gain < minGain || l.Bound+reachableGains*gain*size < l.Goal {
			return step
		}

		// A subgradient step of the length that reaches the level, the bound and the gain, if the slope holds so far.
		length := (l.Bound + gain*size - bound) / norm
		for k, g := range l.slope {
			l.trial[k] += length * g * l.Scale[k] * l.Scale[k]
		}
		r.Project(l.trial)
		bound, _ = r.Evaluate(l.trial, l.slope)

		// Where the bound rises by much of the gain, the next level is farther away; after many failures it is nearer,
		// and the steps start again from the best multipliers.
		if gained := bound - l.Bound; gained > 0 {
			if gained > gain*size/8 {
				failed = 0
			}
			if gained > gain*size/2 {
				gain *= 1.3
			}
			l.Bound = bound
			copy(l.Multipliers, l.trial)
		}
		if failed++; failed > l.Patience {
			gain, failed = gain/2, 0
			copy(l.trial, l.Multipliers)
			bound, _ = r.Evaluate(l.trial, l.slope)
		}
	}
	return steps
}

// uphill drops the slopes of multipliers that cannot fall and returns the squared length of the rest, in scaled steps.
func (l *Level) uphill() float64 {
	norm := 0.0
	for k, g := range l.slope {
		// A multiplier at zero would be projected back to zero.
		if g < 0 && l.trial[k] <= 0 {
			l.slope[k] = 0
			continue
		}
		norm += g * g * l.Scale[k] * l.Scale[k]
	}
	return norm
}
