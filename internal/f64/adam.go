package f64

import "math"

// adamStep holds the scalars of one Adam update (Kingma and Ba, 2015, algorithm 1, with the bias
// corrections of step t folded in).
type adamStep struct {
	Beta1, Beta2 float64 // decay rates of the moments
	Rate         float64 // learning rate / (1 - Beta1^t)
	Correct2     float64 // 1 / (1 - Beta2^t)
	Epsilon      float64 // added to the root of the corrected second moment
	Decay        float64 // w is first multiplied by 1 - Decay (decoupled weight decay); 0 for none
	GradScale    float64 // the gradient is first multiplied by this (clipping); 1 for none
}

// NewAdamStep returns the scalars of step t >= 1 at learning rate lr.
func NewAdamStep(t int, lr, beta1, beta2, epsilon float64) adamStep {
	return adamStep{
		Beta1:     beta1,
		Beta2:     beta2,
		Epsilon:   epsilon,
		GradScale: 1,
		Rate:      lr / (1 - math.Pow(beta1, float64(t))),
		Correct2:  1 / (1 - math.Pow(beta2, float64(t))),
	}
}

// Adam updates the weights w and their moments m, v from the gradient g:
//
//	for i := range w {
//		d := s.GradScale * g[i]
//		m[i] = s.Beta1*m[i] + (1-s.Beta1)*d
//		v[i] = s.Beta2*v[i] + (1-s.Beta2)*d*d
//		w[i] = (1-s.Decay)*w[i] - s.Rate*m[i]/(math.Sqrt(s.Correct2*v[i])+s.Epsilon)
//	}
//
// The lengths must be equal and the slices distinct.
func Adam(w, m, v, g []float64, s *adamStep) {
	// The slices are compared in pairs: no two of them may share memory.
	all := [...][]float64{w, m, v, g}
	for k, x := range all {
		equalLen("Adam", len(w), len(x))
		for _, y := range all[:k] {
			apart("Adam", x, y)
		}
	}
	adam(w, m, v, g, s)
}
