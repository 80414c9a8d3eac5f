package f64

import "math"

// peakGeneric has eight sums, so that additions do not wait for one another.
func peakGeneric(n int) int {
	// The factor keeps the sums finite.
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	x := 0.5
	y := float64(n & 1)
	for range n {
		s0 = s0*x + y
		s1 = s1*x + y
		s2 = s2*x + y
		s3 = s3*x + y
		s4 = s4*x + y
		s5 = s5*x + y
		s6 = s6*x + y
		s7 = s7*x + y
	}
	if math.IsNaN(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7) { // never; it keeps the sums alive
		return 0
	}
	return 16 * n
}
