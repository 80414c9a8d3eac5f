package benders

import "context"

// Hybrid calls a quick separator first and a thorough one where the first has no violated cut. With a proxy as the
// first and an exact separator as the second, a run has the proxy's cuts while they cut and still ends with a
// certified gap: a design is accepted only where the exact separator finds no violated cut. Both must be for the
// same Problem, of the same number of epigraphs (a cut on AllEpigraphs fits any).
type Hybrid struct {
	quick, thorough Separator
	violation       float64
}

// Uses counts how often each separator of a Hybrid gave the answer, and what came of it.
type Uses struct {
	Quick, Thorough         int // separations that the quick one answered with a violated cut, and those passed on
	QuickCuts, ThoroughCuts int // cuts of those answers
}

func (u *Uses) add(o Uses) {
	u.Quick += o.Quick
	u.Thorough += o.Thorough
	u.QuickCuts += o.QuickCuts
	u.ThoroughCuts += o.ThoroughCuts
}

// NewHybrid returns the hybrid of two separators; violation is the driver's Options.Violation.
func NewHybrid(quick, thorough Separator, violation float64) *Hybrid {
	return &Hybrid{quick: quick, thorough: thorough, violation: violation}
}

// Source implements Separator.
func (h *Hybrid) Source() Source { return FromHybrid }

// Separate implements Separator. What the quick separator certifies is kept in the thorough one's answer too:
// the larger of the two values, the count of projected predictions, and the times.
func (h *Hybrid) Separate(ctx context.Context, p Point) (Separation, error) {
	first, err := ask(ctx, h.quick, p)
	if err != nil {
		return first, err
	}

	// Without epigraph values, as at a point of no master, nothing can be violated.
	if p.Theta != nil {
		if cuts := violated(first.Cuts, p.Y, p.Theta, h.violation); len(cuts) > 0 {
			first.Uses = Uses{Quick: 1, QuickCuts: len(cuts)}
			first.Cuts = cuts
			return first, nil
		}
	}

	second, err := ask(ctx, h.thorough, p)
	if err != nil {
		return second, err
	}

	// Both values are lower bounds: the larger one counts.
	second.Uses = Uses{Thorough: 1, ThoroughCuts: len(second.Cuts)}
	second.Times.add(first.Times)
	if !second.Infeasible {
		second.Value = max(second.Value, first.Value)
	}
	second.Projected += first.Projected
	return second, nil
}
