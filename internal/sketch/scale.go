package sketch

// Largest returns the greatest of a list, at least 0.
func Largest(list []float64) float64 {
	// A list without positive numbers has the greatest 0.
	greatest := 0.0
	for _, v := range list {
		greatest = max(greatest, v)
	}
	return greatest
}

// Part returns v as a part of the greatest, 1 where all are 0.
func Part(v, greatest float64) float64 {
	// The negation covers NaN.
	if !(greatest > 0) {
		return 1
	}
	return v / greatest
}
