package smps

import "math"

// Leaves returns how many scenarios of positive probability the program has, +Inf where a part is continuous.
func (p *Program) Leaves() float64 {
	if p.Parts == nil {
		return float64(len(p.Scenarios) - p.impossible())
	}

	// Independent parts combine: the numbers of their outcomes are multiplied, which may exceed every integer.
	n := 1.0
	for k := range p.Parts {
		if p.Parts[k].Law != nil {
			return math.Inf(1)
		}
		n *= float64(len(p.Parts[k].Outcomes))
	}
	return n
}
