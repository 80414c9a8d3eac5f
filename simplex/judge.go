package simplex

import (
	"context"
	"fmt"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// widestTolerance is the largest residual of a solution that is called optimal. Solutions beyond it are numerical
// failures; those between it and the tolerance of the options name it (Solution.Tolerance).
const widestTolerance = 1e-5

// judged holds an optimal solution against the model as it was given. The solver works on a scaled, reduced or dualised
// model, and its last recovery accepts wider tolerances: small violations there may be large here. Where they are, the
// model is solved again in its own units, from the basis that was found and from scratch, and the best answer counts.
func (sol *Solution) judged(ctx context.Context, m *lp.Model, opt Options, err error) (*Solution, error) {
	if err != nil || sol.Status != lp.Optimal {
		return sol, err
	}
	wanted := max(residualTol, opt.Tolerances.Primal, opt.Tolerances.Dual)
	best, residuals := sol, Check(m, sol)
	for attempt := 0; attempt < attemptsAgain && !residuals.OK(wanted); attempt++ {
		other := sol.again(ctx, m, opt, attempt)
		if other == nil {
			continue
		}
		if r := Check(m, other); r.Largest() < residuals.Largest() {
			best, residuals = other, r
		}
	}

	best.Residuals, best.Tolerance = residuals, wanted
	switch largest := residuals.Largest(); {
	case residuals.OK(wanted):
	case largest <= widestTolerance:
		best.Tolerance = largest
	default:
		return nil, fmt.Errorf("simplex: %w: the best answer violates the conditions of an optimum by %.2g", ErrNumerical,
			largest)
	}
	return best, nil
}

// attemptsAgain is the number of ways in which a model is solved once more; see again.
const attemptsAgain = 4

// again solves the model once more: from the basis of sol and then from the slack basis without scaling, from the slack
// basis with scaling, and with presolve where there was none and the other way round. It returns nil where that gives
// no optimal solution.
func (sol *Solution) again(ctx context.Context, m *lp.Model, opt Options, attempt int) *Solution {
	var other *Solution
	var err error
	switch attempt {
	case 0:
		opt.Scale = false
		other, err = solveFrom(ctx, m, opt, &sol.Basis)
	case 1, 2:
		opt.Scale = attempt == 2
		other, err = solveFrom(ctx, m, opt, nil)
	default:
		opt.Presolve = !opt.Presolve
		other, err = solveCold(ctx, m, opt, logged{started: time.Now()})
	}
	if err != nil || other.Status != lp.Optimal {
		return nil
	}
	other.Iterations += sol.Iterations
	other.Work += sol.Work
	return other.tidied(m, opt.Tolerances.Primal)
}

// SolveFrom solves m from a basis, without presolve, and holds an optimal solution against m as Solve does. An error
// wraps ErrBasis where the basis is not one of m.
func SolveFrom(ctx context.Context, m *lp.Model, opt Options, basis *Basis) (*Solution, error) {
	sol, err := solveFrom(ctx, m, opt, basis)
	return sol.judged(ctx, m, opt, err)
}

// solveFrom solves m from a basis, nil for the slack basis, with one solver.
func solveFrom(ctx context.Context, m *lp.Model, opt Options, basis *Basis) (*Solution, error) {
	s, err := New(m, opt)
	if err != nil {
		return nil, err
	}
	if basis != nil {
		if err := s.SetBasis(basis); err != nil {
			return nil, err
		}
	}
	r, err := s.Solve(ctx, opt.Limits)
	if err != nil {
		return nil, err
	}
	return s.Solution(r), nil
}
