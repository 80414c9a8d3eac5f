package decompose

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// budget is what is left to a run: its options, with the time and the nodes that were used taken off. Every part of a
// run gets the options of the budget, whatever the parts before it have used.
type budget struct {
	benders.Options
	at time.Time // up to which the time is taken off
}

// use takes the time since the last call and a number of nodes off, and returns the time: what a part took, for the
// split of times in the result.
func (b *budget) use(nodes int) time.Duration {
	now := time.Now()
	took := now.Sub(b.at)
	b.Spend(took, nodes)
	b.at = now
	return took
}

// within is the context until the time is up. The limit counts from the time up to which it was reduced, not from now.
func (b *budget) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return b.Within(ctx, b.at)
}
