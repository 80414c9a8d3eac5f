package proxy

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
)

// Share returns the share of the exact recourse cost Q that the cuts of the model reach at the states that have a
// feasible recourse: 1 - sum (Q - certified) / sum |Q|.
func (m *Model) Share(ctx context.Context, samples []Sample) (float64, error) {
	lost, whole := 0.0, 0.0
	for _, s := range samples {
		v, err := m.On(s.Instance)
		if err != nil {
			return 0, err
		}
		certified, err := m.separator(v, true)
		if err != nil {
			return 0, err
		}
		exact, err := v.Exact()
		if err != nil {
			return 0, err
		}
		for _, state := range s.States {
			p := benders.Point{Y: state.Y, Integer: state.Integer}
			b, err := exact.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			if b.Infeasible {
				continue
			}
			a, err := certified.Separate(ctx, p)
			if err != nil {
				return 0, err
			}
			lost += b.Value - a.Value
			whole += math.Abs(b.Value)
		}
	}
	return 1 - lost/whole, nil
}
