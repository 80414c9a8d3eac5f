package f64

import "math"

func adamGeneric(w, m, v, g []float64, s *AdamStep) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	b1, b2, c1, c2, keep := s.Beta1, s.Beta2, 1-s.Beta1, 1-s.Beta2, 1-s.Decay
	for i := range w {
		d := s.GradScale * g[i]
		mi := float64(b1*m[i]) + float64(c1*d)
		vi := float64(b2*v[i]) + float64(float64(c2*d)*d)
		m[i], v[i] = mi, vi
		w[i] = float64(keep*w[i]) - float64(s.Rate*mi)/(math.Sqrt(s.Correct2*vi)+s.Epsilon)
	}
}
