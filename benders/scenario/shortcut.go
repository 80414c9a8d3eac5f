package scenario

import (
	"context"
	"errors"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// Shortcut prices the recourse of a program faster than a linear program of its skeleton does. It is for one goroutine,
// and its answers depend on nothing but the points of its calls so far.
type Shortcut interface {
	// Price returns the recourse cost of a scenario at a point, and optimal multipliers of the recourse rows in their
	// order, valid until the next call. It returns false where it finds none or there is no recourse: then the linear
	// program is solved. The multipliers are made dual feasible like all others, and a cost that their cut does not reach
	// is not used; that the cost is no less than the true one is not checked, as with a linear program.
	Price(ctx context.Context, y []float64, scenario int) (cost float64, lambda []float64, ok bool, err error)
}

// WithShortcut sets how each chunk of scenarios gets a shortcut of its own, before the first run. It returns the
// problem.
func (p *Problem) WithShortcut(shortcut func() (Shortcut, error)) *Problem {
	p.shortcut = shortcut
	return p
}

// short answers the scenario that the view shows by the shortcut. It reports false where there is no answer, or none
// that its own multipliers prove.
func (c *chunk) short(ctx context.Context, y []float64) (a answer, ok bool, err error) {
	if c.shortcut == nil {
		return a, false, nil
	}
	cost, lambda, ok, err := c.shortcut.Price(ctx, y, c.view.Scenario())
	if err != nil || !ok {
		return a, false, err
	}

	// The cut of the multipliers bounds the cost from below: it has to reach the cost.
	cut, err := c.view.Certify(benders.Optimality, lambda)
	switch {
	case errors.Is(err, twostage.ErrCertificate):
		return a, false, nil
	case err != nil:
		return a, false, err
	case cut.ValueDown(y) < cost-exactness*max(1, math.Abs(cost)):
		return a, false, nil
	}
	return answer{state: solved, value: cost, cut: cut}, true, nil
}
