package f64

// Dot returns
//
//	for i := range x { s += x[i] * y[i] }
//
// The lengths must be equal. Pure Go sums four interleaved parts (i mod 4) and adds them as
// (s0 + s1) + (s2 + s3), then the last len%4 products in order; the assembly sums more parts. It may fuse.
func Dot(x, y []float64) float64 {
	equalLen("Dot", len(x), len(y))
	return dot(x, y)
}

// Sum returns
//
//	for i := range x { s += x[i] }
//
// in the order of Dot.
func Sum(x []float64) float64 { return sum(x) }
