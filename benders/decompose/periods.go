package decompose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// nested reports whether a run goes period by period, where the program has several: if nothing is asked for that only
// a program with its scenarios has.
func (o *Options) nested() bool {
	// Starts, limits of nodes and rules of stalling are about a tree, which a program of periods does not have.
	plain := o.Start == nil && o.Benders.MaxNodes == math.MaxInt && !o.StallGiven
	return o.Scheme == Nested || plain && o.allowsFullModel()
}

// byPeriods solves a program of several periods without its scenarios. Where that is not asked for, or not
// possible, it returns the program with them instead, and takes the time that has passed off the limit.
func (p *Program) byPeriods(ctx context.Context, o *Options) (*benders.Result, *Program, error) {
	if !o.nested() {
		other, err := p.Model.Periods.Listed()
		return nil, other, err
	}

	// The program with scenarios checks its options itself, in solve.
	if err := o.validate(p); err != nil {
		return nil, nil, err
	}

	// By the scheme auto an unsupported program is solved with its scenarios.
	began := time.Now()
	out, err := p.Model.Periods.Solve(ctx, *o)
	if err == nil || o.Scheme == Nested || !errors.Is(err, ErrUnsupported) {
		return out, nil, err
	}
	other, bad := p.Model.Periods.Listed()
	if bad != nil {
		return nil, nil, fmt.Errorf("%w; nor with its scenarios: %w", err, bad)
	}
	o.logf("%v: with all scenarios instead", err)
	o.Benders.Spend(time.Since(began), 0)
	return nil, other, nil
}
