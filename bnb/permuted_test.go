package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/tools/classes"
)

// TestPermuted solves models whose rows and columns have changed places.
func TestPermuted(t *testing.T) {
	forTinies(t, 500, func(rng *rand.Rand, m *tiny, want float64) error {
		p, err := classes.Permuted(m.model(nil), rng)
		if err != nil {
			return err
		}
		res, err := Solve(context.Background(), p, exact(), Hooks{})
		if err == nil && !(math.Abs(res.Objective-want) <= 2e-6) && !(math.IsNaN(want) && res.Status == lp.Infeasible) {
			err = fmt.Errorf("status %v, objective %g, want %g", res.Status, res.Objective, want)
		}
		return err
	})
}
