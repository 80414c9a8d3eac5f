package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/exact"
)

// widestTolerance is the largest residual of a solution in float64 that is called optimal. Solutions beyond it are
// numerical failures; those between it and the tolerance of the options name it (Solution.Tolerance).
const widestTolerance = 1e-5

// Models of at most exactEntries rows times columns are solved in exact arithmetic where float64 does not decide, with
// the work of package exact limited to exactWork, a few seconds.
const (
	exactEntries = 10_000
	exactWork    = 3e8
)

// judged checks an answer on the model as it was given. The solver works on a scaled, reduced or dualised model, and
// its last recovery accepts wider tolerances: small violations there may be large here. An optimum that violates the
// tolerances is looked for again in the units of the model, from the basis that was found and from scratch, and the
// best answer counts. Where that does not help, and where a certificate holds only to a tolerance, a small model is
// decided in exact arithmetic. The limits of the options count from began on.
func (sol *Solution) judged(ctx context.Context, m *lp.Model, opt Options, began time.Time, err error) (
	*Solution, error) {
	failed := errors.Is(err, ErrNumerical)
	if err != nil && !failed {
		return nil, err
	}

	// An optimum must meet the tolerances, and a proof must hold without any; a limit is an answer as it is.
	best := sol
	switch {
	case failed:
	case sol.Status == lp.Optimal:
		if best = sol.improved(ctx, m, opt, began); best.Tolerance <= wantedTolerance(&opt) {
			return best, nil
		}
	case unfinished(sol.Status) || sol.proves(m):
		return sol, nil
	}

	// Where float64 does not decide exact arithmetic may, for a small model.
	if exactly := solveExact(m, best); exactly != nil {
		if exactly.Status == lp.Optimal {
			exactly.Tolerance = max(wantedTolerance(&opt), exactly.Residuals.Largest())
		}
		return exactly, nil
	}
	if !failed && best.Tolerance > widestTolerance {
		return nil, fmt.Errorf("simplex: %w: the best answer violates the conditions of an optimum by %.2g", ErrNumerical,
			best.Tolerance)
	}
	return best, err
}

// wantedTolerance is what the residuals of an optimum are to be within.
func wantedTolerance(opt *Options) float64 {
	return max(residualTol, opt.Tolerances.Primal, opt.Tolerances.Dual)
}

// improved returns the optimum of the least residuals: sol, or one of another attempt where those of sol are beyond the
// tolerances. Its residuals and the tolerance that they are within are set. What it has used is that of all attempts,
// which have what is left of the limits.
func (sol *Solution) improved(ctx context.Context, m *lp.Model, opt Options, began time.Time) *Solution {
	// The first answer counts unless another attempt violates the conditions by less.
	best := sol
	residuals := Check(m, sol)
	wanted := wantedTolerance(&opt)
	used := sol.Result
	for attempt := 0; attempt < attemptsAgain && !residuals.OK(wanted); attempt++ {
		rest := opt
		rest.Limits.spend(&used, began)
		if ctx.Err() != nil || rest.Limits.reached() {
			break
		}

		// Only an optimal answer is compared with the first one.
		other := sol.again(ctx, m, rest, attempt)
		if other == nil {
			continue
		}
		used.include(&other.Result)
		if other.Status != lp.Optimal {
			continue
		}
		if r := Check(m, other); r.Largest() < residuals.Largest() {
			best = other
			residuals = r
		}
	}

	best.Iterations = used.Iterations
	best.Work = used.Work
	best.Span = used.Span
	best.Residuals = residuals
	best.Tolerance = max(wanted, residuals.Largest())
	return best
}

// proves reports whether the certificate of an infeasible or unbounded model holds without any tolerance.
func (sol *Solution) proves(m *lp.Model) bool {
	a, err := m.Matrix()
	if err != nil {
		return false
	}

	// A Farkas ray is a proof in doubled precision, as are crossed bounds.
	if sol.Status == lp.Infeasible {
		return crossed(m) || len(sol.Ray) == len(m.Rows) && provesExactly(m, a.Transpose(), sol.Ray)
	}

	// A ray proves that the objective improves without bound from a feasible point; in float64 that point satisfies its
	// rows to a tolerance, so the status is certain only where rows and bounds cannot exclude each other.
	return len(m.Rows) == 0
}

