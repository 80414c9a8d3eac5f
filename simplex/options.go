package simplex

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Tolerances are the feasibility tolerances, absolute. They hold in the scaled model while it is being solved; where
// the answer then violates them in the units of the model, the solve goes on with tighter scaled ones. A model that is
// infeasible by so little that rounding could refute the proof is solved to 10 times the primal tolerance, or 1e-12 of
// the largest value where that is more, after every other attempt has failed.
type Tolerances struct {
	Primal float64 // how far a variable may lie outside its bounds (default 1e-7)
	Dual   float64 // how far a reduced cost may have the wrong sign (default 1e-7)
}

// Options steer a Solver. Start from DefaultOptions.
type Options struct {
	Tolerances Tolerances
	Scale      bool          // equilibrate by powers of two (default true)
	Perturb    bool          // perturb the costs of cold solves against degeneracy (default true); stalled ones always are
	Seed       uint64        // of the perturbation (default 1)
	LogEvery   time.Duration // minimum time between two log records (default 1s)
	Log        *slog.Logger  // nil for silence; warnings of recoveries, and Info records (see the package comment)

	// Threads is the number of threads (default 1). With two or more the edge weights of a large model are computed
	// next to the ratio test. Nothing but Result.Span depends on the number, and more than two are two.
	Threads int

	// Watch is called at every iteration with the work of the run so far, and must not call the Solver; nil for none.
	Watch func(work float64)

	// Of the function Solve only.
	Limits   Limits // default NoLimits
	Presolve bool   // make the model smaller first (default true)
	Fold     bool   // begin with the classes of like rows and columns, where symmetry makes few of them (default true)
	Dualize  bool   // begin with the dual of a model of far more rows than columns (default true)

	noInverse bool // solve with L and U in bases of few rows too; for tests
}

// Limits end a Solve early, with a status for each and the bound that is proven then. Start from NoLimits: the zero
// value allows nothing.
type Limits struct {
	Iterations int           // math.MaxInt for none
	Time       time.Duration // on the wall clock; math.MaxInt64 for none
	Work       float64       // units that are the same on every machine, about one a nonzero touched; +Inf for none
	Objective  float64       // of the dual, in the sense of the model, once it is worse; an infinity for none
}

// NoLimits returns limits that are never reached.
func NoLimits() Limits {
	return Limits{Iterations: math.MaxInt, Time: math.MaxInt64, Work: math.Inf(1), Objective: math.Inf(1)}
}

// spend takes off what has been used since start.
func (l *Limits) spend(used *Result, start time.Time) {
	if l.Iterations < math.MaxInt {
		l.Iterations = max(0, l.Iterations-used.Iterations)
	}
	l.Work = max(0, l.Work-used.Work)
	if l.Time < math.MaxInt64 {
		l.Time = max(0, l.Time-time.Since(start))
	}
}

// reached reports whether nothing is left of a limit.
func (l *Limits) reached() bool { return l.Iterations == 0 || l.Time == 0 || l.Work == 0 }

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options {
	return Options{
		Tolerances: Tolerances{Primal: 1e-7, Dual: 1e-7},
		Limits:     NoLimits(),
		Scale:      true,
		Perturb:    true,
		Presolve:   true,
		Fold:       true,
		Dualize:    true,
		Seed:       1,
		LogEvery:   time.Second,
		Threads:    1,
	}
}

// ErrOptions is wrapped by the errors of options and limits without a meaning.
var ErrOptions = errors.New("invalid options")

// badOption returns the error of a field without a meaning.
func badOption(field string, v any) error {
	return fmt.Errorf("simplex: %w: %s = %v", ErrOptions, field, v)
}

// Validate reports the first field that has no meaning.
func (o *Options) Validate() error {
	switch {
	case !(o.Tolerances.Primal > 0 && o.Tolerances.Primal < 1):
		return badOption("Tolerances.Primal", o.Tolerances.Primal)
	case !(o.Tolerances.Dual > 0 && o.Tolerances.Dual < 1):
		return badOption("Tolerances.Dual", o.Tolerances.Dual)
	case o.Threads < 1:
		return badOption("Threads", o.Threads)
	}
	return o.Limits.Validate()
}

// Validate reports the first limit that has no meaning.
func (l *Limits) Validate() error {
	switch {
	case l.Iterations < 0:
		return badOption("Limits.Iterations", l.Iterations)
	case l.Time < 0:
		return badOption("Limits.Time", l.Time)
	case !(l.Work >= 0):
		return badOption("Limits.Work", l.Work)
	case math.IsNaN(l.Objective):
		return badOption("Limits.Objective", l.Objective)
	}
	return nil
}
