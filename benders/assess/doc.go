// Package assess computes measures of risk and value next to the optimum of a program with scenarios: the cost of a
// design in every scenario and the confidence interval of its expectation from a sample, the values of perfect
// information and of the stochastic solution (Birge and Louveaux 2011, chapter 4), the conditional value at risk as
// an objective (Rockafellar and Uryasev 2000), and the gap of sample average approximation by replications (Mak,
// Morton and Wood 1999).
//
// Costs are in the sense of the program: profits where it is a maximisation. A value that is not known is NaN, with a
// reason.
package assess

import (
	"errors"
	"math"
)

// ErrDesign is wrapped by the error of a design that violates the first stage of the program.
var ErrDesign = errors.New("not a design of the program")

// sense is the sign that makes a value of a program one of a minimisation: -1 where the program is a maximisation.
func sense(maximize bool) float64 {
	if maximize {
		return -1
	}
	return 1
}

// Range holds a value that may not be known exactly: it lies between Low and High.
type Range struct{ Low, High float64 }

// Middle returns the value where it is known to 1e-9 of a scale, that of the costs it is a difference of, and else NaN.
func (r Range) Middle(scale float64) float64 {
	// The negation holds for NaN, too.
	if !(r.High-r.Low <= 1e-9*math.Abs(scale)) {
		return math.NaN()
	}
	return (r.Low + r.High) / 2
}
