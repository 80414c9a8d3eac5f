package f64

// peakSink keeps the compiler from dropping the loop.
var peakSink float64

func peakGeneric(n int) int {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	x := float64(n & 1)
	for range n {
		s0 += x * x
		s1 += x * x
		s2 += x * x
		s3 += x * x
		s4 += x * x
		s5 += x * x
		s6 += x * x
		s7 += x * x
	}
	peakSink = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7
	return 16 * n
}
