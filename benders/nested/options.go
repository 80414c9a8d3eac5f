package nested

import (
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/replay"
)

// Options steer Solve. Start from DefaultOptions.
type Options struct {
	Gap       float64       // proven relative gap at which to stop (default 1e-4)
	TimeLimit time.Duration // wall clock; math.MaxInt64 for none (default)
	MaxPasses int           // paths and complete passes; math.MaxInt for none (default)
	Parts     int           // epigraph columns of a future, at most; 0 for one an arc where these are few (default)
	Seed      uint64        // of the paths that are drawn (default 1)
	LogEvery  time.Duration // minimum time between two Progress calls (default 1s)
	Threads   int           // goroutines at most, 0 for one a processor (default); no result depends on it

	// Team, if not nil, has the linear programs of nodes in other processes, each with a Worker. No result depends on it.
	Team replay.Team

	// Progress, if not nil, is called at log lines: Iteration counts the passes.
	Progress func(benders.Progress)
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{
		Gap:       1e-4,
		TimeLimit: math.MaxInt64,
		MaxPasses: math.MaxInt,
		Seed:      1,
		LogEvery:  time.Second,
	}
}

// Validate reports the first field that has no meaning.
func (o *Options) Validate() error {
	// The negation of the gap's condition holds for NaN, too.
	bad := func(field string, v any) error { return fmt.Errorf("nested: %w: %s = %v", ErrOptions, field, v) }
	switch {
	case !(o.Gap >= 0):
		return bad("Gap", o.Gap)
	case o.TimeLimit < 0:
		return bad("TimeLimit", o.TimeLimit)
	case o.MaxPasses < 0:
		return bad("MaxPasses", o.MaxPasses)
	case o.Threads < 0:
		return bad("Threads", o.Threads)
	case o.Parts < 0:
		return bad("Parts", o.Parts)
	}
	return nil
}
