package f64

import "math"

// adamGeneric rounds every product, as the assembly does: none is fused with a sum.
func adamGeneric(w, m, v, g []float64, s *adamStep) {
	// The slices have equal lengths, which the compiler needs to leave out the bounds checks.
	m = m[:len(w)]
	v = v[:len(w)]
	g = g[:len(w)]

	// The scalars are constants of the loop.
	b1 := s.Beta1
	b2 := s.Beta2
	c1 := 1 - b1
	c2 := 1 - b2
	keep := 1 - s.Decay
	for i := range w {
		// The moments follow the scaled gradient, and the weight moves by their corrected ratio.
		d := s.GradScale * g[i]
		mi := float64(b1*m[i]) + float64(c1*d)
		vi := float64(b2*v[i]) + float64(float64(c2*d)*d)
		m[i] = mi
		v[i] = vi
		w[i] = float64(keep*w[i]) - float64(s.Rate*mi)/(math.Sqrt(s.Correct2*vi)+s.Epsilon)
	}
}
