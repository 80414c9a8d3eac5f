package report

import (
	"math"
	"strconv"
)

// scale maps data to a monotone coordinate.
type scale struct {
	at    func(float64) float64          // the coordinate of a value
	ticks func(lo, hi float64) []float64 // values to label within a range
	pgf   string                         // options of pgfplots, with AXIS for the letter of the axis
}

// linear is the scale of numbers that are compared by differences.
var linear = scale{func(v float64) float64 { return v }, linearTicks, ""}

// logarithmic is the scale of positive numbers that are compared by ratios.
var logarithmic = scale{func(v float64) float64 { return math.Log10(math.Max(v, 1e-12)) }, logTicks, "AXISmode=log"}

// fromZero is logarithmic above a unit and shows zero.
func fromZero(unit float64) scale {
	// The inverse hyperbolic sine is linear near zero and logarithmic far from it.
	at := func(v float64) float64 { return math.Asinh(v/unit) / math.Ln10 }
	ticks := func(_, hi float64) []float64 {
		out := []float64{0}
		for v := unit; v <= hi*1.0001 && len(out) < 40; v *= 10 {
			out = append(out, v)
		}
		return out
	}
	return scale{at, ticks, pgfFromZero(unit)}
}

// linearTicks returns four to eight round values.
func linearTicks(lo, hi float64) []float64 {
	// A range without width has one value to label.
	if !(hi > lo) {
		return []float64{lo}
	}

	// The step is a power of ten at first, and then the smallest round multiple that gives few ticks.
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if (hi-lo)/(m*step) <= 7 {
			step *= m
			break
		}
	}
	var out []float64
	// The tolerance keeps ticks that rounding puts just outside the range.
	first := math.Ceil(lo/step - 1e-9)
	for k := 0.0; k < 12 && (first+k)*step <= hi+1e-9*step; k++ {
		out = append(out, (first+k)*step)
	}
	return out
}

// logTicks returns powers of ten, and twos and fives between them where there are few.
func logTicks(lo, hi float64) []float64 {
	// Over two orders of magnitude powers of ten are enough.
	factors := []float64{1}
	if hi/lo < 200 {
		factors = []float64{1, 2, 5}
	}
	var out []float64
	first := math.Floor(math.Log10(math.Max(lo, 1e-12)))
	for k := 0.0; k < 40 && first+k <= math.Ceil(math.Log10(hi)); k++ {
		e := first + k
		for _, f := range factors {
			// The factors allow for rounding at both ends.
			if v := f * math.Pow(10, e); v >= lo*0.999 && v <= hi*1.001 {
				out = append(out, v)
			}
		}
	}
	return out
}

// tick shows a value of an axis.
func tick(v float64) string {
	// Labels have at most a few characters.
	switch a := math.Abs(v); {
	case a >= 1e4:
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	case a != 0 && a < 1e-3:
		return strconv.FormatFloat(v, 'e', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
