package lp

import "math"

// RelativeGap returns |objective - bound| / |objective|: 0 where they are equal, and +Inf where the objective is 0 or
// one of them is not known (NaN).
func RelativeGap(objective, bound float64) float64 {
	switch diff := math.Abs(objective - bound); {
	case objective == bound:
		return 0
	// A gap that has no meaning must not pass a test for a small one.
	case objective == 0 || math.IsNaN(diff):
		return math.Inf(1)
	default:
		return diff / math.Abs(objective)
	}
}