// solveExact solves a small model in exact arithmetic, from the basis of sol if there is one. It returns nil for a
// model that is too large, or takes too long.
func solveExact(m *lp.Model, sol *Solution) *Solution {
	// Exact arithmetic takes too long for larger models.
	if len(m.Rows)*len(m.Cols) > exactEntries {
		return nil
	}

	// A basis that float64 has led to is optimal, or nearly so, in most cases.
	var start exact.Start
	var used Result
	if sol != nil {
		used = sol.Result
		for _, st := range slices.Concat(sol.Basis.Cols, sol.Basis.Rows) {
			start.Basic = append(start.Basic, st == Basic)
			start.AtUpper = append(start.AtUpper, st == AtUpper)
		}
	}
	answer := exact.Solve(m, start, exactWork)
	if answer == nil {
		return nil
	}

	out := &Solution{
		Exact:       true,
		Result:      Result{Iterations: used.Iterations, Work: used.Work, Span: used.Span, Objective: answer.Objective},
		X:           answer.X,
		RowActivity: answer.RowActivity,
		RowDual:     answer.RowDual,
		ReducedCost: answer.ReducedCost,
		Basis:       exactBasis(m, answer),
	}
	for _, r := range answer.Ray {
		v, _ := r.Float64()
		out.Ray = append(out.Ray, v)
	}

	// The vectors are rounded to float64, so that the residuals of an optimum are not zero.
	switch answer.Status {
	case lp.Optimal:
		out.set(lp.Optimal, lp.FeasiblePoint, lp.FeasiblePoint)
		out.Bound = answer.Objective
		out.Residuals = Check(m, out)
	case lp.Infeasible:
		out.set(lp.Infeasible, lp.InfeasiblePoint, lp.RayPoint)
		out.Objective = math.NaN()
		out.Bound = senseOf(m) * math.Inf(1)
	default:
		out.set(answer.Status, lp.FeasiblePoint, lp.InfeasiblePoint)
		out.Bound = senseOf(m) * math.Inf(-1)
	}
	return out
}

// exactBasis returns the basis of an exact answer.
func exactBasis(m *lp.Model, answer *exact.Answer) Basis {
	status := func(v int, lower, upper float64) VarStatus {
		switch {
		case answer.Basis.Basic[v]:
			return Basic
		case answer.Basis.AtUpper[v]:
			return AtUpper
		case isInf(lower) && isInf(upper):
			return AtZero
		}
		return AtLower
	}

	var b Basis
	for j, c := range m.Cols {
		b.Cols = append(b.Cols, status(j, c.Lower, c.Upper))
	}
	for i, r := range m.Rows {
		b.Rows = append(b.Rows, status(len(m.Cols)+i, r.Lower, r.Upper))
	}
	return b
}

// attemptsAgain is the number of ways in which a model is solved once more; see again.
const attemptsAgain = 4

// again solves the model once more: from the basis of sol and then from the slack basis without scaling, from the slack
// basis with scaling, and with presolve where there was none and the other way round. It returns nil where that fails.
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

	if err != nil {
		return nil
	}
	return other.tidied(m, opt.Tolerances.Primal)
}

// SolveFrom solves m from a basis, without presolve, and holds an optimal solution against m as Solve does. An error
// wraps ErrBasis where the basis is not one of m.
func SolveFrom(ctx context.Context, m *lp.Model, opt Options, basis *Basis) (*Solution, error) {
	began := time.Now()
	sol, err := solveFrom(ctx, m, opt, basis)
	return sol.judged(ctx, m, opt, began, err)
}

// newAt is New for a basis to start from; nil for the slack basis.
func newAt(m *lp.Model, opt Options, basis *Basis) (*Solver, error) {
	s, err := New(m, opt)
	if err == nil && basis != nil {
		err = s.SetBasis(basis)
	}
	return s, err
}

// solveFrom solves m from a basis, nil for the slack basis, with one solver.
func solveFrom(ctx context.Context, m *lp.Model, opt Options, basis *Basis) (*Solution, error) {
	s, err := newAt(m, opt, basis)
	if err != nil {
		return nil, err
	}
	r, err := s.Solve(ctx, opt.Limits)
	if err != nil {
		return nil, err
	}
	return s.Solution(r), nil
}
