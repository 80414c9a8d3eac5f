package nested

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Errors that the package wraps.
var (
	// ErrUnsuited is about integer columns, or a period without a least cost.
	ErrUnsuited = errors.New("not for nested decomposition")
	// ErrNumerical is about a linear program that failed, or cuts that do not exclude what they were made to exclude.
	ErrNumerical = errors.New("numerical failure")
	// ErrOptions is about a field of Options.
	ErrOptions = errors.New("invalid options")
)

// errStopped ends a run at a limit, errBudget a complete pass that takes too many linear programs.
var (
	errStopped = errors.New("stopped")
	errBudget  = errors.New("too many linear programs")
)

// run is one solve.
type run struct {
	*programs
	remote       *remote // has the programs of the nodes where they are in other processes, nil elsewhere
	o            Options
	ctx, caller  context.Context // the first one ends at the time limit, too
	began        time.Time
	upperHulls   []*upperHull   // of each future, nil before they are needed
	hullPrograms []*hullProgram // of each group, nil before they are needed
	rng          *rand.Rand

	memo   map[[16]byte]float64 // of a complete pass: costs of futures at states
	budget int                  // linear programs after which a complete pass is given up

	// Counts of linear programs, of their pivots, and of the cuts of the two kinds.
	lps, pivots, optimality, feasibility int

	stopped lp.Status // the status behind errStopped
}

// newRun divides a program into periods. The context of the run ends at its time limit, or with the caller's.
func newRun(ctx, caller context.Context, p *stoch.Multistage, o Options) (*run, error) {
	l, err := newLayout(p, o.Parts)
	if err != nil {
		return nil, err
	}
	const stream = 0x6e657374 // of the random numbers, so that other packages draw others from the same seed
	r := &run{
		programs: newPrograms(l, o.Seed),
		o:        o,
		ctx:      ctx,
		caller:   caller,
		began:    time.Now(),
		rng:      rand.New(rand.NewPCG(o.Seed, stream)),
	}
	if o.Team != nil {
		r.remote = newRemote(l, &o)
	}
	return r, nil
}
