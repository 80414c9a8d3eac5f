package lagrange

import (
	"context"

	"github.com/proxybd/proxybd/benders"
)

// Watch returns a separator that tells see of the points of the master that it is asked to cut off, which are good ones
// for a local search to begin at. What it is told of must not be kept.
func Watch(s benders.Separator, see func(y []float64)) benders.Separator { return watched{s, see} }

type watched struct {
	benders.Separator
	see func(y []float64)
}

// Separate implements benders.Separator.
func (w watched) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	y := p.From
	if y == nil {
		y = p.Y
	}
	w.see(y)
	return w.Separator.Separate(ctx, p)
}
