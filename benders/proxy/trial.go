package proxy

import (
	"context"

	"github.com/proxybd/proxybd/benders"
)

// Trial is what a model in training is validated with: states of one instance.
type Trial struct {
	States    []benders.State
	Predictor func() (Predictor, error) // with the weights of the moment
	Certifier interface {
		Certifier
		// Value returns the certified value of a projected prediction at y.
		Value(projected, y []float64) float64
	}
	Unit float64 // of the certified values

	// Core and Weight say where the value counts: at (1 - Weight) y + Weight Core. A weight above 0 asks of the cuts
	// that are best at y for one that is good elsewhere too (Magnanti and Wong 1981).
	Core   []float64
	Weight float64
}

// Mix writes (1 - weight) y + weight core to dst.
func Mix(dst, y, core []float64, weight float64) {
	for j, v := range y {
		dst[j] = (1-weight)*v + weight*core[j]
	}
}

// Loss returns the mean certified value of the trials, each in its unit, negated.
func Loss(ctx context.Context, trials []Trial) (float64, error) {
	total, count := 0.0, 0
	for _, t := range trials {
		p, err := t.Predictor()
		if err != nil {
			return 0, err
		}
		prediction, at := make([]float64, t.Certifier.Dim()), make([]float64, len(t.Core))
		for _, s := range t.States {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := p.Predict(s.Y, prediction); err != nil {
				return 0, err
			}
			t.Certifier.Project(prediction)
			y := s.Y
			if t.Weight > 0 {
				Mix(at, y, t.Core, t.Weight)
				y = at
			}
			total -= t.Certifier.Value(prediction, y) / t.Unit
		}
		count += len(t.States)
	}
	return total / float64(count), nil
}
