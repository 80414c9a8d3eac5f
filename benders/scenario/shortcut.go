package scenario

import (
	"context"
	"errors"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// Shortcut knows a way to the recourse of a program that is shorter than a linear program of its skeleton. It is for
// one goroutine, and its answers depend on the points that it was asked for alone.
type Shortcut interface {
	// Price returns the recourse cost of a scenario at a point, and optimal multipliers of the recourse rows in their
	// order, valid until the next call. It returns false where it does not know them or there is no recourse: then the
	// linear program is asked. The multipliers are made dual feasible like all others, and a cost that their cut does
	// not reach is not believed; that it is no less than the true one is on trust, as with a linear program.
	Price(ctx context.Context, y []float64, scenario int) (cost float64, lambda []float64, ok bool, err error)
}

// WithShortcut sets how each chunk of scenarios gets a shortcut of its own. It returns the problem.
func (p *Problem) WithShortcut(shortcut func() (Shortcut, error)) *Problem {
	p.shortcut = shortcut
	return p
}

// short answers the scenario that the view shows by the shortcut, as far as that knows it.
func (c *chunk) short(ctx context.Context, y []float64) (a answer, ok bool, err error) {
	if c.shortcut == nil {
		return a, false, nil
	}
	cost, lambda, ok, err := c.shortcut.Price(ctx, y, c.view.Scenario())
	if err != nil || !ok {
		return a, false, err
	}
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
