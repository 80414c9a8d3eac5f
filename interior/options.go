package interior

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/proxybd/proxybd/internal/cholesky"
	"github.com/proxybd/proxybd/simplex"
)

// Options steer Solve. Start from DefaultOptions.
type Options struct {
	Tolerance float64           // of the relative violations and of the gap, scaled (default 1e-8)
	Limits    simplex.Limits    // iterations of both methods, and time; the rest for the simplex method
	Presolve  bool              // make the model smaller first (default true)
	Crossover bool              // end with a basis (default true)
	Ordering  cholesky.Ordering // of the linear systems (default the one with fewer predicted operations)
	Threads   int               // of linear systems and products, 0 for one a processor; results do not depend on it
	MaxBytes  int64             // most memory of a factor, 0 for no limit (default 0)
	LogEvery  time.Duration     // minimum time between two records (default 0: each iteration has one)
	Log       *slog.Logger      // nil for silence
	Simplex   simplex.Options   // of the simplex method after crossover, and where this method gives no answer

	maxFlops float64 // SolveAuto: operations of a factorisation for each row and column; 0 for no limit
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options {
	return Options{
		Tolerance: 1e-8,
		Limits:    simplex.NoLimits(),
		Presolve:  true,
		Crossover: true,
		Simplex:   simplex.DefaultOptions(),
	}
}

// ErrOptions is wrapped by the errors of options without a meaning.
var ErrOptions = errors.New("invalid options")

// Validate reports the first field that has no meaning. The error wraps ErrOptions.
func (o *Options) Validate() error {
	bad := func(field string, v any) error { return fmt.Errorf("interior: %w: %s = %v", ErrOptions, field, v) }
	switch {
	case !(o.Tolerance > 0 && o.Tolerance < 1):
		return bad("Tolerance", o.Tolerance)
	case o.Threads < 0:
		return bad("Threads", o.Threads)
	case o.MaxBytes < 0:
		return bad("MaxBytes", o.MaxBytes)
	}
	if err := o.Limits.Validate(); err != nil {
		return fmt.Errorf("interior: %w: %w", ErrOptions, err)
	}
	return o.Simplex.Validate()
}
