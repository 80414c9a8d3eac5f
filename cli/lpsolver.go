package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/interior"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// lpSolver is the flag --solver of proxybd lp.
type lpSolver string

// The methods for linear programs.
const (
	solverSimplex lpSolver = "simplex"
	solverIPM     lpSolver = "ipm"
	solverAuto    lpSolver = "auto"
)

// lpSolvers returns their names.
func lpSolvers() []string {
	return []string{string(solverSimplex), string(solverIPM), string(solverAuto)}
}

// String shows the value.
func (s *lpSolver) String() string { return string(*s) }

// Set reads a value.
func (s *lpSolver) Set(name string) error {
	if !slices.Contains(lpSolvers(), name) {
		return fmt.Errorf("none of %s", strings.Join(lpSolvers(), ", "))
	}
	*s = lpSolver(name)
	return nil
}

// Type names the values in the help.
func (s *lpSolver) Type() string { return strings.Join(lpSolvers(), "|") }

// solveCold solves a model by the method of --solver.
func (f *lpFlags) solveCold(ctx context.Context, m *lp.Model, opt simplex.Options) (*simplex.Solution, error) {
	if f.solver == solverSimplex {
		return simplex.Solve(ctx, m, opt)
	}

	// The limits are those of both methods together.
	o := interior.DefaultOptions()
	o.Limits = opt.Limits
	o.Presolve = opt.Presolve
	o.Crossover = f.crossover
	o.Threads = f.threads
	o.MaxBytes = 2 * unpack.DefaultLimit()
	o.Log = opt.Log
	o.Simplex = opt
	if f.solver == solverAuto {
		return interior.SolveAuto(ctx, m, o)
	}
	return interior.Solve(ctx, m, o)
}

// checkSolver reports flags of proxybd lp that do not go with the method.
func checkSolver(flags *pflag.FlagSet, f *lpFlags) error {
	switch {
	case f.threads < 0:
		return checkThreads(f.threads)
	case f.basis != "" && f.solver == solverIPM:
		return badInput(errors.New("--basis begins the simplex method: it cannot go with --solver ipm"))
	case flags.Changed("crossover") && f.solver != solverIPM:
		return badInput(errors.New("--crossover is for --solver ipm"))
	case !f.crossover && (f.writeBasis != "" || f.ranging):
		return badInput(errors.New("--crossover=false ends without a basis: it cannot go with --write-basis and --ranging"))
	}
	return nil
}
