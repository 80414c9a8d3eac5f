package benders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Fractional says where a branch-and-Benders-cut run separates fractional points. Integer points are
// always separated.
type Fractional uint8

const (
	Never   Fractional = iota // integer candidates only (the paper's aggregated proxy)
	AtRoot                    // and at the root
	AtNodes                   // and at every node
)

// Stabilisation is in-out separation: cuts are made at Weight*y + (1-Weight)*q + Shift, where y is
// the master's point and the stability centre q moves towards y by q += Pull*(y - q) each round. After
// Stalls rounds without progress of the bound, y itself is separated (Fischetti, Ljubic, Sinnl 2017,
// section 4.2).
type Stabilisation struct {
	Weight float64 // in (0, 1]; 1 separates y itself (no stabilisation)
	Pull   float64 // in [0, 1]
	Shift  float64 // added to every component, at least 0, tiny
	Stalls int     // rounds without progress after which it is switched off
}

// Options steer a driver. Start from DefaultOptions.
type Options struct {
	Gap           float64       // proven relative gap at which to stop (default 1e-4)
	TimeLimit     time.Duration // wall clock; math.MaxInt64 for none (default)
	MaxNodes      int           // of the tree; math.MaxInt for none (default)
	StallNodes    int           // nodes in a row without a better design: Stalled; math.MaxInt for none (default)
	MaxIterations int           // rounds of the outer loop; math.MaxInt for none (default)
	Violation     float64       // eps_sep: a cut counts when violated by this, relative to Cut.Scale (default 1e-6)
	AgeLimit      int           // rounds of the outer loop that a slack cut stays in the master; 0 for all (default 20)
	Fractional    Fractional    // default AtNodes
	RootRounds    int           // maximum number of separation rounds at the root (default 200)
	NodeRounds    int           // maximum number of separation rounds at a node (default 20)
	Probes        bool          // probe branchings at every node, where cuts are costly: bnb.ByProbes (default false)
	InOut         Stabilisation // default: Fischetti, Ljubic, Sinnl
	Heuristic     bool          // use Problem.Starts and Problem.Improve (default true)
	TrueCost      bool          // price every visited design and return the cheapest (default true; needs Recourse)
	Unpriced      bool          // without TrueCost: nor is the last design priced, the objective is NaN (default false)
	Seed          uint64        // default 1
	LogEvery      time.Duration // minimum time between two Progress calls (default 1s)

	// Progress, if not nil, is called at log lines.
	Progress func(Progress)

	// Recorder, if not nil, is called after every separation, for training data and figures.
	Recorder Recorder
}

// Spend takes a time that has passed, and nodes of a tree, off the limits, where there are any.
func (o *Options) Spend(d time.Duration, nodes int) {
	if o.TimeLimit != math.MaxInt64 {
		o.TimeLimit = max(0, o.TimeLimit-d)
	}
	if o.MaxNodes != math.MaxInt {
		o.MaxNodes = max(0, o.MaxNodes-nodes)
	}
}

// Within returns the context with the time limit, which counts from the given time.
func (o *Options) Within(ctx context.Context, from time.Time) (context.Context, context.CancelFunc) {
	if o.TimeLimit == math.MaxInt64 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, from.Add(o.TimeLimit))
}

// DefaultOptions returns the settings for exact branch-and-Benders-cut.
func DefaultOptions() Options {
	return Options{
		Gap:           1e-4,
		TimeLimit:     math.MaxInt64,
		MaxNodes:      math.MaxInt,
		StallNodes:    math.MaxInt,
		MaxIterations: math.MaxInt,
		Violation:     1e-6,
		AgeLimit:      20,
		Fractional:    AtNodes,
		RootRounds:    200,
		NodeRounds:    20,
		InOut:         Stabilisation{Weight: 0.2, Pull: 0.5, Shift: 2e-9, Stalls: 5},
		Heuristic:     true,
		TrueCost:      true,
		Seed:          1,
		LogEvery:      time.Second,
	}
}

// ErrOptions is wrapped by the errors of Options.Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports the first field that has no meaning.
func (o *Options) Validate() error {
	// Every comparison is false for NaN, which is refused too.
	fields := []struct {
		name  string
		ok    bool
		value any
	}{
		{"Gap", o.Gap >= 0, o.Gap},
		{"TimeLimit", o.TimeLimit >= 0, o.TimeLimit},
		{"MaxNodes", o.MaxNodes >= 0, o.MaxNodes},
		{"StallNodes", o.StallNodes >= 1, o.StallNodes},
		{"MaxIterations", o.MaxIterations >= 0, o.MaxIterations},
		{"Violation", o.Violation > 0, o.Violation},
		{"AgeLimit", o.AgeLimit >= 0, o.AgeLimit},
		{"RootRounds", o.RootRounds >= 0, o.RootRounds},
		{"NodeRounds", o.NodeRounds >= 0, o.NodeRounds},
		{"InOut.Weight", o.InOut.Weight > 0 && o.InOut.Weight <= 1, o.InOut.Weight},
		{"InOut.Pull", o.InOut.Pull >= 0 && o.InOut.Pull <= 1, o.InOut.Pull},
		{"InOut.Shift", o.InOut.Shift >= 0 && o.InOut.Shift < 1e-3, o.InOut.Shift},
	}

	for _, f := range fields {
		if !f.ok {
			return fmt.Errorf("benders: %w: %s = %v", ErrOptions, f.name, f.value)
		}
	}
	return nil
}
