package decompose

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// budget is what is left to a run: its options, with the time and the nodes that were used taken off.
type budget struct {
	benders.Options
	at time.Time // up to which the time is taken off
}

// use takes the time since the last call and a number of nodes off, and returns the time.
func (b *budget) use(nodes int) time.Duration {
	now := time.Now()
	took := now.Sub(b.at)
	b.Spend(took)
	b.at = now
	if b.MaxNodes != math.MaxInt {
		b.MaxNodes = max(0, b.MaxNodes-nodes)
	}
	return took
}

// within is the context until the time is up.
func (b *budget) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.TimeLimit == math.MaxInt64 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, b.at.Add(b.TimeLimit))
}

// Within is the context with the time limit of the options.
func Within(ctx context.Context, o *benders.Options) (context.Context, context.CancelFunc) {
	b := budget{*o, time.Now()}
	return b.within(ctx)
}
