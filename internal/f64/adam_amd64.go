//go:build amd64 && !purego

package f64

func adam(w, m, v, g []float64, s *adamStep) {
	if active == generic {
		adamGeneric(w, m, v, g, s)
		return
	}

	// The assembly reads the scalars from memory, in this order.
	p := [9]float64{s.Beta1, 1 - s.Beta1, s.Beta2, 1 - s.Beta2, 1 - s.Decay, s.GradScale, s.Rate, s.Correct2, s.Epsilon}
	if active == avx512 {
		adamAVX512(w, m, v, g, &p)
	} else {
		adamAVX2(w, m, v, g, &p)
	}
}

//go:noescape
func adamAVX2(w, m, v, g []float64, p *[9]float64)

//go:noescape
func adamAVX512(w, m, v, g []float64, p *[9]float64)
