package benders

import (
	"context"
	"time"
)

// Hybrid asks a quick separator first and a thorough one where the first has no violated cut. With a proxy as the
// first and an exact separator as the second, a run has the proxy's cuts while they cut and still ends with a
// certified gap: a design is accepted only where the exact separator has nothing against it. Both must be for the
// same Problem, of the same number of epigraphs (a cut on AllEpigraphs fits any).
type Hybrid struct {
	quick, thorough Separator
	violation       float64
	uses            Uses
}

// Uses counts how often each separator of a Hybrid gave the answer, and what came of it.
type Uses struct {
	Quick, Thorough         int // separations that the quick one answered with a violated cut, and those passed on
	QuickCuts, ThoroughCuts int // cuts of those answers
}

// NewHybrid returns the hybrid of two separators; violation is the driver's Options.Violation.
func NewHybrid(quick, thorough Separator, violation float64) *Hybrid {
	return &Hybrid{quick: quick, thorough: thorough, violation: violation}
}

// Name implements Separator.
func (h *Hybrid) Name() string { return "hybrid" }

// Separate implements Separator. What the quick separator certifies is kept in the thorough one's answer too:
// the larger of the two values, and the count of projected predictions.
func (h *Hybrid) Separate(ctx context.Context, p Point) (Separation, error) {
	first, err := h.quick.Separate(ctx, p)
	if err != nil {
		return first, err
	}
	if p.Theta != nil {
		if cuts := violated(first.Cuts, p.Y, p.Theta, h.violation); len(cuts) > 0 {
			h.uses.Quick++
			h.uses.QuickCuts += len(cuts)
			first.Cuts = cuts
			return first, nil
		}
	}
	second, err := h.thorough.Separate(ctx, p)
	if err != nil {
		return second, err
	}
	h.uses.Thorough++
	h.uses.ThoroughCuts += len(second.Cuts)
	if !second.Infeasible {
		second.Value = max(second.Value, first.Value)
	}
	second.Projected += first.Projected
	return second, nil
}

// Uses implements Mixed.
func (h *Hybrid) Uses() Uses { return h.uses }

// PartTimes implements Timed with the times of those of its separators that are timed.
func (h *Hybrid) PartTimes() (prediction, completion time.Duration) {
	for _, s := range []Separator{h.quick, h.thorough} {
		if t, ok := s.(Timed); ok {
			p, c := t.PartTimes()
			prediction, completion = prediction+p, completion+c
		}
	}
	return prediction, completion
}
