package report

import (
	"math"
	"slices"
)

// quantile returns the q-quantile by linear interpolation between order statistics, NaN of nothing.
func quantile(values []float64, q float64) float64 {
	// There is no order statistic of an empty sample.
	if len(values) == 0 {
		return math.NaN()
	}

	// The values belong to the caller, and stay in their order.
	v := slices.Clone(values)
	slices.Sort(v)
	// The q-quantile lies between two order statistics, k and k+1.
	at := q * float64(len(v)-1)
	k := int(at)
	if k == len(v)-1 {
		return v[k]
	}
	if v[k] == v[k+1] { // also where both are infinite
		return v[k]
	}
	return v[k] + (at-float64(k))*(v[k+1]-v[k])
}

// Median returns the middle of the values, the mean of the middle two of an even number; NaN of nothing. gonum's
// stat.Quantile interpolates the cumulative distribution: it takes the lower of two middle values, and 1.5 of 1, 2, 3.
func Median(values []float64) float64 { return quantile(values, 0.5) }

// mean is the arithmetic mean, NaN of nothing.
func mean(values []float64) float64 {
	// Of no values the quotient below is 0/0, which is NaN.
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// geometric is the geometric mean of positive values, NaN of none.
func geometric(values []float64) float64 {
	// The sum of logarithms cannot overflow. Of no values the quotient is 0/0, which is NaN.
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// timeShift is the shift of the geometric mean of times, in seconds, as in comparisons of MIP solvers: differences
// between runs that are much shorter hardly count.
const timeShift = 1.0

// shiftedGeometric is the shifted geometric mean of times in seconds, exp(mean(ln(t + 1))) - 1; NaN of nothing.
func shiftedGeometric(times []float64) float64 {
	// Logarithms and exponentials near 1 keep the digits of short times.
	sum := 0.0
	for _, t := range times {
		sum += math.Log1p(t / timeShift)
	}
	return timeShift * math.Expm1(sum/float64(len(times)))
}
