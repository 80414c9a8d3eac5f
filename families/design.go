package families

// Open returns the columns that a 0-1 design opens: y_j > 1/2.
func Open(y []float64) []int32 {
	var open []int32
	for j, v := range y {
		if v > 0.5 {
			open = append(open, int32(j))
		}
	}
	return open
}

// Design returns the 0-1 vector of length n that opens the columns listed.
func Design(n int, open []int32) []float64 {
	y := make([]float64, n)
	for _, j := range open {
		y[j] = 1
	}
	return y
}
