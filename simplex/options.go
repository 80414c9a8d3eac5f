package simplex

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Tolerances are the feasibility tolerances, absolute. They hold in the scaled model while it is being
// solved; where the answer then violates them in the units of the model, the solve goes on with
// tighter scaled ones. A model that is infeasible by so little that rounding could refute the proof is solved to 10 times
// the primal tolerance, or 1e-12 of the largest value where that is more, after every other attempt has failed.
type Tolerances struct {
	Primal float64 // how far a variable may lie outside its bounds (default 1e-7)
	Dual   float64 // how far a reduced cost may have the wrong sign (default 1e-7)
}

// Options steer a Solver. Start from DefaultOptions.
type Options struct {
	Tolerances     Tolerances
	MaxIterations  int           // per Solve; math.MaxInt for none (default)
	TimeLimit      time.Duration // per Solve; math.MaxInt64 for none (default)
	MaxWork        float64       // deterministic work units per Solve, about one a nonzero touched; +Inf for none
	ObjectiveLimit float64       // stop with lp.ObjectiveLimit once the dual objective passes it (model's sense); +Inf (-Inf for a maximisation) for none
	Scale          bool          // equilibrate by powers of two (default true)
	Perturb        bool          // perturb costs of cold solves against dual degeneracy, removed before the end (default true); stalled solves are perturbed in any case
	Presolve       bool          // make the model smaller first; the function Solve only (default true)
	Fold           bool          // begin with a model of classes of rows and columns, where symmetry makes one that is much smaller; the function Solve only (default true)
	Dualize        bool          // begin with the dual of a model with far more rows than columns, where the slack basis of that is a better start; the function Solve only (default true)
	Seed           uint64        // of the perturbation (default 1)
	LogEvery       time.Duration // least time between two log lines (default 1s)
	Log            *slog.Logger  // nil for silence; Info records of the reduced model, of progress and of the end, warnings of recoveries
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options {
	return Options{
		Tolerances:     Tolerances{Primal: 1e-7, Dual: 1e-7},
		MaxIterations:  math.MaxInt,
		TimeLimit:      math.MaxInt64,
		MaxWork:        math.Inf(1),
		ObjectiveLimit: math.Inf(1),
		Scale:          true,
		Perturb:        true,
		Presolve:       true,
		Fold:           true,
		Dualize:        true,
		Seed:           1,
		LogEvery:       time.Second,
	}
}

// ErrOptions is wrapped by the errors of Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports the first field that has no meaning.
func (o *Options) Validate() error {
	bad := func(field string, v any) error { return fmt.Errorf("simplex: %w: %s = %v", ErrOptions, field, v) }
	switch {
	case !(o.Tolerances.Primal > 0 && o.Tolerances.Primal < 1):
		return bad("Tolerances.Primal", o.Tolerances.Primal)
	case !(o.Tolerances.Dual > 0 && o.Tolerances.Dual < 1):
		return bad("Tolerances.Dual", o.Tolerances.Dual)
	case o.MaxIterations < 0:
		return bad("MaxIterations", o.MaxIterations)
	case o.TimeLimit < 0:
		return bad("TimeLimit", o.TimeLimit)
	case !(o.MaxWork >= 0):
		return bad("MaxWork", o.MaxWork)
	case math.IsNaN(o.ObjectiveLimit):
		return bad("ObjectiveLimit", o.ObjectiveLimit)
	}
	return nil
}
